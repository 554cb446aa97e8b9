package propagation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/override"
)

// overrideTally counts, over all objects and members, what the rules of override policies did.
type overrideTally struct {
	applied map[override.Location]int // by policy and rule: how often it applied
	misses  map[override.Location]*missed
	unknown bool // some objects are not known yet, and rules may do something there
}

// missed is how often an overrider found nothing to change, and what each object lacks.
type missed struct {
	times int
	texts []string
}

func newOverrideTally() *overrideTally {
	return &overrideTally{applied: map[override.Location]int{}, misses: map[override.Location]*missed{}}
}

// add counts the rules that applied to one object for one member.
func (t *overrideTally) add(key string, work *Work, applied []override.Applied) {
	t.unknown = t.unknown || work.Unknown
	for _, rule := range applied {
		at := override.Location{Policy: rule.Policy, Rule: rule.Rule}
		t.applied[at]++
		for _, miss := range rule.Misses {
			at.Overrider = miss.Overrider
			if t.misses[at] == nil {
				t.misses[at] = &missed{}
			}
			t.misses[at].add(key + " " + miss.Text)
		}
	}
}

func (m *missed) add(text string) {
	m.times++
	if !slices.Contains(m.texts, text) {
		m.texts = append(m.texts, text)
	}
}

// idle notes the overriders that found nothing to change in any object that their policy selects. Shared policies are for
// objects of other propagations too.
func (t *overrideTally) idle(in *Input) []*Problem {
	if t.unknown {
		return nil
	}
	var problems []*Problem
	for _, at := range slices.SortedFunc(maps.Keys(t.misses), func(a, b override.Location) int { return cmp.Compare(a.String(), b.String()) }) {
		miss := t.misses[at]
		rule := override.Location{Policy: at.Policy, Rule: at.Rule}
		if miss.times < t.applied[rule] || at.Policy.ClusterScoped() || in.Shared[at.Policy.String()] {
			continue
		}
		problems = append(problems, &Problem{Note: true, Argument: "policies", Summary: "Override may not do what was meant",
			Detail: fmt.Sprintf("%s: nothing is changed: %s.", at, list(miss.texts))})
	}
	return problems
}
