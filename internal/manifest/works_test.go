package manifest

import (
	"math"
	"reflect"
	"testing"
)

func TestEncode(t *testing.T) {
	works := map[string]Fields{
		"Service/default/web":         {"spec.ports[port=80,protocol=TCP].targetPort": int64(8080), "apiVersion": "v1"},
		"Deployment.apps/default/web": {"spec.replicas": int64(9007199254740993), "x": 0.5, "args": []any{"<a&b>", int64(1), true, nil}, "empty": map[string]any{}, "none": nil},
	}
	const want = `{"Deployment.apps/default/web":{"args":["<a&b>",1,true,null],"empty":{},"none":null,"spec.replicas":9007199254740993,"x":0.5},` +
		`"Service/default/web":{"apiVersion":"v1","spec.ports[port=80,protocol=TCP].targetPort":8080}}`
	text, err := Encode(works)
	if err != nil || text != want {
		t.Fatalf("got\n%s, %v\nwant\n%s", text, err, want)
	}
	if got, err := DecodeWorks(text); err != nil || !reflect.DeepEqual(got, works) {
		t.Errorf("got %v, %v; want %v", got, err, works)
	}
}

func TestEncodeErrors(t *testing.T) {
	if text, err := Encode(map[string]Fields{"a": {"x": math.NaN()}}); err == nil {
		t.Errorf("got %s, want an error", text)
	}
	for _, text := range []string{"", "[]", `{"a":1}`, `{"a":{}`} {
		if works, err := DecodeWorks(text); err == nil {
			t.Errorf("DecodeWorks(%q) = %v, want an error", text, works)
		}
	}
}
