package scheduler

import (
	"cmp"
	"math"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// candidate is a member that passed the filters.
type candidate struct {
	cluster  *api.Cluster
	tier     int   // see group.tier
	placed   bool  // holds the object already
	present  int64 // replicas it holds
	capacity int64 // replicas it can take beside those
	held     bool  // a taint keeps it from taking any more
}

func (c *candidate) name() string { return c.cluster.Name }

// observed reports whether anything is known of what the member can take.
func (c *candidate) observed() bool { return c.cluster.Status.ResourceSummary != nil }

// available is how many replicas the member could have in all.
func (c *candidate) available() int64 { return c.capacity + c.present }

// score prefers members that hold the object already.
func (c *candidate) score() int64 {
	if c.placed {
		return 100
	}
	return 0
}

// compare orders candidates, the best first: by tier, members that hold the object, what they could hold, and name.
func (c *candidate) compare(other *candidate) int {
	return cmp.Or(
		cmp.Compare(c.tier, other.tier),
		-cmp.Compare(c.score(), other.score()),
		-cmp.Compare(c.available(), other.available()),
		cmp.Compare(c.name(), other.name()),
	)
}

// rank returns the candidates, the best first.
func rank(r *Request, g *group, s strategy, fitting []*api.Cluster) []candidate {
	out := make([]candidate, len(fitting))
	for i, c := range fitting {
		present, placed := r.Previous.Clusters[c.Name]
		out[i] = candidate{cluster: c, tier: g.tier(c), placed: placed, present: present}
		out[i].held = placed && Untolerated(c.Spec.Taints, r.Placement.ClusterTolerations) != nil
		out[i].capacity = estimate(r, s, &out[i])
	}
	slices.SortFunc(out, func(a, b candidate) int { return a.compare(&b) })
	return out
}

// estimate returns what a candidate can take beside what it has. One of which nothing was observed is taken to have
// room for everything; an object without replicas needs none.
func estimate(r *Request, s strategy, c *candidate) int64 {
	switch {
	case r.Replicas == 0:
		return math.MaxInt32
	case c.held || !s.usesCapacity(r):
		return 0
	case !c.observed():
		return r.Replicas
	}
	return capacity(c.cluster, r.Requirements)
}
