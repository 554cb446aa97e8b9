package scheduler

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// chooseByEnumeration is the definition: every choice is written down, the choices are ordered, and the first is replaced
// by any shorter one further down that it starts with.
func chooseByEnumeration(groups []memberGroup, limits bounds, minMembers int) []string {
	groups = slices.Clone(groups)
	slices.SortFunc(groups, func(a, b memberGroup) int {
		return cmp.Or(cmp.Compare(len(a.members), len(b.members)), -cmp.Compare(a.weight, b.weight), cmp.Compare(a.name, b.name))
	})
	type choice struct {
		names  []string
		weight int64
		size   int
	}
	var all []choice
	var visit func(next int, path []memberGroup)
	visit = func(next int, path []memberGroup) {
		c := choice{}
		for _, g := range path {
			c.weight += g.weight
			c.size += len(g.members)
		}
		if len(path) > 0 && len(path) >= limits.min && len(path) <= limits.max && c.size >= minMembers {
			ordered := slices.Clone(path)
			slices.SortFunc(ordered, func(a, b memberGroup) int {
				return cmp.Or(-cmp.Compare(a.weight, b.weight), cmp.Compare(a.name, b.name))
			})
			for _, g := range ordered {
				c.names = append(c.names, g.name)
			}
			all = append(all, c)
			return
		}
		if len(path) >= limits.max {
			return
		}
		for i := next; i < len(groups); i++ {
			visit(i+1, append(slices.Clone(path), groups[i]))
		}
	}
	visit(0, nil)
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b choice) int {
		return cmp.Or(-cmp.Compare(a.weight, b.weight), -cmp.Compare(a.size, b.size))
	})
	best := all[0].names
	for _, c := range all[1:] {
		if len(c.names) < len(best) && slices.Equal(c.names, best[:len(c.names)]) {
			best = c.names
		}
	}
	return best
}

// randomGroups returns groups without a common member. Few different weights make many ties.
func randomGroups(r *rand.Rand, n int) []memberGroup {
	groups := make([]memberGroup, n)
	member := 0
	for i := range groups {
		groups[i] = memberGroup{name: fmt.Sprintf("g%02d", r.IntN(100)*100+i), weight: int64(r.IntN(4)) * int64(1+r.IntN(1000)%3)}
		for range 1 + r.IntN(3) {
			groups[i].members = append(groups[i].members, member)
			member++
		}
	}
	return groups
}

func TestChooseEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 5000 {
		groups := randomGroups(r, 1+r.IntN(8))
		limits := bounds{min: r.IntN(5), max: 1 + r.IntN(8)}
		if r.IntN(3) == 0 {
			limits.max = math.MaxInt
		}
		minMembers := r.IntN(12)
		got := chosenNames(choose(groups, limits, minMembers, nil))
		want := chooseByEnumeration(groups, limits, minMembers)
		if !slices.Equal(got, want) {
			t.Fatalf("choose(%+v, %+v, %d) = %v, want %v", groups, limits, minMembers, got, want)
		}
	}
}

func chosenNames(groups []memberGroup) []string {
	var out []string
	for _, g := range groups {
		out = append(out, g.name)
	}
	return out
}

func TestChooseCountsSharedMembersOnce(t *testing.T) {
	groups := []memberGroup{
		{name: "a", members: []int{0, 1}, weight: 3},
		{name: "b", members: []int{0, 1}, weight: 3},
		{name: "c", members: []int{2, 3}, weight: 1},
	}
	got := chosenNames(choose(groups, bounds{min: 2, max: 2}, 3, nil))
	if want := []string{"a", "c"}; !slices.Equal(got, want) {
		t.Errorf("choose() = %v, want %v: a and b have two members in all", got, want)
	}
}

func TestChooseCovers(t *testing.T) {
	groups := []memberGroup{
		{name: "a", members: []int{0}, weight: 9},
		{name: "b", members: []int{1}, weight: 8},
		{name: "c", members: []int{2}, weight: 1},
	}
	cover := []memberGroup{{name: "x", members: []int{0, 1}}, {name: "y", members: []int{2}}}
	got := chosenNames(choose(groups, bounds{min: 2, max: 2}, 0, cover))
	if want := []string{"a", "c"}; !slices.Equal(got, want) {
		t.Errorf("choose() = %v, want %v: y has a member in c only", got, want)
	}
	if got := choose(groups, bounds{min: 1, max: 1}, 0, cover); got != nil {
		t.Errorf("choose() = %v, want nothing: no group has members of x and y", chosenNames(got))
	}
}

// TestChooseAmongMany makes sure that the search does not look at every one of the 155 million choices.
func TestChooseAmongMany(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	groups := make([]memberGroup, 30)
	member := 0
	for i := range groups {
		groups[i] = memberGroup{name: fmt.Sprintf("g%02d", i), weight: r.Int64N(1e6)}
		for range 1 + i%7 {
			groups[i].members = append(groups[i].members, member)
			member++
		}
	}
	start := time.Now()
	got := choose(groups, bounds{min: 15, max: math.MaxInt}, 20, nil)
	if len(got) != 15 {
		t.Errorf("%d groups chosen, want 15", len(got))
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("choosing took %v", took)
	}
}
