package manifest

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// maxLeafBytes is the size above which a leaf is given by size and SHA-256, so
// that plans and state stay small: long files in ConfigMaps, schemas of custom
// resource definitions. A change of such a leaf still shows.
const maxLeafBytes = 8 << 10

// leafValue returns a leaf as Fields holds it.
func leafValue(s *shape, value any) any {
	if items, ok := value.([]any); ok && s.isSet() {
		value = sorted(items)
	}
	if size(value) > maxLeafBytes {
		return summary(value)
	}
	return value
}

func summary(value any) string {
	text, ok := value.(string)
	if !ok {
		// What cannot be written as JSON cannot be sent either; it shows as empty.
		text, _ = marshal(value)
	}
	return fmt.Sprintf("(%d bytes, sha256:%x)", len(text), sha256.Sum256([]byte(text)))
}

// sorted returns a sorted copy of a list of scalars.
func sorted(items []any) []any {
	items = slices.Clone(items)
	slices.SortFunc(items, compareScalars)
	return items
}

// compareScalars orders scalars of different types too, so that the result does
// not depend on the order they came in.
func compareScalars(a, b any) int {
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return strings.Compare(a, b)
		}
	case int64:
		if b, ok := b.(int64); ok {
			return cmp.Compare(a, b)
		}
	}
	return strings.Compare(fmt.Sprintf("%T %v", a, a), fmt.Sprintf("%T %v", b, b))
}

// size estimates the bytes of a value as JSON from below.
func size(value any) int {
	switch value := value.(type) {
	case string:
		return len(value)
	case map[string]any:
		total := 0
		for name, field := range value {
			total += len(name) + size(field)
		}
		return total
	case []any:
		total := len(value)
		for _, item := range value {
			total += size(item)
		}
		return total
	default:
		return 1
	}
}
