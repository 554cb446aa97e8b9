package propagation

import (
	"strings"
	"testing"
)

func TestVersionsThatAreNotServed(t *testing.T) {
	old := strings.Replace(widget, "v1", "v1alpha1", 1)
	serveOld := `apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: old}
spec:
  resourceSelectors: [{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}]
  overrideRules:
    - targetCluster: {clusterNames: [b]}
      overriders: {plaintext: [{path: /spec/versions/1/served, operator: replace, value: true}]}
`
	for name, test := range map[string]struct {
		documents []string
		where     string // where it is not served; "" is nowhere
	}{
		"served":                             {[]string{widgets, widget, widgetPolicies("a, b")}, ""},
		"not served":                         {[]string{widgets, old, widgetPolicies("a, b")}, "On a and b."},
		"not served where the definition is": {[]string{widgets, old, widgetPolicies("b")}, "On b."},
		"served on one member":               {[]string{widgets, old, widgetPolicies("a, b"), serveOld}, "On a."},
		"defined elsewhere":                  {[]string{old, widgetPolicies("a, b")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Compute(input(t, named("a", "b"), test.documents...))
			err := firstError(problems)
			if test.where == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			const want = "Widget.example.com/default/w has apiVersion example.com/v1alpha1, and CustomResourceDefinition.apiextensions.k8s.io/widgets.example.com serves the kind in example.com/v1 only."
			if err == nil || err.Summary != "Version is not served" || !strings.Contains(err.Detail, want) || !strings.HasSuffix(err.Detail, test.where) {
				t.Errorf("got %v, want %s ... %s", err, want, test.where)
			}
		})
	}
}
