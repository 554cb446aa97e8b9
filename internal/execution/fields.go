package execution

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// OwnedFields returns a copy of a live object that holds only what we applied, by the object's managedFields, without our
// marks: what a template for it looks like. apiVersion, kind, name and namespace are always in it.
func OwnedFields(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	ours, others := fieldpath.NewSet(), fieldpath.NewSet()
	for _, entry := range live.GetManagedFields() {
		if entry.FieldsV1 == nil {
			continue
		}
		set := &fieldpath.Set{}
		if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			return nil, fmt.Errorf("managed fields of %s in %s %s: %w", entry.Manager, live.GetKind(), live.GetName(), err)
		}
		if isOurs(entry) {
			ours = ours.Union(set)
		} else {
			others = others.Union(set)
		}
	}
	owned := &unstructured.Unstructured{Object: map[string]any{}}
	if content, ok := keep(live.Object, ours, others).(map[string]any); ok {
		owned.Object = content
	}
	owned.SetGroupVersionKind(live.GroupVersionKind())
	owned.SetName(live.GetName())
	if live.GetNamespace() != "" {
		owned.SetNamespace(live.GetNamespace())
	}
	unmark(owned)
	return owned, nil
}

// keep returns a copy of the parts of v that ours holds. A member without children of its own is owned whole, unless
// others own parts of it: then only its being there is ours.
func keep(v any, ours, others *fieldpath.Set) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, child := range v {
			if owned, ok := keepChild(child, fieldpath.PathElement{FieldName: &name}, ours, others); ok {
				kept[name] = owned
			}
		}
		return kept
	case []any:
		kept := []any{}
		for i, child := range v {
			for _, element := range elements(i, child, ours) {
				if owned, ok := keepChild(child, element, ours, others); ok {
					kept = append(kept, owned)
					break
				}
			}
		}
		return kept
	default:
		return v
	}
}

// keepChild returns the owned part of the child at element, and whether any of it is owned.
func keepChild(child any, element fieldpath.PathElement, ours, others *fieldpath.Set) (any, bool) {
	parts, partly := ours.Children.Get(element)
	foreign, shared := others.Children.Get(element)
	if !shared {
		foreign = fieldpath.NewSet()
	}
	switch {
	case partly:
		return keep(child, parts, foreign), true
	case !ours.Members.Has(element):
		return nil, false
	case shared:
		return keep(child, fieldpath.NewSet(), foreign), true
	default:
		return runtime.DeepCopyJSONValue(child), true
	}
}

// elements returns the ways in which ours may name the item at index i of a list: by its keys, its value or its index.
func elements(i int, item any, ours *fieldpath.Set) []fieldpath.PathElement {
	all := []fieldpath.PathElement{{Index: &i}}
	add := func(element fieldpath.PathElement) {
		switch {
		case element.Key != nil && hasKeys(item, *element.Key):
			all = append(all, element)
		case element.Value != nil && value.Equals(*element.Value, value.NewValueInterface(item)):
			all = append(all, element)
		}
	}
	ours.Members.Iterate(add)
	ours.Children.Iterate(add)
	return all
}

// hasKeys reports whether the item has all the keys with their values. A key that is missing has its default, which the
// live object always shows.
func hasKeys(item any, keys value.FieldList) bool {
	fields, ok := item.(map[string]any)
	if !ok {
		return false
	}
	for _, key := range keys {
		got, there := fields[key.Name]
		if !there || !value.Equals(key.Value, value.NewValueInterface(got)) {
			return false
		}
	}
	return true
}
