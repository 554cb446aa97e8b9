package manifest

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"
)

// strictErrors decodes an object into the Go type of its kind, as a strict API
// server does.
func strictErrors(t *testing.T, obj map[string]any) (faulty bool) {
	t.Helper()
	u := unstructured.Unstructured{Object: obj}
	encoded, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	typed := reflect.New(builtinTypes()[u.GroupVersionKind()])
	strict, err := kjson.UnmarshalStrict(encoded, typed.Interface())
	return err != nil || len(strict) > 0
}

// Every value of sound objects is replaced, one at a time, by values of other
// types, and every map gets a field too many: the check finds a fault exactly
// where strict decoding does.
func TestCheckAgreesWithStrictDecoding(t *testing.T) {
	replacements := []any{"text", "5", "", int64(5), int64(-1), int64(1) << 40, 0.5, true, nil, map[string]any{}, []any{}, []any{"a"}, map[string]any{"a": "b"}, []any{map[string]any{}}}
	checked := 0
	for name, text := range soundObjects {
		obj := mustObject(t, text)
		if strictErrors(t, obj.Object) {
			t.Errorf("%s: strict decoding refuses the sample", name)
		}
		eachPlace(obj.Object, nil, func(steps []step) {
			for _, replacement := range replacements {
				changed := obj.DeepCopy().Object
				setAt(changed, steps, replacement)
				compareWithStrict(t, name, changed, steps, replacement)
				checked++
			}
			changed := obj.DeepCopy().Object
			if fields, ok := getAt(changed, steps).(map[string]any); ok {
				fields["noSuchField"] = map[string]any{}
				compareWithStrict(t, name, changed, steps, "one more field")
				checked++
			}
		})
	}
	if checked < 3000 {
		t.Errorf("compared only %d objects", checked)
	}
}

func compareWithStrict(t *testing.T, name string, obj map[string]any, steps []step, replacement any) {
	t.Helper()
	if items, ok := replacement.([]any); ok && len(items) == 0 && steps[0].name != "spec" && steps[0].name != "metadata" && len(steps) == 2 {
		return // Go takes [] for bytes, a user never means it.
	}
	u := unstructured.Unstructured{Object: obj}
	c := checker{}
	c.value(shapeOf(u.GroupVersionKind()), obj, nil)
	c.problems = slices.DeleteFunc(c.problems, func(p problem) bool { return errors.Is(p.err, errDuplicate) }) // decoding takes them
	if want := strictErrors(t, obj); want != (len(c.problems) > 0) {
		t.Errorf("%s: %s = %#v: strict decoding refuses: %v, the check: %v", name, pathOf(steps), replacement, want, c.problems)
	}
	for _, p := range c.problems {
		if len(p.steps) < len(steps) || !slices.Equal(p.steps[:len(steps)], steps) {
			t.Errorf("%s: %s = %#v: the fault is reported at %s", name, pathOf(steps), replacement, pathOf(p.steps))
		}
	}
}

// eachPlace visits all values below value but the identity of the object.
func eachPlace(value any, steps []step, visit func(steps []step)) {
	if len(steps) > 0 {
		visit(slices.Clone(steps))
	}
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			if len(steps) > 0 || name != "apiVersion" && name != "kind" {
				eachPlace(field, append(steps, nameStep(name)), visit)
			}
		}
	case []any:
		for i, item := range value {
			eachPlace(item, append(steps, indexStep(i)), visit)
		}
	}
}

func getAt(value any, steps []step) any {
	for _, s := range steps {
		switch parent := value.(type) {
		case map[string]any:
			value = parent[s.name]
		case []any:
			value = parent[s.index]
		}
	}
	return value
}

func setAt(root any, steps []step, value any) {
	last := steps[len(steps)-1]
	switch parent := getAt(root, steps[:len(steps)-1]).(type) {
	case map[string]any:
		parent[last.name] = value
	case []any:
		if value == nil {
			value = map[string]any{} // An empty item is a fault here, not there.
		}
		parent[last.index] = value
	}
}

// soundObjects are objects of many kinds without a fault.
var soundObjects = map[string]string{
	"Deployment": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app.kubernetes.io/name: web}, annotations: {a: b}}
spec:
  replicas: 2
  paused: false
  selector: {matchLabels: {app: web}, matchExpressions: [{key: a, operator: In, values: [b]}]}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 1}}
  template:
    metadata: {labels: {app: web}, creationTimestamp: null}
    spec:
      securityContext: {}
      initContainers:
      - {name: one, image: a}
      - {name: two, image: b}
      containers:
      - name: web
        image: nginx:1.25
        args: [--a, --b]
        ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}, {containerPort: 9090, name: metrics}]
        env: [{name: A, value: '1'}, {name: B, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: C}]
        resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m}}
        livenessProbe: {httpGet: {path: /, port: http}, periodSeconds: 5}
        volumeMounts: [{name: v, mountPath: /etc/v}, {name: v, mountPath: '/a,b'}]
      topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]
      tolerations: [{key: a, operator: Exists, tolerationSeconds: 30}]
      imagePullSecrets: [{name: pull}]
      volumes: [{name: v, configMap: {name: c, defaultMode: 0644}}, {name: e, emptyDir: {}}]
`,
	"Service": `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}, {port: 53, protocol: UDP, targetPort: dns}], externalIPs: [10.0.0.1]}
`,
	"ConfigMap": `
apiVersion: v1
kind: ConfigMap
metadata: {name: c, creationTimestamp: '2026-01-01T00:00:00Z'}
data: {a: b, file.conf: "x\ny"}
binaryData: {c: aGVsbG8=}
immutable: true
`,
	"Secret": `
apiVersion: v1
kind: Secret
metadata: {name: s}
type: Opaque
data: {a: aGVsbG8=}
stringData: {b: text}
`,
	"ClusterRole": `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: 'system:reader'}
rules: [{apiGroups: [''], resources: [pods], verbs: [get, list]}]
`,
	"Ingress": `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec: {rules: [{host: a.b, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}], tls: [{hosts: [a.b], secretName: t}]}
`,
	"HorizontalPodAutoscaler": `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, maxReplicas: 5, metrics: [{type: Resource, resource: {name: cpu, target: {type: AverageValue, averageValue: 100m}}}]}
`,
	"CronJob": `
apiVersion: batch/v1
kind: CronJob
metadata: {name: night}
spec: {schedule: '0 3 * * *', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}}
`,
	"ValidatingAdmissionPolicyBinding": `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Warn, Audit]}
`,
	"CustomResourceDefinition": `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.io}
spec:
  group: example.io
  scope: Namespaced
  names: {kind: Widget, plural: widgets, shortNames: [w]}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, required: [spec], properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}, additionalPrinterColumns: [{name: Age, type: date, jsonPath: .a}]}
`,
}

// The message never depends on the order in which maps are visited.
func TestErrorsHaveOneOrder(t *testing.T) {
	text := configMap + "data: {a: 1, b: 2, c: 3, d: 4}\nx: {}\ny: {}\nz: {}\n"
	_, first := Decode(Source{Argument: "templates"}, text)
	for range 20 {
		if _, err := Decode(Source{Argument: "templates"}, text); err.Error() != first.Error() {
			t.Fatalf("got\n%v\nthen\n%v", first, err)
		}
	}
}
