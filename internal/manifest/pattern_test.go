package manifest

import (
	"slices"
	"strings"
	"testing"
)

// matches reports whether a path as Flatten writes it is the pattern's value or below it.
func (p Pattern) matches(path string) bool {
	steps, err := parsePath(path)
	return err == nil && len(p.segments) <= len(steps) && p.meets(steps)
}

func mustPattern(t *testing.T, text string) Pattern {
	t.Helper()
	pattern, err := ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return pattern
}

func TestPatternMatch(t *testing.T) {
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"spec.replicas", "spec.replicas", true},
		{"spec", "spec.replicas", true},
		{"spec.replicas", "spec", false},
		{"spec.rep", "spec.replicas", false},
		{`metadata.annotations["a.b/c"]`, `metadata.annotations["a.b/c"]`, true},
		{`metadata.annotations["a.b/c"]`, `metadata.annotations["a.b/d"]`, false},
		{"metadata.annotations.*", `metadata.annotations["a.b/c"]`, true},
		{"*.replicas", "spec.replicas", true},
		{`data["*"]`, "data.x", false},
		{`data["*"]`, `data["*"]`, true},
		{"a.containers[name=web].image", "a.containers[name=web].image", true},
		{"a.containers[name=web].image", "a.containers[name=api].image", false},
		{"a.containers[*].image", "a.containers[name=api].image", true},
		{"a.containers.*.image", "a.containers[name=api].image", true},
		{"ports[containerPort=80]", "ports[containerPort=80,protocol=TCP].name", true},
		{"ports[protocol=TCP,containerPort=80]", "ports[containerPort=80,protocol=TCP].name", true},
		{"ports[containerPort=8]", "ports[containerPort=80,protocol=TCP].name", false},
		{`m[mountPath="/a,b"]`, `m[mountPath="/a,b"].name`, true},
		{"rules[0].verbs", "rules[0].verbs", true},
		{"rules[1].verbs", "rules[0].verbs", false},
		{"rules[*]", "rules[7].verbs", true},
		{"/spec/replicas", "spec.replicas", true},
		{"/metadata/annotations/a.b~1c", `metadata.annotations["a.b/c"]`, true},
		{"/data/a~0b", "data.a~b", true},
		{"/rules/0/verbs", "rules[0].verbs", true},
		{"/data/0", "data.0", true},
		{"/rules/*/verbs", "rules[3].verbs", true},
		{"spec", "not a [path", false},
	}
	for _, test := range tests {
		if got := mustPattern(t, test.pattern).matches(test.path); got != test.want {
			t.Errorf("%s matches %s: %v, want %v", test.pattern, test.path, got, test.want)
		}
	}
	if (Pattern{}).matches("spec") {
		t.Error("the zero pattern matches")
	}
}

func TestParsePatternErrors(t *testing.T) {
	for _, text := range []string{"", "/", "//a", "/a/", "a..b", "a[", "a[b]", "spec."} {
		if _, err := ParsePattern(text); err == nil || text != "" && !strings.Contains(err.Error(), text) {
			t.Errorf("ParsePattern(%q): error is %v, want one that names the pattern", text, err)
		}
	}
}

func TestSelect(t *testing.T) {
	const pod = "spec.template.spec."
	tests := map[string]struct {
		pattern string
		want    []string
	}{
		"position of a named item":           {"/spec/template/spec/containers/0/image", []string{pod + "containers[name=web].image"}},
		"position in a path":                 {pod + "containers[0].ports[1]", []string{pod + "containers[name=web].ports[containerPort=80,protocol=UDP]"}},
		"one word of a list of scalars":      {pod + "containers[name=web].args[1]", []string{pod + "containers[name=web].args"}},
		"below":                              {pod + "containers[name=web].env[name=B]", []string{pod + "containers[name=web].env[name=B].valueFrom.secretKeyRef.key", pod + "containers[name=web].env[name=B].valueFrom.secretKeyRef.name"}},
		"the images, not the order":          {pod + "initContainers[*].image", []string{pod + "initContainers[name=one].image", pod + "initContainers[name=two].image"}},
		"the list with its order":            {pod + "initContainers", []string{pod + "initContainers", pod + "initContainers[name=one].image", pod + "initContainers[name=two].image"}},
		"inside of something that is empty":  {pod + "securityContext.runAsUser", []string{pod + "securityContext"}},
		"inside of a text, which is one":     {"metadata.annotations.a.x", []string{"metadata.annotations.a"}},
		"nothing":                            {"spec.nothing", nil},
		"the identity is not among the leaf": {"metadata.name", nil},
	}
	obj := mustObject(t, soundObjects["Deployment"])
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Select(obj, mustPattern(t, test.pattern)); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
