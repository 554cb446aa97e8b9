package manifest

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	policy := "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: p}\nspec: {}\n"
	templates, policies := Split(mustDecode(t, configMap+"---\n"+policy+"---\n"+strings.Replace(configMap, "name: a", "name: b", 1)))
	if got, want := keysOf(templates), []string{"ConfigMap/a", "ConfigMap/b"}; !slices.Equal(got, want) {
		t.Errorf("templates are %v, want %v", got, want)
	}
	if got, want := keysOf(policies), []string{"PropagationPolicy.policy.karmada.io/p"}; !slices.Equal(got, want) {
		t.Errorf("policies are %v, want %v", got, want)
	}
}

func TestUnique(t *testing.T) {
	withData := configMap + "data: {x: '1'}\n"
	tests := map[string]struct {
		text    string
		want    []string
		wantErr string
	}{
		"identical":            {configMap + "---\n" + configMap, []string{"ConfigMap/a"}, ""},
		"order of keys":        {withData + "---\n{data: {x: '1'}, metadata: {name: a}, kind: ConfigMap, apiVersion: v1}", []string{"ConfigMap/a"}, ""},
		"other namespace":      {configMap + "---\n" + strings.Replace(configMap, "name: a", "name: a, namespace: b", 1), []string{"ConfigMap/a", "ConfigMap/b/a"}, ""},
		"other content":        {configMap + "---\n" + withData, []string{"ConfigMap/a"}, "templates[0], document 2: ConfigMap/a: also given in templates[0], document 1 with other content; keep one of the two, or name one differently"},
		"other version counts": {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n---\napiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: a}", []string{"Deployment.apps/a"}, "templates[0], document 2: Deployment.apps/a: also given in templates[0], document 1 with other content; keep one of the two, or name one differently"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			objects, err := Unique(mustDecode(t, test.text))
			if got := keysOf(objects); !slices.Equal(got, test.want) {
				t.Errorf("objects are %v, want %v", got, test.want)
			}
			if text := errorText(err); text != test.wantErr {
				t.Errorf("error is %q, want %q", text, test.wantErr)
			}
		})
	}
}

func TestUniqueKeepsUnknownLeavesApart(t *testing.T) {
	objects := mustDecode(t, configMap+"---\n"+configMap)
	objects[1].Unknown = []string{"data.x"}
	if _, err := Unique(objects); err == nil {
		t.Error("an object with an unknown leaf passes for the same as one without")
	}
}

// A policy with a wrong group is told about as a policy, which is what its author thinks it is.
func TestSplitTakesPoliciesOfAWrongGroup(t *testing.T) {
	for apiVersion, want := range map[string]bool{
		"karmada.io/v1alpha1": true, "policies.karmada.io/v1alpha1": true, "policy.karmada.io/v1": true, "example.com/v1": false,
	} {
		for _, kind := range []string{"PropagationPolicy", "ClusterPropagationPolicy", "OverridePolicy", "ClusterOverridePolicy"} {
			_, policies := Split(mustDecode(t, "{apiVersion: "+apiVersion+", kind: "+kind+", metadata: {name: a}}"))
			if got := len(policies) == 1; got != want {
				t.Errorf("%s %s is a policy: %t, want %t", apiVersion, kind, got, want)
			}
		}
	}
	if _, policies := Split(mustDecode(t, "{apiVersion: apps.karmada.io/v1alpha1, kind: WorkloadRebalancer, metadata: {name: a}}")); len(policies) > 0 {
		t.Error("another kind of Karmada's is a policy")
	}
}
