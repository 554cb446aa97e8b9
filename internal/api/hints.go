package api

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
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
	if meant := sameLetters(name, names); meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	if paths := findField(t, here, name); len(paths) > 0 {
		return "it is " + strings.Join(paths, " or ")
	}
	if similar(name, names) == "" {
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
	if meant := similar(name, candidates); meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	return "known are " + strings.Join(candidates, ", ")
}

// similar returns the candidate that name resembles most: the same letters, a shorter or longer form, or up to two typing
// errors. It returns "" when there is none.
func similar(name string, candidates []string) string {
	if meant := sameLetters(name, candidates); meant != "" {
		return meant
	}
	const shortest = 4 // shorter names resemble too much
	best, bestEdits := "", 3
	for _, candidate := range candidates {
		a, b := strings.ToLower(name), strings.ToLower(candidate)
		if min(len(a), len(b)) < shortest {
			continue
		}
		edits := editDistance(a, b)
		if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
			edits = min(edits, 2)
		}
		if edits < bestEdits {
			best, bestEdits = candidate, edits
		}
	}
	return best
}

// sameLetters returns the candidate that differs from name in case, hyphens and underscores alone.
func sameLetters(name string, candidates []string) string {
	letters := strings.NewReplacer("_", "", "-", "")
	for _, candidate := range candidates {
		if strings.EqualFold(letters.Replace(name), candidate) {
			return candidate
		}
	}
	return ""
}

// editDistance is the number of bytes to insert, delete or replace to turn a into b (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
