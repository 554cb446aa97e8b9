package override

import (
	"encoding/json"
	"fmt"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// value is a JSON value in whose strings the member may be referred to. In tree such strings are of type text.
type value struct {
	raw   json.RawMessage
	tree  any
	fixed bool
}

// compileValue reads raw; a value that was not written is null, as in Karmada 1.19. Numbers become int64 where they fit and
// float64 elsewhere, as in any object.
func compileValue(raw json.RawMessage) (value, error) {
	if raw == nil {
		raw = json.RawMessage("null")
	}
	v := value{raw: raw, fixed: true}
	if err := utiljson.Unmarshal(raw, &v.tree); err != nil {
		return value{}, fmt.Errorf("the value is no JSON: %w", err)
	}
	tree, err := v.compile(v.tree)
	v.tree = tree
	return v, err
}

// compile puts texts in the place of strings that refer to the member.
func (v *value) compile(node any) (any, error) {
	switch node := node.(type) {
	case string:
		if !strings.Contains(node, reserved) {
			return node, nil
		}
		v.fixed = false
		return parseText(node)
	case map[string]any:
		for key, child := range node {
			if err := outsideOfValues(key); err != nil {
				return nil, err
			}
			compiled, err := v.compile(child)
			if err != nil {
				return nil, err
			}
			node[key] = compiled
		}
	case []any:
		for i, child := range node {
			compiled, err := v.compile(child)
			if err != nil {
				return nil, err
			}
			node[i] = compiled
		}
	}
	return node, nil
}

// render returns the value for the target, as a tree that the caller owns.
func (v value) render(target *Target) (any, error) { return render(v.tree, target) }

// renderJSON returns the value for the target as JSON text. A value that is the same for all members keeps its spelling.
func (v value) renderJSON(target *Target) (json.RawMessage, error) {
	if v.fixed {
		return v.raw, nil
	}
	tree, err := v.render(target)
	if err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// render copies node and renders its texts.
func render(node any, target *Target) (any, error) {
	switch node := node.(type) {
	case text:
		return node.render(target)
	case map[string]any:
		out := make(map[string]any, len(node))
		for key, child := range node {
			rendered, err := render(child, target)
			if err != nil {
				return nil, err
			}
			out[key] = rendered
		}
		return out, nil
	case []any:
		out := make([]any, len(node))
		for i, child := range node {
			rendered, err := render(child, target)
			if err != nil {
				return nil, err
			}
			out[i] = rendered
		}
		return out, nil
	}
	return node, nil
}
