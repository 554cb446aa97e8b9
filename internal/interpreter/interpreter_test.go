package interpreter

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// parse reads an object from YAML; numbers become int64 or float64 as in the objects of the API.
func parse(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var content map[string]any
	if err := utiljson.Unmarshal(data, &content); err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: content}
}

// object reads an object whose kind is given as "version Kind" and whose content as the inside of a YAML flow mapping.
func object(t testing.TB, kind, content string) *unstructured.Unstructured {
	t.Helper()
	version, name, _ := strings.Cut(kind, " ")
	return parse(t, "{apiVersion: "+version+", kind: "+name+", "+content+"}")
}

func newInterpreter(t testing.TB, extensions ...Extension) *Interpreter {
	t.Helper()
	kinds, err := New(extensions...)
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

// checkJSON compares values as they are in JSON.
func checkJSON(t *testing.T, got any, want string) {
	t.Helper()
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var g, w any
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}

// checkError checks that err says all of the given texts.
func checkError(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", texts)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
}

func TestPodSpecPath(t *testing.T) {
	template := []string{"spec", "template", "spec"}
	tests := []struct {
		apiVersion, kind string
		want             []string
	}{
		{"v1", "Pod", []string{"spec"}},
		{"v1", "ReplicationController", template},
		{"apps/v1", "Deployment", template},
		{"apps/v1", "ReplicaSet", template},
		{"apps/v1", "StatefulSet", template},
		{"apps/v1", "DaemonSet", template},
		{"batch/v1", "Job", template},
		{"batch/v1", "CronJob", []string{"spec", "jobTemplate", "spec", "template", "spec"}},
		{"apps.kruise.io/v1alpha1", "CloneSet", template},
		{"batch.volcano.sh/v1alpha1", "Job", nil},
		{"apps/v1beta1", "Deployment", nil},
		{"v1", "Service", nil},
	}
	for _, tt := range tests {
		t.Run(tt.apiVersion+"/"+tt.kind, func(t *testing.T) {
			got, ok := PodSpecPath(schema.FromAPIVersionAndKind(tt.apiVersion, tt.kind))
			if ok != (tt.want != nil) || !slices.Equal(got, tt.want) {
				t.Errorf("got %v, %v, want %v", got, ok, tt.want)
			}
		})
	}
}

func TestPathsAreCopies(t *testing.T) {
	deployment := of("apps/v1", "Deployment")
	kinds := newInterpreter(t)
	for range 2 {
		spec, _ := PodSpecPath(deployment)
		replicas, _ := kinds.ReplicasPath(deployment)
		if spec[0] != "spec" || replicas[0] != "spec" {
			t.Fatal("a caller could change the table")
		}
		spec[0], replicas[0] = "changed", "changed"
	}
}

// TestTablesDoNotOverlap guards against an entry that silently replaces another.
func TestTablesDoNotOverlap(t *testing.T) {
	tables := []table{coreKinds, appsKinds, batchKinds, networkingKinds, scalingKinds,
		argoKinds, fluxKinds, kruiseKinds, kyvernoKinds, batchSystemKinds}
	entries := 0
	for _, table := range tables {
		entries += len(table)
	}
	if entries != len(builtin) {
		t.Errorf("%d entries make %d kinds", entries, len(builtin))
	}
}

// Objects with something in every field that an operation looks at, whatever kind they are given.
var seeds = []string{
	`
metadata: {name: web, namespace: shop, generation: 2, resourceVersion: "7", finalizers: [example.com/f], labels: {app: web, resourcetemplate.karmada.io/retain-replicas: "true"},
  annotations: {resourcetemplate.karmada.io/generation: "3", resourcetemplate.karmada.io/managed-labels: "app,old"}}
type: kubernetes.io/service-account-token
data: {token: dG9r}
secrets: [{name: a}, {name: web-token-x}]
imagePullSecrets: [{name: pull}]
spec:
  replicas: 3
  parallelism: 4.0
  completions: 5
  type: LoadBalancer
  clusterIP: 10.0.0.1
  healthCheckNodePort: 30100
  volumeName: pv
  claimRef: {name: data}
  nodeName: node-1
  serviceAccountName: runner
  selector: {matchLabels: {job: x}}
  tls: [{secretName: tls}]
  containers: [{name: app, image: app, volumeMounts: [{name: v, mountPath: /v}]}]
  volumes: [{name: v, secret: {secretName: s}}]
  volumeClaimTemplates: [{metadata: {name: data}}]
  updateStrategy: {rollingUpdate: {partition: 1}}
  template: &template
    metadata: {labels: {job: x}}
    spec:
      nodeSelector: {disk: ssd}
      serviceAccountName: runner
      containers: [{name: app, image: app, resources: {requests: {cpu: 1.5, memory: 1Gi}}, envFrom: [{configMapRef: {name: c}}], env: [{name: E, valueFrom: {secretKeyRef: {name: s, key: k}}}]}]
      volumes: [{name: v, persistentVolumeClaim: {claimName: data}}, {name: w, cephfs: {monitors: [m], secretRef: {name: ceph}}}]
  jobTemplate: {spec: {template: *template}}
status:
  phase: Running
  replicas: 3
  observedGeneration: 2
  updatedReplicas: 3
  availableReplicas: 3
  active: 1
  startTime: "2026-01-01T00:00:00Z"
  conditions: [{type: Ready, status: "True"}, {type: Failed, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]
  loadBalancer: {ingress: [{ip: 1.2.3.4, ports: [{port: 80, protocol: TCP}]}, {hostname: lb.example.com}]}
  containerStatuses: [{name: app, ready: true, state: {running: {}}}]
  disruptedPods: {p: "2026-01-01T00:00:00Z"}
`,
	`{metadata: {name: bare}}`,
	`{metadata: broken, spec: broken, status: broken, data: 1, secrets: {}}`,
	`{metadata: {labels: [], annotations: {resourcetemplate.karmada.io/generation: x}}, spec: {replicas: 1.5, tls: [1], containers: [{name: {}}], template: {spec: {containers: {}}}}, status: {conditions: [{type: {}}, 1], loadBalancer: {ingress: {}}, startTime: x}}`,
	`{secrets: [{name: {}}, {name: []}], spec: {containers: [{name: {a: b}}, {name: [1]}], tls: [{secretName: {}}], completions: -1, replicas: 1e300}, status: {active: [], lastScheduleTime: 1, containerState: {terminated: 1}, jobStatus: []}}`,
}

// exercise calls every operation with obj as every known kind, and checks that obj stays as it is.
func exercise(t *testing.T, kinds *Interpreter, obj *unstructured.Unstructured) {
	t.Helper()
	before := obj.DeepCopy()
	for gvk := range kinds.kinds {
		obj.SetGroupVersionKind(gvk)
		_, _ = kinds.Replicas(obj)
		_, _ = kinds.Revise(obj, 7)
		_ = kinds.Health(obj)
		_, _ = kinds.Dependencies(obj)
		_, _ = kinds.ScaleTarget(obj)
		_, _ = kinds.Retain(obj, obj)
		status, _ := kinds.ReflectStatus(obj)
		whole, _ := obj.Object["status"].(map[string]any)
		_, _, _ = kinds.AggregateStatus(obj, []MemberStatus{{"kube02", status}, {"kube03", nil}, {"kube04", whole}})
	}
	obj.SetGroupVersionKind(of("batch/v1", "Job"))
	_, _ = Completions(obj)
	_ = ReviseCompletions(obj, 7)

	before.SetGroupVersionKind(obj.GroupVersionKind())
	if !reflect.DeepEqual(obj.Object, before.Object) {
		t.Fatalf("an operation changed its input to\n%v\nit was\n%v", obj.Object, before.Object)
	}
}

var declared = Extension{
	APIVersion: "example.com/v1", Kind: "Widget", ReplicasPath: "spec.replicas",
	HealthyWhen: &HealthRule{Path: "status.phase", Equals: "Running"},
}

func TestOperationsDoNotChangeTheirInput(t *testing.T) {
	kinds := newInterpreter(t, declared)
	for _, seed := range seeds {
		exercise(t, kinds, parse(t, seed))
	}
}

// TestResultsAreIndependent checks that what an operation hands out shares nothing with what it was given.
func TestResultsAreIndependent(t *testing.T) {
	kinds := newInterpreter(t)
	obj := parse(t, seeds[0])
	for gvk := range kinds.kinds {
		obj.SetGroupVersionKind(gvk)
		before := obj.DeepCopy()
		if revised, ok := kinds.Revise(obj, 7); ok {
			scramble(revised.Object)
		}
		if retained, err := kinds.Retain(obj, obj); err == nil {
			scramble(retained.Object)
		}
		status, err := kinds.ReflectStatus(obj)
		if err != nil {
			t.Fatal(err)
		}
		if total, _, err := kinds.AggregateStatus(obj, []MemberStatus{{"kube02", status}}); err == nil {
			scramble(total)
		}
		scramble(status)
		if !reflect.DeepEqual(obj.Object, before.Object) {
			t.Fatalf("a result of a %s shares content with its input", gvk)
		}
	}
}

// scramble changes every map and list within value.
func scramble(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, item := range v {
			scramble(item)
		}
		clear(v)
	case []any:
		for i, item := range v {
			scramble(item)
			v[i] = nil
		}
	}
}

