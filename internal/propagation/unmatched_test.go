package propagation

import (
	"fmt"
	"strings"
	"testing"
)

func TestUnmatchedSaysThatThereIsNoPolicy(t *testing.T) {
	for name, test := range map[string]struct {
		documents []string
		running   bool
		want      string
	}{
		"no policy":               {nil, false, "None of the documents in policies is a policy: a policy has apiVersion policy.karmada.io/v1alpha1. No policy selects:"},
		"no policy any more":      {nil, true, "None of the documents in policies is a policy: a policy has apiVersion policy.karmada.io/v1alpha1. No policy selects these any more"},
		"overrides alone":         {[]string{overridePolicy("OverridePolicy", "", "o")}, false, "All policies are override policies, which say what differs on a member, and not what goes there. No policy selects:"},
		"a plural":                {[]string{strings.Replace(policy(""), "kind: Deployment", "kind: deployments", 1)}, false, "No policy selects:\n\n  Deployment.apps/default/demoapp (templates[1], document 1): PropagationPolicy default/web selects kind deployments, the template has Deployment"},
		"a policy of other names": {[]string{strings.Replace(policy(""), "name: demoapp", "name: other", 1)}, false, "No policy selects:"},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(t, named("a"), append(test.documents, testdata(t, "01-demoapp-deployment.yaml"))...)
			if test.running {
				in.Prior.Works = Works{"a": {demoapp: {"apiVersion": "apps/v1"}}}
			}
			_, problems := Compute(in)
			if len(problems) != 1 || !strings.HasPrefix(problems[0].Detail, test.want) {
				t.Errorf("problems %v, want one that begins with %q", problems, test.want)
			}
		})
	}
}

func TestUnmatchedSaysWhatSelectsClusterScopedObjects(t *testing.T) {
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
	const hint = "Namespace/shop (templates[1], document 1): the kind is cluster-scoped, and only a ClusterPropagationPolicy selects such objects"
	for kind, want := range map[string]bool{"PropagationPolicy": true, "ClusterPropagationPolicy": false} {
		_, problems := Compute(input(t, named("a"), strings.Replace(policy(""), "kind: PropagationPolicy", "kind: "+kind, 1), namespace))
		if got := fmt.Sprint(problems); strings.Contains(got, hint) != want {
			t.Errorf("beside a %s: %s, hint %v", kind, got, want)
		}
	}
}
