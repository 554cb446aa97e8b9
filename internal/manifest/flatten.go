package manifest

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Fields is an object as paths and leaves: what a plan shows, what is compared.
//
// A path is dotted; a map key with a special character is quoted in brackets
// (metadata.labels["app.kubernetes.io/name"]); the items of lists that have merge
// keys go by them (containers[name=web], ports[containerPort=80,protocol=TCP]),
// those of others by position (rules[0]). A list of scalars is one leaf, sorted
// where the API treats it as a set; so are {}, [] and null. An item with nothing
// but its keys is the leaf {}. Where the order of a keyed list is content (init
// containers, custom resources), the path of the list holds the names in order.
// Leaves keep their JSON type; one of more than maxLeafBytes is given by size
// and SHA-256.
type Fields map[string]any

// Flatten returns the fields of an object: all but its identity (kind,
// metadata.name, metadata.namespace) and its status.
func Flatten(obj *unstructured.Unstructured) Fields {
	fields := make(Fields, 16)
	w := walker{leaf: func(path string, value any) { fields[path] = value }}
	w.object(obj)
	return fields
}

// walker visits the leaves of a value, with the steps and the path to each.
type walker struct {
	path  []byte
	steps []step
	leaf  func(path string, value any)
}

func (w *walker) object(obj *unstructured.Unstructured) {
	s := shapeOf(obj.GroupVersionKind())
	for name, value := range obj.Object {
		switch name {
		case "kind", "status":
		case "metadata":
			w.metadata(s.child(name), value)
		default:
			w.child(name, s.child(name), value)
		}
	}
}

func (w *walker) metadata(s *shape, value any) {
	fields, ok := value.(map[string]any)
	if !ok {
		w.child("metadata", s, value)
		return
	}
	w.enter(nameStep("metadata"), func() {
		for name, value := range fields {
			if name != "name" && name != "namespace" {
				w.child(name, s.child(name), value)
			}
		}
	})
}

// enter runs visit one step further down.
func (w *walker) enter(s step, visit func()) {
	length := len(w.path)
	switch {
	case !s.list:
		w.path = appendName(w.path, s.name)
	case s.item != "":
		w.path = appendItem(w.path, s.item)
	default:
		w.path = appendIndex(w.path, s.index)
	}
	w.steps = append(w.steps, s)
	visit()
	w.steps = w.steps[:len(w.steps)-1]
	w.path = w.path[:length]
}

func (w *walker) child(name string, s *shape, value any) {
	w.enter(nameStep(name), func() { w.value(s, value) })
}

func (w *walker) value(s *shape, value any) {
	switch value := value.(type) {
	case map[string]any:
		if len(value) > 0 && !s.isWhole() {
			for name, field := range value {
				w.child(name, s.child(name), field)
			}
			return
		}
	case []any:
		if !allScalars(value) {
			w.list(s, value)
			return
		}
	}
	w.leaf(string(w.path), leafValue(s, value))
}

func (w *walker) list(s *shape, items []any) {
	names := itemNames(s, items)
	if names == nil {
		for i, item := range items {
			w.enter(indexStep(i), func() { w.value(s.item(), item) })
		}
		return
	}
	if isOrdered(s) && len(names) > 1 {
		w.leaf(string(w.path), leafValue(nil, orderOf(s, items)))
	}
	for i, item := range items {
		w.enter(step{list: true, item: names[i], index: i}, func() { w.item(s, item) })
	}
}

// item visits a named item without the keys that its name already tells.
func (w *walker) item(s *shape, item any) {
	fields, _ := item.(map[string]any)
	keys := itemKeys(s)
	more := false
	for name, value := range fields {
		if !isKey(keys, name) {
			more = true
			w.child(name, s.item().child(name), value)
		}
	}
	if !more {
		w.leaf(string(w.path), map[string]any{})
	}
}

// orderOf returns the first merge key of each item, in the order of the list.
func orderOf(s *shape, items []any) []any {
	key := itemKeys(s)[0].name
	order := make([]any, len(items))
	for i, item := range items {
		order[i], _ = field(item, key)
	}
	return order
}

// allScalars reports whether a list holds no map and no list.
func allScalars(items []any) bool {
	for _, item := range items {
		if !isScalar(item) {
			return false
		}
	}
	return true
}

func isScalar(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return false
	default:
		return true
	}
}
