package scheduler

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// claimedByLabel marks a template that another controller has taken over; such a template is never propagated.
const claimedByLabel = "resourcetemplate.karmada.io/claimed-by"

// Match returns the policy that propagates obj, or nil. Terminating policies do not count.
//
// A namespaced object belongs first to the PropagationPolicies of its own namespace; only if none of them selects it,
// and for cluster-scoped objects, do ClusterPropagationPolicies count, whatever their priority. Among those that select
// the object, the higher priority wins, then the more specific selector, then the smaller name. Nothing of who came
// first is remembered, so a policy that does not select an object never changes where it goes.
func Match(obj *unstructured.Unstructured, policies []*api.PropagationPolicy) *api.PropagationPolicy {
	if NeverPropagated(obj) != "" {
		return nil
	}
	var best *claim
	for _, p := range policies {
		if c := newClaim(p, obj); c != nil && (best == nil || c.compare(best) < 0) {
			best = c
		}
	}
	if best == nil {
		return nil
	}
	return best.policy
}

// claim is a policy that selects an object.
type claim struct {
	policy      *api.PropagationPolicy
	specificity api.Specificity
}

// newClaim returns nil when p does not select obj.
func newClaim(p *api.PropagationPolicy, obj *unstructured.Unstructured) *claim {
	if p.DeletionTimestamp != nil {
		return nil
	}
	if !p.ClusterScoped() && (obj.GetNamespace() == "" || p.Namespace != obj.GetNamespace()) {
		return nil
	}
	specificity := api.MostSpecific(p.Spec.ResourceSelectors, obj)
	if specificity == api.NoMatch {
		return nil
	}
	return &claim{policy: p, specificity: specificity}
}

// compare orders claims, the winner first.
func (c *claim) compare(other *claim) int {
	return cmp.Or(
		boolOrder(c.policy.ClusterScoped(), other.policy.ClusterScoped()),
		-cmp.Compare(priority(c.policy), priority(other.policy)),
		-cmp.Compare(c.specificity, other.specificity),
		cmp.Compare(c.policy.Name, other.policy.Name),
	)
}

func priority(p *api.PropagationPolicy) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

// boolOrder orders false before true.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// The API groups of Karmada's own objects, which never leave the place they were written for.
var karmadaGroups = []string{
	"cluster.karmada.io", "policy.karmada.io", "work.karmada.io", "config.karmada.io",
	"networking.karmada.io", "autoscaling.karmada.io", "remedy.karmada.io", "apps.karmada.io",
}

// NeverPropagated returns why obj cannot be propagated by any policy, or "". The rules are Karmada's defaults: objects
// that belong to a cluster itself, and namespaces that the cluster or Karmada keep for themselves.
func NeverPropagated(obj *unstructured.Unstructured) string {
	gvk, namespace := obj.GroupVersionKind(), obj.GetNamespace()
	switch {
	case slices.Contains(karmadaGroups, gvk.Group):
		why := "objects of the API group " + gvk.Group + " are not propagated"
		if alternative := api.Alternative(gvk.Kind); alternative != "" {
			why += "; here, " + alternative
		}
		return why
	case gvk.Group == "events.k8s.io", gvk.Group == "" && gvk.Kind == "Event":
		return "Events are not propagated"
	case gvk.Group == "coordination.k8s.io":
		return "Leases are not propagated"
	case namespace == "karmada-system", namespace == "karmada-cluster",
		strings.HasPrefix(namespace, "karmada-es-"), strings.HasPrefix(namespace, "kube-"):
		return "the namespace " + namespace + " is reserved: nothing in it is propagated"
	case obj.GetLabels()[claimedByLabel] != "":
		return "the label " + claimedByLabel + " says that " + obj.GetLabels()[claimedByLabel] + " manages it"
	}
	return ""
}
