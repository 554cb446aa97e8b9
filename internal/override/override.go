// Package override makes the copy of a template that one member receives: images, commands, labels, annotations and any
// other field, changed as Karmada's OverridePolicy and ClusterOverridePolicy say (semantics of Karmada 1.19).
//
// Policies are compiled once and applied to many (template, member) pairs. Everything is a pure function of its
// arguments: no input is changed, and a Set may be used by several goroutines at a time.
package override

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Target is the member an object is made for, with the values that override texts may refer to.
type Target struct {
	Cluster *api.Cluster
	// Variables are the member's own values, for {{ member.variables["key"] }}.
	Variables map[string]string
	// UnknownVariables holds the keys whose values are not known yet; it wins over Variables.
	UnknownVariables map[string]bool
	// AllVariablesUnknown says that not even the keys are known.
	AllVariablesUnknown bool
}

// Applied records one rule that applied to an object on a member, in the order of application.
type Applied struct {
	Policy PolicyRef
	// Rule is the index in spec.overrideRules, or -1 for the deprecated single-rule form.
	Rule int
	// Overriders are those that changed the object, such as imageOverrider[0].
	Overriders []string
	// Notes say what the user probably did not intend; the object is right all the same.
	Notes []string
}

// Apply compiles the policies and applies them to obj. See Compile and Set.Apply.
func Apply(obj *unstructured.Unstructured, target Target, policies []*api.OverridePolicy) (*unstructured.Unstructured, []Applied, error) {
	set, err := Compile(policies)
	if err != nil {
		return nil, nil, err
	}
	return set.Apply(obj, target)
}

// Apply returns obj as the target receives it, and the rules that applied. Cluster-scoped policies come first, then those
// of the object's namespace; within each tier the least specific selector first and then by name, so that the most
// specific policy has the last word. Which policies of a tier apply is decided before the first of them does.
//
// obj is not changed. The result shares with it whatever no rule changed, all of it when no rule applies, so both are to
// be treated as read-only. The error is an *UnknownError when a variable is not known yet, else an *Error.
func (s *Set) Apply(obj *unstructured.Unstructured, target Target) (*unstructured.Unstructured, []Applied, error) {
	e := &edit{template: obj, obj: obj, target: &target}
	var applied []Applied
	for _, tier := range []func(*unstructured.Unstructured) []*policy{s.clusterPolicies, s.namespacePolicies} {
		for _, p := range tier(e.obj) {
			for i := range p.rules {
				r := &p.rules[i]
				if !r.target.Matches(target.Cluster) {
					continue
				}
				done, err := r.apply(e, p.ref)
				if err != nil {
					return nil, nil, err
				}
				applied = append(applied, done)
			}
		}
	}
	return e.obj, applied, nil
}

// clusterPolicies returns the cluster-scoped policies that select obj, in the order of application.
func (s *Set) clusterPolicies(obj *unstructured.Unstructured) []*policy {
	return selecting(s.cluster, obj)
}

// namespacePolicies returns the policies of obj's namespace that select it, in the order of application.
func (s *Set) namespacePolicies(obj *unstructured.Unstructured) []*policy {
	if obj.GetNamespace() == "" {
		return nil
	}
	return selecting(s.namespaced[obj.GetNamespace()], obj)
}

// selecting returns those of the policies, which are sorted by name, that select obj: least specific first.
func selecting(policies []*policy, obj *unstructured.Unstructured) []*policy {
	type ranked struct {
		*policy
		rank api.Specificity
	}
	var found []ranked
	for _, p := range policies {
		if rank := p.specificity(obj); rank != api.NoMatch {
			found = append(found, ranked{p, rank})
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	out := make([]*policy, len(found))
	for i, f := range found {
		out[i] = f.policy
	}
	return out
}

// edit is one object on its way through the rules. Its objects are never changed in place: each change makes obj another.
type edit struct {
	template *unstructured.Unstructured
	obj      *unstructured.Unstructured
	target   *Target
	notes    []string
}

// update exchanges the value at p, which exists.
func (e *edit) update(p pointer, change func(old any) (any, error)) error {
	root, err := update(e.obj.Object, p, change)
	if err != nil {
		return err
	}
	return e.become(root)
}

// put stores value at p, which is not the root and whose parent exists.
func (e *edit) put(p pointer, value any) error {
	parent, key := p.parent()
	return e.update(parent, func(node any) (any, error) { return withChild(node, key, value) })
}

// become exchanges the whole object.
func (e *edit) become(root any) error {
	object, ok := root.(map[string]any)
	if !ok {
		return fmt.Errorf("the object would become %s; it has to stay an object", typeName(root))
	}
	e.obj = &unstructured.Unstructured{Object: object}
	return nil
}

// note records what the user probably did not intend.
func (e *edit) note(format string, args ...any) {
	e.notes = append(e.notes, fmt.Sprintf(format, args...))
}

// secret reports whether the content of the object must not be shown.
func (e *edit) secret() bool {
	return e.template.GroupVersionKind().GroupKind() == schema.GroupKind{Kind: "Secret"}
}

// quote returns a value of the object for a message, or a placeholder when the object is a Secret.
func (e *edit) quote(value string) string {
	if e.secret() {
		return "(hidden)"
	}
	return strconv.Quote(value)
}

// apply runs the overriders of r on e in order.
func (r *rule) apply(e *edit, ref PolicyRef) (Applied, error) {
	done := Applied{Policy: ref, Rule: r.index}
	e.notes = nil
	for _, s := range r.steps {
		changed, err := s.run.apply(e)
		if err != nil {
			return Applied{}, e.locate(err, ref, r.index, s.name)
		}
		if changed {
			done.Overriders = append(done.Overriders, s.name)
		}
	}
	if n := len(r.steps); n > 0 && e.obj.GroupVersionKind().Kind == "" {
		return Applied{}, e.locate(at(pointer{"kind"}, errNoKind), ref, r.index, r.steps[n-1].name)
	}
	done.Notes = e.notes
	return done, nil
}

var errNoKind = errors.New("the object is left without a kind or with an apiVersion that is none; keep both fields as they are")

// locate turns err into the exported form.
func (e *edit) locate(err error, ref PolicyRef, rule int, overrider string) error {
	return locate(err, Location{
		Policy: ref, Rule: rule, Overrider: overrider,
		Object: manifest.KeyOf(e.template), Member: e.target.Cluster.Name,
	})
}
