package propagation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/override"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

// render makes the work of every member that a template goes to: replicas, then overrides, then pruning, as Karmada does,
// so that an override of the replicas wins. It tells the tally what overrides did.
func render(in *Input, overrides *override.Set, b *binding, tally *overrideTally) (map[string]*Work, []*Problem) {
	r := rendering{
		in: in, overrides: overrides, binding: b,
		completions: b.divideCompletions(),
		revised:     map[share]*unstructured.Unstructured{},
		pruned:      map[*unstructured.Unstructured]*unstructured.Unstructured{},
		owned:       map[owned]*unstructured.Unstructured{},
	}
	works := make(map[string]*Work, len(b.placement.Clusters))
	members := map[Problem][]string{} // by what they share
	for i := range in.Members {
		m := &in.Members[i]
		replicas, ok := b.placement.Clusters[m.Name()]
		if !ok {
			continue
		}
		work, applied, err := r.work(m, replicas)
		if err != nil {
			problem := r.explain(err, m.Name())
			members[problem] = append(members[problem], m.Name())
			continue
		}
		works[m.Name()] = work
		tally.add(b.key, work, applied)
		for _, rule := range applied {
			for _, note := range rule.Notes {
				problem := Problem{Note: true, Argument: "policies", Summary: "Override may not do what was meant",
					Detail: fmt.Sprintf("%s, %s: %s.", rule.Policy, b.key, note)}
				members[problem] = append(members[problem], m.Name())
			}
		}
	}
	return works, tellOnce(members)
}

// tellOnce returns each problem with the members that have it.
func tellOnce(members map[Problem][]string) []*Problem {
	var problems []*Problem
	for problem, names := range members {
		problem.Detail += fmt.Sprintf(" On %s.", list(names))
		problems = append(problems, &problem)
	}
	slices.SortFunc(problems, func(a, b *Problem) int { return strings.Compare(a.Detail, b.Detail) })
	return problems
}

// explain returns the problem of an error, without the member, and without any value of a template that is sensitive.
func (r *rendering) explain(err error, member string) Problem {
	if problem, ok := errors.AsType[*Problem](err); ok {
		return *problem
	}
	text := sentence(err)
	if failed, ok := errors.AsType[*override.Error](err); ok && r.hides(failed.Path) {
		text = fmt.Sprintf("%s, path %q: the value is sensitive, so the reason is not shown.", failed.Location, failed.Path)
	}
	return Problem{Argument: "policies", Summary: "Override cannot be applied", Detail: strings.Replace(text, " on member "+member, "", 1)}
}

// hides reports whether what is at a path of the template, a JSON pointer, must not be shown.
func (r *rendering) hides(pointer string) bool {
	if r.in.SensitiveTemplates[r.binding.key] {
		return true
	}
	pattern, err := manifest.ParsePattern(pointer)
	if err != nil {
		return false // no single field is at fault
	}
	sensitive := manifest.SensitivePaths(r.binding.object, manifest.Sensitivity{Patterns: r.in.SensitivePaths})
	return slices.ContainsFunc(manifest.Select(r.binding.object, pattern), func(path string) bool { return slices.Contains(sensitive, path) })
}

// rendering renders one template for several members. Members that get the same object share it.
type rendering struct {
	in          *Input
	overrides   *override.Set
	binding     *binding
	completions map[string]int64
	revised     map[share]*unstructured.Unstructured
	pruned      map[*unstructured.Unstructured]*unstructured.Unstructured
	owned       map[owned]*unstructured.Unstructured
}

// share is what one member gets of the replicas and completions.
type share struct {
	replicas    Replicas
	completions int64
}

