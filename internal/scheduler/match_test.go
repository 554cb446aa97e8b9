package scheduler

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	if namespace != "" {
		obj.SetNamespace(namespace)
	}
	obj.SetName(name)
	obj.SetLabels(map[string]string{"app": name})
	return obj
}

// policy returns a policy of the namespace, or a cluster-wide one if that is empty, which selects every Deployment.
func policy(namespace, name string, edits ...func(*api.PropagationPolicy)) *api.PropagationPolicy {
	p := &api.PropagationPolicy{}
	p.Kind, p.Namespace, p.Name = api.KindPropagationPolicy, namespace, name
	if namespace == "" {
		p.Kind = api.KindClusterPropagationPolicy
	}
	p.Spec.ResourceSelectors = []api.ResourceSelector{{APIVersion: "apps/v1", Kind: "Deployment"}}
	for _, edit := range edits {
		edit(p)
	}
	return p
}

func withPriority(n int32) func(*api.PropagationPolicy) {
	return func(p *api.PropagationPolicy) { p.Spec.Priority = &n }
}

func named(name string) func(*api.PropagationPolicy) {
	return func(p *api.PropagationPolicy) { p.Spec.ResourceSelectors[0].Name = name }
}

func labelled(p *api.PropagationPolicy) {
	p.Spec.ResourceSelectors[0].LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
}

func terminating(p *api.PropagationPolicy) { p.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }

func TestMatch(t *testing.T) {
	web := object("apps/v1", "Deployment", "shop", "web")
	tests := map[string]struct {
		obj      *unstructured.Unstructured
		policies []*api.PropagationPolicy
		want     string
	}{
		"none":                          {web, nil, ""},
		"own namespace":                 {web, []*api.PropagationPolicy{policy("shop", "a")}, "a"},
		"another namespace":             {web, []*api.PropagationPolicy{policy("bank", "a")}, ""},
		"cluster-wide":                  {web, []*api.PropagationPolicy{policy("", "a")}, "a"},
		"namespaced before priority":    {web, []*api.PropagationPolicy{policy("", "a", withPriority(9)), policy("shop", "b", withPriority(-1))}, "b"},
		"higher priority":               {web, []*api.PropagationPolicy{policy("shop", "a"), policy("shop", "b", withPriority(1))}, "b"},
		"priority before specificity":   {web, []*api.PropagationPolicy{policy("shop", "a", named("web")), policy("shop", "b", withPriority(1))}, "b"},
		"name before labels":            {web, []*api.PropagationPolicy{policy("shop", "a", labelled), policy("shop", "b", named("web"))}, "b"},
		"labels before kind":            {web, []*api.PropagationPolicy{policy("shop", "a"), policy("shop", "b", labelled)}, "b"},
		"smaller name":                  {web, []*api.PropagationPolicy{policy("shop", "b"), policy("shop", "a")}, "a"},
		"terminating":                   {web, []*api.PropagationPolicy{policy("shop", "a", terminating), policy("", "b")}, "b"},
		"does not select":               {web, []*api.PropagationPolicy{policy("shop", "a", named("api"))}, ""},
		"cluster-scoped object":         {object("apps/v1", "Deployment", "", "web"), []*api.PropagationPolicy{policy("", "a"), policy("shop", "b")}, "a"},
		"reserved namespace":            {object("apps/v1", "Deployment", "kube-system", "web"), []*api.PropagationPolicy{policy("", "a")}, ""},
		"selected by a second selector": {web, []*api.PropagationPolicy{policy("shop", "a", named("api"), alsoAll)}, "a"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if p := Match(tt.obj, tt.policies); p != nil {
				got = p.Name
			}
			if got != tt.want {
				t.Errorf("Match() = %q, want %q", got, tt.want)
			}
		})
	}
}

func alsoAll(p *api.PropagationPolicy) {
	p.Spec.ResourceSelectors = append(p.Spec.ResourceSelectors, api.ResourceSelector{APIVersion: "apps/v1", Kind: "Deployment"})
}

func TestNeverPropagated(t *testing.T) {
	claimed := object("apps/v1", "Deployment", "shop", "web")
	claimed.SetLabels(map[string]string{claimedByLabel: "MultiClusterService"})
	tests := map[string]struct {
		obj  *unstructured.Unstructured
		want string // part of the reason
	}{
		"a Deployment":            {object("apps/v1", "Deployment", "shop", "web"), ""},
		"a Namespace":             {object("v1", "Namespace", "", "kube-system"), ""},
		"a namespace like others": {object("v1", "ConfigMap", "kubernetes", "web"), ""},
		"kube-system":             {object("v1", "ConfigMap", "kube-system", "web"), "namespace kube-system is reserved"},
		"karmada-es-kube01":       {object("v1", "ConfigMap", "karmada-es-kube01", "web"), "reserved"},
		"a policy":                {object("policy.karmada.io/v1alpha1", "PropagationPolicy", "shop", "p"), "API group policy.karmada.io"},
		"a customization":         {object("config.karmada.io/v1alpha1", "ResourceInterpreterCustomization", "", "c"), "here, describe the kind in interpreters"},
		"an Event":                {object("v1", "Event", "shop", "e"), "Events"},
		"an Event of the group":   {object("events.k8s.io/v1", "Event", "shop", "e"), "Events"},
		"an Event of another":     {object("example.com/v1", "Event", "shop", "e"), ""},
		"a Lease":                 {object("coordination.k8s.io/v1", "Lease", "shop", "l"), "Leases"},
		"a claimed object":        {claimed, "MultiClusterService manages it"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := NeverPropagated(tt.obj)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("NeverPropagated() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMatchDoesNotDependOnOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	web := object("apps/v1", "Deployment", "shop", "web")
	for range 500 {
		policies := randomPolicies(r)
		before := Match(web, policies)

		unrelated := randomPolicies(r)
		for _, p := range unrelated {
			p.Spec.ResourceSelectors[0].Kind = "StatefulSet"
		}
		all := append(unrelated, policies...)
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if after := Match(web, all); after != before {
			t.Fatalf("unrelated policies or their order changed the winner from %v to %v", before, after)
		}
	}
}

// randomPolicies returns policies with distinct names.
func randomPolicies(r *rand.Rand) []*api.PropagationPolicy {
	var out []*api.PropagationPolicy
	for i := range r.IntN(6) {
		p := policy([]string{"", "shop", "bank"}[r.IntN(3)], fmt.Sprint("p", r.IntN(1000), "-", i), withPriority(int32(r.IntN(2))))
		switch r.IntN(4) {
		case 0:
			named("web")(p)
		case 1:
			labelled(p)
		case 2:
			named("api")(p)
		}
		out = append(out, p)
	}
	return out
}
