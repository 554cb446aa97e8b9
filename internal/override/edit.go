package override

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// edit is one object on its way through the rules. Its objects are never changed in place: each change makes obj another.
type edit struct {
	template *unstructured.Unstructured
	obj      *unstructured.Unstructured
	target   *Target
	applied  []Applied
	notes    []string // of the rule that is being applied
	missed   string   // what the overrider that is being applied did not find
}

// applyAll applies the rules of the policies that are for the member.
func (e *edit) applyAll(policies []*policy) error {
	for _, p := range policies {
		for i := range p.rules {
			if !p.rules[i].target.Matches(e.target.Cluster) {
				continue
			}
			if err := e.apply(p.ref, &p.rules[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

var errNoKind = errors.New("the object is left without a kind or with an apiVersion that is none; keep both fields as they are")

// apply runs the overriders of one rule in order.
func (e *edit) apply(ref PolicyRef, r *rule) error {
	done := Applied{Policy: ref, Rule: r.index}
	e.notes = nil
	for _, s := range r.steps {
		e.missed = ""
		changed, err := s.run.apply(e)
		if err != nil {
			return e.locate(err, ref, r.index, s.name)
		}
		if changed {
			done.Overriders = append(done.Overriders, s.name)
		}
		if e.missed != "" {
			done.Misses = append(done.Misses, Miss{Overrider: s.name, Text: e.missed})
		}
	}
	if n := len(r.steps); n > 0 && e.obj.GroupVersionKind().Kind == "" {
		return e.locate(at(pointer{"kind"}, errNoKind), ref, r.index, r.steps[n-1].name)
	}
	done.Notes = e.notes
	e.applied = append(e.applied, done)
	return nil
}

// locate turns err into the exported form.
func (e *edit) locate(err error, ref PolicyRef, rule int, overrider string) error {
	return locate(err, Location{
		Policy: ref, Rule: rule, Overrider: overrider,
		Object: manifest.KeyOf(e.template), Member: e.target.Cluster.Name,
	})
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

// hide returns err, without the content that it may quote when the object is a Secret.
func (e *edit) hide(err error, format string) error {
	if !e.secret() {
		return err
	}
	return fmt.Errorf("the text of this Secret field cannot be patched as %s (the reason may hold a part of the text and is not shown)", format)
}
