package override

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestMetadata(t *testing.T) {
	tests := []struct {
		name      string
		metadata  string
		overrider string // of labels and of annotations alike
		want      string
		noted     bool
	}{
		{"add creates the map", `{}`, `[{operator: add, value: {a: "1"}}]`, `{FIELD: {a: "1"}}`, false},
		{"add sets and overwrites", `{FIELD: {a: "0", b: "0"}}`, `[{operator: add, value: {a: "1", example.com/c: "2"}}]`, `{FIELD: {a: "1", b: "0", example.com/c: "2"}}`, false},
		{"replace sets what is there", `{FIELD: {a: "0"}}`, `[{operator: replace, value: {a: "1", b: "2"}}]`, `{FIELD: {a: "1"}}`, false},
		{"remove takes what is there", `{FIELD: {a: "0", b: "0"}}`, `[{operator: remove, value: {a: other, c: ""}}]`, `{FIELD: {b: "0"}}`, false},
		{"removing the last leaves an empty map", `{FIELD: {a: "0"}}`, `[{operator: remove, value: {a: ""}}]`, `{FIELD: {}}`, false},
		{"replace and remove without a map", `{}`, `[{operator: replace, value: {a: "1"}}, {operator: remove, value: {a: "1"}}]`, `{}`, false},
		{"nothing to add", `{}`, `[{operator: add}]`, `{}`, false},
		{"one after the other", `{}`, `[{operator: add, value: {a: "1"}}, {operator: replace, value: {a: "2"}}]`, `{FIELD: {a: "2"}}`, false},
		{"a null map counts as absent", `{FIELD: null}`, `[{operator: add, value: {a: "1"}}]`, `{FIELD: {a: "1"}}`, false},
		{"a map with a null is exchanged by add, as in Karmada", `{FIELD: {a: null, b: "0"}}`, `[{operator: add, value: {c: "1"}}]`, `{FIELD: {c: "1"}}`, true},
		{"a map with a null is left alone by remove, as in Karmada", `{FIELD: {a: null, b: "0"}}`, `[{operator: remove, value: {b: ""}}]`, `{FIELD: {a: null, b: "0"}}`, true},
		{"the member's values", `{}`, `[{operator: add, value: {a: "{{ member.region }}"}}]`, `{FIELD: {a: shanghai}}`, false},
	}
	for _, field := range []string{"labels", "annotations"} {
		for _, tt := range tests {
			t.Run(field+" "+tt.name, func(t *testing.T) {
				configMap := func(metadata string) *unstructured.Unstructured {
					return object(t, `{apiVersion: v1, kind: ConfigMap, metadata: `+strings.ReplaceAll(metadata, "FIELD", field)+`}`)
				}
				got, notes, err := overridden(t, configMap(tt.metadata), `{`+field+`Overrider: `+tt.overrider+`}`)
				if err != nil {
					t.Fatal(err)
				}
				if want := configMap(tt.want); !reflect.DeepEqual(got, want) {
					t.Errorf("got  %v\nwant %v", got.Object, want.Object)
				}
				if tt.noted != (len(notes) == 1) {
					t.Errorf("notes %q, want one: %v", notes, tt.noted)
				}
			})
		}
	}
}

func TestMetadataErrors(t *testing.T) {
	obj := object(t, `{apiVersion: v1, kind: ConfigMap, metadata: oops}`)
	_, _, err := overridden(t, obj, `{labelsOverrider: [{operator: add, value: {a: b}}]}`)
	wantError(t, err, "/metadata", "labelsOverrider[0]", "want an object, have a string")

	target := Target{Cluster: member("kube03", ""), Variables: map[string]string{"role": "arn:aws:iam::1:role/app"}}
	const role = `[{operator: add, value: {role: '{{ member.variables["role"] }}'}}]`
	pod := object(t, `{apiVersion: v1, kind: Pod, metadata: {name: p}}`)
	_, _, err = overriddenFor(t, pod, target, `{labelsOverrider: `+role+`}`)
	wantError(t, err, "/metadata/labels", `value of "role": "arn:aws:iam::1:role/app" is no value of a label`)
	if _, _, err = overriddenFor(t, pod, target, `{annotationsOverrider: `+role+`}`); err != nil {
		t.Errorf("the same as an annotation: %v", err)
	}
}
