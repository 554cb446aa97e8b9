package manifest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Leave returns the fields that are owned of a live object without those that
// the patterns name, and owned itself where they name none of them. It returns
// an error when the API owns a value as a whole and the patterns name a part of
// it.
func Leave(live *unstructured.Unstructured, owned *fieldpath.Set, patterns ...Pattern) (*fieldpath.Set, error) {
	l := leaver{cutter{patterns: patterns}}
	kept := l.set(shapeOf(live.GroupVersionKind()), live.Object, owned)
	switch {
	case l.err != nil:
		return nil, l.err
	case l.taken == 0:
		return owned, nil
	default:
		return kept, nil
	}
}

// leaver takes out of a set of fields what patterns name.
type leaver struct{ cutter }

// set returns what is left of the fields that are owned of a live value.
func (l *leaver) set(s *shape, live any, owned *fieldpath.Set) *fieldpath.Set {
	kept := fieldpath.NewSet()
	find := finder(s, live)
	for element := range owned.Members.All() {
		if _, parts := owned.Children.Get(element); l.keeps(find(element), !parts) {
			kept.Members.Insert(element)
		}
	}
	for element := range owned.Children.All() {
		f := find(element)
		if !l.keeps(f, false) {
			continue
		}
		parts, _ := owned.Children.Get(element)
		l.steps = append(l.steps, f.step)
		if parts = l.set(f.shape, f.value, parts); !parts.Empty() {
			*kept.Children.Descend(element) = *parts
		}
		l.steps = l.steps[:len(l.steps)-1]
	}
	return kept
}

// keeps reports whether no pattern names a value. Of one that is owned as a whole
// none may name a part either.
func (l *leaver) keeps(f found, whole bool) bool {
	l.steps = append(l.steps, f.step)
	defer func() { l.steps = l.steps[:len(l.steps)-1] }()
	if l.named(f.value) && !l.inMetadata() {
		l.taken++
		return false
	}
	if whole && l.err == nil {
		part := cutter{patterns: l.patterns, steps: l.steps}
		if part.value(f.shape, f.value); part.taken > 0 {
			at := pathOf(l.steps)
			l.err = fmt.Errorf("the API takes %s as a whole, so no part of it can be left to others: name %s itself", at, at)
		}
	}
	return true
}

// found is a part of a live value.
type found struct {
	step  step
	shape *shape
	value any
}

// finder returns what finds the parts of a live value by their path elements.
func finder(s *shape, live any) func(fieldpath.PathElement) found {
	fields, _ := live.(map[string]any)
	items, _ := live.([]any)
	names := itemNames(s, items)
	return func(element fieldpath.PathElement) found {
		if element.FieldName != nil {
			name := *element.FieldName
			return found{nameStep(name), s.child(name), fields[name]}
		}
		for i, item := range items {
			if !isElement(element, i, item) {
				continue
			}
			at := indexStep(i)
			if names != nil {
				at.item = names[i]
			}
			return found{at, s.item(), item}
		}
		return found{step: indexStep(-1)}
	}
}

// isElement reports whether a path element means the item at index i of a list.
func isElement(element fieldpath.PathElement, i int, item any) bool {
	switch {
	case element.Index != nil:
		return *element.Index == i
	case element.Value != nil:
		return value.Equals(*element.Value, value.NewValueInterface(item))
	case element.Key == nil:
		return false
	}
	for _, key := range *element.Key {
		got, there := field(item, key.Name)
		if !there || !value.Equals(key.Value, value.NewValueInterface(got)) {
			return false
		}
	}
	return true
}
