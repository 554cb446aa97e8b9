package conformance

import (
	"encoding/json"
	"math/bits"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// opposite is how the opposite of some differences of a family, Karmada's way, is taken.
type opposite struct {
	run         func(json.RawMessage, undone) (any, error)
	differences []string
}

var (
	ofScheduling = []string{computedEachTime, taintedKeep, groupsInOrder, noFitKeeps, zeroReplicasStay}
	opposites    = map[string]opposite{
		"manifest": {runManifestWith, []string{allImages}},
		"override": {runOverrideWith, []string{errorsNotSilence}},
		"schedule": {runScheduleWith, ofScheduling},
		"sequence": {runSequenceWith, ofScheduling},
	}
)

// explain returns the name of the difference for which a vector differs, or "". It is one that, undone alone, gives
// Karmada's answer; else one that the vector's tags or its input speak of; else several that give it together.
func explain(family string, v *vector) string {
	if names := undo(family, v, 1); names != "" {
		return names
	}
	situations := situationsOf(family, v)
	for _, d := range Differences {
		tagged := slices.ContainsFunc(d.Tags, func(tag string) bool { return slices.Contains(v.Tags, tag) })
		if concern, ok := concerns[d.Name]; tagged || (ok && slices.ContainsFunc(situations, concern)) {
			return d.Name
		}
	}
	return undo(family, v, len(opposites[family].differences))
}

// undo returns the smallest set of differences, of at most size, without which the answer is Karmada's.
func undo(family string, v *vector, size int) string {
	undoable := opposites[family]
	var sets []uint
	for set := uint(1); set < 1<<len(undoable.differences); set++ {
		if bits.OnesCount(set) <= size {
			sets = append(sets, set)
		}
	}
	slices.SortStableFunc(sets, func(a, b uint) int { return bits.OnesCount(a) - bits.OnesCount(b) })
	u := undone{steps: stepsOf(v)}
	for _, set := range sets {
		u.differences = nil
		for i, name := range undoable.differences {
			if set&(1<<i) != 0 {
				u.differences = append(u.differences, name)
			}
		}
		_, _, same, err := answer(family, func(in json.RawMessage) (any, error) { return undoable.run(in, u) }, v)
		if err == nil && same {
			return strings.Join(u.differences, " and ")
		}
	}
	return ""
}

// stepsOf says for each run of a vector whether Karmada scheduled anything.
func stepsOf(v *vector) []bool {
	type step struct{ Scheduled bool }
	var out struct {
		step
		Steps []step
	}
	if err := json.Unmarshal(v.Out, &out); err != nil {
		return nil
	}
	if out.Steps == nil {
		return []bool{out.Scheduled}
	}
	var steps []bool
	for _, s := range out.Steps {
		steps = append(steps, s.Scheduled)
	}
	return steps
}

// situation is what is asked of the scheduler, as far as differences depend on it.
type situation struct {
	placement *api.Placement
	replicas  int64
	previous  []targetCluster // in Karmada's order; unknown in a sequence
}

// concerns says whether an input is about a difference, where Karmada's tags do not tell in every case: they are missing
// where the object has no replicas, and in sequences.
var concerns = map[string]func(situation) bool{
	staticHonoursSpread: func(s situation) bool {
		r := s.placement.ReplicaScheduling
		return len(s.placement.SpreadConstraints) > 0 && r != nil && r.ReplicaDivisionPreference == api.Weighted &&
			(r.WeightPreference == nil || r.WeightPreference.DynamicWeight == "")
	},
	unsetIsUnlimited: func(s situation) bool {
		return slices.ContainsFunc(s.placement.SpreadConstraints, func(c api.SpreadConstraint) bool { return c.SpreadByField != "" && c.MaxGroups == 0 })
	},
	zoneAndProvider: func(s situation) bool {
		return slices.ContainsFunc(s.placement.SpreadConstraints, func(c api.SpreadConstraint) bool {
			return c.SpreadByField == api.SpreadByZone || c.SpreadByField == api.SpreadByProvider
		})
	},
	stableOrder: func(s situation) bool {
		r := s.placement.ReplicaScheduling
		return r != nil && r.ReplicaDivisionPreference == api.Aggregated && s.shrinksAmongEquals()
	},
}

// shrinksAmongEquals reports whether there are fewer replicas than before, and members that hold equally many of them.
func (s situation) shrinksAmongEquals() bool {
	var total int64
	equal, seen := false, map[int64]bool{}
	for _, target := range s.previous {
		total += target.Replicas
		equal = equal || (seen[target.Replicas] && target.Replicas > 0)
		seen[target.Replicas] = true
	}
	return equal && total > s.replicas
}

// situationsOf returns what a vector of scheduling asks of the scheduler.
func situationsOf(family string, v *vector) []situation {
	var in struct {
		Policy api.PropagationPolicy
		State  struct{ Clusters []targetCluster }
		Steps  []sequenceStep
	}
	var out struct{ Binding struct{ Replicas int64 } }
	if family != "schedule" && family != "sequence" || json.Unmarshal(v.In, &in) != nil || json.Unmarshal(v.Out, &out) != nil {
		return nil
	}
	situations := []situation{{placement: &in.Policy.Spec.Placement, replicas: out.Binding.Replicas, previous: in.State.Clusters}}
	for _, step := range in.Steps {
		if step.SetPlacement != nil {
			situations = append(situations, situation{placement: step.SetPlacement})
		}
	}
	return situations
}
