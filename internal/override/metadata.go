package override

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
)

// metadataOverrider changes the labels or annotations of the object itself, not of its pod template.
type metadataOverrider struct {
	field    string // labels or annotations
	operator api.OverriderOperator
	keys     []string // sorted
	values   map[string]text
}

func newLabelsOverrider(o *api.LabelAnnotationOverrider) (overrider, error) {
	return compileMetadata("labels", o)
}

func newAnnotationsOverrider(o *api.LabelAnnotationOverrider) (overrider, error) {
	return compileMetadata("annotations", o)
}

func compileMetadata(field string, o *api.LabelAnnotationOverrider) (overrider, error) {
	if err := checkOperator(o.Operator); err != nil {
		return nil, invalid{err}
	}
	c := metadataOverrider{field: field, operator: o.Operator, keys: slices.Sorted(maps.Keys(o.Value)), values: map[string]text{}}
	for _, key := range c.keys {
		t, err := parseText(o.Value[key])
		if err != nil {
			return nil, fmt.Errorf("value of %q: %w", key, err)
		}
		c.values[key] = t
	}
	return c, nil
}

// apply sets the keys (add), sets those that exist (replace) or removes them. As in Karmada 1.19 a map with a value that is
// no string counts as absent: add exchanges it, replace and remove leave it.
func (o metadataOverrider) apply(e *edit) (bool, error) {
	metadata, ok := e.obj.Object["metadata"].(map[string]any)
	if !ok {
		return false, at(pointer{"metadata"}, fmt.Errorf("want an object, have %s", typeName(e.obj.Object["metadata"])))
	}
	old, found, err := unstructured.NestedStringMap(metadata, o.field)
	if err != nil && metadata[o.field] != nil {
		e.note("/metadata/%s holds a value that is not a string, so it counts as absent: add replaces all of it, replace and remove do nothing", o.field)
	}
	next, err := o.change(old, e.target)
	if err != nil {
		return false, at(pointer{"metadata", o.field}, err)
	}
	if (!found && len(next) == 0) || maps.Equal(old, next) {
		return false, nil
	}
	values := make(map[string]any, len(next))
	for key, value := range next {
		values[key] = value
	}
	return true, e.put(pointer{"metadata", o.field}, values)
}

// change returns a changed copy of old.
func (o metadataOverrider) change(old map[string]string, target *Target) (map[string]string, error) {
	next := maps.Clone(old)
	if next == nil {
		next = map[string]string{}
	}
	for _, key := range o.keys {
		if _, exists := old[key]; !exists && o.operator != api.OverriderOpAdd {
			continue
		}
		if o.operator == api.OverriderOpRemove {
			delete(next, key)
			continue
		}
		value, err := o.render(key, target)
		if err != nil {
			return nil, fmt.Errorf("value of %q: %w", key, err)
		}
		next[key] = value
	}
	return next, nil
}

// render returns the value for a key. A label made of the member's values is checked, as one that is the same for all
// members is checked with the policy.
func (o metadataOverrider) render(key string, target *Target) (string, error) {
	value, err := o.values[key].render(target)
	if err != nil || o.field != "labels" || o.values[key].fixed() {
		return value, err
	}
	if reasons := validation.IsValidLabelValue(value); len(reasons) > 0 {
		return "", fmt.Errorf("%q is no value of a label: %s; use an annotation, or another property of the member", value, strings.Join(reasons, "; "))
	}
	return value, nil
}
