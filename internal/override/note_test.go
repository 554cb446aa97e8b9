package override

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func texts(notes []Note) []string {
	var out []string
	for _, n := range notes {
		out = append(out, n.String())
	}
	return out
}

func TestUnmatched(t *testing.T) {
	var templates []*unstructured.Unstructured
	for i := range 7 {
		templates = append(templates, object(t, fmt.Sprintf(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: app-%d, namespace: default}}`, i)))
	}
	templates = append(templates, object(t, `{apiVersion: v1, kind: Namespace, metadata: {name: shop}}`))
	set, err := Compile([]*api.OverridePolicy{policyFrom(t, `
		kind: OverridePolicy
		metadata: {name: p, namespace: other}
		spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: app-1}]}`), policyFrom(t, `
		kind: OverridePolicy
		metadata: {name: p, namespace: default}
		spec:
		  resourceSelectors:
		  - {apiVersion: apps/v1, kind: Deployment, name: app-1}
		  - {apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {none: ""}}}
		  - {apiVersion: apps/v1, kind: Deployment, name: ap-1}
		  - {apiVersion: apps/v1, kind: StatefulSet, name: db}`), policyFrom(t, `
		kind: ClusterOverridePolicy
		metadata: {name: c}
		spec: {resourceSelectors: [{apiVersion: v1beta1, kind: Namespace, name: shop}, {apiVersion: apps/v1, kind: Deployment, name: app-2}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	const deployments = "apps/v1 default/app-0, apps/v1 default/app-1, apps/v1 default/app-2, apps/v1 default/app-3, apps/v1 default/app-4, and 2 more"
	want := []string{
		"ClusterOverridePolicy c, spec.resourceSelectors[0]: no template is the v1beta1 Namespace shop; of that kind there are v1 shop",
		"OverridePolicy default/p, spec.resourceSelectors[2]: no template is the apps/v1 Deployment default/ap-1; of that kind there are " + deployments,
		"OverridePolicy default/p, spec.resourceSelectors[3]: no template is the apps/v1 StatefulSet default/db; there is none of that kind",
		"OverridePolicy other/p, spec.resourceSelectors[0]: no template is the apps/v1 Deployment other/app-1; of that kind there are " + deployments,
	}
	if got := texts(set.Unmatched(templates)); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
