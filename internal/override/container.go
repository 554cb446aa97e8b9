package override

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// containerLists are the lists of containers in a pod spec.
var containerLists = []string{"containers", "initContainers", "ephemeralContainers"}

// noContainers is what an object lacks for overriders of containers.
const noContainers = "has no containers"

// container is one container of an object: the element index of a list of the pod spec.
type container struct {
	podSpec pointer
	list    string
	index   int
	all     []any
	fields  map[string]any
}

// path returns the path of the container, or of something inside it.
func (c container) path(inside ...string) pointer {
	return slices.Concat(c.podSpec, pointer{c.list, strconv.Itoa(c.index)}, inside)
}

// named reports whether the container has the name.
func (c container) named(name string) bool {
	s, ok := c.fields["name"].(string)
	return ok && s == name
}

// containers returns the containers of obj in all lists. An object of a kind without a pod spec has none.
func containers(obj *unstructured.Unstructured) ([]container, error) {
	path, ok := interpreter.PodSpecPath(obj.GroupVersionKind())
	if !ok {
		return nil, nil
	}
	var all []container
	for _, list := range containerLists {
		found, err := containersIn(obj, path, list)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// containersIn returns the containers of one list, which may be absent or null.
func containersIn(obj *unstructured.Unstructured, podSpec pointer, list string) ([]container, error) {
	path := podSpec.join(list)
	value, _, err := unstructured.NestedFieldNoCopy(obj.Object, path...)
	if err != nil {
		return nil, at(path, err)
	}
	items, ok := value.([]any)
	if !ok && value != nil {
		return nil, at(path, fmt.Errorf("want a list of containers, have %s", typeName(value)))
	}
	found := make([]container, len(items))
	for i, item := range items {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, at(path.join(strconv.Itoa(i)), fmt.Errorf("want a container, have %s", typeName(item)))
		}
		found[i] = container{podSpec: podSpec, list: list, index: i, all: items, fields: fields}
	}
	return found, nil
}

// editContainers exchanges one field of those containers for which edit returns a value, and reports whether there were
// any. All of them are exchanged in one copy of the pod spec.
func editContainers(e *edit, all []container, field string, edit func(container) (value any, ok bool, err error)) (bool, error) {
	lists := map[string][]any{}
	for _, c := range all {
		value, ok, err := edit(c)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		if lists[c.list] == nil {
			lists[c.list] = slices.Clone(c.all)
		}
		fields := maps.Clone(c.fields)
		fields[field] = value
		lists[c.list][c.index] = fields
	}
	if len(lists) == 0 {
		return false, nil
	}
	return true, e.update(all[0].podSpec, func(spec any) (any, error) {
		for list, items := range lists {
			var err error
			if spec, err = withChild(spec, list, items); err != nil {
				return nil, err
			}
		}
		return spec, nil
	})
}