// replaceNode returns value with its nth node, in a fixed order, replaced; n becomes negative once it is.
func replaceNode(value any, n *int, replacement any) any {
	*n--
	if *n == -1 {
		return replacement
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = replaceNode(v[key], n, replacement)
		}
	case []any:
		for i := range v {
			v[i] = replaceNode(v[i], n, replacement)
		}
	}
	return value
}

// TestAnyNodeMayBeMalformed puts values of all types in the place of each node of an object.
func TestAnyNodeMayBeMalformed(t *testing.T) {
	kinds := newInterpreter(t, declared)
	for _, odd := range []string{`"odd"`, `1.5`, `{name: {}}`, `[1, {name: {}}]`} {
		for node := 1; ; node++ {
			left := node
			obj := parse(t, seeds[0])
			replaceNode(obj.Object, &left, parse(t, `{odd: `+odd+`}`).Object["odd"])
			if left >= 0 {
				break
			}
			exercise(t, kinds, obj)
		}
	}
}

func FuzzOperations(f *testing.F) {
	f.Add(uint16(3), []byte(`"odd"`))
	f.Add(uint16(40), []byte(`[{"name": {}}]`))
	f.Add(uint16(80), []byte(`{"observedGeneration": -1}`))
	kinds := newInterpreter(f, declared)
	f.Fuzz(func(t *testing.T, node uint16, data []byte) {
		var replacement map[string]any
		if err := utiljson.Unmarshal(slices.Concat([]byte(`{"value":`), data, []byte(`}`)), &replacement); err != nil {
			return
		}
		left := int(node)
		obj := parse(t, seeds[0])
		if content, ok := replaceNode(obj.Object, &left, replacement["value"]).(map[string]any); ok {
			exercise(t, kinds, &unstructured.Unstructured{Object: content})
		}
	})
}

func BenchmarkOperations(b *testing.B) {
	kinds := newInterpreter(b)
	deployment := parse(b, seeds[0])
	deployment.SetGroupVersionKind(of("apps/v1", "Deployment"))
	b.Run("Replicas", func(b *testing.B) {
		for b.Loop() {
			if _, err := kinds.Replicas(deployment); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Revise", func(b *testing.B) {
		for b.Loop() {
			kinds.Revise(deployment, 7)
		}
	})
	b.Run("Health", func(b *testing.B) {
		for b.Loop() {
			kinds.Health(deployment)
		}
	})
	b.Run("Dependencies", func(b *testing.B) {
		for b.Loop() {
			if _, err := kinds.Dependencies(deployment); err != nil {
				b.Fatal(err)
			}
		}
	})
}
