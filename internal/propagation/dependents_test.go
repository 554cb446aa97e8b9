package propagation

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

const settingsName = "ConfigMap/default/settings"

// referrer returns a Deployment that uses the ConfigMap settings, and a policy that places it on a member.
func referrer(name, member, more string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec: {containers: [{name: app, image: app, envFrom: [{configMapRef: {name: settings}}]}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: %[1]s}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: %[1]s}]
  placement: {clusterAffinity: {clusterNames: [%[2]s]}}
  propagateDeps: true
%[3]s`, name, member, more)
}

func TestDependentsFollowAllReferrers(t *testing.T) {
	keep := "  conflictResolution: Overwrite\n  preserveResourcesOnDeletion: true\n"
	in := input(t, named("a", "b"), settings, referrer("web", "b", keep), referrer("api", "a", keep))
	in.Policies.Suspension = &api.Suspension{DispatchingOnClusters: &api.SuspendClusters{ClusterNames: []string{"a"}}}
	out := compute(t, in)
	want := Placement{
		Policy:   "Deployment.apps/default/api, Deployment.apps/default/web",
		Reason:   "follows Deployment.apps/default/api, Deployment.apps/default/web",
		Clusters: map[string]Replicas{"a": {None: true}, "b": {None: true}},
		Preserve: true, Suspended: []string{"a"},
	}
	if got := out.Placements[settingsName]; !reflect.DeepEqual(got, want) {
		t.Errorf("placement %+v, want %+v", got, want)
	}
	if got := out.Works["a"][settingsName].Conflict; got != api.ConflictOverwrite {
		t.Errorf("conflict resolution %s, want that of the referrers", got)
	}
}

// An imported Service takes along the Service that stands for it, by its name, and that one's endpoints, by their label.
func TestDependentsByLabel(t *testing.T) {
	slice := func(name, service string) string {
		return fmt.Sprintf("apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: %s, labels: {kubernetes.io/service-name: %s}}\naddressType: IPv4\nendpoints: []\n", name, service)
	}
	in := input(t, named("a", "b"),
		"apiVersion: multicluster.x-k8s.io/v1alpha1\nkind: ServiceImport\nmetadata: {name: web}\nspec: {type: ClusterSetIP, ports: [{port: 80}]}\n",
		"apiVersion: v1\nkind: Service\nmetadata: {name: derived-web}\nspec: {ports: [{port: 80}]}\n",
		slice("one", "derived-web"), slice("two", "derived-web"), slice("other", "web"), `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: imports}
spec:
  resourceSelectors: [{apiVersion: multicluster.x-k8s.io/v1alpha1, kind: ServiceImport}]
  placement: {clusterAffinity: {clusterNames: [b]}}
`)
	in.IgnoreUnmatched = true
	out := compute(t, in)
	for _, key := range []string{"Service/default/derived-web", "EndpointSlice.discovery.k8s.io/default/one", "EndpointSlice.discovery.k8s.io/default/two"} {
		if got, want := out.Placements[key].Clusters, map[string]Replicas{"b": {None: true}}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s is placed on %v, want %v", key, got, want)
		}
	}
	if _, placed := out.Placements["EndpointSlice.discovery.k8s.io/default/other"]; placed {
		t.Error("the endpoints of another Service follow too")
	}
}

func TestDependentsTornBetweenReferrers(t *testing.T) {
	overwrite, preserve := "  conflictResolution: Overwrite\n", "  preserveResourcesOnDeletion: true\n"
	abort := strings.Replace(settings, "metadata: {", "metadata: {annotations: {work.karmada.io/conflict-resolution: abort}, ", 1)
	own := strings.Replace(strings.Replace(everywhere, "name: everywhere", "name: own", 1), "    - {apiVersion: apps/v1, kind: Deployment}\n", "", 1)
	for name, test := range map[string]struct {
		documents []string
		want      []string // parts of the one problem
	}{
		"conflict resolution": {
			[]string{settings, referrer("web", "a", overwrite), referrer("api", "b", "")},
			[]string{
				settingsName + " has no policy of its own and follows Deployment.apps/default/api and Deployment.apps/default/web",
				"PropagationPolicy default/api has conflictResolution Abort and preserveResourcesOnDeletion false",
				"PropagationPolicy default/web has conflictResolution Overwrite and preserveResourcesOnDeletion false",
			},
		},
		"preservation":                {[]string{settings, referrer("web", "a", preserve), referrer("api", "b", "")}, []string{"preserveResourcesOnDeletion true"}},
		"the dependent decides":       {[]string{abort, referrer("web", "a", overwrite), referrer("api", "b", "")}, nil},
		"a policy of its own decides": {[]string{settings, referrer("web", "a", overwrite), referrer("api", "b", ""), own}, nil},
		"not dependent on one":        {[]string{settings, referrer("web", "a", overwrite), strings.Replace(referrer("api", "b", ""), "propagateDeps: true", "propagateDeps: false", 1)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Compute(input(t, named("a", "b"), test.documents...))
			if test.want == nil {
				if len(problems) > 0 {
					t.Errorf("problem %v, want none", problems[0])
				}
				return
			}
			if len(problems) != 1 || problems[0].Note || problems[0].Summary != "Policies disagree about a dependency" {
				t.Fatalf("problems %v, want one error", problems)
			}
			for _, want := range test.want {
				if !strings.Contains(problems[0].Detail, want) {
					t.Errorf("detail %q does not say %q", problems[0].Detail, want)
				}
			}
		})
	}
}

// What a template without a place takes along has lost no policy: one error, and the objects stay where they are.
func TestDependentsOfWhatCannotBePlaced(t *testing.T) {
	for name, works := range map[string]Works{"new": nil, "running": {"a": {settingsName: {"apiVersion": "v1"}}}} {
		t.Run(name, func(t *testing.T) {
			in := input(t, named("a", "b"), settings, referrer("web", "nowhere", ""))
			in.Shared = map[string]bool{"PropagationPolicy default/web": true} // so that the name is not noted
			in.Prior.Works = works
			_, problems := Compute(in)
			if len(problems) != 1 || problems[0].Summary != "Template cannot be placed" {
				t.Errorf("problems %v, want one about the Deployment", problems)
			}
		})
	}
}
