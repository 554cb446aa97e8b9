package manifest

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// marks are the fields of metadata that anybody may add to.
var marks = []string{"labels", "annotations"}

// WithMarks returns obj with labels and annotations, be they empty: an override may add to them whether the template has some
// or not, as in Karmada, where every template has the marks of its policy. Only the maps on the path are copied.
func WithMarks(obj *unstructured.Unstructured) *unstructured.Unstructured {
	content := obj.Object
	for _, name := range marks {
		if value, _ := field(content, "metadata", name); value == nil {
			content = withField(content, map[string]any{}, "metadata", name)
		}
	}
	return &unstructured.Unstructured{Object: content}
}

// WithoutEmptyMarks returns obj without labels and annotations that are empty. Only the maps on the path are copied.
func WithoutEmptyMarks(obj *unstructured.Unstructured) *unstructured.Unstructured {
	content := obj.Object
	for _, name := range marks {
		if value, _ := field(content, "metadata", name); isEmptyMap(value) {
			content = withoutField(content, "metadata", name)
		}
	}
	return &unstructured.Unstructured{Object: content}
}

func isEmptyMap(value any) bool {
	fields, ok := value.(map[string]any)
	return ok && len(fields) == 0
}
