package manifest

import (
	"encoding/base64"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestCheckContent(t *testing.T) {
	const most = 1 << 20
	long := func(n int) string { return strings.Repeat("x", n) }
	encoded := base64.StdEncoding.EncodeToString([]byte(long(most)))
	for name, test := range map[string]struct {
		kind   string
		fields map[string]any
		labels map[string]any
		want   string // empty: none
	}{
		"good":                  {"ConfigMap", map[string]any{"data": map[string]any{"a.b-c_D": "x"}}, map[string]any{"a.example/b": "", "c": "D.1"}, ""},
		"key of a label":        {"ConfigMap", nil, map[string]any{"a b": "x"}, `metadata.labels["a b"]: not a key of a label`},
		"long value":            {"Widget", nil, map[string]any{"a": long(64)}, "metadata.labels.a: not a value of a label"},
		"key":                   {"ConfigMap", map[string]any{"data": map[string]any{"a b": "hunter2"}}, nil, `data["a b"]: not a key of a ConfigMap`},
		"key of a Secret":       {"Secret", map[string]any{"stringData": map[string]any{"a/b": "hunter2"}}, nil, "not a key of a Secret"},
		"keys of other kinds":   {"Widget", map[string]any{"data": map[string]any{"a b": "x"}}, nil, ""},
		"just small enough":     {"ConfigMap", map[string]any{"data": map[string]any{"a": long(most)}}, nil, ""},
		"too large in all":      {"ConfigMap", map[string]any{"data": map[string]any{"a": long(most), "b": "x"}}, nil, "data: 1048577 bytes in all"},
		"encoded":               {"Secret", map[string]any{"data": map[string]any{"a": encoded}}, nil, ""},
		"encoded, too large":    {"Secret", map[string]any{"data": map[string]any{"a": encoded}, "stringData": map[string]any{"b": "x"}}, nil, "data: 1048577 bytes"},
		"written twice":         {"Secret", map[string]any{"data": map[string]any{"a": encoded}, "stringData": map[string]any{"a": "x"}}, nil, ""},
		"binary, large as text": {"ConfigMap", map[string]any{"binaryData": map[string]any{"a": encoded}}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			obj := map[string]any{"apiVersion": "v1", "kind": test.kind, "metadata": map[string]any{"name": "x", "labels": test.labels}}
			for field, value := range test.fields {
				obj[field] = value
			}
			err := Check(&unstructured.Unstructured{Object: obj}, nil)
			if (err == nil) != (test.want == "") || err != nil && (!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
