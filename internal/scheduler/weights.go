package scheduler

import (
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// divideByWeight divides by the weights of the policy, whatever was placed before. If no member has one, all have the
// same, as in Karmada. What a held member must leave goes to the others.
func divideByWeight(r *Request, replicas int64, members []candidate) (share, error) {
	var out share
	out.weights, out.reasons = weightsOf(r.Placement, members)

	caps := map[string]int64{}
	for i := range members {
		if m := &members[i]; m.held() {
			caps[m.name()] = m.present
		}
	}
	var full map[string]int64
	var left int64
	if out.replicas, full, left = divideCapped(replicas, out.weights, caps, r.TieKey); left > 0 {
		return out, &UnschedulableError{Replicas: replicas, Capacity: out.replicas}
	}
	for i := range members {
		if _, ok := full[members[i].name()]; ok {
			out.reasons = append(out.reasons, heldBack(&members[i]))
		}
	}
	return out, nil
}

// weightsOf returns the weights to divide by, and what there is to say about them.
func weightsOf(p *api.Placement, members []candidate) (weights map[string]int64, reasons []string) {
	weights = make(map[string]int64, len(members))
	var without []string
	for i := range members {
		if m := &members[i]; m.weight > 0 {
			weights[m.name()] = m.weight
		} else {
			without = append(without, m.name())
		}
	}
	switch {
	case len(without) == 0:
		return weights, nil
	case len(weights) > 0:
		slices.Sort(without)
		return weights, []string{"no static weight: " + strings.Join(without, ", ")}
	}
	for _, name := range without {
		weights[name] = 1
	}
	if len(weightRules(p)) > 0 {
		reasons = []string{"no static weight matches a candidate: divided equally"}
	}
	return weights, reasons
}

func weightRules(p *api.Placement) []api.StaticClusterWeight {
	if p.ReplicaScheduling == nil || p.ReplicaScheduling.WeightPreference == nil {
		return nil
	}
	return p.ReplicaScheduling.WeightPreference.StaticWeightList
}

// weightOf returns the greatest weight that a rule gives a member, or 0.
func weightOf(p *api.Placement, c *api.Cluster) int64 {
	var weight int64
	rules := weightRules(p)
	for i := range rules {
		if rules[i].Weight > weight && rules[i].TargetCluster.Matches(c) {
			weight = rules[i].Weight
		}
	}
	return weight
}

// weighted returns the members that have a static weight, or all if none has.
func weighted(members []candidate) []candidate {
	out := slices.DeleteFunc(slices.Clone(members), func(m candidate) bool { return m.weight == 0 })
	if len(out) == 0 {
		return members
	}
	return out
}
