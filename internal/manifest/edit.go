package manifest

import "maps"

// withField returns obj with the value at a path of map keys. Only the maps on
// the path are copied; missing ones are made. A path that leads through another
// kind of value changes nothing.
func withField(obj map[string]any, value any, path ...string) map[string]any {
	child := value
	if len(path) > 1 {
		inner, ok := obj[path[0]].(map[string]any)
		if !ok && obj[path[0]] != nil {
			return obj
		}
		child = withField(inner, value, path[1:]...)
	}
	changed := maps.Clone(obj)
	if changed == nil {
		changed = map[string]any{}
	}
	changed[path[0]] = child
	return changed
}

// withoutField returns obj without what is at a path of map keys. Only the maps
// on the path are copied, and none when there is nothing to remove; a map that
// becomes empty stays.
func withoutField(obj map[string]any, path ...string) map[string]any {
	child, found := obj[path[0]]
	if !found {
		return obj
	}
	if len(path) == 1 {
		changed := maps.Clone(obj)
		delete(changed, path[0])
		return changed
	}
	inner, ok := child.(map[string]any)
	if _, found := field(child, path[1:]...); !ok || !found {
		return obj
	}
	changed := maps.Clone(obj)
	changed[path[0]] = withoutField(inner, path[1:]...)
	return changed
}

// field returns what is at a path of map keys, without a copy.
func field(value any, path ...string) (any, bool) {
	for _, name := range path {
		fields, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = fields[name]; !ok {
			return nil, false
		}
	}
	return value, true
}
