package override

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

func TestVariables(t *testing.T) {
	target := Target{
		Cluster:          member("kube03", "shanghai"),
		Variables:        map[string]string{"role": "arn:aws:iam::1:role/app", "empty": "", "braces": "{{ member.name }}"},
		UnknownVariables: map[string]bool{"cert": true},
	}
	target.Cluster.Spec.Provider = "aws"
	target.Cluster.Spec.Zones = []string{"shanghai-a"}
	target.Cluster.Labels = map[string]string{"example.com/team": "core"}
	tests := []struct{ text, want string }{
		{`{{ member.name }}`, "kube03"},
		{`{{ member.region }}/{{ member.zone }}/{{ member.provider }}`, "shanghai/shanghai-a/aws"},
		{`<{{ member.labels["example.com/team"] }}>`, "<core>"},
		{`{{ member.variables["role"] }}`, "arn:aws:iam::1:role/app"},
		{`{{ member.variables["empty"] }}`, ""},
		{`{{ member.name}} and {{ member.name   }}`, "kube03 and kube03"},
		// A value is not read again.
		{`{{ member.variables["braces"] }}`, "{{ member.name }}"},
		// Everything else passes through.
		{``, ""},
		{`{{ .Values.image }} {{workflow.name}} {{ $labels.instance }} {{member.name}} {{- member.name }} { { member.name } }`,
			`{{ .Values.image }} {{workflow.name}} {{ $labels.instance }} {{member.name}} {{- member.name }} { { member.name } }`},
		{`{{ "{{" }} {{ member.name }} }}`, `{{ "{{" }} kube03 }}`},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			parsed, err := parseText(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := parsed.render(&target); err != nil || got != tt.want {
				t.Errorf("got %q (%v), want %q", got, err, tt.want)
			}
		})
	}
}

func TestVariablesWithoutValue(t *testing.T) {
	target := Target{
		Cluster:          member("kube03", ""),
		Variables:        map[string]string{"role": "r", "subnet": "s"},
		UnknownVariables: map[string]bool{"cert": true},
	}
	zoned := target
	zoned.Cluster = member("kube04", "")
	zoned.Cluster.Spec.Zones = []string{"a", "b"}
	tests := []struct {
		text   string
		target Target
		says   string
	}{
		{`{{ member.region }}`, target, "member kube03 declares no region"},
		{`{{ member.provider }}`, target, "member kube03 declares no provider"},
		{`{{ member.zone }}`, target, "member kube03 declares no zone"},
		{`{{ member.zone }}`, zoned, "member kube04 has zones a, b; use a variable"},
		{`{{ member.labels["team"] }}`, target, `{{ member.labels["team"] }} has no value: member kube03 has no such key (its labels: env)`},
		{`{{ member.variables["rol"] }}`, target, "its variables: cert, role, subnet"},
		{`{{ member.variables["rol"] }}`, Target{Cluster: target.Cluster}, "its variables: none"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			_, _, err := overriddenFor(t, configMap(""), tt.target, `{plaintext: [{path: /data/x, operator: add, value: '`+tt.text+`'}]}`)
			wantError(t, err, "/data/x", "plaintext[0]", tt.says)
		})
	}
}

