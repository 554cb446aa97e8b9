package propagation

import (
	"fmt"
	"maps"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

// strangers notes the members that are named and that are none: by a policy that was written for this propagation, for shared
// ones name members of other propagations too, and by its suspension.
func strangers(in *Input, bindings []*binding) []*Problem {
	known := map[string]bool{}
	for i := range in.Members {
		known[in.Members[i].Name()] = true
	}
	var problems []*Problem
	look := func(argument, subject string, mentions []mention) {
		names, fields := missingMembers(mentions, func(name string) bool { return known[name] || in.Retired[name] })
		if len(names) > 0 {
			problems = append(problems, &Problem{Note: true, Argument: argument, Summary: "No member of that name", Detail: fmt.Sprintf(
				"%s names %s in %s, and the members of this propagation are %s. Check the spelling, or add the member.",
				subject, list(withNearest(names, known)), list(fields), list(slices.Sorted(maps.Keys(known))))})
		}
	}
	for _, p := range winners(bindings) {
		if in.ours(p) {
			look("policies", api.PolicyName(p), propagationMentions(&p.Spec, in.Policies.Suspension))
		}
	}
	for _, p := range in.Policies.Override {
		if !p.ClusterScoped() && !in.Shared[api.PolicyName(p)] {
			look("policies", api.PolicyName(p), overrideMentions(&p.Spec))
		}
	}
	look("suspension", "This propagation", suspensionMentions("suspension.dispatching_on_clusters.cluster_names", in.Policies.Suspension))
	return problems
}

// mention is a field that names members.
type mention struct {
	field   string
	members []string
}

// missingMembers returns the names that are not known, and the fields that have them, each once.
func missingMembers(mentions []mention, known func(name string) bool) (names, fields []string) {
	for _, m := range mentions {
		missing := slices.DeleteFunc(slices.Clone(m.members), known)
		if len(missing) > 0 {
			fields = append(fields, m.field)
		}
		for _, name := range missing {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, fields
}

// propagationMentions returns where a propagation policy names members. What it suspends because the propagation does is the
// propagation's.
func propagationMentions(spec *api.PropagationSpec, given *api.Suspension) []mention {
	const placement = "spec.placement."
	mentions := affinityMentions(placement+"clusterAffinity", spec.Placement.ClusterAffinity)
	for i := range spec.Placement.ClusterAffinities {
		term, at := &spec.Placement.ClusterAffinities[i], fmt.Sprintf("%sclusterAffinities[%d]", placement, i)
		mentions = append(mentions, affinityMentions(at, &term.ClusterAffinity)...)
		for j := range term.OverflowAffinities {
			mentions = append(mentions, affinityMentions(fmt.Sprintf("%s.overflowAffinities[%d]", at, j), &term.OverflowAffinities[j].ClusterAffinity)...)
		}
	}
	if s := spec.Placement.ReplicaScheduling; s != nil && s.WeightPreference != nil {
		for i := range s.WeightPreference.StaticWeightList {
			at := fmt.Sprintf("%sreplicaScheduling.weightPreference.staticWeightList[%d].targetCluster", placement, i)
			mentions = append(mentions, affinityMentions(at, &s.WeightPreference.StaticWeightList[i].TargetCluster)...)
		}
	}
	if spec.Suspension != given {
		mentions = append(mentions, suspensionMentions("spec.suspension.dispatchingOnClusters.clusterNames", spec.Suspension)...)
	}
	return mentions
}

// overrideMentions returns where an override policy names members, the deprecated form without rules included.
func overrideMentions(spec *api.OverrideSpec) []mention {
	mentions := affinityMentions("spec.targetCluster", spec.TargetCluster)
	for i, rule := range spec.OverrideRules {
		mentions = append(mentions, affinityMentions(fmt.Sprintf("spec.overrideRules[%d].targetCluster", i), rule.TargetCluster)...)
	}
	return mentions
}

func affinityMentions(field string, a *api.ClusterAffinity) []mention {
	if a == nil {
		return nil
	}
	return []mention{{field + ".clusterNames", a.ClusterNames}, {field + ".exclude", a.ExcludeClusters}}
}

func suspensionMentions(field string, s *api.Suspension) []mention {
	if s == nil || s.DispatchingOnClusters == nil {
		return nil
	}
	return []mention{{field, s.DispatchingOnClusters.ClusterNames}}
}

// withNearest returns the names of members that are not there, each with the one that was probably meant.
func withNearest(missing []string, known map[string]bool) []string {
	out := make([]string, len(missing))
	for i, name := range missing {
		out[i] = name
		if near := spelling.NearestNumbered(name, slices.Collect(maps.Keys(known))); near != "" {
			out[i] = fmt.Sprintf("%s (did you mean %s?)", name, near)
		}
	}
	return out
}
