package scheduler

import (
	"cmp"
	"slices"
	"strings"
)

// divideByCapacity divides by what members can take. What they hold stays where it is as long as the numbers agree: if
// they hold too many replicas, they share those that remain in proportion to what each holds; if they hold too few, only
// the missing ones are divided. A fresh division starts from nothing.
//
// A member of which nothing was observed keeps what it has, and a division is not made afresh. If nothing is placed yet
// there is nothing to go by, and replicas are divided equally; later, more of them go to members that were observed as
// long as those can take them, and the rest to the others equally.
func divideByCapacity(r *Request, s strategy, replicas int64, members []candidate) (share, error) {
	d := division{strategy: s, tieKey: r.TieKey, members: members}
	present := presentOf(members)
	held, blind := sum(present), unobserved(members)
	var out share
	var err error
	switch missing := replicas - held; {
	case r.Fresh && len(blind) == 0:
		return d.among(replicas, (*candidate).available, nil)
	case missing < 0:
		return d.among(replicas, func(c *candidate) int64 { return c.present }, nil)
	case missing == 0:
		return share{replicas: present}, nil
	case len(blind) == 0:
		out, err = d.among(missing, growth, present)
	case held == 0:
		out, err = d.equally(missing, present)
	default:
		out, err = d.knownFirst(missing, present)
	}
	if len(blind) > 0 {
		out.reasons = append(out.reasons, "no observation yet: "+strings.Join(blind, ", "))
	}
	for i := range members {
		if members[i].held() {
			out.reasons = append(out.reasons, heldBack(&members[i]))
		}
	}
	return out, err
}

// growth is the room for replicas beside those that a member has.
func growth(c *candidate) int64 { return c.capacity }

// presentOf returns what each member that is placed holds.
func presentOf(members []candidate) map[string]int64 {
	out := map[string]int64{}
	for i := range members {
		if m := &members[i]; m.placed {
			out[m.name()] = m.present
		}
	}
	return out
}

// unobserved returns the names of the members of which nothing is known, except those that take no more anyway.
func unobserved(members []candidate) []string {
	var out []string
	for i := range members {
		if m := &members[i]; !m.observed() && !m.held() {
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
}

// among divides replicas in proportion to the room that each member has, on top of what is present.
func (d division) among(replicas int64, room func(*candidate) int64, present map[string]int64) (share, error) {
	members := slices.Clone(d.members)
	slices.SortStableFunc(members, func(a, b candidate) int { return cmp.Compare(room(&b), room(&a)) })
	if d.strategy == aggregated {
		members = fewest(replicas, members, room, present)
	}
	weights := make(map[string]int64, len(members))
	for i := range members {
		weights[members[i].name()] = room(&members[i])
	}
	if sum(weights) < replicas {
		return share{}, &UnschedulableError{Replicas: replicas, Capacity: weights}
	}
	return share{replicas: onTop(present, Divide(replicas, weights, nil, d.tieKey)), weights: weights}, nil
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

// equally divides replicas among the members that may take more, on top of what is present.
func (d division) equally(replicas int64, present map[string]int64) (share, error) {
	weights := map[string]int64{}
	for i := range d.members {
		if m := &d.members[i]; !m.held() {
			weights[m.name()] = 1
		}
	}
	if len(weights) == 0 {
		return share{}, &UnschedulableError{Replicas: replicas, Capacity: availables(d.members)}
	}
	return share{replicas: onTop(present, Divide(replicas, weights, nil, d.tieKey)), weights: weights}, nil
}

// knownFirst divides replicas among the members that were observed as far as they have room, and the rest equally among
// the others.
func (d division) knownFirst(replicas int64, present map[string]int64) (share, error) {
	known, blind := d, d
	known.members = slices.DeleteFunc(slices.Clone(d.members), func(m candidate) bool { return !m.observed() })
	blind.members = slices.DeleteFunc(slices.Clone(d.members), func(m candidate) bool { return m.observed() })

	var fits int64
	for i := range known.members {
		fits += known.members[i].capacity
	}
	fits = min(fits, replicas)
	out, err := known.among(fits, growth, present)
	if err != nil || fits == replicas {
		return out, err
	}
	return blind.equally(replicas-fits, out.replicas)
}

// onTop returns the sums of two divisions.
func onTop(present, more map[string]int64) map[string]int64 {
	out := copyOf(present)
	for name, n := range more {
		out[name] += n
	}
	return out
}
