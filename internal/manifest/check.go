package manifest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate/content"
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
// strict server would.
func checkObject(obj map[string]any, at []step) []problem {
	c := checker{steps: slices.Clone(at)}
	gvk, ok := c.kind(obj)
	c.metadata(obj)
	if ok {
		c.value(shapeOf(gvk), obj)
	}
	return c.problems
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

func (c *checker) metadata(obj map[string]any) {
	metadata, ok := obj["metadata"].(map[string]any)
	if !ok {
		if obj["metadata"] == nil {
			c.failAt(errMissing, "metadata", "name")
		}
		return
	}
	switch name, isText := metadata["name"].(string); {
	case isText && name != "":
		if reasons := content.IsPathSegmentName(name); len(reasons) > 0 {
			c.failAt(fmt.Errorf("not a name of an object: %s", strings.Join(reasons, ", ")), "metadata", "name")
		}
	case metadata["name"] != nil && !isText:
		// The shape check names the type.
	case metadata["generateName"] != nil:
		c.failAt(errors.New("a generated name cannot be planned or found again; give the object a metadata.name"), "metadata", "generateName")
	default:
		c.failAt(errMissing, "metadata", "name")
	}
	if namespace, ok := metadata["namespace"].(string); ok && namespace != "" {
		if reasons := validation.IsDNS1123Label(namespace); len(reasons) > 0 {
			c.failAt(fmt.Errorf("not a name of a namespace: %s", strings.Join(reasons, ", ")), "metadata", "namespace")
		}
	}
}

// value compares a value with its shape. As in the API, null stands for absent
// everywhere but as the item of a list.
func (c *checker) value(s *shape, value any) {
	if s == nil || value == nil {
		return
	}
	switch s.kind {
	case object, open, dict:
		c.fields(s, value)
	case list:
		c.items(s, value)
	default:
		if err := checkLeaf(s, value); err != nil {
			c.fail(err)
		}
	}
}

func (c *checker) fields(s *shape, value any) {
	fields, ok := value.(map[string]any)
	if !ok {
		c.fail(wrongType("a map", value))
		return
	}
	for name, value := range fields {
		c.steps = append(c.steps, nameStep(name))
		child := s.child(name)
		if child == nil && s.kind == object {
			c.fail(unknownField(name, s))
		}
		c.value(child, value)
		c.steps = c.steps[:len(c.steps)-1]
	}
}

func (c *checker) items(s *shape, value any) {
	items, ok := value.([]any)
	if !ok {
		c.fail(wrongType("a list", value))
		return
	}
	for i, item := range items {
		c.steps = append(c.steps, indexStep(i))
		if item == nil {
			c.fail(errors.New("an item is empty; remove its dash, or give it a value"))
		}
		c.value(s.elem, item)
		c.steps = c.steps[:len(c.steps)-1]
	}
}

// checkLeaf compares a value that is neither absent nor inside a known
// container with the shape it should have.
func checkLeaf(s *shape, value any) error {
	switch s.kind {
	case text:
		if _, ok := value.(string); !ok {
			return wrongType("a string", value)
		}
	case boolean:
		if _, ok := value.(bool); !ok {
			return wrongType("true or false", value)
		}
	case integer:
		return checkInteger(value, s.bits)
	case number:
		switch value.(type) {
		case int64, float64:
		default:
			return wrongType("a number", value)
		}
	case base64Text:
		return checkBase64(value)
	case quantity:
		return checkQuantity(value)
	case intOrText:
		if _, ok := value.(string); !ok {
			return checkInteger(value, 32)
		}
	case custom:
		return checkCustom(s.custom, value)
	}
	return nil
}

func checkInteger(value any, bits int) error {
	i, ok := value.(int64)
	if !ok {
		return wrongType("a whole number", value)
	}
	if limit := int64(1) << (bits - 1); bits < 64 && (i < -limit || i >= limit) {
		return fmt.Errorf("out of range; want a whole number from %d to %d", -limit, limit-1)
	}
	return nil
}

func checkBase64(value any) error {
	encoded, ok := value.(string)
	if !ok {
		return wrongType("a base64 string", value)
	}
	if _, err := base64.StdEncoding.DecodeString(encoded); err != nil {
		return errors.New("not base64; encode the content, or for a Secret move it to stringData")
	}
	return nil
}

func checkQuantity(value any) error {
	amount, ok := quantityText(value)
	if !ok {
		return wrongType("a quantity", value)
	}
	if _, err := resource.ParseQuantity(amount); err != nil {
		return errors.New("not a quantity; write one as in 500m, 2 or 1Gi")
	}
	return nil
}

// checkCustom lets a type that reads itself from JSON judge the value.
func checkCustom(t reflect.Type, value any) error {
	encoded, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(encoded, reflect.New(t).Interface())
	}
	if err != nil {
		return fmt.Errorf("not a %s", t.Name())
	}
	return nil
}

// wrongType says what a value should be, and how the usual mistake is mended.
func wrongType(want string, value any) error {
	var found string
	switch value.(type) {
	case string:
		found = "a string"
	case bool:
		found = "true or false"
	case int64, float64:
		found = "a number"
	case map[string]any:
		found = "a map"
	case []any:
		found = "a list"
	default:
		found = "nothing"
	}
	return fmt.Errorf("want %s, found %s%s", want, found, advice(want, found))
}

func advice(want, found string) string {
	scalar := found == "true or false" || found == "a number"
	switch {
	case scalar && want == "a string":
		return "; quote it"
	case found == "a string" && want == "a whole number":
		return "; remove the quotes (a file mode is written 0644, or 420)"
	case found == "a string" && (want == "a number" || want == "true or false"):
		return "; remove the quotes"
	default:
		return ""
	}
}

func unknownField(name string, s *shape) error {
	known := make([]string, 0, len(s.fields))
	for field := range s.fields {
		known = append(known, field)
	}
	if similar := mostSimilar(name, known); similar != "" {
		return fmt.Errorf("%w; did you mean %s?", ErrUnknownField, similar)
	}
	return fmt.Errorf("%w; remove it, or look up where the API has it", ErrUnknownField)
}
