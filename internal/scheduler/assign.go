package scheduler

import (
	"cmp"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// Reasons for numbers that do not follow from the placement alone.
const (
	reasonNoObservation = "no observation yet"
	reasonNoWeight      = "no static weight matches a candidate: divided equally"
)

// assign gives replicas to the selected members and notes in the result how. Members that get none are left out, except
// that an object without replicas goes to all of them.
func assign(r *Request, s strategy, selected []candidate, result *Result) error {
	result.Clusters = make(map[string]int64, len(selected))
	if r.Replicas == 0 {
		for i := range selected {
			result.Clusters[selected[i].name()] = 0
		}
		return nil
	}
	remaining := r.Replicas
	for _, tier := range tiers(selected) {
		if remaining == 0 {
			break
		}
		replicas := remaining
		if last := len(tier) == len(selected); !last {
			replicas = min(remaining, room(tier))
		}
		if err := assignTier(r, s, replicas, tier, result); err != nil {
			return err
		}
		remaining -= replicas
	}
	if remaining > 0 {
		return shortage(r.Replicas, selected)
	}
	return nil
}

// tiers splits candidates, which are ordered by tier. Without overflow affinities there is one tier.
func tiers(selected []candidate) [][]candidate {
	var out [][]candidate
	for start, end := 0, 0; start < len(selected); start = end {
		for end = start + 1; end < len(selected) && selected[end].tier == selected[start].tier; end++ {
		}
		out = append(out, selected[start:end])
	}
	return out
}

// assignTier gives replicas to the members of one tier.
func assignTier(r *Request, s strategy, replicas int64, members []candidate, result *Result) error {
	var got map[string]int64
	var err error
	switch s {
	case duplicated:
		got = duplicate(replicas, members)
	case staticWeight:
		got, err = divideByWeight(r, replicas, members, result)
	default:
		got, err = divideByCapacity(r, s, replicas, members, result)
	}
	if err != nil {
		return err
	}
	for name, n := range got {
		if n > 0 || s == duplicated {
			result.Clusters[name] = n
		}
	}
	return nil
}

// duplicate gives all replicas to each member. A held one keeps at most what it has.
func duplicate(replicas int64, members []candidate) map[string]int64 {
	out := make(map[string]int64, len(members))
	for i := range members {
		m := &members[i]
		out[m.name()] = replicas
		if m.held {
			out[m.name()] = min(replicas, m.present)
		}
	}
	return out
}

// divideByWeight divides by the weights of the policy, whatever was placed before. What a held member must leave goes to
// the others.
func divideByWeight(r *Request, replicas int64, members []candidate, result *Result) (map[string]int64, error) {
	weights := staticWeights(r.Placement, members)
	if len(weights) == 0 {
		weights = equalWeights(members)
		if p := r.Placement.ReplicaScheduling.WeightPreference; p != nil && len(p.StaticWeightList) > 0 {
			result.Reasons = append(result.Reasons, reasonNoWeight)
		}
	}
	caps := map[string]int64{}
	for i := range members {
		if members[i].held {
			caps[members[i].name()] = members[i].present
		}
	}
	result.Weights = weights
	out, left := divideCapped(replicas, weights, caps, r.TieKey)
	if left > 0 {
		return nil, &UnschedulableError{Replicas: replicas, Capacity: out}
	}
	return out, nil
}

// staticWeights returns the greatest weight that a rule gives each member; members without one are missing.
func staticWeights(p *api.Placement, members []candidate) map[string]int64 {
	weights := map[string]int64{}
	if p.ReplicaScheduling.WeightPreference == nil {
		return weights
	}
	rules := p.ReplicaScheduling.WeightPreference.StaticWeightList
	for i := range members {
		for j := range rules {
			if rules[j].TargetCluster.Matches(members[i].cluster) {
				weights[members[i].name()] = max(weights[members[i].name()], rules[j].Weight)
			}
		}
	}
	return weights
}

// preferred returns the members that have a static weight, or all if none has.
func preferred(p *api.Placement, members []candidate) []candidate {
	weights := staticWeights(p, members)
	if len(weights) == 0 {
		return members
	}
	return slices.DeleteFunc(slices.Clone(members), func(m candidate) bool { return weights[m.name()] == 0 })
}

func equalWeights(members []candidate) map[string]int64 {
	weights := make(map[string]int64, len(members))
	for i := range members {
		weights[members[i].name()] = 1
	}
	return weights
}

// divideByCapacity divides by what members can take. What they hold stays where it is as long as the numbers agree: if
// there are too many replicas, the members that hold some share those that remain in proportion; if there are too few,
// only the missing ones are divided. A fresh division starts from nothing.
func divideByCapacity(r *Request, s strategy, replicas int64, members []candidate, result *Result) (map[string]int64, error) {
	d := division{strategy: s, tieKey: r.TieKey, members: members, result: result}
	present := map[string]int64{}
	for i := range members {
		if members[i].placed {
			present[members[i].name()] = members[i].present
		}
	}
	held := sum(present)
	blind := unobserved(members)
	if len(blind) > 0 && (r.Fresh || held < replicas) {
		result.Reasons = append(result.Reasons, reasonNoObservation+": "+strings.Join(blind, ", "))
	}
	switch {
	case r.Fresh && len(blind) == 0:
		return d.among(replicas, (*candidate).available, nil)
	case held > replicas:
		return d.among(replicas, func(c *candidate) int64 { return c.present }, nil)
	case held == replicas:
		return present, nil
	case len(blind) > 0 && held == 0:
		return d.equally(replicas)
	case len(blind) > 0:
		return d.knownFirst(replicas-held, present)
	}
	return d.among(replicas-held, func(c *candidate) int64 { return c.capacity }, present)
}

// unobserved returns the names of the members of which nothing is known, except those that take no more anyway.
func unobserved(members []candidate) []string {
	var out []string
	for i := range members {
		if m := &members[i]; !m.observed() && !m.held {
			out = append(out, m.name())
		}
	}
	slices.Sort(out)
	return out
}

// division is one use of a strategy that divides by capacity.
type division struct {
	strategy strategy
	tieKey   string
	members  []candidate
	result   *Result
}

// among divides replicas in proportion to the room that each member has, on top of what is present.
func (d *division) among(replicas int64, room func(*candidate) int64, present map[string]int64) (map[string]int64, error) {
	members := slices.Clone(d.members)
	slices.SortStableFunc(members, func(a, b candidate) int {
		return cmp.Compare(room(&b), room(&a))
	})
	if d.strategy == aggregated {
		members = fewest(replicas, members, room, present)
	}
	weights := make(map[string]int64, len(members))
	for i := range members {
		weights[members[i].name()] = room(&members[i])
	}
	if sum(weights) < replicas {
		return nil, &UnschedulableError{Replicas: replicas, Capacity: weights}
	}
	d.result.Weights = weights
	out := Divide(replicas, weights, nil, d.tieKey)
	for name, n := range present {
		out[name] += n
	}
	return out, nil
}

// fewest returns the shortest start of members that has room for the replicas; those that hold some already come first.
func fewest(replicas int64, members []candidate, room func(*candidate) int64, present map[string]int64) []candidate {
	slices.SortStableFunc(members, func(a, b candidate) int {
		return boolOrder(present[a.name()] == 0, present[b.name()] == 0)
	})
	var total int64
	for i := range members {
		if total += room(&members[i]); total >= replicas {
			return members[:i+1]
		}
	}
	return members
}

// equally divides a first placement among all members, for there is nothing to compare them by.
func (d *division) equally(replicas int64) (map[string]int64, error) {
	return d.among(replicas, func(c *candidate) int64 {
		if c.held {
			return 0
		}
		return replicas
	}, nil)
}

// knownFirst places more replicas on the members that were observed, as far as they can take them, and divides the rest
// equally among the others.
func (d *division) knownFirst(replicas int64, present map[string]int64) (map[string]int64, error) {
	known, blind := *d, *d
	known.members = slices.DeleteFunc(slices.Clone(d.members), func(m candidate) bool { return !m.observed() })
	blind.members = slices.DeleteFunc(slices.Clone(d.members), func(m candidate) bool { return m.observed() })

	var fits int64
	for i := range known.members {
		fits += known.members[i].capacity
	}
	fits = min(fits, replicas)
	grown, err := known.among(fits, func(c *candidate) int64 { return c.capacity }, present)
	if err != nil || fits == replicas {
		return grown, err
	}
	rest, err := blind.equally(replicas - fits)
	for name, n := range rest {
		grown[name] += n
	}
	return grown, err
}

// shortage is the error of replicas that do not fit on the members of all tiers together.
func shortage(replicas int64, members []candidate) error {
	capacity := make(map[string]int64, len(members))
	for i := range members {
		capacity[members[i].name()] = members[i].available()
	}
	return &UnschedulableError{Replicas: replicas, Capacity: capacity}
}
