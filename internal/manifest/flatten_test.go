package manifest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestFlatten(t *testing.T) {
	tests := map[string]struct {
		text string
		want Fields
	}{
		"Deployment": {soundObjects["Deployment"], Fields{
			"apiVersion": "apps/v1",
			`metadata.labels["app.kubernetes.io/name"]`:                                                              "web",
			"metadata.annotations.a":                                                                                 "b",
			"spec.replicas":                                                                                          int64(2),
			"spec.paused":                                                                                            false,
			"spec.selector.matchLabels.app":                                                                          "web",
			"spec.selector.matchExpressions[0].key":                                                                  "a",
			"spec.selector.matchExpressions[0].operator":                                                             "In",
			"spec.selector.matchExpressions[0].values":                                                               []any{"b"},
			"spec.strategy.type":                                                                                     "RollingUpdate",
			"spec.strategy.rollingUpdate.maxSurge":                                                                   "25%",
			"spec.strategy.rollingUpdate.maxUnavailable":                                                             int64(1),
			"spec.template.metadata.labels.app":                                                                      "web",
			"spec.template.metadata.creationTimestamp":                                                               nil,
			"spec.template.spec.securityContext":                                                                     map[string]any{},
			"spec.template.spec.initContainers":                                                                      []any{"one", "two"},
			"spec.template.spec.initContainers[name=one].image":                                                      "a",
			"spec.template.spec.initContainers[name=two].image":                                                      "b",
			"spec.template.spec.containers[name=web].image":                                                          "nginx:1.25",
			"spec.template.spec.containers[name=web].args":                                                           []any{"--a", "--b"},
			"spec.template.spec.containers[name=web].ports[containerPort=80,protocol=TCP]":                           map[string]any{},
			"spec.template.spec.containers[name=web].ports[containerPort=80,protocol=UDP]":                           map[string]any{},
			"spec.template.spec.containers[name=web].ports[containerPort=9090,protocol=TCP].name":                    "metrics",
			"spec.template.spec.containers[name=web].env[name=A].value":                                              "1",
			"spec.template.spec.containers[name=web].env[name=B].valueFrom.secretKeyRef.name":                        "s",
			"spec.template.spec.containers[name=web].env[name=B].valueFrom.secretKeyRef.key":                         "k",
			"spec.template.spec.containers[name=web].env[name=C]":                                                    map[string]any{},
			"spec.template.spec.containers[name=web].resources.limits.cpu":                                           int64(1),
			"spec.template.spec.containers[name=web].resources.limits.memory":                                        "1Gi",
			"spec.template.spec.containers[name=web].resources.requests.cpu":                                         "500m",
			"spec.template.spec.containers[name=web].livenessProbe.httpGet.path":                                     "/",
			"spec.template.spec.containers[name=web].livenessProbe.httpGet.port":                                     "http",
			"spec.template.spec.containers[name=web].livenessProbe.periodSeconds":                                    int64(5),
			"spec.template.spec.containers[name=web].volumeMounts[mountPath=/etc/v].name":                            "v",
			`spec.template.spec.containers[name=web].volumeMounts[mountPath="/a,b"].name`:                            "v",
			"spec.template.spec.topologySpreadConstraints[topologyKey=zone,whenUnsatisfiable=DoNotSchedule].maxSkew": int64(1),
			"spec.template.spec.tolerations[0].key":                                                                  "a",
			"spec.template.spec.tolerations[0].operator":                                                             "Exists",
			"spec.template.spec.tolerations[0].tolerationSeconds":                                                    int64(30),
			"spec.template.spec.imagePullSecrets[name=pull]":                                                         map[string]any{},
			"spec.template.spec.volumes[name=v].configMap.name":                                                      "c",
			"spec.template.spec.volumes[name=v].configMap.defaultMode":                                               int64(420),
			"spec.template.spec.volumes[name=e].emptyDir":                                                            map[string]any{},
		}},
		"Service": {soundObjects["Service"], Fields{
			"apiVersion":        "v1",
			"spec.selector.app": "web",
			"spec.ports[port=80,protocol=TCP].targetPort": int64(8080),
			"spec.ports[port=53,protocol=UDP].targetPort": "dns",
			"spec.externalIPs":                            []any{"10.0.0.1"},
		}},
		"lists by position": {soundObjects["ClusterRole"], Fields{
			"apiVersion":         "rbac.authorization.k8s.io/v1",
			"rules[0].apiGroups": []any{""},
			"rules[0].resources": []any{"pods"},
			"rules[0].verbs":     []any{"get", "list"},
		}},
		"a set is sorted": {soundObjects["ValidatingAdmissionPolicyBinding"], Fields{
			"apiVersion":             "admissionregistration.k8s.io/v1",
			"spec.policyName":        "p",
			"spec.validationActions": []any{"Audit", "Warn"},
		}},
		"nothing but identity": {"apiVersion: v1\nkind: Namespace\nmetadata: {name: a}", Fields{"apiVersion": "v1"}},
		"status is none":       {"apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\nstatus: {phase: Active}", Fields{"apiVersion": "v1"}},
		"odd keys": {`{"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"a","namespace":"b"},"data":{"a.b":"1","c/d":"2","e[0]":"3","f\"g":"4","*":"5","":"6","h i":"7"}}`, Fields{
			"apiVersion": "example.io/v1", `data["a.b"]`: "1", "data.c/d": "2", `data["e[0]"]`: "3", `data["f\"g"]`: "4", `data["*"]`: "5", `data[""]`: "6", `data["h i"]`: "7",
		}},
		"custom resource": {"apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}\n" +
			"spec: {env: [], opts: {}, none: ~, tags: [b, a], steps: [{name: one, run: x}, {name: two}], rows: [[1, 2], [3]], mixed: [1, {a: b}], twice: [{name: a}, {name: a}], nameless: [{name: a}, {x: 1}], number: [{name: 1, x: 2}]}", Fields{
			"apiVersion": "example.io/v1", "spec.env": []any{}, "spec.opts": map[string]any{}, "spec.none": nil, "spec.tags": []any{"b", "a"},
			"spec.steps": []any{"one", "two"}, "spec.steps[name=one].run": "x", "spec.steps[name=two]": map[string]any{},
			"spec.rows[0]": []any{int64(1), int64(2)}, "spec.rows[1]": []any{int64(3)}, "spec.mixed[0]": int64(1), "spec.mixed[1].a": "b",
			"spec.twice[0].name": "a", "spec.twice[1].name": "a", "spec.nameless[0].name": "a", "spec.nameless[1].x": int64(1), "spec.number[name=1].x": int64(2),
		}},
		"a key is missing": {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1}], containers: []}", Fields{
			"apiVersion": "v1", "spec.containers": []any{},
			"spec.topologySpreadConstraints[0].topologyKey": "zone", "spec.topologySpreadConstraints[0].maxSkew": int64(1),
		}},
		"schema of a definition is one value": {soundObjects["CustomResourceDefinition"], Fields{
			"apiVersion": "apiextensions.k8s.io/v1", "spec.group": "example.io", "spec.scope": "Namespaced", "spec.names.kind": "Widget", "spec.names.plural": "widgets", "spec.names.shortNames": []any{"w"},
			"spec.versions[0].name": "v1", "spec.versions[0].served": true, "spec.versions[0].storage": true,
			"spec.versions[0].schema.openAPIV3Schema": map[string]any{"type": "object", "required": []any{"spec"},
				"properties": map[string]any{"spec": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}},
			"spec.versions[0].additionalPrinterColumns[0].name": "Age", "spec.versions[0].additionalPrinterColumns[0].type": "date", "spec.versions[0].additionalPrinterColumns[0].jsonPath": ".a",
		}},
		"long text": {configMap + "data: {a: " + strings.Repeat("x", maxLeafBytes+1) + ", b: " + strings.Repeat("y", maxLeafBytes) + "}", Fields{
			"apiVersion": "v1", "data.a": "(8193 bytes, sha256:e5c8309afda18ec4ec225ada92dab2d5768f7d845d8cebf2b9968392a6bfd6de)", "data.b": strings.Repeat("y", maxLeafBytes),
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			obj := mustObject(t, test.text)
			before := obj.DeepCopy()
			got := Flatten(obj)
			for _, path := range slices.Sorted(maps.Keys(union(got, test.want))) {
				want, wanted := test.want[path]
				if value, found := got[path]; found != wanted || !reflect.DeepEqual(value, want) {
					t.Errorf("%s = %#v (%v), want %#v (%v)", path, value, found, want, wanted)
				}
			}
			assertUnchanged(t, before, obj)
		})
	}
}

