package manifest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

// problem is a fault at a place inside a document.
type problem struct {
	steps []step
	err   error
}

// checker walks one object and gathers all problems. Their texts never hold a
// value, for that may be a secret.
type checker struct {
	steps    []step
	problems []problem
}

func (c *checker) fail(err error) {
	c.problems = append(c.problems, problem{steps: slices.Clone(c.steps), err: err})
}

func (c *checker) failAt(err error, names ...string) {
	for _, name := range names {
		c.steps = append(c.steps, nameStep(name))
	}
	c.fail(err)
	c.steps = c.steps[:len(c.steps)-len(names)]
}

// checkObject returns what is wrong with an object: its identity, and, for
// built-in kinds, every field that the Go types of the API do not take, as a
// strict server would. What it shares with passed, which nothing is wrong with,
// is not looked at again.
func checkObject(obj, passed map[string]any, at []step) []problem {
	c := checker{steps: slices.Clone(at)}
	if err := notOfKubernetes(obj); err != nil {
		c.fail(err)
		return c.problems
	}
	gvk, ok := c.kind(obj)
	if passed["apiVersion"] != obj["apiVersion"] || passed["kind"] != obj["kind"] {
		passed = nil // other fields are right now
	}
	c.metadata(gvk.GroupKind(), obj, passed)
	if ok {
		c.value(shapeOf(gvk), obj, passed)
		c.data(gvk.GroupKind(), obj)
	}
	return c.problems
}

// Check returns what is wrong with an object, as in "spec.replicas: ...": what Decode finds in templates, for objects that were
// changed since. It costs little for a copy of passed, which nothing is wrong with, that shares most of it; passed may be nil. No
// text holds a value of the object.
func Check(obj, passed *unstructured.Unstructured) error {
	var before map[string]any
	if passed != nil {
		before = passed.Object
	}
	problems := checkObject(obj.Object, before, nil)
	if len(problems) == 0 {
		return nil
	}
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = fmt.Sprintf("%s: %v", pathOf(p.steps), p.err)
	}
	slices.Sort(texts)
	return errors.New(strings.Join(texts, "; "))
}

var errMissing = errors.New("missing; every document needs apiVersion, kind and metadata.name")

func (c *checker) kind(obj map[string]any) (schema.GroupVersionKind, bool) {
	version, versionOK := c.required(obj, "apiVersion")
	kind, kindOK := c.required(obj, "kind")
	if !versionOK || !kindOK {
		return schema.GroupVersionKind{}, false
	}
	gv, err := schema.ParseGroupVersion(version)
	if err != nil || gv.Version == "" {
		c.failAt(errors.New("not an API version; write v1 or group/version, as in apps/v1"), "apiVersion")
		return schema.GroupVersionKind{}, false
	}
	if strings.ContainsAny(kind, "./ \t\r\n") {
		c.failAt(errors.New("not a kind; write one word, as in Deployment"), "kind")
		return schema.GroupVersionKind{}, false
	}
	if err := checkKind(gv.WithKind(kind).GroupKind()); err != nil {
		c.failAt(err, "kind")
	}
	return gv.WithKind(kind), true
}

// required returns the text of a field that every document has. A wrong type is
// reported by the shape check unless the kind itself is what is missing.
func (c *checker) required(obj map[string]any, name string) (string, bool) {
	value, ok := obj[name].(string)
	switch {
	case obj[name] == nil || ok && value == "":
		c.failAt(errMissing, name)
		return "", false
	case !ok:
		c.failAt(wrongType("a string", obj[name]), name)
		return "", false
	}
	return value, true
}

func (c *checker) metadata(kind schema.GroupKind, obj, passed map[string]any) {
	if passed != nil && shared(obj["metadata"], passed["metadata"]) {
		return
	}
	metadata, ok := obj["metadata"].(map[string]any)
	if !ok {
		if obj["metadata"] == nil {
			c.failAt(errMissing, "metadata", "name")
		}
		return
	}
	switch name, isText := metadata["name"].(string); {
	case isText && name != "":
		if err := checkName(kind, name); err != nil {
			c.failAt(err, "metadata", "name")
		}
	case metadata["name"] != nil && !isText:
		// The shape check names the type.
	case metadata["generateName"] != nil:
		c.failAt(errors.New("a generated name cannot be planned or found again; give the object a metadata.name"), "metadata", "generateName")
	default:
		c.failAt(errMissing, "metadata", "name")
	}
	before, _ := passed["metadata"].(map[string]any)
	c.labels(metadata, before)
	if namespace, ok := metadata["namespace"].(string); ok && namespace != "" {
		if reasons := validation.IsDNS1123Label(namespace); len(reasons) > 0 {
			c.failAt(fmt.Errorf("not a name of a namespace: %s", strings.Join(reasons, ", ")), "metadata", "namespace")
		}
	}
}

// value compares a value with its shape. As in the API, null stands for absent
// everywhere but as the item of a list. A value that is passed at the same place
// is right.
func (c *checker) value(s *shape, value, passed any) {
	if s == nil || value == nil || shared(value, passed) {
		return
	}
	switch s.kind {
	case object, open, dict:
		c.fields(s, value, passed)
	case list:
		c.items(s, value, passed)
	default:
		if err := checkLeaf(s, value); err != nil {
			c.fail(err)
		}
	}
}

func (c *checker) fields(s *shape, value, passed any) {
	fields, ok := value.(map[string]any)
	if !ok {
		c.fail(wrongType("a map", value))
		return
	}
	before, _ := passed.(map[string]any)
	for name, value := range fields {
		c.steps = append(c.steps, nameStep(name))
		child := s.child(name)
		if child == nil && s.kind == object {
			c.fail(unknownField(name, s))
		}
		c.value(child, value, before[name])
		c.steps = c.steps[:len(c.steps)-1]
	}
}

func (c *checker) items(s *shape, value, passed any) {
	items, ok := value.([]any)
	if !ok {
		c.fail(wrongType("a list", value))
		return
	}
	before, _ := passed.([]any)
	for i, item := range items {
		c.steps = append(c.steps, indexStep(i))
		if item == nil {
			c.fail(errors.New("an item is empty; remove its dash, or give it a value"))
		}
		var passed any
		if i < len(before) {
			passed = before[i]
		}
		c.value(s.elem, item, passed)
		c.steps = c.steps[:len(c.steps)-1]
	}
	c.duplicates(s, items)
}

// shared reports whether two values are one: the same map or list in memory, or
// the same leaf.
func shared(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
	case []any:
		b, ok := b.([]any)
		return ok && len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}
