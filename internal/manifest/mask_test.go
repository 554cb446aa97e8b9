package manifest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestSensitivePaths(t *testing.T) {
	const lastApplied = `metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]`
	secret := strings.Replace(objectText("v1 Secret", "type: Opaque\ndata: {a.b: eA==, c: eQ==}\nstringData: {d: e}"),
		"{name: a}", "{name: a, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}', x: z}}", 1)
	deployment := objectText("apps/v1 Deployment", "spec: {replicas: 2, minReadySeconds: 3, template: {spec: {containers: [{name: c, image: i, args: [a]}]}}}")
	tests := map[string]struct {
		text        string
		sensitivity Sensitivity
		want        []string
	}{
		"Secret":                        {secret, Sensitivity{}, []string{"data.c", `data["a.b"]`, lastApplied, "stringData.d"}},
		"Secret and more":               {secret, Sensitivity{Patterns: []Pattern{mustPattern(t, "metadata.annotations.x")}}, []string{"data.c", `data["a.b"]`, "metadata.annotations.x", lastApplied, "stringData.d"}},
		"Secret whole":                  {secret, Sensitivity{Whole: true}, []string{"data.c", `data["a.b"]`, "metadata.annotations.x", lastApplied, "stringData.d", "type"}},
		"another object":                {deployment, Sensitivity{}, nil},
		"another object of that name":   {objectText("example.io/v1 Secret", "data: {a: b}"), Sensitivity{}, nil},
		"another object, whole":         {deployment, Sensitivity{Whole: true}, []string{"spec.minReadySeconds", "spec.template.spec.containers[name=c].args", "spec.template.spec.containers[name=c].image"}},
		"empty leaves tell nothing":     {objectText("v1 Pod", "spec: {securityContext: {}, tolerations: [], nodeName: ~, volumes: [{name: v}]}"), Sensitivity{Whole: true}, nil},
		"a token that is emptied":       {objectText("v1 Secret", "data: ~"), Sensitivity{}, nil},
		"a pattern inside of arguments": {deployment, Sensitivity{Patterns: []Pattern{mustPattern(t, "/spec/template/spec/containers/0/args/0")}}, []string{"spec.template.spec.containers[name=c].args"}},
		"replicas by name":              {deployment, Sensitivity{Whole: true, Patterns: []Pattern{mustPattern(t, "spec.replicas")}}, []string{"spec.minReadySeconds", "spec.replicas", "spec.template.spec.containers[name=c].args", "spec.template.spec.containers[name=c].image"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := SensitivePaths(mustObject(t, test.text), test.sensitivity); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestMask(t *testing.T) {
	sent := Fields{"data.a": "eA==", "data.b": "eQ==", "type": "Opaque"}
	before := maps.Clone(sent)
	masked := sent.Mask([]string{"data.a", "data.b", "data.gone"}, 3)
	if want := (Fields{"data.a": "(sensitive, rev 3)", "data.b": "(sensitive, rev 3)", "type": "Opaque"}); !reflect.DeepEqual(masked, want) {
		t.Errorf("got %v, want %v", masked, want)
	}
	if !reflect.DeepEqual(sent, before) {
		t.Errorf("what is sent was changed: %v", sent)
	}
	if got, want := sent.Only([]string{"data.a", "data.gone"}), (Fields{"data.a": "eA=="}); !reflect.DeepEqual(got, want) {
		t.Errorf("only = %v, want %v", got, want)
	}
}

func TestMaskedRevision(t *testing.T) {
	if got, ok := MaskedRevision(Masked(12)); got != 12 || !ok {
		t.Errorf("got %d, %v", got, ok)
	}
	for _, value := range []any{"", "x", "(sensitive, rev )", "(sensitive, rev x)", "(sensitive, rev 1", "1)", int64(1), nil} {
		if got, ok := MaskedRevision(value); ok {
			t.Errorf("MaskedRevision(%#v) = %d, want none", value, got)
		}
	}
}

func TestDigest(t *testing.T) {
	digest := func(salt string, fields Fields) string {
		t.Helper()
		text, err := Digest([]byte(salt), fields)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	base := digest("salt", Fields{"data.a": "x", "data.b": "y"})
	// Computed with another implementation of PBKDF2.
	if want := "pbkdf2-sha256:20000:G+NHovEzz0v+szKK83LLSoRD1JGHyA60ZxwJyI2XOe8"; base != want {
		t.Errorf("got %s, want %s", base, want)
	}
	different := map[string]string{
		"salt":  digest("pepper", Fields{"data.a": "x", "data.b": "y"}),
		"value": digest("salt", Fields{"data.a": "x", "data.b": "z"}),
		"path":  digest("salt", Fields{"data.a": "x", "data.c": "y"}),
		"one":   digest("salt", Fields{"data.a": "x"}),
	}
	for name, text := range different {
		if text == base {
			t.Errorf("another %s gives the same digest", name)
		}
	}
	if again := digest("salt", Fields{"data.b": "y", "data.a": "x"}); again != base {
		t.Error("the same fields give another digest")
	}
}
