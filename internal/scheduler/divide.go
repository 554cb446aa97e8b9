package scheduler

import (
	"hash/fnv"
	"maps"
	"math"
)

// Divide hands out seats among the parties named in weights and returns the seats of each party, those of initial
// included, with every name of either map present. It is the Webster (Sainte-Laguë) method as Karmada divides replicas
// since 1.16: each seat goes to the party with the greatest quotient weight / (2 x seats + 1), in float64. Equal
// quotients go to the party with fewer seats, then to the first by name, or to the last by name where the FNV-1a hash
// of tieKey is odd, so that remainders of different keys do not all fall on the same party.
//
// Weights that are not positive take no seats. If no weight is positive, or there are no seats to hand out among
// parties that hold some, initial is returned as it is.
func Divide(seats int64, weights, initial map[string]int64, tieKey string) map[string]int64 {
	parties := newParties(weights, initial)
	if len(parties) == 0 || (seats <= 0 && len(initial) > 0) {
		return copyOf(initial)
	}
	seats -= grantSurelyWon(parties, seats)
	grantOneByOne(parties, seats, descendingTies(tieKey))

	out := make(map[string]int64, len(weights)+len(initial))
	maps.Copy(out, initial)
	if len(parties) < len(weights) {
		for name := range weights {
			out[name] = initial[name]
		}
	}
	for i := range parties {
		out[parties[i].name] = parties[i].seats
	}
	return out
}

// DivideCompletions returns how a Job's completions are shared out over the members that run it: in proportion to
// their replicas. A member may get none.
func DivideCompletions(completions int64, replicas map[string]int64, tieKey string) map[string]int64 {
	return Divide(completions, replicas, nil, tieKey)
}

// divideCapped divides like Divide with no initial seats, but a party named in caps gets at most that many. It returns
// the seats of each party, those of the parties that would get more, and how many seats found no taker.
//
// A party's claim to its next seat does not depend on the others, so what a capped party must leave is divided among
// the rest as if it had never taken part.
func divideCapped(seats int64, weights, caps map[string]int64, tieKey string) (out, full map[string]int64, left int64) {
	open := maps.Clone(weights)
	full = map[string]int64{}
	for {
		out = Divide(seats, open, nil, tieKey)
		filled := false
		for name, limit := range caps {
			if got, ok := out[name]; ok && got > limit {
				full[name] = limit
				seats -= limit
				delete(open, name)
				filled = true
			}
		}
		if !filled {
			break
		}
	}
	for _, got := range out {
		seats -= got
	}
	maps.Copy(out, full)
	return out, full, seats
}

// party is one taker of seats.
type party struct {
	name   string
	weight float64
	seats  int64
	next   float64 // the quotient of the next seat
}

func (p *party) quotient(seat int64) float64 { return p.weight / float64(2*seat+1) }

func newParties(weights, initial map[string]int64) []party {
	parties := make([]party, 0, len(weights))
	for name, weight := range weights {
		if weight > 0 {
			parties = append(parties, party{name: name, weight: float64(weight), seats: initial[name]})
		}
	}
	return parties
}

// grantSurelyWon gives each party the seats whose quotient is so great that fewer than `seats` are left above it in all:
// nearly everything, in one step. It returns how many seats it gave.
func grantSurelyWon(parties []party, seats int64) (granted int64) {
	limit := surelyWonAbove(parties, seats)
	if math.IsInf(limit, 1) {
		return 0
	}
	for i := range parties {
		p := &parties[i]
		won := int64(math.Ceil((p.weight/limit - 1) / 2))
		for won > p.seats && p.quotient(won-1) <= limit {
			won-- // rounding in the line above
		}
		if won > p.seats {
			granted += won - p.seats
			p.seats = won
		}
	}
	return granted
}

// surelyWonAbove returns a quotient above which there are no more than `seats` open seats. A party has fewer than
// weight/(2q) + 1/2 seats above q, so n parties with the weights W have fewer than W/(2q) + n/2, which is solved for q.
// Parties that already hold more than that take no part.
func surelyWonAbove(parties []party, seats int64) float64 {
	limit := 0.0
	for {
		weight, house, n := 0.0, float64(seats), 0.0
		for i := range parties {
			if p := &parties[i]; p.quotient(p.seats) > limit {
				weight += p.weight
				house += float64(p.seats)
				n++
			}
		}
		if 2*house <= n {
			return math.Inf(1)
		}
		next := weight / (2*house - n)
		if next <= limit {
			return limit
		}
		limit = next
	}
}

// grantOneByOne hands out seats by the definition, with the parties in a heap so that the next taker is on top.
func grantOneByOne(parties []party, seats int64, descending bool) {
	if seats <= 0 {
		return
	}
	for i := range parties {
		parties[i].next = parties[i].quotient(parties[i].seats)
	}
	for i := len(parties)/2 - 1; i >= 0; i-- {
		siftDown(parties, i, descending)
	}
	for ; seats > 0; seats-- {
		top := &parties[0]
		top.seats++
		top.next = top.quotient(top.seats)
		siftDown(parties, 0, descending)
	}
}

// siftDown restores the heap below i.
func siftDown(parties []party, i int, descending bool) {
	for {
		first := 2*i + 1
		if first >= len(parties) {
			return
		}
		if second := first + 1; second < len(parties) && takesBefore(&parties[second], &parties[first], descending) {
			first = second
		}
		if !takesBefore(&parties[first], &parties[i], descending) {
			return
		}
		parties[i], parties[first] = parties[first], parties[i]
		i = first
	}
}

// takesBefore reports whether a is given the next seat rather than b.
func takesBefore(a, b *party, descending bool) bool {
	switch {
	case a.next != b.next:
		return a.next > b.next
	case a.seats != b.seats:
		return a.seats < b.seats
	}
	return (a.name < b.name) != descending
}

// descendingTies reports whether ties under the key go to the last name rather than to the first.
func descendingTies(tieKey string) bool {
	if tieKey == "" {
		return false
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(tieKey)) // never fails
	return h.Sum32()%2 == 1
}

// copyOf returns a copy that is never nil.
func copyOf(m map[string]int64) map[string]int64 {
	out := make(map[string]int64, len(m))
	maps.Copy(out, m)
	return out
}
