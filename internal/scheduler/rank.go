package scheduler

import (
	"cmp"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// candidate is a member that passed the filters.
type candidate struct {
	cluster  *api.Cluster
	tier     int   // see group.tier
	placed   bool  // holds the object already
	present  int64 // replicas it holds
	capacity int64 // replicas it can take beside those
	weight   int64 // its static weight; 0 without one

	// taint keeps a member that holds the object from taking any more of it; nil if nothing does.
	taint *corev1.Taint
}

func (c *candidate) name() string { return c.cluster.Name }

// held reports whether the member keeps at most the replicas it has.
func (c *candidate) held() bool { return c.taint != nil }

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

// rank returns the candidates, the best first: by tier, members that hold the object, what they could hold, and name, as
// Karmada does. With static weights neither what is placed nor capacity counts, so that the same configuration always
// gives the same members: it is by tier, weight and name.
func rank(r *Request, g *group, s strategy, fitting []*api.Cluster) []candidate {
	out := make([]candidate, len(fitting))
	for i, c := range fitting {
		present, placed := r.Previous.Clusters[c.Name]
		out[i] = candidate{cluster: c, tier: g.tier(c), placed: placed, present: present}
		if placed {
			out[i].taint = Untolerated(c.Spec.Taints, r.Placement.ClusterTolerations)
		}
		if s == staticWeight {
			out[i].weight = weightOf(r.Placement, c)
		} else {
			out[i].capacity = estimate(r, s, &out[i])
		}
	}
	order := byRoom
	if s == staticWeight {
		order = byWeight
	}
	slices.SortFunc(out, order)
	return out
}

func byRoom(a, b candidate) int {
	return cmp.Or(
		cmp.Compare(a.tier, b.tier),
		-cmp.Compare(a.score(), b.score()),
		-cmp.Compare(a.available(), b.available()),
		cmp.Compare(a.name(), b.name()),
	)
}

func byWeight(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.tier, b.tier), -cmp.Compare(a.weight, b.weight), cmp.Compare(a.name(), b.name()))
}

// estimate returns what a candidate can take beside what it has. One of which nothing was observed is taken to have
// room for everything; an object without replicas needs none.
func estimate(r *Request, s strategy, c *candidate) int64 {
	switch {
	case r.Replicas == 0:
		return math.MaxInt32
	case c.held() || !s.usesCapacity(r):
		return 0
	case !c.observed():
		return r.Replicas
	}
	return max(0, capacity(c.cluster, r.Requirements)-r.Unseen[c.name()])
}
