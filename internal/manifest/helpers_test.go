package manifest

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// objectText returns a document of a kind given as "apps/v1 Deployment".
func objectText(kind, rest string) string {
	version, kind, _ := strings.Cut(kind, " ")
	return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: a}\n" + rest + "\n"
}

func assertUnchanged(t *testing.T, before, after *unstructured.Unstructured) {
	t.Helper()
	if got, want := jsonOf(t, after.Object), jsonOf(t, before.Object); got != want {
		t.Errorf("the input was changed:\n%s\nwas\n%s", got, want)
	}
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func mustDecode(t testing.TB, text string) []Object {
	t.Helper()
	objects, err := Decode(Source{Argument: "templates"}, text)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func mustObject(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	objects := mustDecode(t, text)
	if len(objects) != 1 {
		t.Fatalf("got %d objects, want 1", len(objects))
	}
	return objects[0].Unstructured
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func joined(err error) []error {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		return list.Unwrap()
	}
	return nil
}

func keysOf(objects []Object) []string {
	keys := make([]string, len(objects))
	for i, object := range objects {
		keys[i] = object.Key().String()
	}
	return keys
}
