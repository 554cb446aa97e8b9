package manifest

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestKeyRoundTrip(t *testing.T) {
	tests := map[string]Key{
		"Deployment.apps/default/web":                         {Kind: "Deployment", Group: "apps", Namespace: "default", Name: "web"},
		"Service/default/web":                                 {Kind: "Service", Namespace: "default", Name: "web"},
		"Namespace/web":                                       {Kind: "Namespace", Name: "web"},
		"ClusterRole.rbac.authorization.k8s.io/system:node":   {Kind: "ClusterRole", Group: "rbac.authorization.k8s.io", Name: "system:node"},
		"Role.rbac.authorization.k8s.io/a/system::leader.x_y": {Kind: "Role", Group: "rbac.authorization.k8s.io", Namespace: "a", Name: "system::leader.x_y"},
	}
	for text, key := range tests {
		t.Run(text, func(t *testing.T) {
			if got := key.String(); got != text {
				t.Errorf("String() = %q", got)
			}
			got, err := ParseKey(text)
			if err != nil || got != key {
				t.Errorf("ParseKey() = %+v, %v; want %+v", got, err, key)
			}
		})
	}
}

func TestParseKeyRejects(t *testing.T) {
	for _, text := range []string{"", "web", "/web", "Deployment.apps/", "Deployment.apps//web", "Deployment./a/web", ".apps/a/web", "a/b/c/d"} {
		if key, err := ParseKey(text); err == nil {
			t.Errorf("ParseKey(%q) = %+v, want an error", text, key)
		}
	}
}

func TestKeyOf(t *testing.T) {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "web", "namespace": "shop"},
	}}
	if got, want := KeyOf(obj), (Key{Kind: "Deployment", Group: "apps", Namespace: "shop", Name: "web"}); got != want {
		t.Errorf("KeyOf() = %+v, want %+v", got, want)
	}
}

func TestSourceString(t *testing.T) {
	source := Source{Argument: "templates", Index: 0, Document: 1}
	if got, want := source.String(), "templates[0], document 2"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}
