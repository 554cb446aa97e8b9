package propagation

import (
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
