package manifest

import (
	"encoding/base64"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var secretKind = schema.GroupKind{Kind: "Secret"}

// FoldSecret returns a Secret as the API server stores it: stringData is encoded
// into data, where it wins over a value of the same key, and base64 is written
// on one line, however it was wrapped. Any other object is returned as it is.
func FoldSecret(obj *unstructured.Unstructured) *unstructured.Unstructured {
	if obj.GroupVersionKind().GroupKind() != secretKind {
		return obj
	}
	data, _ := obj.Object["data"].(map[string]any)
	stringData, folded := obj.Object["stringData"]
	texts, _ := stringData.(map[string]any)
	if len(data) == 0 && !folded {
		return obj
	}
	stored := make(map[string]any, len(data)+len(texts))
	for name, value := range data {
		stored[name] = oneLineBase64(value)
	}
	for name, value := range texts {
		if text, ok := value.(string); ok {
			stored[name] = base64.StdEncoding.EncodeToString([]byte(text))
		}
	}
	content := maps.Clone(obj.Object)
	delete(content, "stringData")
	if len(stored) > 0 {
		content["data"] = stored
	}
	return &unstructured.Unstructured{Object: content}
}

func oneLineBase64(value any) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return value
	}
	return base64.StdEncoding.EncodeToString(content)
}
