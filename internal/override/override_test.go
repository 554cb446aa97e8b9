package override

import (
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// marker returns a policy that appends its name to annotation "order" by way of plaintext, so that the order of application
// can be read. Its selectors are given as YAML flow.
func marker(t *testing.T, kind, name, selectors string) *api.OverridePolicy {
	t.Helper()
	return policyFrom(t, `
		kind: `+kind+`
		metadata: {name: `+name+`, namespace: default}
		spec:
		  resourceSelectors: `+selectors+`
		  overrideRules:
		  - overriders: {plaintext: [{path: /spec/order/-, operator: add, value: `+name+`}]}`)
}

func TestApplyOrder(t *testing.T) {
	const (
		cop    = api.KindClusterOverridePolicy
		op     = api.KindOverridePolicy
		all    = `[]`
		kind   = `[{apiVersion: v1, kind: Widget}]`
		label  = `[{apiVersion: v1, kind: Widget, labelSelector: {matchLabels: {app: w}}}]`
		empty  = `[{apiVersion: v1, kind: Widget, labelSelector: {}}]`
		name   = `[{apiVersion: v1, kind: Widget, name: w}]`
		both   = `[{apiVersion: v1, kind: Widget, name: w, labelSelector: {matchLabels: {app: other}}}]`
		other  = `[{apiVersion: v1, kind: Widget, name: other}, {apiVersion: v2, kind: Widget}]`
		best   = `[{apiVersion: v1, kind: Widget}, {apiVersion: v1, kind: Widget, name: w}]`
		absent = `[{apiVersion: v1, kind: Widget, namespace: elsewhere, name: w}]`
	)
	tests := []struct {
		name     string
		policies []*api.OverridePolicy
		want     []any
	}{
		{"cluster-scoped first", []*api.OverridePolicy{marker(t, op, "a", all), marker(t, cop, "b", name)}, []any{"b", "a"}},
		{"less specific first", []*api.OverridePolicy{marker(t, op, "a", name), marker(t, op, "b", label), marker(t, op, "c", kind)}, []any{"c", "b", "a"}},
		{"an empty label selector ranks as one", []*api.OverridePolicy{marker(t, op, "a", empty), marker(t, op, "b", kind)}, []any{"b", "a"}},
		{"no selectors rank lowest, then by name", []*api.OverridePolicy{marker(t, op, "b", all), marker(t, op, "a", kind)}, []any{"a", "b"}},
		{"the best selector of a policy ranks it", []*api.OverridePolicy{marker(t, op, "a", best), marker(t, op, "b", label)}, []any{"b", "a"}},
		{"a name decides over a label selector", []*api.OverridePolicy{marker(t, op, "a", both), marker(t, op, "b", label)}, []any{"b", "a"}},
		{"selectors that miss", []*api.OverridePolicy{marker(t, op, "a", other), marker(t, cop, "b", absent)}, []any{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mustApply(t, object(t, `
				apiVersion: v1
				kind: Widget
				metadata: {name: w, namespace: default, labels: {app: w}}
				spec: {order: []}`), Target{Cluster: member("kube01", "")}, tt.policies...)
			order, _, _ := unstructured.NestedSlice(got.Object, "spec", "order")
			if !reflect.DeepEqual(order, tt.want) {
				t.Errorf("applied %v, want %v", order, tt.want)
			}
		})
	}
}

func TestApplyTiers(t *testing.T) {
	relabel := policyFrom(t, `
		kind: ClusterOverridePolicy
		metadata: {name: relabel}
		spec: {overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {tier: web}}]}}]}`)
	byLabel := func(kind string) *api.OverridePolicy {
		return policyFrom(t, `
			kind: `+kind+`
			metadata: {name: web, namespace: default}
			spec:
			  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {tier: web}}}]
			  overrideRules: [{overriders: {plaintext: [{path: /data, operator: add, value: {web: "true"}}]}}]`)
	}
	tests := []struct {
		name      string
		policy    *api.OverridePolicy
		namespace string
		applies   bool
	}{
		{"the second tier sees what the first made", byLabel(api.KindOverridePolicy), "default", true},
		{"policies of one tier see the object as it was", byLabel(api.KindClusterOverridePolicy), "default", false},
		{"a namespaced policy stays in its namespace", byLabel(api.KindOverridePolicy), "other", false},
		{"a namespaced policy does not reach a cluster-scoped object", byLabel(api.KindOverridePolicy), "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			obj := object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`)
			obj.SetNamespace(tt.namespace)
			got := mustApply(t, obj, Target{Cluster: member("kube01", "")}, tt.policy, relabel)
			if _, found := got.Object["data"]; found != tt.applies {
				t.Errorf("policy applied: %v, want %v", found, tt.applies)
			}
		})
	}
}

