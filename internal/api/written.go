package api

import "reflect"

// Written is an object of a policy as it was written: every field that it could have by its name, nil where nothing is written. A
// nested object is a Written too, nil if it is written as {}, and a list is []any; other values are as they are in the document.
type Written map[string]any

// WrittenSpec returns the spec of a document that Policies accept. Of another document, and of one without a spec, it returns nil.
func WrittenSpec(document map[string]any) Written {
	of, errs := newPolicy(document)
	if len(errs) > 0 {
		return nil
	}
	spec, _ := written(document["spec"], jsonFields(reflect.TypeOf(of).Elem())["spec"]).(Written)
	return spec
}

// written returns a value of the type t with the fields that it lacks.
func written(value any, t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshalerType) {
		return value
	}
	switch value := value.(type) {
	case map[string]any:
		if t.Kind() != reflect.Struct {
			return value
		}
		if len(value) == 0 {
			return Written(nil)
		}
		object := Written{}
		for name, fieldType := range jsonFields(t) {
			object[name] = written(value[name], fieldType)
		}
		return object
	case []any:
		if t.Kind() != reflect.Slice {
			return value
		}
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = written(item, t.Elem())
		}
		return list
	}
	return value
}
