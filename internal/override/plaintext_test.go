package override

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestPlaintext(t *testing.T) {
	tests := []struct {
		name string
		spec string
		ops  string
		want string
	}{
		{"add creates", `{}`, `[{path: /spec/a, operator: add, value: 1}]`, `{a: 1}`},
		{"add overwrites", `{a: 0}`, `[{path: /spec/a, operator: add, value: {b: [c]}}]`, `{a: {b: [c]}}`},
		{"add inserts", `{a: [1, 3]}`, `[{path: /spec/a/1, operator: add, value: 2}]`, `{a: [1, 2, 3]}`},
		{"add appends", `{a: [1]}`, `[{path: /spec/a/-, operator: add, value: 2}, {path: /spec/a/2, operator: add, value: 3}, {path: /spec/a/-1, operator: add, value: 4}]`, `{a: [1, 2, 3, 4]}`},
		{"replace", `{a: 0, b: [1, 2]}`, `[{path: /spec/a, operator: replace, value: x}, {path: /spec/b/-1, operator: replace, value: 3}, {path: /spec/b/00, operator: replace, value: 9}]`, `{a: x, b: [9, 3]}`},
		{"replace null", `{a: null}`, `[{path: /spec/a, operator: replace, value: 1}]`, `{a: 1}`},
		{"replace inside an element counted from the end", `{a: [{b: 1}, {b: 2}]}`, `[{path: /spec/a/-1/b, operator: replace, value: 3}]`, `{a: [{b: 1}, {b: 3}]}`},
		{"remove", `{a: 0, b: [1, 2, 3], c: null}`, `[{path: /spec/a, operator: remove, value: ignored}, {path: /spec/b/-2, operator: remove}, {path: /spec/c, operator: remove}]`, `{b: [1, 3]}`},
		{"escapes", `{"a/b": {"c~d": 0}}`, `[{path: /spec/a~1b/c~0d, operator: replace, value: 1}]`, `{"a/b": {"c~d": 1}}`},
		{"an empty key", `{a: {}}`, `[{path: /spec/a/, operator: add, value: 1}]`, `{a: {"": 1}}`},
		{"items see each other", `{}`, `[{path: /spec/a, operator: add, value: []}, {path: /spec/a/-, operator: add, value: {}}, {path: /spec/a/0/b, operator: add, value: 1}]`, `{a: [{b: 1}]}`},
		{"big integers", `{a: 9007199254740993}`, `[{path: /spec/b, operator: add, value: 9007199254740993}]`, `{a: 9007199254740993, b: 9007199254740993}`},
		{"null", `{}`, `[{path: /spec/a, operator: add, value: null}]`, `{a: null}`},
		{"the member's values", `{}`, `[{path: /spec/a, operator: add, value: [{"{{ .name }}": "{{ member.name }}", b: "x {{ member.region }} {{ .Values.y }}"}]}]`,
			`{a: [{"{{ .name }}": kube03, b: "x shanghai {{ .Values.y }}"}]}`},
		{"kind taken away and put back", `{}`, `[{path: /kind, operator: remove}, {path: /kind, operator: add, value: Widget}]`, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			widget := func(spec string) *unstructured.Unstructured {
				return object(t, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: `+spec+`}`)
			}
			got, notes, err := overridden(t, widget(tt.spec), `{plaintext: `+tt.ops+`}`)
			if err != nil || len(notes) > 0 {
				t.Fatal(err, notes)
			}
			if want := widget(tt.want); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %v\nwant %v", got.Object, want.Object)
			}
		})
	}
}

func TestPlaintextWholeObject(t *testing.T) {
	widget := object(t, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: default}}`)
	got, _, err := overridden(t, widget, `{plaintext: [{path: "", operator: replace, value: {apiVersion: v1, kind: Secret}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]any{"apiVersion": "v1", "kind": "Secret"}; !reflect.DeepEqual(got.Object, want) {
		t.Errorf("got %v, want %v", got.Object, want)
	}
}

// TestPlaintextWithoutValue has Karmada's answer, null, and a note.
func TestPlaintextWithoutValue(t *testing.T) {
	widget := object(t, `{apiVersion: v1, kind: Widget, metadata: {name: w}}`)
	got, notes, err := overridden(t, widget, `{plaintext: [{path: /spec, operator: add}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if spec, found := got.Object["spec"]; !found || spec != nil {
		t.Errorf("spec is %v (there: %v), want null", spec, found)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "null is written") {
		t.Errorf("notes %q, want one about null", notes)
	}
}

func TestPlaintextErrors(t *testing.T) {
	tests := []struct{ name, op, path, says string }{
		{"replace what is not there", `{path: /spec/none, operator: replace, value: 1}`, "/spec/none", `there is no "none" to replace, only list, null, text; use add`},
		{"remove what is not there", `{path: /spec/none, operator: remove}`, "/spec/none", `there is no "none" to remove`},
		{"add without a parent", `{path: /spec/none/deep, operator: add, value: 1}`, "/spec/none", `in /spec there is no "none"`},
		{"through null", `{path: /spec/null/x, operator: add, value: 1}`, "/spec/null/x", "/spec/null is null, which has nothing inside"},
		{"through a string", `{path: /spec/text/x/y, operator: add, value: 1}`, "/spec/text/x", `in /spec/text a string has no "x" inside`},
		{"past the end", `{path: /spec/list/3, operator: add, value: 1}`, "/spec/list/3", "index 3 is outside the list of 3"},
		{"before the beginning", `{path: /spec/list/-3, operator: remove}`, "/spec/list/-3", "index -3 is outside the list of 2"},
		{"no index", `{path: /spec/list/x, operator: add, value: 1}`, "/spec/list/x", `"x" is no index of a list`},
		{"replace the end", `{path: /spec/list/-, operator: replace, value: 1}`, "/spec/list/-", `"-" is no index of a list`},
		{"remove everything", `{path: "", operator: remove}`, "", "the whole object, and that cannot be removed"},
		{"everything becomes a number", `{path: "", operator: replace, value: 5}`, "", "the object would become a number"},
		{"no kind", `{path: /kind, operator: remove}`, "/kind", "left without a kind"},
		{"an apiVersion that is none", `{path: /apiVersion, operator: replace, value: a/b/c}`, "/kind", "an apiVersion that is none"},
		{"an operator that is none", `{path: /spec/text, operator: move, value: 1}`, "", `operator "move" is unknown`},
		// Karmada ignores everything before the first slash.
		{"no slash at the beginning", `{path: spec/list, operator: remove}`, "", `path "spec/list" does not begin with a slash; write "/spec/list"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			widget := object(t, `{apiVersion: v1, kind: Widget, metadata: {name: w}, spec: {list: [1, 2], "null": null, text: x}}`)
			_, _, err := overridden(t, widget, `{plaintext: [`+tt.op+`]}`)
			wantError(t, err, tt.path, "plaintext[0]", "Widget/w on member kube03", tt.says)
		})
	}
}

// FuzzPlaintextLikeLibrary compares one operation with the library that Karmada uses. Paths with an empty token are left
// out: the library takes them for the object around them.
func FuzzPlaintextLikeLibrary(f *testing.F) {
	for _, path := range []string{"", "/spec", "/spec/a/0", "/spec/a/-", "/spec/a/-1", "/spec/a/01/b", "/spec/n/x", "/spec/s/x", "/kind", "/x~1y/~0"} {
		for op := range byte(3) {
			f.Add(op, path, `{"apiVersion":"v1","kind":"W","x/y":{"~":1},"spec":{"a":[1,{"b":2.5}],"n":null,"s":"t"}}`, `{"v":[1,"x"]}`)
		}
	}
	f.Fuzz(func(t *testing.T, op byte, path, document, value string) {
		template := &unstructured.Unstructured{}
		if !json.Valid([]byte(value)) || template.UnmarshalJSON([]byte(document)) != nil || template.IsList() || strings.Contains(path+"/", "//") {
			t.Skip()
		}
		if path != "" && path[0] != '/' {
			t.Skip()
		}
		operators := []api.OverriderOperator{api.OverriderOpAdd, api.OverriderOpReplace, api.OverriderOpRemove}
		item := api.PlaintextOverrider{Path: path, Operator: operators[int(op)%3], Value: json.RawMessage(value)}
		want, wantErr := patchWithLibrary(template, item)
		got, _, err := compileAndApply(template, Target{Cluster: member("kube01", "")}, []*api.OverridePolicy{{
			TypeMeta: metav1.TypeMeta{Kind: api.KindClusterOverridePolicy},
			Spec:     api.OverrideSpec{Overriders: api.Overriders{Plaintext: []api.PlaintextOverrider{item}}},
		}})
		if strings.Contains(value, reserved) {
			t.Skip()
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s %q of %s by %s: error %v, the library's is %v", item.Operator, path, document, value, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(viaJSON(t, got), want) {
			t.Fatalf("%s %q of %s by %s:\ngot  %v\nwant %v", item.Operator, path, document, value, got.Object, want.Object)
		}
	})
}

// patchWithLibrary writes obj out as JSON, patches the text and reads it again, as Karmada does.
func patchWithLibrary(obj *unstructured.Unstructured, item api.PlaintextOverrider) (*unstructured.Unstructured, error) {
	document, err := obj.MarshalJSON()
	if err != nil {
		return nil, err
	}
	operations, err := json.Marshal([]map[string]any{{"op": item.Operator, "path": item.Path, "value": item.Value}})
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(operations)
	if err != nil {
		return nil, err
	}
	patched, err := patch.Apply(document)
	if err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{}
	return out, out.UnmarshalJSON(patched)
}

// viaJSON writes obj out and reads it again, so that numbers are spelled alike.
func viaJSON(t *testing.T, obj *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	text, err := obj.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	out := &unstructured.Unstructured{}
	if err := out.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	return out
}

// BenchmarkPlaintext shows what is saved by not going by way of JSON text.
func BenchmarkPlaintext(b *testing.B) {
	template := deployment(b, "app")
	item := api.PlaintextOverrider{Path: "/spec/template/spec/nodeSelector", Operator: api.OverriderOpAdd, Value: json.RawMessage(`{"pool":"web"}`)}
	b.Run("here", func(b *testing.B) {
		set, err := Compile([]*api.OverridePolicy{{
			TypeMeta: metav1.TypeMeta{Kind: api.KindClusterOverridePolicy},
			Spec:     api.OverrideSpec{Overriders: api.Overriders{Plaintext: []api.PlaintextOverrider{item}}},
		}})
		if err != nil {
			b.Fatal(err)
		}
		target := Target{Cluster: member("kube01", "")}
		for b.Loop() {
			if _, _, err := set.Apply(template, target); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			if _, err := patchWithLibrary(template, item); err != nil {
				b.Fatal(err)
			}
		}
	})
}