// TestVariablesUnknown checks that an unknown value stops the object, wherever the value stands, and only where it is used.
func TestVariablesUnknown(t *testing.T) {
	const unknown = `'x{{ member.variables["cert"] }}'`
	pod := object(t, `{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {}, annotations: {a: "{}"}}, spec: {containers: [{name: app, image: nginx}]}}`)
	targets := map[string]Target{
		"one value": {Cluster: member("kube03", ""), Variables: map[string]string{"cert": "stale"}, UnknownVariables: map[string]bool{"cert": true}},
		"all keys":  {Cluster: member("kube03", ""), AllVariablesUnknown: true},
	}
	tests := map[string]string{
		"plaintext[0]":            `{plaintext: [{path: /metadata/x, operator: add, value: {y: [` + unknown + `]}}]}`,
		"imageOverrider[0]":       `{imageOverrider: [{component: Registry, operator: replace, value: ` + unknown + `}]}`,
		"commandOverrider[0]":     `{commandOverrider: [{containerName: app, operator: add, value: [` + unknown + `]}]}`,
		"argsOverrider[0]":        `{argsOverrider: [{containerName: app, operator: add, value: [` + unknown + `]}]}`,
		"labelsOverrider[0]":      `{labelsOverrider: [{operator: add, value: {x: ` + unknown + `}}]}`,
		"annotationsOverrider[0]": `{annotationsOverrider: [{operator: add, value: {x: ` + unknown + `}}]}`,
		"fieldOverrider[0]":       `{fieldOverrider: [{fieldPath: /metadata/annotations/a, json: [{subPath: /x, operator: add, value: ` + unknown + `}]}]}`,
	}
	for targetName, target := range targets {
		for overrider, rule := range tests {
			t.Run(targetName+" "+overrider, func(t *testing.T) {
				_, _, err := overriddenFor(t, pod, target, rule)
				var e *UnknownError
				if !errors.As(err, &e) {
					t.Fatalf("error %v, want an *UnknownError", err)
				}
				if e.Variable != "cert" || e.Overrider != overrider || e.Member != "kube03" || e.Object.Name != "p" {
					t.Errorf("error %+v, want variable cert in %s for p on kube03", e, overrider)
				}
			})
		}
	}
	got, _, err := overriddenFor(t, pod, targets["all keys"], `{labelsOverrider: [{operator: replace, value: {none: `+unknown+`}}], plaintext: [{path: /metadata/x, operator: add, value: "{{ member.name }}"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if x, err := getString(got.Object, pointer{"metadata", "x"}); err != nil || x != "kube03" {
		t.Errorf("metadata.x = %q (%v), want the name of the member", x, err)
	}
}

func TestCompileErrors(t *testing.T) {
	texts := []string{
		`{{ member.nam }}`, `{{ member.name`, `{{ member.names }}`, `{{ member.name.x }}`, `{{ member.labels }}`, `{{ member.labels[team] }}`,
		`{{ member.labels["team" }}`, `{{ member.variables.role }}`, `x {{ member. }} y`, `{{ member.variables["a"] | quote }}`,
	}
	for _, text := range texts {
		t.Run(text, func(t *testing.T) {
			_, err := Compile([]*api.OverridePolicy{policyFrom(t, `
				kind: OverridePolicy
				metadata: {name: p, namespace: default}
				spec:
				  overrideRules:
				  - overriders: {}
				  - overriders: {annotationsOverrider: [{operator: add, value: {ok: "", bad: '`+text+`'}}]}`)})
			wantError(t, err, "", "OverridePolicy default/p, overrideRules[1].overriders.annotationsOverrider[0]: value of \"bad\"",
				"is no reference to the member; write {{ member.name }}", strings.TrimPrefix(strings.TrimSuffix(text, " y"), "x "))
		})
	}
}

// A reference in a path or a key would stay as it is written.
func TestReferencesOutsideOfValues(t *testing.T) {
	for name, overriders := range map[string]string{
		"a path":      `{plaintext: [{path: "/metadata/annotations/{{ member.name }}", operator: add, value: x}]}`,
		"a key":       `{plaintext: [{path: /metadata/annotations, operator: add, value: {"{{ member.name }}": x}}]}`,
		"a predicate": `{imageOverrider: [{component: Tag, operator: replace, value: v2, predicate: {path: "/spec/{{ member.name }}"}}]}`,
		"a field":     `{fieldOverrider: [{fieldPath: "/data/{{ member.name }}", json: [{subPath: /a, operator: remove}]}]}`,
		"a sub-path":  `{fieldOverrider: [{fieldPath: /data/a, json: [{subPath: "/{{ member.name }}", operator: remove}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			policy := policyFrom(t, `{kind: ClusterOverridePolicy, metadata: {name: p}, spec: {overrideRules: [{overriders: `+overriders+`}]}}`)
			_, _, err := compileAndApply(object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "{}"}}`), Target{Cluster: member("kube03", "shanghai")}, []*api.OverridePolicy{policy})
			wantError(t, err, "", "ClusterOverridePolicy p, overrideRules[0].overriders.", "refers to the member, and only values may")
		})
	}
}

// TestCompileEverywhere has a text that cannot be understood in each place where texts are read.
func TestCompileEverywhere(t *testing.T) {
	const bad = `"{{ member.nam }}"`
	tests := map[string]string{
		"plaintext[1]":        `{plaintext: [{path: /x, operator: remove}, {path: /x, operator: add, value: {y: [` + bad + `]}}]}`,
		"imageOverrider[0]":   `{imageOverrider: [{component: Registry, operator: replace, value: ` + bad + `}]}`,
		"commandOverrider[0]": `{commandOverrider: [{containerName: app, operator: add, value: [` + bad + `]}]}`,
		"argsOverrider[0]":    `{argsOverrider: [{containerName: app, operator: add, value: [` + bad + `]}]}`,
		"labelsOverrider[0]":  `{labelsOverrider: [{operator: add, value: {x: ` + bad + `}}]}`,
		"fieldOverrider[0]":   `{fieldOverrider: [{fieldPath: /x, yaml: [{subPath: /x, operator: add, value: ` + bad + `}]}]}`,
	}
	for overrider, rule := range tests {
		t.Run(overrider, func(t *testing.T) {
			_, err := Compile([]*api.OverridePolicy{policyFrom(t, `{kind: ClusterOverridePolicy, metadata: {name: p}, spec: {overriders: `+rule+`}}`)})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want an *Error", err)
			}
			want := Location{Policy: PolicyRef{Kind: "ClusterOverridePolicy", Name: "p"}, Rule: -1, Overrider: overrider}
			if !reflect.DeepEqual(e.Location, want) {
				t.Errorf("error at %+v, want %+v", e.Location, want)
			}
		})
	}
}
