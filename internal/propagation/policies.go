package propagation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

// ours reports whether a policy was written for this propagation alone, so that what it names should be there.
func (in *Input) ours(p *api.PropagationPolicy) bool {
	return !p.ClusterScoped() && !in.Shared[api.PolicyName(p)]
}

// winners returns the policies that select at least one template, each once.
func winners(bindings []*binding) []*api.PropagationPolicy {
	var policies []*api.PropagationPolicy
	seen := map[*api.PropagationPolicy]bool{}
	for _, b := range bindings {
		if b.policy != nil && !seen[b.policy] {
			seen[b.policy] = true
			policies = append(policies, b.policy)
		}
	}
	return policies
}

// missingOverrides returns a problem for each policy whose dependentOverrides are not all there. They are OverridePolicies of
// its namespace or, for a cluster-scoped policy, ClusterOverridePolicies; that they exist is all that is asked, as in Karmada.
func missingOverrides(in *Input, bindings []*binding) []*Problem {
	var problems []*Problem
	for _, p := range winners(bindings) {
		var missing []string
		for _, name := range p.Spec.DependentOverrides {
			if !slices.ContainsFunc(in.Policies.Override, func(o *api.OverridePolicy) bool {
				return o.Name == name && o.ClusterScoped() == p.ClusterScoped() && (p.ClusterScoped() || o.Namespace == p.Namespace)
			}) {
				missing = append(missing, name)
			}
		}
		if len(missing) == 0 {
			continue
		}
		kind := api.KindOverridePolicy + " of namespace " + p.Namespace
		if p.ClusterScoped() {
			kind = api.KindClusterOverridePolicy
		}
		problems = append(problems, &Problem{Argument: "policies", Summary: "Override policy is missing", Detail: fmt.Sprintf(
			"%s has dependentOverrides, so its objects go nowhere without them, and there is no %s by the name %s. Add it to policies, or take the name out of dependentOverrides.",
			api.PolicyName(p), kind, list(missing))})
	}
	return problems
}

// unmatchedSelectors notes the selectors that name an object which is no template.
func unmatchedSelectors(in *Input) []*Problem {
	templates := make([]*unstructured.Unstructured, len(in.Templates))
	for i := range in.Templates {
		templates[i] = in.Templates[i].Unstructured
	}
	var problems []*Problem
	for _, p := range in.Policies.Propagation {
		if !in.ours(p) {
			continue
		}
		for i := range p.Spec.ResourceSelectors {
			if why := p.Spec.ResourceSelectors[i].Unmatched(templates); why != "" {
				problems = append(problems, &Problem{Note: true, Argument: "policies", Summary: "Policy selects nothing here",
					Detail: fmt.Sprintf("%s, spec.resourceSelectors[%d]: %s.", api.PolicyName(p), i, why)})
			}
		}
	}
	slices.SortStableFunc(problems, func(a, b *Problem) int { return strings.Compare(a.Detail, b.Detail) })
	return problems
}

// weightless notes the candidates that an affinity picks and to which no static weight of the policy gives a share. An
// affinity that picks none by itself leaves the choice to the weights.
func weightless(in *Input, b *binding, result scheduler.Result) *Problem {
	p := b.policy
	if in.Shared[api.PolicyName(p)] || !picks(&p.Spec.Placement, result.Group) || !weighs(&p.Spec.Placement) || len(result.Weights) == 0 {
		return nil
	}
	var without []string
	for i := range in.Members {
		name := in.Members[i].Name()
		_, weighted := result.Weights[name]
		_, rejected := result.Rejected[name]
		if !weighted && !rejected && !slices.Contains(result.LeftOut, name) {
			without = append(without, name)
		}
	}
	if len(without) == 0 {
		return nil
	}
	slices.Sort(without)
	return &Problem{Note: true, Argument: "policies", Summary: "Member gets no share", Detail: fmt.Sprintf(
		"The affinity of %[1]s picks %[2]s, and its static weights leave out %[2]s, so no replicas go there. Add a weight, or narrow the affinity.",
		api.PolicyName(p), list(without))}
}

// unweighted notes static weights that match none of the members that share the replicas, which are then divided equally.
func unweighted(in *Input, b *binding, result scheduler.Result) *Problem {
	p := b.policy
	if in.Shared[api.PolicyName(p)] || !weighs(&p.Spec.Placement) || len(result.Weights) == 0 {
		return nil
	}
	weights := p.Spec.Placement.ReplicaScheduling.WeightPreference.StaticWeightList
	for i := range in.Members {
		if _, shares := result.Weights[in.Members[i].Name()]; shares && slices.ContainsFunc(weights, func(w api.StaticClusterWeight) bool {
			return w.TargetCluster.Matches(&in.Members[i].Cluster)
		}) {
			return nil
		}
	}
	return &Problem{Note: true, Argument: "policies", Summary: "Weights match no member", Detail: fmt.Sprintf(
		"No static weight of %s matches %s, so replicas are divided equally, as Karmada does. Mend targetCluster of the weights or the labels of the members, or "+
			"take the weights out.", api.PolicyName(p), list(slices.Sorted(maps.Keys(result.Weights))))}
}

// undivided notes an object with spec.replicas that a policy divides and of which the kind is not known to have replicas: each
// member gets all of them.
func undivided(b *binding) *Problem {
	spec, _ := b.object.Object["spec"].(map[string]any)
	count := spec["replicas"]
	if b.replicas != nil || count == nil || duplicated(b.policy) {
		return nil
	}
	return &Problem{Note: true, Argument: "policies", Summary: "Replicas are not divided", Detail: fmt.Sprintf(
		"%s divides replicas, and of the kind of %s it is not known that spec.replicas are replicas, so each member gets all %v. Declare the kind in interpreters, "+
			"with replicas_path = \"spec.replicas\".", api.PolicyName(b.policy), b.key, count)}
}

// weighs reports whether replicas are divided by static weights that the policy gives.
func weighs(p *api.Placement) bool {
	s := p.ReplicaScheduling
	return s != nil && s.WeightPreference != nil && s.WeightPreference.DynamicWeight == "" && len(s.WeightPreference.StaticWeightList) > 0
}

// picks reports whether the affinity that was used says which members it wants, rather than only which it does not.
func picks(p *api.Placement, group string) bool {
	affinity := p.ClusterAffinity
	for i := range p.ClusterAffinities {
		if p.ClusterAffinities[i].AffinityName == group {
			affinity = &p.ClusterAffinities[i].ClusterAffinity
		}
	}
	return affinity != nil && (affinity.LabelSelector != nil || affinity.FieldSelector != nil || len(affinity.ClusterNames) > 0)
}
