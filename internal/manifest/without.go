package manifest

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Without returns the object without what the patterns name, and obj itself
// where they name nothing of it. What makes the object and the items of its
// lists known stays in any case: kind, API version, name, namespace and merge
// keys. Maps and lists that become empty go. The result shares unchanged parts
// with obj.
//
// A list whose items have no names cannot be had in part: a pattern that leads
// into one is an error.
func Without(obj *unstructured.Unstructured, patterns ...Pattern) (*unstructured.Unstructured, error) {
	c := cutter{patterns: patterns}
	s := shapeOf(obj.GroupVersionKind())
	content := c.fields(s, obj.Object, func(name string) bool { return name == "apiVersion" || name == "kind" })
	switch {
	case c.err != nil:
		return nil, c.err
	case c.taken == 0:
		return obj, nil
	default:
		return &unstructured.Unstructured{Object: content}, nil
	}
}

// cutter takes out what patterns name. It counts what it took, for a value from
// which nothing was taken is not copied.
type cutter struct {
	patterns []Pattern
	steps    []step
	taken    int
	err      error
}

// value returns what is left of a value, and false when that is nothing.
func (c *cutter) value(s *shape, value any) (any, bool) {
	if c.named(value) && !c.inMetadata() {
		c.taken++
		return nil, false
	}
	before := c.taken
	switch value := value.(type) {
	case map[string]any:
		if s.isWhole() {
			return value, true
		}
		left := c.fields(s, value, c.identity)
		return left, len(left) > 0 || c.taken == before
	case []any:
		left := c.items(s, value)
		return left, len(left) > 0 || c.taken == before
	default:
		return value, true
	}
}

// named reports whether a pattern names the value at the present steps, or a
// word of it when it is a list of scalars.
func (c *cutter) named(value any) bool {
	words, isList := value.([]any)
	isList = isList && len(words) > 0 && allScalars(words)
	return slices.ContainsFunc(c.patterns, func(p Pattern) bool {
		return p.meets(c.steps) && (len(p.segments) <= len(c.steps) || isList && len(p.segments) == len(c.steps)+1)
	})
}

// inMetadata reports whether the present steps lead to the metadata, which goes
// by its parts only.
func (c *cutter) inMetadata() bool { return len(c.steps) == 1 && c.steps[0].name == "metadata" }

// identity reports whether a field at the present steps names the object.
func (c *cutter) identity(name string) bool {
	return c.inMetadata() && (name == "name" || name == "namespace")
}

// fields returns what is left of a map; those that stay are not looked at.
func (c *cutter) fields(s *shape, fields map[string]any, stays func(name string) bool) map[string]any {
	left, copied := fields, false
	for name, value := range fields {
		if stays(name) {
			continue
		}
		before := c.taken
		kept, some := c.within(nameStep(name), s.child(name), value)
		if c.taken == before {
			continue
		}
		if !copied {
			left, copied = maps.Clone(fields), true
		}
		if some {
			left[name] = kept
		} else {
			delete(left, name)
		}
	}
	return left
}

// items returns what is left of a list.
func (c *cutter) items(s *shape, items []any) []any {
	if allScalars(items) {
		return items
	}
	names, before := itemNames(s, items), c.taken
	left := make([]any, 0, len(items))
	for i, item := range items {
		at := indexStep(i)
		if names != nil {
			at.item = names[i]
		}
		if kept, some := c.item(at, s, item); some {
			left = append(left, kept)
		}
	}
	switch {
	case c.taken == before:
		return items
	case names == nil && c.err == nil:
		list := pathOf(c.steps)
		c.err = fmt.Errorf("the items of %s have no names, so the list is sent as a whole or not at all: name %s itself", list, list)
	}
	return left
}

// item returns what is left of an item. One that is not named itself stays, with
// its keys at least.
func (c *cutter) item(at step, s *shape, item any) (any, bool) {
	c.steps = append(c.steps, at)
	defer func() { c.steps = c.steps[:len(c.steps)-1] }()
	fields, ok := item.(map[string]any)
	if !ok || c.named(item) {
		return c.value(s.item(), item)
	}
	return c.fields(s.item(), fields, func(name string) bool { return at.item != "" && isKey(itemKeys(s), name) }), true
}

// within returns what is left of a value one step further down.
func (c *cutter) within(at step, s *shape, value any) (any, bool) {
	c.steps = append(c.steps, at)
	defer func() { c.steps = c.steps[:len(c.steps)-1] }()
	return c.value(s, value)
}
