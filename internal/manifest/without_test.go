package manifest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestWithout(t *testing.T) {
	const pod = "spec.template.spec."
	obj := mustObject(t, soundObjects["Deployment"])
	tests := map[string]struct {
		pattern string
		gone    []string // of the paths that Flatten has
		more    []string // paths that only the result has
	}{
		"a field":                  {"spec.replicas", []string{"spec.replicas"}, nil},
		"by pointer":               {"/spec/replicas", []string{"spec.replicas"}, nil},
		"a key with dots":          {`metadata.labels["app.kubernetes.io/name"]`, []string{`metadata.labels["app.kubernetes.io/name"]`}, nil},
		"a field of a named item":  {pod + "containers[name=web].image", []string{pod + "containers[name=web].image"}, nil},
		"the same by position":     {"/spec/template/spec/containers/0/image", []string{pod + "containers[name=web].image"}, nil},
		"of every item":            {pod + "initContainers[*].image", []string{pod + "initContainers[name=one].image", pod + "initContainers[name=two].image"}, []string{pod + "initContainers[name=one]", pod + "initContainers[name=two]"}},
		"a whole item":             {pod + "initContainers[name=one]", []string{pod + "initContainers", pod + "initContainers[name=one].image"}, nil},
		"an item of a second key":  {pod + "containers[name=web].ports[containerPort=80,protocol=UDP]", []string{pod + "containers[name=web].ports[containerPort=80,protocol=UDP]"}, nil},
		"a map":                    {pod + "containers[0].resources.limits", []string{pod + "containers[name=web].resources.limits.cpu", pod + "containers[name=web].resources.limits.memory"}, nil},
		"an empty map":             {pod + "securityContext", []string{pod + "securityContext"}, nil},
		"a word":                   {pod + "containers[0].args[1]", []string{pod + "containers[name=web].args"}, nil},
		"inside of an empty map":   {pod + "securityContext.runAsUser", nil, nil},
		"a text that looks dotted": {"metadata.annotations.a.x", nil, nil},
		"what is not there":        {"spec.nothing", nil, nil},
		"the name":                 {"metadata.name", nil, nil},
		"the API version":          {"apiVersion", nil, nil},
		"a merge key":              {pod + "containers[0].name", nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := obj.DeepCopy()
			left, err := Without(obj, mustPattern(t, test.pattern))
			if err != nil {
				t.Fatal(err)
			}
			assertUnchanged(t, before, obj)
			if (left == obj) != (test.gone == nil) {
				t.Errorf("the result is the input itself: %v, want %v", left == obj, test.gone == nil)
			}
			was, is := Flatten(obj), Flatten(left)
			if gone := missing(was, is); !slices.Equal(gone, test.gone) {
				t.Errorf("took %q, want %q", gone, test.gone)
			}
			if more := missing(is, was); !slices.Equal(more, test.more) {
				t.Errorf("there is more: %q, want %q", more, test.more)
			}
		})
	}
}

// missing returns, sorted, the paths of a that b lacks.
func missing(a, b Fields) []string {
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(a)) {
		if _, ok := b[path]; !ok {
			paths = append(paths, path)
		}
	}
	return paths
}

func TestWithoutEmptiesMaps(t *testing.T) {
	obj := mustObject(t, objectText("v1 ConfigMap", "data: {a: '1'}"))
	left, err := Without(obj, mustPattern(t, "data.a"))
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}}; !reflect.DeepEqual(left.Object, want) {
		t.Errorf("got %v, want %v", left.Object, want)
	}
	whole, err := Without(obj, mustPattern(t, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if whole.GetName() != "a" || whole.GetAPIVersion() != "v1" {
		t.Errorf("the identity is gone: %v", whole.Object)
	}
}

func TestWithoutPartOfANamelessList(t *testing.T) {
	obj := mustObject(t, objectText("networking.k8s.io/v1 Ingress", "spec: {rules: [{host: a}, {host: b}]}"))
	for _, pattern := range []string{"spec.rules[0].host", "spec.rules[0]", "/spec/rules/1", "spec.*.*.host"} {
		_, err := Without(obj, mustPattern(t, pattern))
		if err == nil || !strings.Contains(err.Error(), "the items of spec.rules have no names") {
			t.Errorf("%s: got error %v, want one that names the list", pattern, err)
		}
	}
	if left, err := Without(obj, mustPattern(t, "spec.rules")); err != nil || len(missing(Flatten(obj), Flatten(left))) != 2 {
		t.Errorf("got %v, %v, want the list to be gone", left, err)
	}
}
