package manifest

import (
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const demoapp = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: demoapp
  namespace: default
spec:
  replicas: 4
  selector:
    matchLabels:
      app: demoapp
  template:
    metadata:
      labels:
        app: demoapp
    spec:
      containers:
        - name: demoapp
          image: ikubernetes/demoapp:v1.0
`

// A file that mixes templates and policies, given twice, is read as one, its
// documents go to the default namespace, and only templates become fields.
func TestMixedFileGivenTwice(t *testing.T) {
	text := demoapp + `---
apiVersion: v1
kind: Service
metadata: {name: demoapp}
spec: {ports: [{port: 80}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: demoapp}
spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec: {resourceSelectors: [{apiVersion: v1, kind: Service}]}
`
	templates, policies := Split(append(mustDecode(t, text), mustDecode(t, text)...))
	templates, err := Unique(SetNamespace(templates, "default", nil))
	if err != nil {
		t.Fatal(err)
	}
	policies, err = Unique(policies)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := keysOf(templates), []string{"Deployment.apps/default/demoapp", "Service/default/demoapp"}; !slices.Equal(got, want) {
		t.Errorf("templates are %v, want %v", got, want)
	}
	if got, want := keysOf(policies), []string{"PropagationPolicy.policy.karmada.io/demoapp", "ClusterPropagationPolicy.policy.karmada.io/all"}; !slices.Equal(got, want) {
		t.Errorf("policies are %v, want %v", got, want)
	}
}

func TestDemoappFields(t *testing.T) {
	want := Fields{
		"apiVersion":                                        "apps/v1",
		"spec.replicas":                                     int64(4),
		"spec.selector.matchLabels.app":                     "demoapp",
		"spec.template.metadata.labels.app":                 "demoapp",
		"spec.template.spec.containers[name=demoapp].image": "ikubernetes/demoapp:v1.0",
	}
	if got := Flatten(mustObject(t, demoapp)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// What is masked, projected from the live object and compared by digest is
// the same again, though the server has dropped what is empty.
func TestSensitiveObjectIsStable(t *testing.T) {
	sent := mustObject(t, objectText("apps/v1 Deployment", "spec: {replicas: 2, template: {spec: {securityContext: {}, volumes: [{name: v}], containers: [{name: c, image: i, env: [], args: [secret]}]}}}"))
	live := mustObject(t, objectText("apps/v1 Deployment", "spec: {replicas: 2, revisionHistoryLimit: 10, template: {spec: {volumes: [{name: v, emptyDir: {}}], containers: [{name: c, image: i, imagePullPolicy: Always, args: [secret]}]}}}"))
	digestOf := func(obj *unstructured.Unstructured, owned Fields, paths []string) string {
		t.Helper()
		digest, err := Digest([]byte("salt"), Project(obj, owned).Only(paths))
		if err != nil {
			t.Fatal(err)
		}
		return digest
	}
	paths := SensitivePaths(sent, Sensitivity{Whole: true})
	shown := Flatten(sent).Mask(paths, 1)
	if got, want := digestOf(live, shown, paths), digestOf(sent, Flatten(sent), paths); got != want {
		t.Errorf("the digest of the live object is %s, of the sent one %s", got, want)
	}
	if got, want := Project(live, shown).Mask(paths, 1), shown; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