func union(a, b Fields) Fields {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// The order of what the server keeps by key or as a set is no difference; that
// of init containers, and of lists nothing is known of, is.
func TestFlattenOrder(t *testing.T) {
	pod := func(spec string) string { return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: " + spec }
	widget := func(spec string) string {
		return "apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}\nspec: " + spec
	}
	tests := map[string]struct {
		a, b string
		same bool
	}{
		"env":             {pod("{containers: [{name: c, env: [{name: A, value: x}, {name: B, value: w}]}]}"), pod("{containers: [{name: c, env: [{name: B, value: w}, {name: A, value: x}]}]}"), true},
		"env of shapes":   {pod("{containers: [{name: c, env: [{name: A, value: x}, {name: B, valueFrom: {fieldRef: {fieldPath: a}}}]}]}"), pod("{containers: [{name: c, env: [{name: B, valueFrom: {fieldRef: {fieldPath: a}}}, {name: A, value: x}]}]}"), true},
		"containers":      {pod("{containers: [{name: c}, {name: d}]}"), pod("{containers: [{name: d}, {name: c}]}"), true},
		"default key":     {pod("{containers: [{name: c, ports: [{containerPort: 80}]}]}"), pod("{containers: [{name: c, ports: [{containerPort: 80, protocol: TCP}]}]}"), true},
		"init containers": {pod("{initContainers: [{name: c}, {name: d}]}"), pod("{initContainers: [{name: d}, {name: c}]}"), false},
		"arguments":       {pod("{containers: [{name: c, args: [a, b]}]}"), pod("{containers: [{name: c, args: [b, a]}]}"), false},
		"set": {strings.Replace(soundObjects["ValidatingAdmissionPolicyBinding"], "[Warn, Audit]", "[Audit, Warn]", 1),
			soundObjects["ValidatingAdmissionPolicyBinding"], true},
		"finalizers":            {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, finalizers: [a/b, c/d]}", "apiVersion: v1\nkind: Pod\nmetadata: {name: a, finalizers: [c/d, a/b]}", true},
		"steps of a pipeline":   {widget("{steps: [{name: a, run: x}, {name: b, run: y}]}"), widget("{steps: [{name: b, run: y}, {name: a, run: x}]}"), false},
		"scalars of an unknown": {widget("{volumes: [a, b]}"), widget("{volumes: [b, a]}"), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a, b := Flatten(mustObject(t, test.a)), Flatten(mustObject(t, test.b))
			if got := reflect.DeepEqual(a, b); got != test.same {
				t.Errorf("same = %v, want %v:\n%v\n%v", got, test.same, a, b)
			}
		})
	}
}

func TestProject(t *testing.T) {
	pod := func(spec string) string { return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: " + spec }
	widget := func(spec string) string {
		return "apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}\nspec: " + spec
	}
	tests := map[string]struct {
		sent, live string
		// want is how the projection differs from the owned fields; nil is absent.
		want map[string]any
	}{
		"what others own does not show": {
			pod("{containers: [{name: c, image: a, env: [{name: A, value: x}]}]}"),
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a, uid: u, labels: {x: w}, annotations: {a: b}}\nspec: {nodeName: k, containers: [{name: sidecar, image: s}, {name: c, image: a, imagePullPolicy: Always, env: [{name: Z, value: z}, {name: A, value: x}]}]}\nstatus: {phase: Running}",
			nil},
		"changed, removed": {
			pod("{nodeName: k, priority: 3, containers: [{name: c, image: a, env: [{name: A, value: x}]}]}"),
			pod("{nodeName: m, containers: [{name: c, image: b}]}"),
			map[string]any{"spec.nodeName": "m", "spec.priority": nil, "spec.containers[name=c].image": "b", "spec.containers[name=c].env[name=A].value": nil}},
		"item gone": {
			pod("{containers: [{name: c, image: a, resources: {}}], imagePullSecrets: [{name: p}]}"), pod("{containers: [{name: d, image: a}]}"),
			map[string]any{"spec.containers[name=c].image": nil, "spec.containers[name=c].resources": nil, "spec.imagePullSecrets[name=p]": nil}},
		"default key filled in": {
			pod("{containers: [{name: c, ports: [{containerPort: 80}]}]}"), pod("{containers: [{name: c, ports: [{containerPort: 80, protocol: TCP}]}]}"), nil},
		"empty dropped": {
			pod("{securityContext: {}, tolerations: [], affinity: {nodeAffinity: {}}, nodeName: ~, containers: [{name: c, env: [], resources: {}}]}"), pod("{containers: [{name: c}]}"), nil},
		"empty filled in": {
			pod("{securityContext: {}, nodeName: ~, containers: []}"), pod("{securityContext: {runAsUser: 1}, nodeName: k, containers: [{name: c, image: a}]}"), nil},
		"empty list that the whole counts of": {
			pod("{tolerations: []}"), pod("{tolerations: [{key: a}]}"),
			map[string]any{"spec.tolerations": nil, "spec.tolerations[0].key": "a"}},
		"a list of scalars counts as a whole": {
			pod("{containers: [{name: c, args: [a]}]}"), pod("{containers: [{name: c, args: [a, b]}]}"),
			map[string]any{"spec.containers[name=c].args": []any{"a", "b"}}},
		"a list by position shows items too many, not fields filled in": {
			pod("{tolerations: [{key: a}]}"), pod("{tolerations: [{key: a, operator: Equal}, {key: b, operator: Exists}]}"),
			map[string]any{"spec.tolerations[1].key": "b", "spec.tolerations[1].operator": "Exists"}},
		"a list by position that is shorter": {
			pod("{tolerations: [{key: a}, {key: b}]}"), pod("{tolerations: [{key: a}]}"),
			map[string]any{"spec.tolerations[1].key": nil}},
		"init containers with one of another": {
			pod("{initContainers: [{name: a, image: x}, {name: b, image: x}]}"), pod("{initContainers: [{name: mesh}, {name: a, image: x}, {name: b, image: x}]}"), nil},
		"init containers in another order": {
			pod("{initContainers: [{name: a, image: x}, {name: b, image: x}]}"), pod("{initContainers: [{name: b, image: x}, {name: a, image: x}]}"),
			map[string]any{"spec.initContainers": []any{"b", "a"}}},
		"env in another order": {
			pod("{containers: [{name: c, env: [{name: A, value: x}, {name: B, value: w}]}]}"), pod("{containers: [{name: c, env: [{name: B, value: w}, {name: A, value: x}]}]}"), nil},
		"a map became text": {
			widget("{a: {b: 1, c: 2}}"), widget("{a: text}"), map[string]any{"spec.a.b": nil, "spec.a.c": nil, "spec.a": "text"}},
		"text became a map": {
			widget("{a: text}"), widget("{a: {b: 1}}"), map[string]any{"spec.a": nil, "spec.a.b": int64(1)}},
		"a list became a map": {
			widget("{a: [{x: 1}]}"), widget("{a: {x: 1}}"), map[string]any{"spec.a[0].x": nil}},
		"named items lost their names": {
			widget("{a: [{name: k, x: 1}]}"), widget("{a: [{x: 1}]}"), map[string]any{"spec.a[name=k].x": nil}},
		"items without names beside": {
			widget("{a: [{name: k, x: 1}]}"), widget("{a: [{y: 1}, {name: k, x: 1}]}"), nil},
		"null on both sides": {widget("{a: ~}"), widget("{a: ~}"), nil},
		"null is live":       {widget("{a: 1}"), widget("{a: ~}"), map[string]any{"spec.a": nil}},
		"another version": {
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}", "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: a}",
			map[string]any{"apiVersion": "apps/v1beta1"}},
		"long text changed": {
			configMap + "data: {a: " + strings.Repeat("x", maxLeafBytes+1) + "}", configMap + "data: {a: short}", map[string]any{"data.a": "short"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			owned := Flatten(mustObject(t, test.sent))
			live := mustObject(t, test.live)
			before := live.DeepCopy()
			want := maps.Clone(owned)
			for path, value := range test.want {
				if value == nil {
					delete(want, path)
				} else {
					want[path] = value
				}
			}
			if got := Project(live, owned); !reflect.DeepEqual(got, want) {
				t.Errorf("got\n%v\nwant\n%v", got, want)
			}
			assertUnchanged(t, before, live)
		})
	}
}

func TestProjectOfSentIsSent(t *testing.T) {
	for name, text := range soundObjects {
		obj := mustObject(t, text)
		owned := Flatten(obj)
		if got := Project(obj, owned); !reflect.DeepEqual(got, owned) {
			t.Errorf("%s: got\n%v\nwant\n%v", name, got, owned)
		}
	}
}

func TestProjectIgnoresPathsThatAreNone(t *testing.T) {
	obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}}}
	if got, want := Project(obj, Fields{"": "x", "a..b": "x", "a[": "x", "a[b]": "x", "apiVersion": "v1"}), (Fields{"apiVersion": "v1"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
