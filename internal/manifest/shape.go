package manifest

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// shape is what the Go type of a value says about it: what may stand there, how
// lists name their items, which texts mean the same. The nil shape is a value
// that nothing is known of. Shapes are built once per type and never change.
type shape struct {
	kind   shapeKind
	fields map[string]*shape // object, open
	elem   *shape            // dict, list
	bits   int               // integer
	custom reflect.Type      // custom: decodes itself from JSON
	list   listRules
	whole  bool // shown as one value, whatever is inside
}

type shapeKind int

const (
	anything shapeKind = iota
	object             // a map with known keys and no others
	open               // a map with some known keys
	dict               // a map with free keys
	list
	text
	integer
	number
	boolean
	base64Text
	quantity
	intOrText
	custom
)

// listRules says how the API server tells the items of a list apart.
type listRules struct {
	// keys name an item among the others; none means that position does.
	keys []mergeKey
	// set is a list of scalars whose order means nothing.
	set bool
	// ordered is a list with keys whose order means something all the same.
	ordered bool
}

// mergeKey is a field that is part of an item's name, with the value the API
// server gives it when it is absent.
type mergeKey struct {
	name     string
	fallback string
}

// shapeOf returns the shape of a kind. Of a kind that is not built in it knows
// the metadata.
func shapeOf(gvk schema.GroupVersionKind) *shape {
	if t, ok := builtinTypes()[gvk]; ok {
		return shapes.of(t)
	}
	return customKind()
}

var customKind = sync.OnceValue(func() *shape {
	return &shape{kind: open, fields: map[string]*shape{
		"apiVersion": {kind: text},
		"kind":       {kind: text},
		"metadata":   shapes.of(reflect.TypeFor[metav1.ObjectMeta]()),
	}}
})

func (s *shape) child(name string) *shape {
	switch {
	case s == nil:
		return nil
	case s.kind == dict:
		return s.elem
	default:
		return s.fields[name]
	}
}

func (s *shape) item() *shape {
	if s == nil {
		return nil
	}
	return s.elem
}

func (s *shape) isWhole() bool { return s != nil && s.whole }

func (s *shape) isSet() bool { return s != nil && s.list.set }

// shapes caches by type.
var shapes = shapeCache{built: map[reflect.Type]*shape{
	reflect.TypeFor[resource.Quantity]():                     {kind: quantity},
	reflect.TypeFor[intstr.IntOrString]():                    {kind: intOrText},
	reflect.TypeFor[runtime.RawExtension]():                  {kind: anything},
	reflect.TypeFor[metav1.FieldsV1]():                       {kind: anything},
	reflect.TypeFor[apiextensionsv1.JSON]():                  {kind: anything},
	reflect.TypeFor[[]byte]():                                {kind: base64Text},
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool](): {kind: anything},
}}

type shapeCache struct {
	mu    sync.RWMutex
	built map[reflect.Type]*shape
}

func (c *shapeCache) of(t reflect.Type) *shape {
	c.mu.RLock()
	s, ok := c.built[t]
	c.mu.RUnlock()
	if ok {
		return s
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.build(t)
}

var jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()

func (c *shapeCache) build(t reflect.Type) *shape {
	if t.Kind() == reflect.Pointer {
		return c.build(t.Elem())
	}
	if s, ok := c.built[t]; ok {
		return s
	}
	s := &shape{}
	// Types contain themselves, so the shape is known before it is complete.
	c.built[t] = s
	if reflect.PointerTo(t).Implements(jsonUnmarshaler) {
		s.kind, s.custom = custom, t
		return s
	}
	switch t.Kind() {
	case reflect.Struct:
		s.kind, s.fields = object, map[string]*shape{}
		c.addFields(s.fields, t)
	case reflect.Map:
		s.kind, s.elem = dict, c.build(t.Elem())
	case reflect.Slice, reflect.Array:
		s.kind, s.elem = list, c.build(t.Elem())
	case reflect.String:
		s.kind = text
	case reflect.Bool:
		s.kind = boolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.kind, s.bits = integer, t.Bits()
	case reflect.Float32, reflect.Float64:
		s.kind = number
	}
	return s
}

func (c *shapeCache) addFields(fields map[string]*shape, t reflect.Type) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case name == "" && field.Anonymous:
			c.addFields(fields, field.Type)
		case name != "":
			fields[name] = c.fieldShape(t, field, name)
		}
	}
}

// fieldShape is the shape of the field's type, with what the field adds to it.
func (c *shapeCache) fieldShape(parent reflect.Type, field reflect.StructField, name string) *shape {
	s := c.build(field.Type)
	if field.Type == reflect.TypeFor[*apiextensionsv1.JSONSchemaProps]() && name == "openAPIV3Schema" {
		whole := *s
		whole.whole = true
		return &whole
	}
	if s.kind != list {
		return s
	}
	elem := listElem(field.Type)
	return &shape{kind: list, elem: c.build(elem), list: listRulesOf(parent, field, name, elem)}
}
