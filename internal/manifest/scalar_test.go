package manifest

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
	sigsyaml "sigs.k8s.io/yaml"
)

var scalarSamples = []string{
	"", "~", "null", "NULL", "nUll", "y", "Y", "yes", "Yes", "no", "n", "on", "On", "oN", "off", "true", "True", "FALSE",
	"0", "-0", "+1", "0644", "0o644", "0O644", "08", "09.5", "0x1f", "0X1F", "0b101", "-0b101", "0b102", "-0x1f", "-0644",
	"1_000", "_1", "1__0", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551616",
	"1.", ".5", "-.5", "1.0", "1.5", "1e3", "1e-3", "1E20", "1e21", "1e400", "123456789012345678901", "9007199254740993.0", "-0.0",
	".", "+", "..", ".e", ".inf", "-.Inf", ".nan", "inf", "NaN", "2001-01-01", "2001-01-01T00:00:00Z", "1:30", "1.2.3", "0.0.0.0", "v1", "x",
}

// sigsYAML returns one flow scalar as sigs.k8s.io/yaml reads it, in the types of
// the JSON decoder of Kubernetes.
func sigsYAML(text string) (any, bool) {
	encoded, err := sigsyaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, false
	}
	var value any
	return value, kjson.UnmarshalCaseSensitivePreserveInts(encoded, &value) == nil
}

func FuzzScalar(f *testing.F) {
	for _, sample := range scalarSamples {
		f.Add(sample)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var document yaml.Node
		if yaml.Unmarshal([]byte(text), &document) != nil || len(document.Content) != 1 {
			t.Skip()
		}
		node := document.Content[0]
		if node.Kind != yaml.ScalarNode || node.Style != 0 || node.Value != text || strings.HasPrefix(text, "<<") {
			t.Skip()
		}
		want, ok := sigsYAML(text)
		var reader yamlReader
		got := reader.value(node)
		if ok != (len(reader.errs) == 0) || ok && !reflect.DeepEqual(normal(t, got), normal(t, want)) {
			t.Errorf("%q: got %#v %v, want %#v %v", text, got, reader.errs, want, ok)
		}
	})
}

// normal makes a whole float64, which the JSON decoder keeps as such, an int64.
func normal(t *testing.T, value any) any {
	t.Helper()
	if _, err := json.Marshal(value); err != nil {
		t.Fatal(err)
	}
	return jsonValue(value)
}

func TestScalarsAreThoseOfSigsYAML(t *testing.T) {
	for _, text := range scalarSamples {
		node := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
		var reader yamlReader
		got := reader.value(node)
		want, ok := sigsYAML("x: " + text)
		if fields, isMap := want.(map[string]any); isMap {
			want = fields["x"]
		}
		if ok != (len(reader.errs) == 0) || ok && !reflect.DeepEqual(got, normal(t, want)) {
			t.Errorf("%q: got %#v %v, want %#v %v", text, got, reader.errs, want, ok)
		}
	}
}

func TestKeysAreThoseOfSigsYAML(t *testing.T) {
	for _, text := range scalarSamples {
		if text == "9223372036854775808" {
			continue // An error there, a number like any larger one here.
		}
		node := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
		var reader yamlReader
		got, err := reader.key(node)
		want, ok := sigsYAML("{" + text + ": 1}")
		if fields, isMap := want.(map[string]any); ok && isMap {
			if _, found := fields[got]; !found || err != nil {
				t.Errorf("%q: got key %q, %v; want %v", text, got, err, fields)
			}
		} else if err == nil {
			t.Errorf("%q: got key %q, want an error", text, got)
		}
	}
}