func TestApplyRules(t *testing.T) {
	cm := object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}, data: {a: "0"}}`)
	rule := `{overriders: {plaintext: [{path: /data/a, operator: replace, value: "1"}]}, targetCluster: `
	tests := []struct {
		name string
		spec string
		want string
	}{
		{"no target is every member", `{overrideRules: [{overriders: {plaintext: [{path: /data/a, operator: replace, value: "1"}]}}]}`, "1"},
		{"the member is named", `{overrideRules: [` + rule + `{clusterNames: [kube03]}}]}`, "1"},
		{"another member is named", `{overrideRules: [` + rule + `{clusterNames: [kube02]}}]}`, "0"},
		{"by label", `{overrideRules: [` + rule + `{labelSelector: {matchLabels: {env: production}}}}]}`, "1"},
		{"by region", `{overrideRules: [` + rule + `{fieldSelector: {matchExpressions: [{key: region, operator: NotIn, values: [shanghai]}]}}}]}`, "0"},
		{"several rules apply in their order", `{overrideRules: [` + rule + `{}}, {overriders: {plaintext: [{path: /data/a, operator: replace, value: "2"}]}}]}`, "2"},
		{"the deprecated single rule", `{targetCluster: {clusterNames: [kube03]}, overriders: {plaintext: [{path: /data/a, operator: replace, value: "1"}]}}`, "1"},
		{"overrideRules hide the deprecated rule", `{overrideRules: [{overriders: {}}], overriders: {plaintext: [{path: /data/a, operator: replace, value: "1"}]}}`, "0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mustApply(t, cm, Target{Cluster: member("kube03", "shanghai")}, policyFrom(t, `
				kind: OverridePolicy
				metadata: {name: p, namespace: default}
				spec: `+tt.spec))
			if a, _, _ := unstructured.NestedString(got.Object, "data", "a"); a != tt.want {
				t.Errorf("data.a = %q, want %q", a, tt.want)
			}
		})
	}
}

// TestApplyFixedOrder has every overrider of one rule build on what the one before it made, written in the reverse order.
func TestApplyFixedOrder(t *testing.T) {
	got := mustApply(t, object(t, `
		apiVersion: v1
		kind: Pod
		metadata: {name: p, namespace: default}
		spec: {containers: [{name: app, image: "nginx:1", command: [run]}]}`), Target{Cluster: member("kube01", "")}, policyFrom(t, `
		kind: OverridePolicy
		metadata: {name: p, namespace: default}
		spec:
		  overrideRules:
		  - overriders:
		      plaintext:
		      - {path: /metadata/annotations/a, operator: replace, value: "{\"n\":3}"}
		      - {path: /spec/containers/0/image, operator: replace, value: other}
		      fieldOverrider: [{fieldPath: /metadata/annotations/a, json: [{subPath: /n, operator: replace, value: 2}]}]
		      annotationsOverrider: [{operator: add, value: {a: "{\"n\":1}"}}]
		      labelsOverrider: [{operator: add, value: {l: "1"}}, {operator: replace, value: {l: "2"}}]
		      argsOverrider: [{containerName: app, operator: add, value: [x]}, {containerName: app, operator: remove, value: [x]}]
		      commandOverrider: [{containerName: app, operator: add, value: [z]}]
		      imageOverrider: [{component: Tag, operator: replace, value: "2"}, {component: Tag, operator: add, value: "-x"}]`))
	want := object(t, `
		apiVersion: v1
		kind: Pod
		metadata: {name: p, namespace: default, labels: {l: "2"}, annotations: {a: "{\"n\":3}"}}
		spec: {containers: [{name: app, image: other, command: [run, z], args: []}]}`)
	if !reflect.DeepEqual(got.Object, want.Object) {
		t.Errorf("got  %v\nwant %v", got.Object, want.Object)
	}
}

func TestApplied(t *testing.T) {
	policy := policyFrom(t, `
		kind: OverridePolicy
		metadata: {name: p, namespace: default}
		spec:
		  overrideRules:
		  - overriders: {labelsOverrider: [{operator: replace, value: {none: x}}]}
		  - targetCluster: {clusterNames: [other]}
		    overriders: {labelsOverrider: [{operator: add, value: {l: x}}]}
		  - overriders:
		      labelsOverrider: [{operator: add, value: {app: same}}, {operator: add, value: {l: x}}]
		      plaintext: [{path: /data/a, operator: add, value: "1"}, {path: /data/b, operator: add, value: "2"}]`)
	single := policyFrom(t, `
		kind: ClusterOverridePolicy
		metadata: {name: c}
		spec: {overriders: {plaintext: [{path: /data/b, operator: remove}]}}`)
	cm := object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default, labels: {app: same}}, data: {a: "1", b: "1"}}`)
	_, applied, err := compileAndApply(cm, Target{Cluster: member("kube01", "")}, []*api.OverridePolicy{policy, single})
	if err != nil {
		t.Fatal(err)
	}
	ref := PolicyRef{Kind: "OverridePolicy", Namespace: "default", Name: "p"}
	want := []Applied{
		{Policy: PolicyRef{Kind: "ClusterOverridePolicy", Name: "c"}, Rule: -1, Overriders: []string{"plaintext[0]"}},
		{Policy: ref, Rule: 0},
		{Policy: ref, Rule: 2, Overriders: []string{"labelsOverrider[1]", "plaintext[1]"}},
	}
	if !reflect.DeepEqual(applied, want) {
		t.Errorf("got  %+v\nwant %+v", applied, want)
	}
}

