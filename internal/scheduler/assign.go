package scheduler

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

// share is what a strategy gives to the members of one tier, and how it came about.
type share struct {
	replicas map[string]int64 // member -> replicas
	weights  map[string]int64 // what they were divided by; nil where they were not divided
	reasons  []string
}

// assign gives replicas to the selected members and notes in the result how. Divided replicas leave out members that get
// none; an object without replicas goes to all of them.
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
		replicas := min(remaining, limit(tier, len(selected)))
		if replicas == 0 {
			continue
		}
		got, err := assignTier(r, s, replicas, tier)
		if err != nil {
			return err
		}
		result.add(got, s == duplicated)
		remaining -= replicas
	}
	if remaining > 0 {
		return &UnschedulableError{Replicas: r.Replicas, Capacity: availables(selected)}
	}
	return nil
}

// tiers splits candidates by tier, the first tier first. Without overflow affinities there is one. Spread constraints may
// have selected a member of a later tier before one of an earlier.
func tiers(selected []candidate) [][]candidate {
	selected = slices.Clone(selected)
	slices.SortStableFunc(selected, func(a, b candidate) int { return cmp.Compare(a.tier, b.tier) })
	var out [][]candidate
	for start, end := 0, 0; start < len(selected); start = end {
		for end = start + 1; end < len(selected) && selected[end].tier == selected[start].tier; end++ {
		}
		out = append(out, selected[start:end])
	}
	return out
}

// limit returns how many replicas a tier is given at most: what it has room for, unless it is the only one.
func limit(tier []candidate, selected int) int64 {
	if len(tier) == selected {
		return math.MaxInt64
	}
	return room(tier)
}

// assignTier gives replicas to the members of one tier.
func assignTier(r *Request, s strategy, replicas int64, members []candidate) (share, error) {
	switch s {
	case duplicated:
		return duplicate(replicas, members), nil
	case staticWeight:
		return divideByWeight(r, replicas, members)
	default:
		return divideByCapacity(r, s, replicas, members)
	}
}

// add takes a share over into the result.
func (r *Result) add(s share, keepEmpty bool) {
	for name, n := range s.replicas {
		if n > 0 || keepEmpty {
			r.Clusters[name] = n
		}
	}
	if s.weights != nil {
		if r.Weights == nil {
			r.Weights = map[string]int64{}
		}
		maps.Copy(r.Weights, s.weights)
	}
	r.Reasons = append(r.Reasons, s.reasons...)
}

// duplicate gives all replicas to each member. A held one keeps at most what it has.
func duplicate(replicas int64, members []candidate) share {
	out := share{replicas: make(map[string]int64, len(members))}
	for i := range members {
		m := &members[i]
		out.replicas[m.name()] = replicas
		if m.held() && m.present < replicas {
			out.replicas[m.name()] = m.present
			out.reasons = append(out.reasons, heldBack(m))
		}
	}
	return out
}

// heldBack is the reason why a member does not get more.
func heldBack(m *candidate) string {
	return fmt.Sprintf("%s keeps at most its %s: untolerated taint {%s}", m.name(), spelling.Count(m.present, "replica"), m.taint.ToString())
}

// availables returns how many replicas each candidate could have in all.
func availables(members []candidate) map[string]int64 {
	out := make(map[string]int64, len(members))
	for i := range members {
		out[members[i].name()] = members[i].available()
	}
	return out
}
