package manifest

import (
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestLeave(t *testing.T) {
	const managed = `{
		"f:metadata": {"f:labels": {"f:app.kubernetes.io/name": {}}, "f:annotations": {"f:a": {}}},
		"f:spec": {
			"f:replicas": {},
			"f:selector": {},
			"f:template": {"f:spec": {
				"f:initContainers": {"k:{\"name\":\"two\"}": {".": {}, "f:name": {}, "f:image": {}}},
				"f:containers": {"k:{\"name\":\"web\"}": {
					".": {}, "f:name": {}, "f:image": {}, "f:args": {}, "f:resources": {"f:limits": {"f:cpu": {}, "f:memory": {}}},
					"f:ports": {"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}, "k:{\"containerPort\":80,\"protocol\":\"UDP\"}": {".": {}, "f:containerPort": {}, "f:protocol": {}}}
				}}
			}}
		}
	}`
	live := mustObject(t, strings.Replace(soundObjects["Deployment"], "ports: [{containerPort: 80}", "ports: [{containerPort: 80, protocol: TCP}", 1))
	for name, test := range map[string]struct{ pattern, left string }{
		"a field":                     {"spec.replicas", "spec.replicas"},
		"by pointer":                  {"/spec/replicas", "spec.replicas"},
		"a key with dots":             {`metadata.labels["app.kubernetes.io/name"]`, "metadata.labels.app.kubernetes.io/name"},
		"all annotations":             {"metadata.annotations", "metadata.annotations.a"},
		"an image":                    {"spec.template.spec.containers[name=web].image", `spec.template.spec.containers[name="web"].image`},
		"an image by position":        {"/spec/template/spec/initContainers/1/image", `spec.template.spec.initContainers[name="two"].image`},
		"images of all":               {"spec.template.spec.initContainers[*].image", `spec.template.spec.initContainers[name="two"].image`},
		"an item":                     {"spec.template.spec.containers[0].ports[containerPort=80,protocol=UDP]", `spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="UDP"] spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="UDP"].containerPort spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="UDP"].protocol`},
		"a word of a list of scalars": {"spec.template.spec.containers[0].args[1]", `spec.template.spec.containers[name="web"].args`},
		"a map":                       {"spec.template.spec.containers[0].resources.limits", `spec.template.spec.containers[name="web"].resources.limits.cpu spec.template.spec.containers[name="web"].resources.limits.memory`},
		"what somebody else owns":     {"spec.paused", ""},
		"what is not there":           {"spec.nothing", ""},
	} {
		t.Run(name, func(t *testing.T) {
			owned := fieldSet(t, managed)
			kept, err := Leave(live, owned, mustPattern(t, test.pattern))
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for path := range owned.Difference(kept).All() {
				left = append(left, strings.TrimPrefix(path.String(), "."))
			}
			if got := strings.Join(left, " "); got != test.left {
				t.Errorf("left %s\nwant %s", got, test.left)
			}
			if !kept.Difference(owned).Empty() || (kept == owned) != (test.left == "") {
				t.Errorf("kept %s of %s", kept, owned)
			}
		})
	}
	_, err := Leave(live, fieldSet(t, managed), mustPattern(t, "spec.selector.matchLabels.app"))
	if err == nil || !strings.Contains(err.Error(), "the API takes spec.selector as a whole") {
		t.Errorf("got %v, want an error about the selector", err)
	}
}

func fieldSet(t *testing.T, text string) *fieldpath.Set {
	t.Helper()
	set := fieldpath.NewSet()
	if err := set.FromJSON(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return set
}
