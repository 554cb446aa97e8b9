package scheduler

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// Request is one object to be placed.
type Request struct {
	// TieKey decides between equals, the same way on every run: the object's key, say.
	TieKey string

	// APIVersion and Kind of the object; a member that does not serve them is no candidate.
	APIVersion string
	Kind       string

	// Replicas is 0 for objects that have none. An object with 0 replicas is placed on all selected members.
	Replicas int64

	// Requirements is what one replica needs, nil if it states no need at all.
	Requirements *Requirements

	// Placement is defaulted and valid. Its workloadAffinity is not followed: Karmada 1.19 has it behind a gate that is off.
	Placement *api.Placement
	Clusters  []*api.Cluster // all members, in any order
	Previous  Previous

	// Unseen is how many more replicas Previous has on a member than when the member was observed: they take room there.
	Unseen map[string]int64

	// Fresh divides replicas by capacity as if none were placed yet, and tries the groups from the first.
	Fresh bool

	// KeepGroup starts with the previous group and never goes back to an earlier one.
	KeepGroup bool
}

// Requirements is what one replica needs.
type Requirements struct {
	// ResourceRequest is empty for a replica that only restricts the nodes it runs on.
	ResourceRequest corev1.ResourceList
}

// Previous is where the object was placed before.
type Previous struct {
	Clusters map[string]int64 // member -> replicas
	Group    string           // the clusterAffinities term that was used
	Evicting []string         // members that the object is being evicted from
}

// workload reports whether the object has replicas, or would have if it were scaled up, as Karmada tells workloads from
// other objects.
func (r *Request) workload() bool { return r.Replicas > 0 || r.Requirements != nil }

// Result is where the object goes, and why. With an error, only Rejected may be set. Weights, Capacity and Reasons speak of
// this one run: a later run that leaves the placement as it is may have other ones, or none.
type Result struct {
	Clusters map[string]int64 // member -> replicas; 0 for an object without replicas
	Group    string           // the clusterAffinities term used; empty without clusterAffinities
	Selected []string         // members that were to share the replicas, best first; some may have got none

	LeftOut []string // members that are candidates and that the spread constraints do not select, sorted

	Weights   map[string]int64    // what replicas were divided by; nil where they were not divided
	Capacity  map[string]int64    // replicas each selected member could take beside those it has; nil if nobody asked
	Reasons   []string            // how the numbers came about, where it is not plain from the placement
	Rejected  map[string][]Reason // members that are no candidates, with everything that is in the way
	Attempted []Attempt           // the groups that were tried before Group, in order
}

// Attempt is a clusterAffinities term that was tried in vain.
type Attempt struct {
	Group    string
	Rejected map[string][]Reason // as in Result
	Err      error
}
