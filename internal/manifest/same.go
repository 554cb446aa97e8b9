package manifest

import (
	"encoding/json"
	"reflect"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Same reports whether two values of a field mean the same to the API server:
// they are equal, or they are quantities of one amount (1000m and 1, 1024Mi and
// 1Gi) where the type of the field is a quantity. 80 and "80" are not the same,
// nor are two ways to write a duration.
func Same(gvk schema.GroupVersionKind, path string, sent, live any) bool {
	if reflect.DeepEqual(sent, live) {
		return true
	}
	steps, err := parsePath(path)
	if err != nil {
		return false
	}
	s := shapeOf(gvk)
	for _, step := range steps {
		if step.list {
			s = s.item()
		} else {
			s = s.child(step.name)
		}
	}
	return s != nil && s.kind == quantity && sameQuantity(sent, live)
}

func sameQuantity(a, b any) bool {
	textA, okA := quantityText(a)
	textB, okB := quantityText(b)
	if !okA || !okB {
		return false
	}
	quantityA, errA := resource.ParseQuantity(textA)
	quantityB, errB := resource.ParseQuantity(textB)
	return errA == nil && errB == nil && quantityA.Cmp(quantityB) == 0
}

// quantityText returns a quantity as text; the API takes bare numbers too.
func quantityText(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case int64:
		return strconv.FormatInt(value, 10), true
	case float64:
		text, err := json.Marshal(value)
		return string(text), err == nil
	default:
		return "", false
	}
}
