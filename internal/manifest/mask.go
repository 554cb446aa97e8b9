package manifest

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Sensitivity says which leaves of an object must not be shown. The data of a
// Secret never is, whatever it says.
type Sensitivity struct {
	// Whole hides every leaf but the API version and the replica counts.
	Whole bool
	// Patterns hide what they name.
	Patterns []Pattern
}

// secretPatterns are the places where a Secret keeps its content, kubectl's copy
// of it included.
var secretPatterns = []Pattern{
	FieldPattern("data"),
	FieldPattern("stringData"),
	FieldPattern("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"),
}

// shownPatterns are the fields that a plan needs to make sense.
var shownPatterns = []Pattern{
	FieldPattern("apiVersion"),
	FieldPattern("spec", "replicas"),
	FieldPattern("spec", "parallelism"),
	FieldPattern("spec", "completions"),
}

// SensitivePaths returns, sorted, the paths of Flatten(obj) that must not be
// shown. Empty leaves ({}, [], null) are not among them: they tell nothing, and
// Project has to know them for what they are.
func SensitivePaths(obj *unstructured.Unstructured, s Sensitivity) []string {
	hidden := s.Patterns
	if obj.GroupVersionKind().GroupKind() == secretKind {
		hidden = slices.Concat(secretPatterns, hidden)
	}
	if len(hidden) == 0 && !s.Whole {
		return nil
	}
	return selectLeaves(obj, func(steps []step, value any) bool {
		if isEmpty(value) {
			return false
		}
		return s.Whole && !anySelects(shownPatterns, steps, value) || anySelects(hidden, steps, value)
	})
}

const (
	maskStart = "(sensitive, rev "
	maskEnd   = ")"
)

// Masked is what a plan shows in place of a sensitive value: "(sensitive, rev 1)".
// The revision counts the changes of the hidden content of one object.
func Masked(revision int64) string {
	return maskStart + strconv.FormatInt(revision, 10) + maskEnd
}

// MaskedRevision returns the revision of a value that Masked wrote, and whether
// it is one.
func MaskedRevision(value any) (int64, bool) {
	text, ok := value.(string)
	if !ok {
		return 0, false
	}
	text, start := strings.CutPrefix(text, maskStart)
	text, end := strings.CutSuffix(text, maskEnd)
	revision, err := strconv.ParseInt(text, 10, 64)
	return revision, start && end && err == nil
}

// Only returns the fields at the given paths, as far as there are any.
func (f Fields) Only(paths []string) Fields {
	only := make(Fields, len(paths))
	for _, path := range paths {
		if value, ok := f[path]; ok {
			only[path] = value
		}
	}
	return only
}

// Mask returns the fields with the values at the given paths hidden. The fields
// themselves, from which objects are sent, stay as they are.
func (f Fields) Mask(paths []string, revision int64) Fields {
	masked := maps.Clone(f)
	for _, path := range paths {
		if _, ok := f[path]; ok {
			masked[path] = Masked(revision)
		}
	}
	return masked
}
