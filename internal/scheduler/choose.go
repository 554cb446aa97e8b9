package scheduler

import (
	"cmp"
	"math"
	"slices"
)

// choose returns the groups to take members from, or nil if no choice is feasible: as many as the limits allow, with at
// least minMembers members, and with a member of every group in cover.
//
// As in Karmada 1.19, groups are added in the order of few members, great weight, name, and no more of them once the
// choice is feasible; of all such choices the one with the greatest weight wins, then the one with most members, then the
// first. If a shorter choice is the start of the winner, by weight, it is taken instead. The choice is returned in the
// order of weight and name. The number of choices grows exponentially; when maxSteps do not suffice to compare them, the
// best one seen is taken.
func choose(groups []memberGroup, limits bounds, minMembers int, cover []memberGroup) []memberGroup {
	c := newChooser(groups, limits, minMembers, cover)
	c.search(0)
	if c.best == nil {
		c.best = c.guess
	}
	if c.best == nil {
		return nil
	}
	return c.shortestStart()
}

// maxSteps bounds a search to some 50 ms. Fleets with dozens of groups stay far below it.
const maxSteps = 1 << 18

// chooser searches the choices depth first, leaving out branches that cannot hold a better one than it knows.
type chooser struct {
	groups     []memberGroup // in the order they are added
	limits     bounds
	minMembers int
	cover      []memberGroup

	heaviest [][]int64 // [i][n] is the weight of the n heaviest groups from i on
	largest  []int     // [n] is the size of the n largest groups
	disjoint bool      // no member belongs to two groups

	path    []int // the present choice, as indices of groups, ascending
	uses    []int // member -> groups of the path it belongs to
	members int   // distinct members of the path
	weight  int64
	size    int // members of the path, counted once for each group

	guess      []int // a good choice, so that worse ones need not be looked at
	best       []int
	bestWeight int64 // that of best, or of guess until there is one
	bestSize   int
	steps      int
}

func newChooser(groups []memberGroup, limits bounds, minMembers int, cover []memberGroup) *chooser {
	c := &chooser{groups: slices.Clone(groups), limits: limits, minMembers: minMembers, cover: cover}
	slices.SortFunc(c.groups, func(a, b memberGroup) int {
		return cmp.Or(cmp.Compare(len(a.members), len(b.members)), -cmp.Compare(a.weight, b.weight), cmp.Compare(a.name, b.name))
	})
	total := 0
	last := -1
	for i := range c.groups {
		total += len(c.groups[i].members)
		last = max(last, slices.Max(c.groups[i].members))
	}
	c.uses = make([]int, last+1)
	c.bound()
	for i := range c.groups {
		c.add(i)
	}
	c.disjoint = c.members == total
	c.reset()
	c.bestWeight, c.bestSize = math.MinInt64, math.MinInt
	if c.guess = c.firstGuess(); c.guess != nil {
		c.bestWeight = c.weightOf(c.guess)
	}
	return c
}

// bound prepares what the best continuation of a path could add.
func (c *chooser) bound() {
	n := len(c.groups)
	c.heaviest, c.largest = make([][]int64, n+1), make([]int, n+1)
	c.heaviest[n] = []int64{0}
	var weights []int64 // descending
	for i := n - 1; i >= 0; i-- {
		at, _ := slices.BinarySearchFunc(weights, c.groups[i].weight, func(a, b int64) int { return -cmp.Compare(a, b) })
		weights = slices.Insert(weights, at, c.groups[i].weight)
		c.heaviest[i] = make([]int64, 1, len(weights)+1)
		for j, w := range weights {
			c.heaviest[i] = append(c.heaviest[i], c.heaviest[i][j]+w)
		}
		c.largest[n-i] = c.largest[n-i-1] + len(c.groups[i].members)
	}
}

