package manifest

import (
	"testing"
)

func TestFoldSecret(t *testing.T) {
	tests := map[string]struct{ kind, content, want string }{
		"stringData":             {"v1 Secret", "stringData: {a: hello}", `{"data":{"a":"aGVsbG8="}}`},
		"stringData wins":        {"v1 Secret", "data: {a: eA==, b: eQ==}\nstringData: {a: hello}", `{"data":{"a":"aGVsbG8=","b":"eQ=="}}`},
		"empty text":             {"v1 Secret", "stringData: {a: ''}", `{"data":{"a":""}}`},
		"empty stringData":       {"v1 Secret", "stringData: {}", `{}`},
		"wrapped base64":         {"v1 Secret", "data: {a: \"aGVs\\nbG8=\\n\"}", `{"data":{"a":"aGVsbG8="}}`},
		"data alone":             {"v1 Secret", "data: {a: aGVsbG8=}\ntype: Opaque", `{"data":{"a":"aGVsbG8="},"type":"Opaque"}`},
		"null data":              {"v1 Secret", "data: ~", `{"data":null}`},
		"another kind is let be": {"example.io/v1 Secret", "stringData: {a: hello}", `{"stringData":{"a":"hello"}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			obj := mustObject(t, objectText(test.kind, test.content))
			before := obj.DeepCopy()
			folded := FoldSecret(obj).DeepCopy()
			for _, name := range []string{"apiVersion", "kind", "metadata"} {
				delete(folded.Object, name)
			}
			if got := jsonOf(t, folded.Object); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			assertUnchanged(t, before, obj)
		})
	}
}
