package scheduler

import (
	"errors"
	"maps"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// Schedule places one object. The error is a *FitError, *SpreadError or *UnschedulableError, or with clusterAffinities
// a *GroupsError over them; a placement whose strategy is unknown is an error too. Nothing is to be removed for an error:
// the previous placement stays until a plan succeeds.
func Schedule(r Request) (Result, error) {
	groups := r.groups()
	var attempts []Attempt
	for i := range groups {
		result, err := scheduleOn(&r, &groups[i])
		if err == nil {
			result.Attempted = attempts
			return result, nil
		}
		if len(r.Placement.ClusterAffinities) == 0 {
			return Result{Rejected: result.Rejected}, err
		}
		attempts = append(attempts, Attempt{Group: groups[i].name, Rejected: result.Rejected, Err: err})
	}
	return Result{}, &GroupsError{Attempts: attempts}
}

// scheduleOn places the object on one group of members.
func scheduleOn(r *Request, g *group) (Result, error) {
	strategy, err := strategyOf(r.Placement)
	if err != nil {
		return Result{}, err
	}
	result := Result{Group: g.name}
	fitting, rejected := filter(r, g)
	result.Rejected = rejected
	if len(fitting) == 0 {
		return result, &FitError{Members: len(r.Clusters), Rejected: rejected}
	}
	candidates := rank(r, g, strategy, fitting)
	selected, err := spread(r, strategy, candidates)
	if err != nil {
		return result, err
	}
	result.Selected = names(selected)
	if result.LeftOut = leftOut(strategy, candidates, result.Selected); len(result.LeftOut) > 0 {
		result.Reasons = append(result.Reasons, spreadReason(r.Placement.SpreadConstraints, selected))
	}
	if strategy.usesCapacity(r) {
		result.Capacity = capacities(selected)
	}
	err = assign(r, strategy, selected, &result)
	if short, ok := errors.AsType[*UnschedulableError](err); ok && strategy.usesCapacity(r) {
		short.Short = shortages(r, selected, short.Capacity)
	}
	return result, err
}

// group is the set of members that one attempt is restricted to: an affinity and, for workloads, further tiers for what
// does not fit there.
type group struct {
	name     string
	primary  *api.ClusterAffinity
	overflow []api.OverflowAffinityTerm
}

// groups returns the groups to try, in order. Without clusterAffinities it is one without a name.
func (r *Request) groups() []group {
	terms := r.Placement.ClusterAffinities
	if len(terms) == 0 {
		return []group{{primary: r.Placement.ClusterAffinity}}
	}
	if r.KeepGroup && !r.Fresh {
		present := slices.IndexFunc(terms, func(t api.ClusterAffinityTerm) bool { return t.AffinityName == r.Previous.Group })
		terms = terms[max(present, 0):]
	}
	groups := make([]group, len(terms))
	for i := range terms {
		groups[i] = group{name: terms[i].AffinityName, primary: &terms[i].ClusterAffinity}
		if r.workload() {
			groups[i].overflow = terms[i].OverflowAffinities
		}
	}
	return groups
}

// noTier is the tier of a member that is in none.
const noTier = -1

// tier returns 0 for a member of the group's own affinity, k for one of its k-th overflow affinity, or noTier.
func (g *group) tier(c *api.Cluster) int {
	if g.primary.Matches(c) {
		return 0
	}
	for i := range g.overflow {
		if g.overflow[i].Matches(c) {
			return i + 1
		}
	}
	return noTier
}

func names(candidates []candidate) []string {
	out := make([]string, len(candidates))
	for i := range candidates {
		out[i] = candidates[i].name()
	}
	return out
}

func capacities(candidates []candidate) map[string]int64 {
	out := make(map[string]int64, len(candidates))
	for i := range candidates {
		if c := &candidates[i]; c.observed() {
			out[c.name()] = c.capacity
		}
	}
	return out
}

func sum(m map[string]int64) (total int64) {
	for n := range maps.Values(m) {
		total += n
	}
	return total
}
