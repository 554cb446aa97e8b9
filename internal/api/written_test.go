package api

import (
	"reflect"
	"testing"
)

func TestWrittenSpec(t *testing.T) {
	spec := WrittenSpec(document(t, policyText("OverridePolicy", `{overrideRules: [{targetCluster: {clusterNames: [], labelSelector: {matchLabels: {a: b}}}, overriders: null}], resourceSelectors: [{labelSelector: {}}]}`)))
	rules, ok := spec["overrideRules"].([]any)
	if !ok || len(rules) != 1 || len(spec) != 4 {
		t.Fatalf("got %v, want a spec of four fields with one rule", spec)
	}
	if selector, ok := spec["resourceSelectors"].([]any)[0].(Written)["labelSelector"].(Written); !ok || selector != nil {
		t.Errorf("got %v, want an object that is written as such", selector)
	}
	want := Written{"overriders": nil, "targetCluster": Written{
		"clusterNames": []any{}, "exclude": nil, "fieldSelector": nil,
		"labelSelector": Written{"matchLabels": map[string]any{"a": "b"}, "matchExpressions": nil},
	}}
	if !reflect.DeepEqual(rules[0], want) {
		t.Errorf("got %v, want %v", rules[0], want)
	}
	for name, text := range map[string]string{
		"no policy": "{apiVersion: v1, kind: Service}", "no spec": "{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy}",
	} {
		if got := WrittenSpec(document(t, text)); got != nil {
			t.Errorf("%s: got %v, want nil", name, got)
		}
	}
}
