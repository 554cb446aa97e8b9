package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Pattern names fields of objects: a value and all that is below it.
type Pattern struct {
	text     string
	segments []segment
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.text }

// FieldPattern returns the pattern of the field at a path of map keys.
func FieldPattern(names ...string) Pattern {
	segments, steps := make([]segment, len(names)), make([]step, len(names))
	for i, name := range names {
		steps[i] = nameStep(name)
		segments[i].step = steps[i]
	}
	return Pattern{text: pathOf(steps), segments: segments}
}

// segment is one step of a pattern. A pointer segment may name a map key or,
// when it is a number, a position.
type segment struct {
	step
	any     bool
	pointer bool
}

// ParsePattern reads a pattern in one of two notations: a path as Flatten writes
// them (spec.template.metadata.annotations["a/b"], containers[name=web].image,
// containers[0], where some of the keys of an item are enough) or a JSON pointer
// of RFC 6901 (/spec/containers/0/image). A segment * or [*] is any key or item.
func ParsePattern(text string) (Pattern, error) {
	pattern := Pattern{text: text}
	var err error
	if strings.HasPrefix(text, "/") {
		pattern.segments, err = pointerSegments(text)
	} else {
		pattern.segments, err = pathSegments(text)
	}
	return pattern, err
}

func pathSegments(text string) ([]segment, error) {
	var segments []segment
	for token, err := range pathTokens(text) {
		if err != nil {
			return nil, err
		}
		anyStep := token.text == "*" || token.text == "[*]"
		segments = append(segments, segment{step: token.step, any: anyStep})
	}
	return segments, nil
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

func pointerSegments(text string) ([]segment, error) {
	parts := strings.Split(text[1:], "/")
	segments := make([]segment, len(parts))
	for i, part := range parts {
		if part == "" {
			return nil, fmt.Errorf("JSON pointer %q: a segment is empty; write /spec/replicas", text)
		}
		name := pointerEscapes.Replace(part)
		segments[i] = segment{step: nameStep(name), any: part == "*", pointer: true}
		segments[i].index = -1
		if index, err := strconv.Atoi(part); err == nil && index >= 0 {
			segments[i].index = index
		}
	}
	return segments, nil
}

// meets compares pattern and steps as far as both go.
func (p Pattern) meets(steps []step) bool {
	if len(p.segments) == 0 {
		return false
	}
	for i, segment := range p.segments[:min(len(p.segments), len(steps))] {
		if !segment.meets(steps[i]) {
			return false
		}
	}
	return true
}

func (s segment) meets(other step) bool {
	switch {
	case s.any:
		return true
	case s.pointer && other.list:
		return s.index >= 0 && s.index == other.index
	case s.list != other.list:
		return false
	case !s.list:
		return s.name == other.name
	case s.item == "":
		return s.index == other.index
	default:
		return hasParts(other.item, s.item)
	}
}

// hasParts reports whether an item has all the keys that part names.
func hasParts(item, part string) bool {
	have := itemParts(item)
	for _, want := range itemParts(part) {
		if !slices.Contains(have, want) {
			return false
		}
	}
	return true
}

// Select returns, sorted, the paths that Flatten(obj) has for what the patterns
// name. A pattern that points inside a leaf, such as one word of a list of
// arguments, selects the leaf. Positions work for all lists.
func Select(obj *unstructured.Unstructured, patterns ...Pattern) []string {
	return selectLeaves(obj, func(steps []step, value any) bool {
		return anySelects(patterns, steps, value)
	})
}

func anySelects(patterns []Pattern, steps []step, leaf any) bool {
	return slices.ContainsFunc(patterns, func(p Pattern) bool { return p.selects(steps, leaf) })
}

// selects reports whether a leaf is below what the pattern names, or holds it.
// A list of scalars holds its items and nothing below them: it may be the order
// of a list whose items have leaves of their own.
func (p Pattern) selects(steps []step, leaf any) bool {
	if _, isList := leaf.([]any); isList && len(p.segments) > len(steps)+1 {
		return false
	}
	return p.meets(steps)
}

func selectLeaves(obj *unstructured.Unstructured, wanted func(steps []step, value any) bool) []string {
	var paths []string
	w := walker{}
	w.leaf = func(path string, value any) {
		if wanted(w.steps, value) {
			paths = append(paths, path)
		}
	}
	w.object(obj)
	slices.Sort(paths)
	return paths
}
