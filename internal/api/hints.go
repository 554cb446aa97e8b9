package api

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

var (
	propagationType = reflect.TypeFor[PropagationPolicy]()
	overrideType    = reflect.TypeFor[OverridePolicy]()
)

// foreignFields answers fields that writers of propagation policies expect and Karmada never had.
var foreignFields = map[string]string{
	"overrides": "Karmada has no such field: write an OverridePolicy",
}

// hint says what was probably meant by the unknown field name of the struct type t at path: a field here that is written
// otherwise, the same name further down, or the same name elsewhere.
func (c *shapeChecker) hint(path *field.Path, name string, t reflect.Type) string {
	if text, ok := foreignFields[name]; ok && c.root == propagationType {
		return text
	}
	here := ""
	if path != nil {
		here = path.String()
	}
	names := slices.Sorted(maps.Keys(jsonFields(t)))
	if meant := spelling.SameLetters(name, names); meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	if paths := findField(t, here, name); len(paths) > 0 {
		return "it is " + strings.Join(paths, " or ")
	}
	if spelling.Nearest(name, names) == "" {
		if text := c.hintElsewhere(name); text != "" {
			return text
		}
	}
	return suggest(name, names)
}

// hintElsewhere looks for the field in the whole spec, then in that of the other kind.
func (c *shapeChecker) hintElsewhere(name string) string {
	if paths := findField(jsonFields(c.root)["spec"], "spec", name); len(paths) > 0 {
		return "it is " + strings.Join(paths, " or ")
	}
	other, kind := overrideType, KindOverridePolicy
	if c.root == overrideType {
		other, kind = propagationType, KindPropagationPolicy
	}
	if paths := findField(jsonFields(other)["spec"], "spec", name); len(paths) > 0 {
		return "it belongs to the kind " + kind + ": " + strings.Join(paths, " or ")
	}
	return ""
}

// findField returns where, at or below the struct type t, fields of this name are: the one or two paths with the fewest
// steps. It returns none when there are more, for then a name says too little.
func findField(t reflect.Type, path, name string) []string {
	level := map[string]reflect.Type{path: t}
	for len(level) > 0 {
		var found []string
		next := map[string]reflect.Type{}
		for at, t := range level {
			for child, childType := range jsonFields(t) {
				childPath := strings.TrimPrefix(at+"."+child, ".")
				if child == name {
					found = append(found, childPath)
				}
				if suffix, structType := elementStruct(childType); structType != nil {
					next[childPath+suffix] = structType
				}
			}
		}
		if len(found) > 2 {
			return nil
		}
		if len(found) > 0 {
			slices.Sort(found)
			return found
		}
		level = next
	}
	return nil
}

// elementStruct returns the struct type that t leads to and how paths show the step: "[]" for a list. The type is nil when
// t leads to none, or to one that decodes itself.
func elementStruct(t reflect.Type) (suffix string, structType reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		if t.Kind() == reflect.Slice {
			suffix += "[]"
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(unmarshalerType) {
		return "", nil
	}
	return suffix, t
}

// suggest names the candidate that name resembles, or else all of them.
func suggest(name string, candidates []string) string {
	if meant := spelling.Nearest(name, candidates); meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	return "known are " + strings.Join(candidates, ", ")
}
