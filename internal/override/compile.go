package override

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Set is a list of compiled override policies. It is read-only.
type Set struct {
	cluster    []*policy
	namespaced map[string][]*policy
}

// policy is one compiled policy.
type policy struct {
	ref       PolicyRef
	selectors []api.ResourceSelector
	rules     []rule
	notes     []Note
}

// rule holds the overriders of one rule in Karmada's fixed order.
type rule struct {
	index  int
	target *api.ClusterAffinity
	steps  []step
}

// step is one overrider and its name, such as plaintext[2].
type step struct {
	name string
	run  overrider
}

// overrider exchanges e.obj for a changed one and reports whether it did. It may leave a note in e.notes.
type overrider interface {
	apply(e *edit) (bool, error)
}

// Compile prepares policies for application. The error is an *Error without object and member: a text refers to the
// member in a way that cannot be understood. What depends on the object or the member is found by Apply.
func Compile(policies []*api.OverridePolicy) (*Set, error) {
	s := &Set{namespaced: map[string][]*policy{}}
	for _, p := range policies {
		c, err := compilePolicy(p)
		if err != nil {
			return nil, err
		}
		if p.ClusterScoped() {
			s.cluster = append(s.cluster, c)
		} else {
			s.namespaced[p.Namespace] = append(s.namespaced[p.Namespace], c)
		}
	}
	byName := func(a, b *policy) int { return cmp.Compare(a.ref.Name, b.ref.Name) }
	slices.SortStableFunc(s.cluster, byName)
	for _, tier := range s.namespaced {
		slices.SortStableFunc(tier, byName)
	}
	return s, nil
}

func compilePolicy(p *api.OverridePolicy) (*policy, error) {
	c := &policy{ref: refOf(p), selectors: p.Spec.ResourceSelectors}
	for i := range p.Spec.OverrideRules {
		r := &p.Spec.OverrideRules[i]
		if err := c.add(i, r.TargetCluster, &r.Overriders); err != nil {
			return nil, err
		}
	}
	if len(p.Spec.OverrideRules) == 0 {
		if err := c.add(singleRule, p.Spec.TargetCluster, &p.Spec.Overriders); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// add compiles one rule into p.
func (p *policy) add(index int, target *api.ClusterAffinity, o *api.Overriders) error {
	b := &builder{}
	addAll(b, "imageOverrider", o.ImageOverrider, newImageOverrider)
	addAll(b, "commandOverrider", o.CommandOverrider, newCommandOverrider)
	addAll(b, "argsOverrider", o.ArgsOverrider, newArgsOverrider)
	addAll(b, "labelsOverrider", o.LabelsOverrider, newLabelsOverrider)
	addAll(b, "annotationsOverrider", o.AnnotationsOverrider, newAnnotationsOverrider)
	addAll(b, "fieldOverrider", o.FieldOverrider, newFieldOverrider)
	addAll(b, "plaintext", o.Plaintext, newPlaintextOverrider)
	if b.err != nil {
		return locate(b.err, Location{Policy: p.ref, Rule: index, Overrider: b.failed})
	}
	for _, found := range b.lookalikes {
		at := Location{Policy: p.ref, Rule: index, Overrider: found.overrider}
		p.notes = append(p.notes, Note{p.ref, "spec." + at.path(), found.text()})
	}
	p.rules = append(p.rules, rule{index: index, target: target, steps: b.steps})
	return nil
}

// builder gathers the steps of a rule up to the first error.
type builder struct {
	steps      []step
	lookalikes []lookalike
	failed     string
	err        error
}

// addAll compiles the overriders of one field of Overriders.
func addAll[T any](b *builder, field string, list []T, compile func(*T) (overrider, error)) {
	for i := range list {
		if b.err != nil {
			return
		}
		name := fmt.Sprintf("%s[%d]", field, i)
		run, err := compile(&list[i])
		if late, ok := errors.AsType[invalid](err); ok {
			run, err = late, nil
		}
		if err != nil {
			b.failed, b.err = name, err
			return
		}
		b.steps = append(b.steps, step{name: name, run: run})
		for _, written := range lookalikes(list[i]) {
			b.lookalikes = append(b.lookalikes, lookalike{overrider: name, written: written})
		}
	}
}

// specificity says how precisely p selects obj; without selectors it selects every object.
func (p *policy) specificity(obj *unstructured.Unstructured) api.Specificity {
	if len(p.selectors) == 0 {
		return api.MatchesAll
	}
	return api.MostSpecific(p.selectors, obj)
}

// policies returns all policies: the cluster-scoped ones, then by namespace, each by name.
func (s *Set) policies() []*policy {
	all := slices.Clone(s.cluster)
	for _, namespace := range slices.Sorted(maps.Keys(s.namespaced)) {
		all = append(all, s.namespaced[namespace]...)
	}
	return all
}

// invalid is the error of an overrider that can be applied to no object. It stands in for the overrider, so that it is
// reported when the rule applies, not before, as in Karmada.
type invalid struct{ err error }

func (i invalid) Error() string { return i.err.Error() }

func (i invalid) apply(*edit) (bool, error) { return false, i.err }

// checkOperator refuses what is not an operator.
func checkOperator(op api.OverriderOperator) error {
	switch op {
	case api.OverriderOpAdd, api.OverriderOpRemove, api.OverriderOpReplace:
		return nil
	}
	return fmt.Errorf("operator %q is unknown; write add, remove or replace", op)
}
