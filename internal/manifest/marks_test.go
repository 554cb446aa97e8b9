package manifest

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestMarks(t *testing.T) {
	for name, test := range map[string]struct{ metadata, with, without map[string]any }{
		"none": {
			map[string]any{"name": "a"},
			map[string]any{"name": "a", "labels": map[string]any{}, "annotations": map[string]any{}},
			map[string]any{"name": "a"},
		},
		"some": {
			map[string]any{"labels": map[string]any{"a": "b"}, "annotations": nil},
			map[string]any{"labels": map[string]any{"a": "b"}, "annotations": map[string]any{}},
			map[string]any{"labels": map[string]any{"a": "b"}},
		},
		"something else": {
			map[string]any{"labels": "a", "annotations": map[string]any{}},
			map[string]any{"labels": "a", "annotations": map[string]any{}},
			map[string]any{"labels": "a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			obj := &unstructured.Unstructured{Object: map[string]any{"metadata": test.metadata}}
			before := obj.DeepCopy()
			with := WithMarks(obj)
			if got := with.Object["metadata"]; !reflect.DeepEqual(got, any(test.with)) {
				t.Errorf("with marks %v, want %v", got, test.with)
			}
			if got := WithoutEmptyMarks(with).Object["metadata"]; !reflect.DeepEqual(got, any(test.without)) {
				t.Errorf("without empty marks %v, want %v", got, test.without)
			}
			if !reflect.DeepEqual(obj, before) {
				t.Errorf("the object became %v", obj)
			}
		})
	}
}
