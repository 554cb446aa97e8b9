package manifest

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"
	sigsyaml "sigs.k8s.io/yaml"
)

// No text makes Decode panic, what it returns has a key that is read back, and
// everything that works on its objects works on these.
func FuzzDecode(f *testing.F) {
	f.Add("# header\n---\n" + configMap + "---\r\n")
	f.Add(`{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}]}`)
	f.Add("a: &a {b: 1}\nc: {<<: *a, <<: [*a]}\nd: !!binary x\n? [e]\n: 1\n")
	for _, text := range soundObjects {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		objects, _ := Decode(Source{Argument: "templates"}, text)
		for _, object := range SetNamespace(objects, "default", nil) {
			key := object.Key()
			if parsed, err := ParseKey(key.String()); err != nil || parsed != key {
				t.Errorf("key %q is read back as %+v, %v", key, parsed, err)
			}
			checkFields(t, Prune(FoldSecret(SetDefaults(object.Unstructured))))
		}
	})
}

// Any JSON is flattened, and projecting an object on its own fields gives them.
func FuzzFlatten(f *testing.F) {
	for _, text := range soundObjects {
		encoded, err := sigsyaml.YAMLToJSON([]byte(text))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded, []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"x"},1]}}}}`))
	}
	f.Fuzz(func(t *testing.T, sent, live []byte) {
		var sentObj, liveObj unstructured.Unstructured
		if kjson.UnmarshalCaseSensitivePreserveInts(sent, &sentObj.Object) != nil || kjson.UnmarshalCaseSensitivePreserveInts(live, &liveObj.Object) != nil {
			t.Skip()
		}
		owned := checkFields(t, &sentObj)
		Project(&liveObj, owned)
		checkObject(sentObj.Object, nil, nil)
		for _, step := range []func(*unstructured.Unstructured) *unstructured.Unstructured{Prune, FoldSecret, SetDefaults} {
			before := sentObj.DeepCopy()
			step(&sentObj)
			assertUnchanged(t, before, &sentObj)
		}
	})
}

func checkFields(t *testing.T, obj *unstructured.Unstructured) Fields {
	t.Helper()
	fields := Flatten(obj)
	if projected := Project(obj, fields); !reflect.DeepEqual(projected, fields) {
		t.Errorf("projection differs:\n%v\nfields are\n%v", projected, fields)
	}
	for path := range fields {
		if _, err := parsePath(path); err != nil {
			t.Error(err)
		}
		pattern, err := ParsePattern(path)
		if err != nil || !pattern.matches(path) {
			t.Errorf("pattern %q does not match its own path: %v", path, err)
		}
		checkWithout(t, obj, fields, pattern)
	}
	SensitivePaths(obj, Sensitivity{Whole: true})
	return fields
}

// checkWithout takes what the pattern names out of obj: that is gone, and every
// other leaf stays as it is.
func checkWithout(t *testing.T, obj *unstructured.Unstructured, fields Fields, pattern Pattern) {
	t.Helper()
	before := obj.DeepCopy()
	left, err := Without(obj, pattern)
	assertUnchanged(t, before, obj)
	if err != nil || left == obj {
		return // a list that is sent as a whole, or the API version
	}
	is := Flatten(left)
	for path, value := range fields {
		if order, isOrder := fields[path].([]any); !pattern.matches(path) && !reflect.DeepEqual(is[path], value) && (!isOrder || len(order) <= 1) {
			t.Errorf("without %s, %s is %v, want %v", pattern, path, is[path], value)
		}
	}
	for path, value := range is {
		if _, had := fields[path]; pattern.matches(path) && !isEmpty(value) || !had && !isEmpty(value) {
			t.Errorf("without %s, there is %s = %v", pattern, path, value)
		}
	}
}

func FuzzParsePattern(f *testing.F) {
	for _, text := range []string{"spec.replicas", `a["b.c"][*]`, "/spec/containers/0/image", `m[mountPath="/a,b"]`, "a[name=b,c=d].*"} {
		f.Add(text, "a[name=b].c")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		pattern, err := ParsePattern(text)
		if err == nil {
			pattern.matches(path)
		}
	})
}
