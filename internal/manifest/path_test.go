package manifest

import (
	"reflect"
	"strings"
	"testing"
)

func TestParsePath(t *testing.T) {
	item := func(text string) step { return step{list: true, item: text, index: -1} }
	tests := map[string][]step{
		"a":                                {nameStep("a")},
		"a.b-c/d":                          {nameStep("a"), nameStep("b-c/d")},
		`a["b.c"].d`:                       {nameStep("a"), nameStep("b.c"), nameStep("d")},
		`["a.b"]["c\"]"]`:                  {nameStep("a.b"), nameStep(`c"]`)},
		"a[0][12].b":                       {nameStep("a"), indexStep(0), indexStep(12), nameStep("b")},
		"a[name=b].c":                      {nameStep("a"), item("name=b"), nameStep("c")},
		`a[mountPath="/x,]",y=1]`:          {nameStep("a"), item(`mountPath="/x,]",y=1`)},
		"a[containerPort=80,protocol=TCP]": {nameStep("a"), item("containerPort=80,protocol=TCP")},
	}
	for path, want := range tests {
		if got, err := parsePath(path); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("parsePath(%q) = %+v, %v; want %+v", path, got, err, want)
		}
	}
	for _, path := range []string{"", ".", "a.", "a..b", ".a", "a.[0]", "a[", "a[0", "a[]", "a[b]", "a[-1]", `a["b]`, `a["b"c]`, `a["b"]c`, "[0]a"} {
		if got, err := parsePath(path); err == nil || !strings.Contains(err.Error(), "path ") {
			t.Errorf("parsePath(%q) = %+v, %v; want an error", path, got, err)
		}
	}
}

// Every path that Flatten writes is read back as the steps that led to it.
func TestFlattenedPathsAreRead(t *testing.T) {
	for name, text := range soundObjects {
		w := walker{}
		w.leaf = func(path string, _ any) {
			steps, err := parsePath(path)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for i, s := range w.steps {
				if s.item != "" {
					s.index = -1
				}
				if !reflect.DeepEqual(steps[i], s) {
					t.Errorf("%s: step %d of %s is %+v, want %+v", name, i, path, steps[i], s)
				}
			}
		}
		w.object(mustObject(t, text))
	}
}

// Whatever a key holds, its path leads back to it and to nothing else.
func TestPathsOfOddKeys(t *testing.T) {
	keys := []string{"a", "0", "-1", "*", "=", "a=b", "name=a", "a.b", "a,b", "[a]", "[0]", "a]", `"a"`, `a\b`, `\`, " ", "", "a b", "a\nb", "/", "/a", "~1", "é", "\u202e", "\xff"}
	seen := map[string]string{}
	for _, key := range keys {
		steps := []step{nameStep("data"), nameStep(key), indexStep(0), nameStep(key)}
		path := pathOf(steps)
		if got, err := parsePath(path); err != nil || !reflect.DeepEqual(got, steps) {
			t.Errorf("key %q: parsePath(%q) = %+v, %v; want %+v", key, path, got, err, steps)
		}
		if other, ok := seen[path]; ok {
			t.Errorf("keys %q and %q have one path, %s", key, other, path)
		}
		seen[path] = key
	}
	if got, want := pathOf([]step{nameStep("labels"), nameStep("a=b")}), `labels["a=b"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
