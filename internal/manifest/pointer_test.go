package manifest

import (
	"strings"
	"testing"
)

func TestNotAPointerSaysHowToWriteIt(t *testing.T) {
	tests := map[string]string{
		"spec":                               `"/spec"`,
		"spec/list":                          `"/spec/list"`,
		"metadata/annotations/a~1b":          `"/metadata/annotations/a~1b"`,
		"spec.replicas":                      `"/spec/replicas"`,
		".spec.replicas":                     `"/spec/replicas"`,
		"$.spec.replicas":                    `"/spec/replicas"`,
		"spec.containers[0].image":           `"/spec/containers/0/image"`,
		`metadata.labels["a.b/c"].x`:         `"/metadata/labels/a.b~1c/x"`,
		`data["a~b"]`:                        `"/data/a~0b"`,
		"metadata.annotations.example.com/x": "a JSON pointer such as", // where a key begins is anybody's guess
		"spec.containers[name=web].image":    "a JSON pointer such as", // a pointer has positions
		"spec.containers[*].image":           "a JSON pointer such as",
		"spec..replicas":                     "a JSON pointer such as",
		"spec.containers[0":                  "a JSON pointer such as",
		".":                                  "a JSON pointer such as",
	}
	for text, want := range tests {
		if got := NotAPointer(text).Error(); !strings.Contains(got, "write "+want) {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