// firstGuess returns a choice among the heaviest groups or, if those have too few members, among the largest.
func (c *chooser) firstGuess() []int {
	byWeight := make([]int, len(c.groups))
	for i := range byWeight {
		byWeight[i] = i
	}
	bySize := slices.Clone(byWeight)
	slices.Reverse(bySize)
	slices.SortStableFunc(byWeight, func(a, b int) int { return -cmp.Compare(c.groups[a].weight, c.groups[b].weight) })
	for _, order := range [][]int{byWeight, bySize} {
		for n := max(c.limits.min, 1); n <= min(c.limits.max, len(order)); n++ {
			set := slices.Sorted(slices.Values(order[:n]))
			if end, ok := c.firstFeasible(set); ok {
				return set[:end]
			}
		}
	}
	return nil
}

func (c *chooser) weightOf(set []int) (weight int64) {
	for _, i := range set {
		weight += c.groups[i].weight
	}
	return weight
}

// search looks at the present path and everything that continues it with the groups from next on.
func (c *chooser) search(next int) {
	if c.feasible() {
		if c.weight > c.bestWeight || (c.weight == c.bestWeight && c.size > c.bestSize) {
			c.best, c.bestWeight, c.bestSize = slices.Clone(c.path), c.weight, c.size
		}
		return
	}
	for ; next < len(c.groups) && len(c.path) < c.limits.max; next++ {
		if c.steps++; c.steps > maxSteps || !c.promising(next) {
			return
		}
		c.add(next)
		c.search(next + 1)
		c.drop(next)
	}
}

// promising reports whether continuing with groups from next on could beat the best choice.
func (c *chooser) promising(next int) bool {
	more := min(len(c.groups)-next, c.limits.max-len(c.path))
	if c.disjoint && len(c.cover) == 0 {
		// Each group adds a member, and a path ends when it is feasible.
		more = min(more, max(c.limits.min-len(c.path), c.minMembers-c.members, 1))
	}
	weight := c.weight + c.heaviest[next][more]
	return weight > c.bestWeight || (weight == c.bestWeight && c.size+c.largest[more] > c.bestSize)
}

func (c *chooser) feasible() bool {
	if len(c.path) == 0 || len(c.path) < c.limits.min || len(c.path) > c.limits.max || c.members < c.minMembers {
		return false
	}
	for i := range c.cover {
		if !slices.ContainsFunc(c.cover[i].members, func(m int) bool { return m < len(c.uses) && c.uses[m] > 0 }) {
			return false
		}
	}
	return true
}

func (c *chooser) add(i int) {
	g := &c.groups[i]
	c.path = append(c.path, i)
	c.weight += g.weight
	c.size += len(g.members)
	for _, m := range g.members {
		if c.uses[m]++; c.uses[m] == 1 {
			c.members++
		}
	}
}

func (c *chooser) drop(i int) {
	g := &c.groups[i]
	c.path = c.path[:len(c.path)-1]
	c.weight -= g.weight
	c.size -= len(g.members)
	for _, m := range g.members {
		if c.uses[m]--; c.uses[m] == 0 {
			c.members--
		}
	}
}

func (c *chooser) reset() {
	for len(c.path) > 0 {
		c.drop(c.path[len(c.path)-1])
	}
}

// firstFeasible adds the groups of an ascending set one by one and returns how many make the choice feasible.
func (c *chooser) firstFeasible(set []int) (int, bool) {
	c.reset()
	defer c.reset()
	for n, i := range set {
		c.add(i)
		if c.feasible() {
			return n + 1, true
		}
	}
	return 0, false
}

// shortestStart returns the shortest choice that the best one begins with, ordered by weight and name.
func (c *chooser) shortestStart() []memberGroup {
	ordered := slices.Clone(c.best)
	slices.SortFunc(ordered, func(a, b int) int {
		return cmp.Or(-cmp.Compare(c.groups[a].weight, c.groups[b].weight), cmp.Compare(c.groups[a].name, c.groups[b].name))
	})
	for n := 1; n < len(ordered); n++ {
		if end, ok := c.firstFeasible(slices.Sorted(slices.Values(ordered[:n]))); ok && end == n {
			ordered = ordered[:n]
		}
	}
	out := make([]memberGroup, len(ordered))
	for i, at := range ordered {
		out[i] = c.groups[at]
	}
	return out
}
