package interpreter

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// templateGeneration is the annotation of a live object that holds the generation of the template it came from.
const templateGeneration = "resourcetemplate.karmada.io/generation"

// MemberStatus is the status of one object as ReflectStatus collected it from one member. A nil Status has not been
// collected yet.
type MemberStatus struct {
	Member string
	Status map[string]any
}

// ReflectStatus returns what AggregateStatus needs of the status of a live object, nil when there is nothing to collect.
// For the workloads of apps/v1 that is the counters, the generation, and the generation of the template as far as the
// object says it; for a kind about which nothing is known, the whole status. The error names the malformed field.
func (i *Interpreter) ReflectStatus(live *unstructured.Unstructured) (map[string]any, error) {
	f := fieldsOf(live)
	status := f.object("status")
	if reflect := i.kindOf(live).reflect; reflect != nil && status != nil {
		status = reflect(f)
	}
	if f.err != nil {
		return nil, failed(live, f.err)
	}
	return runtime.DeepCopyJSON(status), nil
}

// AggregateStatus returns the status that the template has as the sum over its members, and false when its kind has no
// sum. Members have to be sorted by name. The result is nil when nothing is known. Karmada 1.19 gives the same answers,
// except that the conditions of a Job carry the time of the member that decided them, not the present, and that their
// messages are in other words. The error names the malformed field.
func (i *Interpreter) AggregateStatus(template *unstructured.Unstructured, members []MemberStatus) (map[string]any, bool, error) {
	aggregate := i.kindOf(template).aggregate
	if aggregate == nil {
		return nil, false, nil
	}
	f := fieldsOf(template)
	statuses := make([]member, len(members))
	for n, m := range members {
		statuses[n] = member{name: m.Member, fields: &fields{content: map[string]any{"status": m.Status}}}
	}
	status := aggregate(f, statuses)
	if f.err != nil {
		return nil, true, failed(template, f.err)
	}
	for _, m := range statuses {
		if m.err != nil {
			return nil, true, failed(template, fmt.Errorf("member %s: %w", m.name, m.err))
		}
	}
	return runtime.DeepCopyJSON(status), true, nil
}

// member is a member with its status under the key status, so that the same rules read it and a whole object.
type member struct {
	name string
	*fields
}

func (m member) collected() bool { return m.object("status") != nil }

// pick is the status with only the named parts.
func pick(names ...string) func(*fields) map[string]any {
	return func(f *fields) map[string]any {
		picked := map[string]any{}
		for _, name := range names {
			if value := f.value("status", name); value != nil {
				picked[name] = value
			}
		}
		return picked
	}
}

// reflectCounters is how a workload reports: numbers, and the generations that say how current they are.
func reflectCounters(names ...string) func(*fields) map[string]any {
	return func(f *fields) map[string]any {
		status := pick(names...)(f)
		status["generation"] = f.number("metadata", "generation")
		status["resourceTemplateGeneration"] = f.templateGeneration()
		return status
	}
}

// templateGeneration returns the generation of the template that the object was made from, 0 when it does not say.
func (f *fields) templateGeneration() int64 {
	text := f.text("metadata", "annotations", templateGeneration)
	if text == "" {
		return 0
	}
	generation, err := strconv.ParseInt(text, 10, 64)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("annotation %s is no generation: %w", templateGeneration, err)
	}
	return generation
}

// sumCounters adds up what workloads report. The rest of the template's status stays as it is, but once every member has
// observed the present template, so has the whole.
func sumCounters(names ...string) func(*fields, []member) map[string]any {
	return func(template *fields, members []member) map[string]any {
		status := maps.Clone(template.object("status"))
		if status == nil {
			status = map[string]any{}
		}
		maps.Copy(status, sum(members, names...))
		if observedByAll(template, members) {
			status["observedGeneration"] = template.number("metadata", "generation")
		}
		return status
	}
}

func observedByAll(template *fields, members []member) bool {
	generation := template.number("metadata", "generation")
	return !slices.ContainsFunc(members, func(m member) bool {
		return !m.collected() ||
			m.number("status", "observedGeneration") < m.number("status", "generation") ||
			m.number("status", "resourceTemplateGeneration") < generation
	})
}

// sum adds up each of the named numbers over the members.
func sum(members []member, names ...string) map[string]any {
	sums := map[string]any{}
	for _, name := range names {
		var total int64
		for _, m := range members {
			total += m.number("status", name)
		}
		sums[name] = total
	}
	return sums
}

// sumOf is the aggregation that consists of sums alone.
func sumOf(names ...string) func(*fields, []member) map[string]any {
	return func(_ *fields, members []member) map[string]any { return sum(members, names...) }
}

// firstPhase returns the first of the phases that some member is in, and the empty string when none is. A member whose
// status has not been collected counts as Pending.
func firstPhase(members []member, phases ...string) string {
	for _, phase := range phases {
		if slices.ContainsFunc(members, func(m member) bool {
			return m.text("status", "phase") == phase || phase == "Pending" && !m.collected()
		}) {
			return phase
		}
	}
	return ""
}

// times returns the named time of each member that has one.
func times(members []member, name string) []time.Time {
	var all []time.Time
	for _, m := range members {
		if t := m.time(m.text("status", name), name); !t.IsZero() {
			all = append(all, t)
		}
	}
	return all
}

// timestamp writes a time as the API server does.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
