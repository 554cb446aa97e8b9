package conformance

import (
	"encoding/json"
	"math/bits"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// undoable are the differences of scheduling whose opposite, Karmada's way, the runner can take.
var undoable = []string{computedEachTime, taintedKeep, groupsInOrder, noFitKeeps, zeroReplicasStay}

// runWith runs a vector with some differences undone, by family.
var runWith = map[string]func(json.RawMessage, undone) (any, error){
	"schedule": runScheduleWith,
	"sequence": runSequenceWith,
}

// explain returns the name of the difference for which a vector differs, or "". It is one that, undone alone, gives
// Karmada's answer; else one that the vector's tags or its input speak of; else several that give it together.
func explain(family string, v *vector) string {
	if names := undo(family, v, 1); names != "" {
		return names
	}
	placements := placementsOf(family, v)
	for _, d := range Differences {
		tagged := slices.ContainsFunc(d.Tags, func(tag string) bool { return slices.Contains(v.Tags, tag) })
		if concern, ok := concerns[d.Name]; tagged || (ok && slices.ContainsFunc(placements, concern)) {
			return d.Name
		}
	}
	return undo(family, v, len(undoable))
}

// undo returns the smallest set of differences, of at most size, without which the answer is Karmada's.
func undo(family string, v *vector, size int) string {
	run, ok := runWith[family]
	if !ok {
		return ""
	}
	var sets []uint
	for set := uint(1); set < 1<<len(undoable); set++ {
		if bits.OnesCount(set) <= size {
			sets = append(sets, set)
		}
	}
	slices.SortStableFunc(sets, func(a, b uint) int { return bits.OnesCount(a) - bits.OnesCount(b) })
	u := undone{steps: stepsOf(v)}
	for _, set := range sets {
		u.differences = nil
		for i, name := range undoable {
			if set&(1<<i) != 0 {
				u.differences = append(u.differences, name)
			}
		}
		_, _, same, err := answer(family, func(in json.RawMessage) (any, error) { return run(in, u) }, v)
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

// concerns says whether an input is about a difference, where Karmada's tags do not tell in every case: they are missing
// where the object has no replicas, and in sequences.
var concerns = map[string]func(*api.Placement) bool{
	staticHonoursSpread: func(p *api.Placement) bool {
		s := p.ReplicaScheduling
		return len(p.SpreadConstraints) > 0 && s != nil && s.ReplicaDivisionPreference == api.Weighted &&
			(s.WeightPreference == nil || s.WeightPreference.DynamicWeight == "")
	},
	unsetIsUnlimited: func(p *api.Placement) bool {
		return slices.ContainsFunc(p.SpreadConstraints, func(c api.SpreadConstraint) bool { return c.SpreadByField != "" && c.MaxGroups == 0 })
	},
	zoneAndProvider: func(p *api.Placement) bool {
		return slices.ContainsFunc(p.SpreadConstraints, func(c api.SpreadConstraint) bool {
			return c.SpreadByField == api.SpreadByZone || c.SpreadByField == api.SpreadByProvider
		})
	},
}

// placementsOf returns the placements in the input of a vector of scheduling.
func placementsOf(family string, v *vector) []*api.Placement {
	var in struct {
		Policy api.PropagationPolicy
		Steps  []sequenceStep
	}
	if _, ok := runWith[family]; !ok || json.Unmarshal(v.In, &in) != nil {
		return nil
	}
	placements := []*api.Placement{&in.Policy.Spec.Placement}
	for _, step := range in.Steps {
		if step.SetPlacement != nil {
			placements = append(placements, step.SetPlacement)
		}
	}
	return placements
}
