package override

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// plaintextOverrider is one RFC 6902 operation on the object. It gives what evanphx/json-patch v5 gives, which Karmada
// uses, without writing the object out as JSON and reading it again for every member.
type plaintextOverrider struct {
	path  pointer
	op    api.OverriderOperator
	value value
	empty bool // no value was written
}

func newPlaintextOverrider(o *api.PlaintextOverrider) (overrider, error) {
	v, err := compileValue(o.Value)
	if err != nil {
		return nil, err
	}
	if err := checkOperator(o.Operator); err != nil {
		return nil, invalid{err}
	}
	path, err := parsePointer(o.Path)
	if err != nil {
		return nil, invalid{err}
	}
	return plaintextOverrider{path: path, op: o.Operator, value: v, empty: o.Value == nil}, nil
}

func (o plaintextOverrider) apply(e *edit) (bool, error) {
	value, err := o.value.render(e.target)
	if err != nil {
		return false, at(o.path, err)
	}
	if o.empty && o.op != api.OverriderOpRemove {
		e.note("plaintext %s at %q has no value, so null is written; write the value, or null if that is meant", o.op, o.path)
	}
	if len(o.path) == 0 {
		return o.exchange(e, value)
	}
	parent, key := o.path.parent()
	changed := false
	err = e.update(parent, func(node any) (next any, err error) {
		switch node := node.(type) {
		case map[string]any:
			next, changed, err = o.applyToObject(node, key, value)
		case []any:
			next, changed, err = o.applyToList(node, key, value)
		default:
			err = fmt.Errorf("%s is %s, which has nothing inside", parent, typeName(node))
		}
		if err != nil {
			return nil, at(o.path, err)
		}
		return next, nil
	})
	return changed, err
}

// exchange puts value in the place of the whole object.
func (o plaintextOverrider) exchange(e *edit, value any) (bool, error) {
	if o.op == api.OverriderOpRemove {
		return false, errors.New("the path is empty, which is the whole object, and that cannot be removed; name a field, such as /spec/replicas")
	}
	changed := !reflect.DeepEqual(e.obj.Object, value)
	return changed, e.become(value)
}

// applyToObject returns a copy of an object in which the member key is changed.
func (o plaintextOverrider) applyToObject(node map[string]any, key string, value any) (map[string]any, bool, error) {
	old, exists := node[key]
	if !exists && o.op != api.OverriderOpAdd {
		hint := "use add to create it"
		if o.op == api.OverriderOpRemove {
			hint = "leave this operation out"
		}
		return nil, false, fmt.Errorf("there is no %q to %s, only %s; %s", key, o.op, listKeys(node), hint)
	}
	next := maps.Clone(node)
	if o.op == api.OverriderOpRemove {
		delete(next, key)
		return next, true, nil
	}
	next[key] = value
	return next, !exists || !reflect.DeepEqual(old, value), nil
}

// applyToList returns a copy of a list changed at the index key. Add inserts; "-" and -1 then stand for the end.
func (o plaintextOverrider) applyToList(node []any, key string, value any) ([]any, bool, error) {
	if o.op == api.OverriderOpAdd {
		i := len(node)
		if key != "-" {
			var err error
			if i, err = relativeIndex(key, len(node)+1); err != nil {
				return nil, false, err
			}
		}
		return slices.Concat(node[:i], []any{value}, node[i:]), true, nil
	}
	i, err := relativeIndex(key, len(node))
	if err != nil {
		return nil, false, err
	}
	if o.op == api.OverriderOpRemove {
		return slices.Concat(node[:i], node[i+1:]), true, nil
	}
	next := slices.Clone(node)
	next[i] = value
	return next, !reflect.DeepEqual(node[i], value), nil
}
