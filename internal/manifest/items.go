package manifest

import (
	"strconv"
	"strings"
)

// itemNames returns what names each item of a list among the others, such as
// "name=web" or "containerPort=80,protocol=TCP", or nil when the items go by
// position: the list has no keys, or an item lacks one, or two share a name.
func itemNames(s *shape, items []any) []string {
	keys := itemKeys(s)
	if len(keys) == 0 {
		return nil
	}
	names := make([]string, len(items))
	seen := make(map[string]bool, len(items))
	for i, item := range items {
		name, ok := itemName(keys, item)
		if !ok || seen[name] {
			return nil
		}
		names[i], seen[name] = name, true
	}
	return names
}

var nameKey = []mergeKey{{name: "name"}}

// itemKeys returns the merge keys of a list. Where nothing is known of the type,
// as in custom resources, name is tried.
func itemKeys(s *shape) []mergeKey {
	if s == nil || s.kind == anything {
		return nameKey
	}
	return s.list.keys
}

// isOrdered reports whether the order of a list with keys is content. Where
// nothing is known of the type it is: the steps of a pipeline have names too.
func isOrdered(s *shape) bool {
	return s == nil || s.kind == anything || s.list.ordered
}

// itemName returns the name of one item, and whether it has all the keys.
func itemName(keys []mergeKey, item any) (string, bool) {
	fields, ok := item.(map[string]any)
	if !ok {
		return "", false
	}
	name := make([]byte, 0, 32)
	for i, key := range keys {
		value, ok := keyText(fields[key.name])
		if !ok {
			if value = key.fallback; value == "" || fields[key.name] != nil {
				return "", false
			}
		}
		if i > 0 {
			name = append(name, ',')
		}
		name = append(append(name, key.name...), '=')
		name = append(name, value...)
	}
	return string(name), true
}

// keyText writes the value of a merge key, quoted where it holds a character
// that has a meaning in paths.
func keyText(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		if value == "" {
			return "", false
		}
		if !plainText(value, `[]",=*\`) {
			return strconv.Quote(value), true
		}
		return value, true
	case int64:
		return strconv.FormatInt(value, 10), true
	case bool:
		return strconv.FormatBool(value), true
	default:
		return "", false
	}
}

func isKey(keys []mergeKey, name string) bool {
	for _, key := range keys {
		if key.name == name {
			return true
		}
	}
	return false
}

// itemParts cuts "containerPort=80,protocol=TCP" into its key and value pairs.
func itemParts(item string) []string {
	if !strings.Contains(item, `"`) {
		return strings.Split(item, ",")
	}
	var parts []string
	quoted, start := false, 0
	for i := 0; i < len(item); i++ {
		switch {
		case quoted && item[i] == '\\':
			i++
		case item[i] == '"':
			quoted = !quoted
		case item[i] == ',' && !quoted:
			parts = append(parts, item[start:i])
			start = i + 1
		}
	}
	return append(parts, item[start:])
}
