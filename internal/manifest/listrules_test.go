package manifest

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/applyconfigurations" //nolint:depguard // It holds the schema of server-side apply.
	"k8s.io/client-go/kubernetes/scheme"   //nolint:depguard // It registers the API types and knows no cluster.
	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// The schema that server-side apply itself uses decides whether the rules of
// lists are right, for every field of every built-in kind.
func TestListRulesAreThoseOfServerSideApply(t *testing.T) {
	converter := applyconfigurations.NewTypeConverter(scheme.Scheme)
	compare := ruleComparison{t: t, seen: map[string]bool{}}
	for gvk := range builtinTypes() {
		if gvk.Group == "storage.k8s.io" && gvk.Version == "v1beta1" {
			continue // Its CSIDriver differs from v1; no supported Kubernetes serves it.
		}
		obj := &unstructured.Unstructured{Object: map[string]any{}}
		obj.SetGroupVersionKind(gvk)
		typed, err := converter.ObjectToTyped(obj)
		if err != nil {
			continue // Not a kind that can be applied.
		}
		compare.schema = typed.Schema()
		compare.kinds++
		compare.value(gvk.String(), typed.TypeRef(), shapeOf(gvk))
	}
	if compare.kinds < 100 || compare.lists < 300 {
		t.Errorf("compared %d kinds and %d lists, want all of them", compare.kinds, compare.lists)
	}
}

type ruleComparison struct {
	t            *testing.T
	schema       *schema.Schema
	seen         map[string]bool
	kinds, lists int
}

func (c *ruleComparison) value(path string, ref schema.TypeRef, s *shape) {
	if ref.NamedType != nil {
		key := fmt.Sprintf("%s %p", *ref.NamedType, s)
		if c.seen[key] {
			return
		}
		c.seen[key] = true
	}
	atom, ok := c.schema.Resolve(ref)
	if !ok || s == nil {
		return
	}
	switch {
	case atom.List != nil && s.kind == list:
		c.list(path, atom.List, s)
	case atom.Map != nil && s.kind == dict:
		c.value(path+".*", atom.Map.ElementType, s.elem)
	case atom.Map != nil && s.kind == object:
		for _, field := range atom.Fields {
			if field.Name != "status" {
				c.value(path+"."+field.Name, field.Type, s.fields[field.Name])
			}
		}
	}
}

func (c *ruleComparison) list(path string, want *schema.List, s *shape) {
	c.lists++
	var keys []string
	for _, key := range s.list.keys {
		keys = append(keys, key.name)
		if got, want := key.fallback, c.fallback(want.ElementType, key.name); got != want {
			c.t.Errorf("%s: key %s falls back to %q, server-side apply says %q", path, key.name, got, want)
		}
	}
	associative := want.ElementRelationship == schema.Associative
	if wantSet := associative && len(want.Keys) == 0; wantSet != s.list.set {
		c.t.Errorf("%s: set is %v, server-side apply says %v", path, s.list.set, wantSet)
	}
	if !slices.Equal(keys, want.Keys) && associative {
		c.t.Errorf("%s: keys are %v, server-side apply says %v", path, keys, want.Keys)
	}
	if !associative && len(keys) > 0 {
		c.t.Errorf("%s: keys are %v, server-side apply says the list is atomic", path, keys)
	}
	c.value(path+"[]", want.ElementType, s.elem)
}

func (c *ruleComparison) fallback(elem schema.TypeRef, name string) string {
	atom, _ := c.schema.Resolve(elem)
	if atom.Map == nil {
		return ""
	}
	field, _ := atom.FindField(name)
	text, _ := field.Default.(string)
	return text
}
