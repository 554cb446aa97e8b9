package interpreter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// fields reads values out of an object by path. An absent or null value reads as the zero value. A value of another
// type than asked for does too, and the first such mistake is kept in err, so that a rule reads like a sentence and its
// caller checks once.
type fields struct {
	content map[string]any
	err     error
}

func fieldsOf(obj *unstructured.Unstructured) *fields {
	return &fields{content: obj.Object}
}

// value returns what lies at path, nil when there is nothing.
func (f *fields) value(path ...string) any {
	var value any = f.content
	for i, name := range path {
		if value == nil {
			return nil
		}
		object, ok := value.(map[string]any)
		if !ok {
			f.reject(path[:i], value, "an object")
			return nil
		}
		value = object[name]
	}
	return value
}

// number returns the whole number at path.
func (f *fields) number(path ...string) int64 {
	value := f.value(path...)
	switch n := value.(type) {
	case nil:
		return 0
	case int64:
		return n
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<63 {
			return int64(n)
		}
	}
	f.reject(path, value, "a whole number")
	return 0
}

// text returns the string at path.
func (f *fields) text(path ...string) string {
	return as[string](f, path, "a string")
}

// truth returns the boolean at path.
func (f *fields) truth(path ...string) bool {
	return as[bool](f, path, "true or false")
}

// object returns the object at path.
func (f *fields) object(path ...string) map[string]any {
	return as[map[string]any](f, path, "an object")
}

// list returns the list at path.
func (f *fields) list(path ...string) []any {
	return as[[]any](f, path, "a list")
}

// objects returns the list of objects at path.
func (f *fields) objects(path ...string) []map[string]any {
	list := f.list(path...)
	objects := make([]map[string]any, 0, len(list))
	for i, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			f.reject(append(path[:len(path):len(path)], strconv.Itoa(i)), item, "an object")
			return nil
		}
		objects = append(objects, object)
	}
	return objects
}

// time reads text as a time, the zero time when it is empty; name is for the error.
func (f *fields) time(text, name string) time.Time {
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s is no time: %w", name, err)
	}
	return t
}

// set puts a value at path and makes the objects on the way.
func (f *fields) set(value any, path ...string) {
	if err := unstructured.SetNestedField(f.content, value, path...); err != nil && f.err == nil {
		f.err = fmt.Errorf("cannot set %s: %w", strings.Join(path, "."), err)
	}
}

// copy makes path as it is in from: the same value, or none.
func (f *fields) copy(from *fields, path ...string) {
	if value := from.value(path...); value != nil {
		f.set(value, path...)
		return
	}
	f.clear(path...)
}

// clear leaves nothing at path.
func (f *fields) clear(path ...string) {
	unstructured.RemoveNestedField(f.content, path...)
}

// condition returns the status of the condition of the given type in status.conditions, and the empty string when there
// is none.
func (f *fields) condition(conditionType string) string {
	for _, condition := range f.objects("status", "conditions") {
		if condition["type"] == conditionType {
			status, _ := condition["status"].(string)
			return status
		}
	}
	return ""
}

// decode returns the typed form of the object at path, nil when there is none.
func decode[T any](f *fields, path []string) *T {
	content := f.object(path...)
	if content == nil {
		return nil
	}
	typed := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, typed); err != nil && f.err == nil {
		f.err = fmt.Errorf("%s is malformed: %w", strings.Join(path, "."), explain(content, new(T), err))
	}
	return typed
}

// explain returns the error that decoding by way of JSON gives, which names the field, and err if there is none.
func explain(content map[string]any, typed any, err error) error {
	data, marshalErr := json.Marshal(content)
	return cmp.Or(marshalErr, json.Unmarshal(data, typed), err)
}

func as[T any](f *fields, path []string, want string) T {
	value := f.value(path...)
	typed, ok := value.(T)
	if !ok && value != nil {
		f.reject(path, value, want)
	}
	return typed
}

// reject notes that the value at path is not what was wanted. The text holds its type only: the value may be secret.
func (f *fields) reject(path []string, value any, want string) {
	if f.err == nil {
		f.err = fmt.Errorf("%s is %s, want %s", strings.Join(path, "."), typeName(value), want)
	}
}

func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "missing"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		return fmt.Sprintf("a value of type %T", value)
	}
}