// TestApplyLeavesInput checks that neither the template nor the compiled policies change, and that an object no rule
// changes is handed back as it is.
func TestApplyLeavesInput(t *testing.T) {
	template := deployment(t, "app")
	before := template.DeepCopy()
	set, err := Compile([]*api.OverridePolicy{policyFrom(t, `
		kind: OverridePolicy
		metadata: {name: p, namespace: default}
		spec:
		  overrideRules:
		  - targetCluster: {exclude: [kube01]}
		    overriders:
		      imageOverrider: [{component: Registry, operator: replace, value: mirror.example.com}]
		      labelsOverrider: [{operator: add, value: {member: "{{ member.name }}"}}]
		      argsOverrider: [{containerName: app, operator: add, value: [-v]}]
		      plaintext:
		      - {path: /spec/template/spec/tolerations, operator: add, value: [{key: a}]}
		      - {path: /spec/template/spec/tolerations/0/value, operator: add, value: "{{ member.name }}"}
		      - {path: /spec/template/spec/containers/0/env/0, operator: remove}`)})
	if err != nil {
		t.Fatal(err)
	}
	same, applied, err := set.Apply(template, Target{Cluster: member("kube01", "")})
	if err != nil || same != template || applied != nil {
		t.Errorf("without a rule: object %p, applied %v, error %v; want the template %p itself", same, applied, err, template)
	}
	var done sync.WaitGroup
	for _, name := range []string{"kube02", "kube03", "kube04"} {
		done.Go(func() {
			got, _, err := set.Apply(template, Target{Cluster: member(name, "")})
			if err != nil {
				t.Error(err)
				return
			}
			tolerations, _, _ := unstructured.NestedSlice(got.Object, "spec", "template", "spec", "tolerations")
			if want := []any{map[string]any{"key": "a", "value": name}}; !reflect.DeepEqual(tolerations, want) {
				t.Errorf("%s: tolerations %v, want %v", name, tolerations, want)
			}
		})
	}
	done.Wait()
	if !reflect.DeepEqual(template, before) {
		t.Errorf("the template changed to %v", template.Object)
	}
}

// TestApplyExamples are the cases a newcomer tries first.
func TestApplyExamples(t *testing.T) {
	demo := object(t, `
		apiVersion: apps/v1
		kind: Deployment
		metadata: {name: demoapp, namespace: default}
		spec:
		  replicas: 4
		  selector: {matchLabels: {app: demoapp}}
		  template:
		    metadata: {labels: {app: demoapp}}
		    spec: {containers: [{name: demoapp, image: "ikubernetes/demoapp:v1.0", env: [{name: REGION, value: none}]}]}`)
	head := `
		apiVersion: policy.karmada.io/v1alpha1
		kind: OverridePolicy
		metadata: {name: demoapp, namespace: default}
		spec:
		  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: demoapp}]
		  overrideRules:
		  - targetCluster: {clusterNames: [kube03, kube04]}
		    overriders: `
	podSpec := []string{"spec", "template", "spec"}
	tests := []struct {
		name       string
		overriders string
		path       []string
		want       any
	}{
		{"another tag", `{imageOverrider: [{component: Tag, operator: replace, value: v1.1}]}`,
			[]string{"containers", "0", "image"}, "ikubernetes/demoapp:v1.1"},
		{"a regional registry", `{imageOverrider: [{component: Registry, operator: replace, value: "{{ member.region }}.example.com"}]}`,
			[]string{"containers", "0", "image"}, "shanghai.example.com/ikubernetes/demoapp:v1.0"},
		{"node selector", `{plaintext: [{path: /spec/template/spec/nodeSelector, operator: add, value: {pool: gpu}}, {path: /spec/template/spec/tolerations, operator: add, value: [{key: gpu, operator: Exists}]}]}`,
			[]string{"nodeSelector"}, map[string]any{"pool": "gpu"}},
		{"tolerations", `{plaintext: [{path: /spec/template/spec/tolerations, operator: add, value: [{key: gpu, operator: Exists}]}]}`,
			[]string{"tolerations"}, []any{map[string]any{"key": "gpu", "operator": "Exists"}}},
		{"the region in the environment", `{plaintext: [{path: /spec/template/spec/containers/0/env/0/value, operator: replace, value: "{{ member.region }}"}]}`,
			[]string{"containers", "0", "env", "0", "value"}, "shanghai"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			policy := policyFrom(t, head+tt.overriders)
			if got := mustApply(t, demo, Target{Cluster: member("kube02", "beijing")}, policy); got != demo {
				t.Errorf("kube02 has %v, want the template", got.Object)
			}
			got := mustApply(t, demo, Target{Cluster: member("kube03", "shanghai")}, policy)
			value, err := get(got.Object, pointer(slices.Concat(podSpec, tt.path)))
			if err != nil || !reflect.DeepEqual(value, tt.want) {
				t.Errorf("kube03 has %v (%v), want %v", value, err, tt.want)
			}
		})
	}
}
