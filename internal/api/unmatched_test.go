package api

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestUnmatched(t *testing.T) {
	var objects []*unstructured.Unstructured
	for _, text := range []string{
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}",
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: reader}",
	} {
		objects = append(objects, &unstructured.Unstructured{Object: document(t, text)})
	}
	tests := map[string]struct {
		selector ResourceSelector
		want     string
	}{
		"selects one":        {ResourceSelector{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"}, ""},
		"names none":         {ResourceSelector{APIVersion: "apps/v1", Kind: "StatefulSet"}, ""},
		"other name":         {ResourceSelector{APIVersion: "apps/v1", Kind: "Deployment", Name: "api"}, "no template is the apps/v1 Deployment api; of that kind there are apps/v1 shop/web"},
		"other namespace":    {ResourceSelector{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"}, "no template is the apps/v1 Deployment default/web; of that kind there are apps/v1 shop/web"},
		"other version":      {ResourceSelector{APIVersion: "rbac.authorization.k8s.io/v1beta1", Kind: "ClusterRole", Name: "reader"}, "no template is the rbac.authorization.k8s.io/v1beta1 ClusterRole reader; of that kind there are rbac.authorization.k8s.io/v1 reader"},
		"plural":             {ResourceSelector{APIVersion: "apps/v1", Kind: "deployments"}, "no template is of the kind deployments; did you mean Deployment?"},
		"plural, and a name": {ResourceSelector{APIVersion: "apps/v1", Kind: "Deployments", Name: "web"}, "no template is of the kind Deployments; did you mean Deployment?"},
		"other case":         {ResourceSelector{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "clusterrole"}, "no template is of the kind clusterrole; did you mean ClusterRole?"},
		"other kind":         {ResourceSelector{APIVersion: "v1", Kind: "Service", Name: "web"}, "no template is the v1 Service web; there is none of that kind"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.selector.Unmatched(objects); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMeansKind(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		want       bool
	}{
		{"deployment", "Deployment", true}, {"deployments", "Deployment", true}, {"Ingresses", "Ingress", true}, {"networkpolicies", "NetworkPolicy", true}, {"Deploymnet", "Deployment", true},
		{"Service", "ServiceAccount", false}, {"Job", "CronJob", false}, {"Role", "RoleBinding", false}, {"", "Role", false},
	} {
		if got := MeansKind(c.name, c.kind); got != c.want {
			t.Errorf("%q means %s: %v, want %v", c.name, c.kind, got, c.want)
		}
	}
}
