package scheduler

import (
	"fmt"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// strategy is how replicas are given to the selected members.
type strategy int

const (
	duplicated    strategy = iota // all of them to each
	staticWeight                  // in proportion to the weights that the policy gives
	dynamicWeight                 // in proportion to what each can take
	aggregated                    // to as few as possible
)

// strategyOf reads the strategy of a placement. Without replicaScheduling it is duplicated, as in Karmada.
func strategyOf(p *api.Placement) (strategy, error) {
	s := p.ReplicaScheduling
	switch {
	case s == nil, s.ReplicaSchedulingType == api.Duplicated:
		return duplicated, nil
	case s.ReplicaSchedulingType == api.Divided && s.ReplicaDivisionPreference == api.Aggregated:
		return aggregated, nil
	case s.ReplicaSchedulingType == api.Divided && s.ReplicaDivisionPreference == api.Weighted:
		if s.WeightPreference == nil || s.WeightPreference.DynamicWeight == "" {
			return staticWeight, nil
		}
		if s.WeightPreference.DynamicWeight == api.DynamicWeightByAvailableReplicas {
			return dynamicWeight, nil
		}
		return 0, fmt.Errorf("replicaScheduling: unsupported dynamicWeight %q", s.WeightPreference.DynamicWeight)
	}
	return 0, fmt.Errorf("replicaScheduling: unsupported type %q with preference %q", s.ReplicaSchedulingType, s.ReplicaDivisionPreference)
}

// byCapacity reports whether the strategy gives no member more than it can take.
func (s strategy) byCapacity() bool { return s == dynamicWeight || s == aggregated }

// usesCapacity reports whether what members can take matters: to divide replicas, or to prefer some members. Static weights
// never look at it, so that they place the same before clusters exist.
func (s strategy) usesCapacity(r *Request) bool {
	return r.Replicas > 0 && (s.byCapacity() || (s == duplicated && len(r.Placement.SpreadConstraints) > 0))
}
