package override

import (
	"errors"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

func TestErrorText(t *testing.T) {
	demo := object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: demoapp, namespace: default}, spec: {replicas: 1}}`)
	target := Target{Cluster: member("kube03", ""), UnknownVariables: map[string]bool{"role": true}}
	tests := []struct{ name, spec, want string }{
		{"a rule", `{overrideRules: [{overriders: {}}, {overriders: {plaintext: [{path: /spec/replicas, operator: replace, value: 2}, {path: /spec/paused, operator: remove}]}}]}`,
			`OverridePolicy default/demoapp, overrideRules[1].overriders.plaintext[1], Deployment.apps/default/demoapp on member kube03, path /spec/paused: there is no "paused" to remove, only replicas; leave this operation out`},
		{"the deprecated single rule", `{overriders: {plaintext: [{path: x, operator: remove}]}}`,
			`OverridePolicy default/demoapp, overriders.plaintext[0], Deployment.apps/default/demoapp on member kube03: path "x" does not begin with a slash; write "/x"`},
		{"the policy alone", `{overriders: {plaintext: [{path: /x, operator: add, value: "{{ member.x }}"}]}}`,
			`OverridePolicy default/demoapp, overriders.plaintext[0]: {{ member.x }} is no reference to the member; write ` + referenceForms},
		{"an unknown variable", `{overriders: {plaintext: [{path: /x, operator: add, value: "{{ member.variables[\"role\"] }}"}]}}`,
			`OverridePolicy default/demoapp, overriders.plaintext[0], Deployment.apps/default/demoapp on member kube03: variable "role" of the member is not known yet`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := compileAndApply(demo, target, []*api.OverridePolicy{policyFrom(t, `
				kind: OverridePolicy
				metadata: {name: demoapp, namespace: default}
				spec: `+tt.spec)})
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestErrorUnwraps(t *testing.T) {
	cause := errors.New("cause")
	if !errors.Is(locate(at(pointer{"spec"}, cause), Location{}), cause) {
		t.Error("the cause is lost")
	}
}