// work returns the work of one member, and the override rules that applied.
func (r *rendering) work(m *Member, replicas Replicas) (*Work, []override.Applied, error) {
	b := r.binding
	work := &Work{Conflict: b.conflict, Suspended: b.suspended(m.Name())}
	if len(b.template.Unknown) > 0 {
		work.Unknown = true
		return work, nil, nil
	}
	template := r.revise(m.Name(), replicas)
	object, applied, err := r.overrides.Apply(template, m.target())
	var unknown *override.UnknownError
	if errors.As(err, &unknown) {
		work.Unknown = true
		return work, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if key := manifest.KeyOf(object); key != manifest.KeyOf(template) {
		return nil, nil, fmt.Errorf("%s: %s would become %s: the kind, name and namespace of an object cannot be overridden; write a template for it",
			strings.Join(changers(applied), "; "), b.key, key)
	}
	if err := r.check(object, template, applied); err != nil {
		return nil, nil, err
	}
	work.Object = r.prune(object)
	if err := r.own(work, r.left(m.Name(), work.Object)); err != nil {
		return nil, nil, err
	}
	work.Sensitive = manifest.SensitivePaths(work.Object, manifest.Sensitivity{
		Whole: r.in.SensitiveTemplates[b.key], Patterns: r.in.SensitivePaths,
	})
	return work, applied, nil
}

// check returns what overrides have broken: the template itself was checked when it was read.
func (r *rendering) check(object, template *unstructured.Unstructured, applied []override.Applied) error {
	if object == template {
		return nil
	}
	if err := manifest.Check(object, template); err != nil {
		return fmt.Errorf("%s: %s is no valid object any more: %w", strings.Join(changers(applied), "; "), r.binding.key, err)
	}
	return nil
}

// changers names the rules that changed the object.
func changers(applied []override.Applied) []string {
	var rules []string
	for _, rule := range applied {
		if len(rule.Overriders) > 0 {
			rules = append(rules, rule.String())
		}
	}
	return rules
}

// revise gives the object the replicas and completions of one member.
func (r *rendering) revise(member string, replicas Replicas) *unstructured.Unstructured {
	b := r.binding
	completions, divided := r.completions[member]
	mine := share{replicas: replicas, completions: completions}
	if object, ok := r.revised[mine]; ok {
		return object
	}
	object := b.object
	if b.replicas.Workload() {
		if revised, ok := r.in.Interpreter.Revise(object, replicas.Count); ok {
			object = revised
		}
	}
	if divided {
		object = interpreter.ReviseCompletions(object, completions)
	}
	object = manifest.WithMarks(object)
	r.revised[mine] = object
	return object
}

// prune takes out what must not be sent. A Job keeps its time to live: one that is gone after it ran is finished, and is
// not sent again.
func (r *rendering) prune(object *unstructured.Unstructured) *unstructured.Unstructured {
	if pruned, ok := r.pruned[object]; ok {
		return pruned
	}
	pruned := manifest.WithoutEmptyMarks(manifest.Prune(object))
	r.binding.lose(manifest.Lost(object, pruned))
	pruned = manifest.FoldSecret(pruned)
	if finishes(object) {
		ttl, _, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "ttlSecondsAfterFinished")
		pruned = pruned.DeepCopy()
		_ = unstructured.SetNestedField(pruned.Object, ttl, "spec", "ttlSecondsAfterFinished")
	}
	r.pruned[object] = pruned
	return pruned
}

// divideCompletions divides the completions of a divided Job like its replicas; nil for everything else.
func (b *binding) divideCompletions() map[string]int64 {
	completions, ok := interpreter.Completions(b.object)
	if !ok || b.policy == nil || duplicated(b.policy) || !b.replicas.Workload() {
		return nil
	}
	replicas := make(map[string]int64, len(b.placement.Clusters))
	for member, n := range b.placement.Clusters {
		replicas[member] = n.Count
	}
	return scheduler.DivideCompletions(completions, replicas, b.key)
}

// target returns the member as overrides see it.
func (m *Member) target() override.Target {
	target := override.Target{Cluster: &m.Cluster, Variables: m.Variables, AllVariablesUnknown: m.AllVariablesUnknown}
	if len(m.UnknownVariables) > 0 {
		target.UnknownVariables = make(map[string]bool, len(m.UnknownVariables))
		for _, key := range m.UnknownVariables {
			target.UnknownVariables[key] = true
		}
	}
	return target
}
