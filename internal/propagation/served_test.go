package propagation

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions: [{name: v1, served: true, storage: true}, {name: v1alpha1, served: false, storage: false}]
`

const widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n"

// widgetPolicies places definitions on the members named, and Widgets everywhere.
func widgetPolicies(definitions string) string {
	return `apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: definitions}
spec:
  resourceSelectors: [{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}]
  placement: {clusterAffinity: {clusterNames: [` + definitions + `]}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: widgets}
spec:
  resourceSelectors: [{apiVersion: example.com/v1, kind: Widget}, {apiVersion: example.com/v1alpha1, kind: Widget}]
`
}

// serves returns a member that was seen to serve definitions of kinds, and more.
func serves(name string, more ...api.APIEnablement) Member {
	m := named(name)[0]
	m.Cluster.Status.APIEnablements = append([]api.APIEnablement{
		{GroupVersion: "apiextensions.k8s.io/v1", Resources: []api.APIResource{{Name: "customresourcedefinitions", Kind: "CustomResourceDefinition"}}},
	}, more...)
	return m
}

func TestKindsAreServedWhereTheirDefinitionGoes(t *testing.T) {
	gadgets := api.APIEnablement{GroupVersion: "example.com/v1", Resources: []api.APIResource{{Name: "gadgets", Kind: "Gadget"}}}
	installed := api.APIEnablement{GroupVersion: "example.com/v1", Resources: []api.APIResource{{Name: "widgets", Kind: "Widget"}}}
	for name, test := range map[string]struct {
		members []Member
		widget  string
		want    []string
	}{
		"where it goes":                       {[]Member{serves("a"), serves("b")}, widget, []string{"a"}},
		"beside other kinds of the group":     {[]Member{serves("a", gadgets), serves("b", gadgets)}, widget, []string{"a"}},
		"where it was before":                 {[]Member{serves("a"), serves("b", installed)}, widget, []string{"a", "b"}},
		"where nothing is known":              {[]Member{serves("a"), named("b")[0]}, widget, []string{"a", "b"}},
		"not in a version that is not served": {[]Member{serves("a"), named("b")[0]}, strings.Replace(widget, "v1", "v1alpha1", 1), []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(test.members[0].Cluster.Status.APIEnablements)
			out := compute(t, input(t, test.members, test.widget, widgets, widgetPolicies("a")))
			if got := slices.Sorted(maps.Keys(out.Placements["Widget.example.com/default/w"].Clusters)); !slices.Equal(got, test.want) {
				t.Errorf("placed on %v, want %v", got, test.want)
			}
			if len(before) != len(test.members[0].Cluster.Status.APIEnablements) {
				t.Error("the members that were given are changed")
			}
		})
	}
}

func TestMembersThatDoNotServeAKindAreRejected(t *testing.T) {
	out := compute(t, input(t, []Member{serves("a"), serves("b")}, widget, widgets, widgetPolicies("a")))
	if got := out.Placements["Widget.example.com/default/w"].Rejected["b"]; got != "did not serve example.com/v1 Widget" {
		t.Errorf("b is rejected because it %q", got)
	}
}
