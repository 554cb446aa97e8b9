package override

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// configMap returns a ConfigMap whose only datum is text.
func configMap(text string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "c", "namespace": "default"},
		"data":     map[string]any{"doc.txt": text},
	}}
}

func TestField(t *testing.T) {
	tests := []struct {
		name       string
		text       string
		operations string
		want       string
	}{
		{"JSON is compact and keeps order and spelling", "{\n \"z\": [1, 2.0, 1e3, 12345678901234567890],\n \"a\": \"<b>&\\u00e9\",\n \"n\": 1.50 }\n",
			`json: [{subPath: /n, operator: replace, value: 2}]`,
			`{"z":[1,2.0,1e3,12345678901234567890],"a":"\u003cb\u003e\u0026\u00e9","n":2}`},
		{"JSON list", `[1, 2, 3]`, `json: [{subPath: /1, operator: remove}, {subPath: /-, operator: add, value: 4}]`, `[1,3,4]`},
		{"JSON document exchanged", `[1]`, `json: [{subPath: "", operator: replace, value: {k: v}}]`, `{"k":"v"}`},
		{"JSON operations see each other", `{}`, `json: [{subPath: /a, operator: add, value: {}}, {subPath: /a/b, operator: add, value: 1}]`, `{"a":{"b":1}}`},
		{"a value that is not written is null", `{}`, `json: [{subPath: /a, operator: add}]`, `{"a":null}`},
		{"JSON with the member's values", `{"region":"x"}`, `json: [{subPath: /region, operator: replace, value: ["{{ member.region }}", 1, {x: "{{ member.name }}"}]}]`, `{"region":["shanghai",1,{"x":"kube03"}]}`},
		{"YAML loses comments and sorts keys", "# head\nz: 1\na: [x, &y {p: 1}, *y]\non: yes\nf: 1.0\n", `yaml: [{subPath: /z, operator: replace, value: "1e3"}]`,
			"a:\n- x\n- p: 1\n- p: 1\nf: 1\n\"true\": true\nz: \"1e3\"\n"},
		{"YAML with the member's values", "zone: x\n", `yaml: [{subPath: /zone, operator: replace, value: "{{ member.region }}-a"}]`, "zone: shanghai-a\n"},
		{"YAML with document markers around one document", "# head\n---\na: 1\n---\n# tail\n", `yaml: [{subPath: /a, operator: replace, value: 2}]`, "a: 2\n"},
		{"dashes inside a YAML text are no marker", "a: '---'\nb: x --- y\n", `yaml: [{subPath: /b, operator: remove}]`, "a: '---'\n"},
		{"yaml wins over json", "a: 1\n", `json: [{subPath: /a, operator: remove}], yaml: [{subPath: /a, operator: replace, value: 2}]`, "a: 2\n"},
		{"nothing to do", "anything", `json: []`, "anything"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, notes, err := overridden(t, configMap(tt.text), `{fieldOverrider: [{fieldPath: /data/doc.txt, `+tt.operations+`}]}`)
			if err != nil || len(notes) > 0 {
				t.Fatal(err, notes)
			}
			if text, _, _ := unstructured.NestedString(got.Object, "data", "doc.txt"); text != tt.want {
				t.Errorf("got  %s\nwant %s", text, tt.want)
			}
		})
	}
}

func TestFieldErrors(t *testing.T) {
	const doc = "/data/doc.txt"
	tests := []struct {
		name, text, field string
		path, says        string
	}{
		{"a path that leads nowhere", "", `fieldPath: /data/none, json: [{subPath: /a, operator: remove}]`, "/data/none", `in /data there is no "none", only doc.txt`},
		{"a path to an object", "", `fieldPath: /data, json: [{subPath: /a, operator: remove}]`, "/data", "want a string, have an object"},
		{"a path without a slash", "", `fieldPath: data, json: [{subPath: /a, operator: remove}]`, "", `write "/data"`},
		{"no JSON", "{not json", `fieldPath: /data/doc.txt, json: [{subPath: /a, operator: remove}]`, doc, "holds no JSON document: invalid character"},
		{"a JSON scalar", "5", `fieldPath: /data/doc.txt, json: [{subPath: /a, operator: add, value: 1}]`, doc, "cannot unmarshal number"},
		{"nothing to remove", "{}", `fieldPath: /data/doc.txt, json: [{subPath: /a, operator: remove}]`, doc, "nonexistent key: a"},
		{"an operator that is none", "{}", `fieldPath: /data/doc.txt, json: [{subPath: /a, operator: move}]`, "", `operator "move" is unknown`},
		{"no YAML", "a: [", `fieldPath: /data/doc.txt, yaml: [{subPath: /a, operator: remove}]`, doc, "holds no YAML document"},
		// Karmada leaves the empty JSON document and says nothing.
		{"an empty JSON document", "", `fieldPath: /data/doc.txt, json: [{subPath: /a, operator: add, value: 1}]`, doc, "the field is empty"},
		{"an empty YAML document", "", `fieldPath: /data/doc.txt, yaml: [{subPath: /a, operator: add, value: 1}]`, doc, "expected object"},
		// Karmada loses all documents but the first.
		{"several YAML documents", "a: 1\n---\nb: 2\n", `fieldPath: /data/doc.txt, yaml: [{subPath: /a, operator: remove}]`, doc, "several YAML documents"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := overridden(t, configMap(tt.text), `{fieldOverrider: [{`+tt.field+`}]}`)
			wantError(t, err, tt.path, "fieldOverrider[0]", "ConfigMap/default/c on member kube03", tt.says)
		})
	}
}

// TestSecretContentIsHidden looks for the content of a Secret in what is said about it.
func TestSecretContentIsHidden(t *testing.T) {
	const content = "s3cr3t"
	tests := []struct{ name, value, overriders string }{
		{"no JSON", "*" + content, `{fieldOverrider: [{fieldPath: /stringData/key, json: [{subPath: /a, operator: remove}]}]}`},
		{"no YAML", "*" + content, `{fieldOverrider: [{fieldPath: /stringData/key, yaml: [{subPath: /a, operator: remove}]}]}`},
		{"no image", content + "/S3", `{imageOverrider: [{predicate: {path: /stringData/key}, component: Tag, operator: remove}]}`},
		{"an image that stays", content, `{imageOverrider: [{predicate: {path: /stringData/key}, component: Tag, operator: add, value: "-x"}]}`},
		{"a missing field", content, `{plaintext: [{path: /stringData/other, operator: remove}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			secret := object(t, `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}}`)
			secret.Object["stringData"] = map[string]any{"key": tt.value}
			_, notes, err := overridden(t, secret, tt.overriders)
			if err == nil && len(notes) == 0 {
				t.Fatal("nothing is said")
			}
			said := strings.Join(notes, "\n")
			if err != nil {
				said += err.Error()
			}
			if strings.Contains(said, content) {
				t.Errorf("the content shows in %q", said)
			}
		})
	}
}
