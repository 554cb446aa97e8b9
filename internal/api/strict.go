package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkShape returns an error for every field of doc that the struct type root does not have, and for every value that
// its field cannot hold. A field that is null counts as not written.
func checkShape(doc map[string]any, root reflect.Type) field.ErrorList {
	c := shapeChecker{root: root}
	c.object(nil, doc, root)
	return c.errs
}

// unknownField begins the detail of an error about a field that there is not.
const unknownField = "unknown field: "

// Explain returns what is wrong with a field, without its name: err.ErrorBody(), or for a field that there is not just the
// detail, for nobody forbade it.
func Explain(err *field.Error) string {
	if strings.HasPrefix(err.Detail, unknownField) {
		return err.Detail
	}
	return err.ErrorBody()
}

// shapeChecker compares a document with the Go type it is decoded into. Errors show numbers alone: texts may be secret.
type shapeChecker struct {
	root reflect.Type
	errs field.ErrorList
}

var unmarshalerType = reflect.TypeFor[json.Unmarshaler]()

// value checks one value against the type of its field.
func (c *shapeChecker) value(path *field.Path, v any, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshalerType) {
		c.custom(path, v, t)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		c.object(path, v, t)
	case reflect.Map:
		c.mapping(path, v, t)
	case reflect.Slice:
		c.list(path, v, t)
	case reflect.String:
		if _, ok := v.(string); !ok {
			c.mismatch(path, v, "a string")
		}
	case reflect.Bool:
		if _, ok := v.(bool); !ok {
			c.mismatch(path, v, "true or false")
		}
	default:
		c.integer(path, v, t)
	}
}

// object checks the fields of a struct in alphabetical order.
func (c *shapeChecker) object(path *field.Path, v any, t reflect.Type) {
	object, ok := v.(map[string]any)
	if !ok {
		c.mismatch(path, v, "an object")
		return
	}
	fields := jsonFields(t)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		child := path.Child(name)
		fieldType, known := fields[name]
		switch {
		case !known:
			c.errs = append(c.errs, field.Forbidden(child, unknownField+c.hint(path, name, t)))
		case object[name] != nil:
			c.value(child, object[name], fieldType)
		}
	}
}

func (c *shapeChecker) mapping(path *field.Path, v any, t reflect.Type) {
	object, ok := v.(map[string]any)
	if !ok {
		c.mismatch(path, v, "an object")
		return
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		c.value(path.Key(key), object[key], t.Elem())
	}
}

func (c *shapeChecker) list(path *field.Path, v any, t reflect.Type) {
	list, ok := v.([]any)
	if !ok {
		c.mismatch(path, v, "a list")
		return
	}
	for i, item := range list {
		c.value(path.Index(i), item, t.Elem())
	}
}

// integer checks that v is a whole number that fits the integer type t.
func (c *shapeChecker) integer(path *field.Path, v any, t reflect.Type) {
	var n int64
	switch v := v.(type) {
	case int64:
		n = v
	case float64:
		if v != math.Trunc(v) || v < math.MinInt64 || v >= math.MaxInt64 {
			c.errs = append(c.errs, field.TypeInvalid(path, v, "must be a whole number of at most 64 bits"))
			return
		}
		n = int64(v)
	default:
		c.mismatch(path, v, "a whole number")
		return
	}
	zero := reflect.Zero(t)
	switch {
	case zero.CanUint() && n < 0:
		c.errs = append(c.errs, field.TypeInvalid(path, n, "must not be negative"))
	case zero.CanInt() && zero.OverflowInt(n):
		c.errs = append(c.errs, field.TypeInvalid(path, n, fmt.Sprintf("must be a whole number of at most %d bits", t.Bits())))
	}
}

// custom checks a value whose type decodes itself, such as a time or arbitrary JSON.
func (c *shapeChecker) custom(path *field.Path, v any, t reflect.Type) {
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, reflect.New(t).Interface())
	}
	if err != nil {
		c.mismatch(path, v, "a "+strings.ToLower(t.Name()))
	}
}

// mismatch reports that v is not what is wanted there, and how to write it when only quotes are the trouble.
func (c *shapeChecker) mismatch(path *field.Path, v any, want string) {
	detail := fmt.Sprintf("must be %s, not %s", want, typeName(v))
	switch v := v.(type) {
	case string:
		if _, err := strconv.ParseFloat(v, 64); want == "a whole number" && err == nil || want == "true or false" && (v == "true" || v == "false") {
			detail += ": remove the quotes"
		}
	case bool, int64, float64:
		if want == "a string" {
			detail += ": put it in quotes"
		}
	}
	c.errs = append(c.errs, field.TypeInvalid(path, field.OmitValueType{}, detail))
}

// typeName names the JSON type of v.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("a Go value of type %T", v)
}

// jsonFields returns the fields of a struct type by their JSON names, those of embedded structs included.
func jsonFields(t reflect.Type) map[string]reflect.Type {
	fields := make(map[string]reflect.Type, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			maps.Copy(fields, jsonFields(f.Type))
		case name != "":
			fields[name] = f.Type
		}
	}
	return fields
}
