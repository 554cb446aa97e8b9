package manifest

import (
	"encoding/base64"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

var configMapKind = schema.GroupKind{Kind: "ConfigMap"}

// labels checks the labels of an object as every API server does, but for those that passed.
func (c *checker) labels(metadata, passed map[string]any) {
	labels, _ := metadata["labels"].(map[string]any)
	before, _ := passed["labels"].(map[string]any)
	for key, value := range labels {
		if old, ok := before[key]; ok && shared(value, old) {
			continue
		}
		if reasons := validation.IsQualifiedName(key); len(reasons) > 0 {
			c.failAt(fmt.Errorf("not a key of a label: %s", strings.Join(reasons, ", ")), "metadata", "labels", key)
		}
		text, _ := value.(string) // the shape check names another type
		if reasons := validation.IsValidLabelValue(text); len(reasons) > 0 {
			c.failAt(fmt.Errorf("not a value of a label: %s", strings.Join(reasons, ", ")), "metadata", "labels", key)
		}
	}
}

// data checks what a ConfigMap or Secret holds: its keys, and that its values have at most 1 MiB in all, as the API has it.
func (c *checker) data(kind schema.GroupKind, obj map[string]any) {
	if kind != configMapKind && kind != secretKind {
		return
	}
	sizes := map[string]int{} // a key of stringData wins over one of data
	for _, name := range []string{"data", "binaryData", "stringData"} {
		values, _ := obj[name].(map[string]any)
		for key, value := range values {
			if reasons := validation.IsConfigMapKey(key); len(reasons) > 0 {
				c.failAt(fmt.Errorf("not a key of a %s: %s", kind.Kind, strings.Join(reasons, ", ")), name, key)
			}
			text, _ := value.(string)
			sizes[key] = len(text)
			if decoded, err := base64.StdEncoding.DecodeString(text); err == nil && (name == "binaryData" || name == "data" && kind == secretKind) {
				sizes[key] = len(decoded)
			}
		}
	}
	total := 0
	for _, size := range sizes {
		total += size
	}
	if total > corev1.MaxSecretSize {
		c.failAt(fmt.Errorf("%d bytes in all, and a %s takes at most %d; split it", total, kind.Kind, corev1.MaxSecretSize), "data")
	}
}
