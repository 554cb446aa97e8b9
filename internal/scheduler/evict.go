package scheduler

import (
	"slices"
	"time"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// DefaultGracePeriod is how long an old copy waits at most for its replacements, unless its eviction says otherwise.
const DefaultGracePeriod = 10 * time.Minute

// Eviction is an object's move away from one member. While it is open the member is no candidate for the object, and
// unless the purge mode is Directly the old copy stays.
type Eviction struct {
	FromCluster        string
	PurgeMode          api.PurgeMode
	Replicas           int64 // what the member held
	Reason             string
	Producer           string
	GracePeriodSeconds *int32
	SuppressDeletion   *bool     // true: the old copy stays until someone decides; false: it goes at once
	Created            time.Time // zero: just opened
}

// Evict moves an object away from e.FromCluster: it returns the placement without that member, and the evictions with e
// added, its Replicas filled in. An object that is not placed there is not evicted, and a member that is already being
// left keeps its eviction, as in Karmada 1.19. The arguments are left as they are.
func Evict(placed map[string]int64, evictions []Eviction, e Eviction) (map[string]int64, []Eviction) {
	replicas, ok := placed[e.FromCluster]
	if !ok {
		return placed, evictions
	}
	remaining := copyOf(placed)
	delete(remaining, e.FromCluster)
	if slices.ContainsFunc(evictions, func(open Eviction) bool { return open.FromCluster == e.FromCluster }) {
		return remaining, evictions
	}
	e.Replicas = replicas
	return remaining, append(slices.Clone(evictions), e)
}

// Replacement is what became of an object since it was evicted somewhere.
type Replacement struct {
	Now     time.Time
	Timeout time.Duration // for evictions without a grace period
	Settled bool          // the present placement was made for the present object and policy
	Healthy bool          // the object is healthy on every member that holds it
}

// Assess splits evictions into those that stay open and those that are over, in order. An eviction whose deletion is
// suppressed stays open, one whose suppression was taken back is over. Any other is over when its grace period has
// passed, or when the replacements are settled and healthy; one that was just opened is not.
func Assess(evictions []Eviction, r Replacement) (open, over []Eviction) {
	for _, e := range evictions {
		if e.over(r) {
			over = append(over, e)
		} else {
			open = append(open, e)
		}
	}
	return open, over
}

func (e *Eviction) over(r Replacement) bool {
	if e.Created.IsZero() {
		return false
	}
	if e.SuppressDeletion != nil {
		return !*e.SuppressDeletion
	}
	grace := r.Timeout
	if e.GracePeriodSeconds != nil {
		grace = time.Duration(*e.GracePeriodSeconds) * time.Second
	}
	return r.Now.After(e.Created.Add(grace)) || (r.Settled && r.Healthy)
}
