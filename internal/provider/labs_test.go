package provider_test

import (
	"fmt"
	"maps"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

const (
	demoapp = "Deployment.apps/default/demoapp"
	app     = "multicluster_propagation.app"
)

// runs is what a Deployment comes to on each member of the fleet: "4 ikubernetes/demoapp:v1.0", with the environment of its
// container where it has one. A member without the Deployment is not in it.
type runs map[string]string

// expect fails the test unless the members have a Deployment as want says, and no other member of the fleet has it.
func expect(t *testing.T, fleet *testfleet.Fleet, name string, want runs) {
	t.Helper()
	if got := running(t, fleet, name); !maps.Equal(got, want) {
		t.Fatalf("%s runs as %v, want %v", name, got, want)
	}
}

// running returns how the members of the fleet have a Deployment.
func running(t *testing.T, fleet *testfleet.Fleet, name string) runs {
	t.Helper()
	found := runs{}
	for _, member := range memberNames {
		if obj := get(t, fleet, member, "apps/v1", "Deployment", "default", name); obj != nil {
			found[member] = run(t, obj)
		}
	}
	return found
}

// run returns what one Deployment comes to.
func run(t *testing.T, obj *unstructured.Unstructured) string {
	t.Helper()
	var d appsv1.Deployment
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &d); err != nil {
		t.Fatal(err)
	}
	container := d.Spec.Template.Spec.Containers[0]
	text := fmt.Sprintf("%d %s", *d.Spec.Replicas, container.Image)
	for _, env := range container.Env {
		text += fmt.Sprintf(" %s=%s", env.Name, env.Value)
	}
	return text
}

// sameOnBoth is what labs 01 and 02 come to.
var sameOnBoth = runs{"kube02": "4 ikubernetes/demoapp:v1.0", "kube03": "4 ikubernetes/demoapp:v1.0"}

// once plans and applies a setup, checks what runs then and that the next plan is empty, and destroys it.
func once(t *testing.T, cli string, s setup, planned []string, want map[string]runs) {
	t.Helper()
	fleet := acceptance(t)
	w := newWorkspace(t, cli, s.files(t, fleet))
	says(t, w.plan(), planned...)
	w.apply()
	for name := range want {
		expect(t, fleet, name, want[name])
	}
	w.settled()
	w.destroy()
	for name := range want {
		expect(t, fleet, name, nil)
	}
}

func TestLabA(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		once(t, cli, setup{
			members:   twoRegions,
			templates: []string{lab(t, "01-demoapp-deployment.yaml")},
			policies:  []string{lab(t, "02-propagationpolicy.yaml")},
		}, []string{`+ "spec.replicas" = 4`, "duplicated: 4 on each member, 8 in all"}, map[string]runs{"demoapp": sameOnBoth})
	})
}

func TestLabD(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		once(t, cli, setup{
			members:   twoRegions,
			templates: []string{lab(t, "01-demoapp-deployment.yaml")},
			policies:  []string{lab(t, "06-propagationpolicy-failover.yaml")},
		}, []string{
			`+ "spec.replicas" = 3`, `+ "spec.replicas" = 1`, "divided by weights kube02 3, kube03 1",
			"Graciously", "Gracefully", // lab O
		}, map[string]runs{"demoapp": {"kube02": "3 ikubernetes/demoapp:v1.0", "kube03": "1 ikubernetes/demoapp:v1.0"}})
	})
}

func TestLabs(t *testing.T) {
	acceptance(t)
	threeRegions := map[string]string{
		"kube02": `{ region = "beijing" }`, "kube03": `{ region = "shanghai" }`, "kube04": `{ region = "guangzhou" }`,
	}
	for _, test := range []struct {
		lab string
		setup
		plan []string
		want map[string]runs
	}{
		{
			"B: one member in each of two regions",
			setup{
				members:   twoRegions,
				templates: []string{lab(t, "01-demoapp-deployment.yaml")},
				policies:  []string{lab(t, "04-propagationpolicy-ha.yaml")},
			},
			[]string{"duplicated: 4 on each member, 8 in all"},
			map[string]runs{"demoapp": sameOnBoth},
		},
		{
			"L: weights 6 and 4",
			setup{
				members:   twoRegions,
				templates: []string{replaced(t, lab(t, "01-demoapp-deployment.yaml"), "replicas: 4", "replicas: 10")},
				policies:  []string{replaced(t, lab(t, "06-propagationpolicy-failover.yaml"), "weight: 3", "weight: 6", "weight: 1", "weight: 4")},
			},
			[]string{`+ "spec.replicas" = 6`, `+ "spec.replicas" = 4`, "divided by weights kube02 6, kube03 4"},
			map[string]runs{"demoapp": {"kube02": "6 ikubernetes/demoapp:v1.0", "kube03": "4 ikubernetes/demoapp:v1.0"}},
		},
		{
			"M: equal weights",
			setup{
				members:   twoRegions,
				templates: []string{replaced(t, lab(t, "01-demoapp-deployment.yaml"), "ikubernetes/demoapp:v1.0", "nginx:1.27", "demoapp", "nginx")},
				policies: []string{replaced(t, lab(t, "06-propagationpolicy-failover.yaml"),
					"name: demoapp", "name: nginx", "weight: 3", "weight: 50", "weight: 1", "weight: 50")},
			},
			[]string{"divided by weights kube02 50, kube03 50"},
			map[string]runs{"nginx": {"kube02": "2 nginx:1.27", "kube03": "2 nginx:1.27"}},
		},
		{
			"K: divided and overridden, beside a default policy",
			setup{
				clusters: map[string]string{"cluster-prod-east": "kube02", "cluster-prod-west": "kube03", "cluster-staging": "kube04"},
				members: map[string]string{
					"cluster-prod-east": `{ region = "cn-east", labels = { env = "production", region = "cn-east" } }`,
					"cluster-prod-west": `{ region = "cn-west", labels = { env = "production", region = "cn-west" } }`,
					"cluster-staging":   `{ region = "cn-east", labels = { env = "staging", region = "cn-east" } }`,
				},
				templates: []string{lab(t, "order-service.yaml"), replaced(t, lab(t, "01-demoapp-deployment.yaml"), "replicas: 4", "replicas: 10")},
				policies:  []string{lab(t, "order-service.yaml")},
			},
			[]string{
				`= "registry-west.example.com/redis:7.2"`, "divided by weights cluster-prod-east 7, cluster-prod-west 3",
				"ClusterPropagationPolicy default-policy", "duplicated: 10 on each member, 20 in all",
			},
			map[string]runs{
				"order-service": {"kube02": "7 redis:7.2", "kube03": "3 registry-west.example.com/redis:7.2"},
				"demoapp":       {"kube02": "10 ikubernetes/demoapp:v1.0", "kube03": "10 registry-west.example.com/ikubernetes/demoapp:v1.0"},
			},
		},
		{
			"N: one member in each of three regions",
			setup{members: threeRegions, templates: []string{webapp}, policies: []string{threeRegionsPolicy, regionPolicy}},
			[]string{`[name=REGION].value" = "guangzhou"`},
			map[string]runs{"web": {
				"kube02": "1 nginx:1.27 LANG=C.UTF-8 REGION=beijing",
				"kube03": "1 nginx:1.27 LANG=C.UTF-8 REGION=shanghai",
				"kube04": "1 nginx:1.27 LANG=C.UTF-8 REGION=guangzhou",
			}},
		},
	} {
		t.Run(test.lab, func(t *testing.T) {
			once(t, oneCLI(t), test.setup, test.plan, test.want)
		})
	}
}

// The other labs take more than one step, or must fail.

func TestLabBWithBothMembersInOneRegion(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), setup{
		members:   map[string]string{"kube02": `{ region = "beijing" }`, "kube03": `{ region = "beijing" }`},
		templates: []string{lab(t, "01-demoapp-deployment.yaml")},
		policies:  []string{lab(t, "04-propagationpolicy-ha.yaml")},
	}.files(t, fleet))
	w.fails([]string{demoapp + " cannot be placed by PropagationPolicy default/demoapp-ha",
		"spread constraint by region: 2 wanted, 1 available (beijing)"}, "plan", "-no-color")
}

func TestLabC(t *testing.T) {
	fleet := acceptance(t)
	minimal := setup{
		members:   twoRegions,
		templates: []string{lab(t, "01-demoapp-deployment.yaml")},
		policies:  []string{lab(t, "02-propagationpolicy.yaml")},
	}
	w := newWorkspace(t, oneCLI(t), minimal.files(t, fleet))
	w.apply()
	different := minimal
	different.policies = append(different.policies, lab(t, "03-overridepolicy.yaml"))
	w.write(different.files(t, fleet))
	plan := changes(w.plan())
	says(t, plan, `~ "spec.template.spec.containers[name=demoapp].image" = "ikubernetes/demoapp:v1.0" -> "ikubernetes/demoapp:v1.1"`,
		"kube03", "(1 unchanged element hidden)", "0 to add, 1 to change, 0 to destroy")
	silent(t, plan, "kube02", "spec.replicas")
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "4 ikubernetes/demoapp:v1.0", "kube03": "4 ikubernetes/demoapp:v1.1"})
	w.settled()
}

func TestLabG(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), setup{
		members:   twoRegions,
		templates: []string{lab(t, "01-demoapp-deployment.yaml")},
		policies:  []string{lab(t, "03-overridepolicy.yaml")},
	}.files(t, fleet))
	w.fails([]string{"No policy selects", demoapp + " (templates[0]", "whose resourceSelectors select"}, "plan", "-no-color")
}

func TestLabH(t *testing.T) {
	fleet := acceptance(t)
	s := setup{
		members:   maps.Clone(twoRegions),
		templates: []string{lab(t, "01-demoapp-deployment.yaml")},
		policies: []string{replaced(t, lab(t, "02-propagationpolicy.yaml"),
			"clusterNames: [kube02, kube03]", "labelSelector: {matchLabels: {region: beijing}}")},
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "4 ikubernetes/demoapp:v1.0"})
	w.settled()

	s.members["kube04"] = twoRegions["kube02"]
	w.write(s.files(t, fleet))
	plan := changes(w.plan())
	says(t, plan, `+ "kube04" = jsonencode(`, "(1 unchanged element hidden)", "1 to add, 1 to change, 0 to destroy")
	silent(t, plan, "kube02", "kube03")
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "4 ikubernetes/demoapp:v1.0", "kube04": "4 ikubernetes/demoapp:v1.0"})
	w.settled()
}

func TestLabJ(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), setup{members: twoRegions, templates: []string{shop}, policies: []string{shopPolicy}}.files(t, fleet))
	w.apply()
	w.settled()
	for _, member := range []string{"kube02", "kube03"} {
		if got := live(t, fleet, member, "v1", "ConfigMap", "shop", "settings", "data", "currency"); got != "EUR" {
			t.Errorf("%s: currency is %v, want EUR", member, got)
		}
	}
	w.destroy()
	for _, member := range []string{"kube02", "kube03"} {
		if exists(t, fleet, member, "v1", "Namespace", "", "shop") {
			t.Errorf("%s still has the Namespace", member)
		}
	}
}

func TestLabP(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), setup{
		members:   twoRegions,
		templates: []string{lab(t, "01-demoapp-deployment.yaml")},
		policies:  []string{lab(t, "inline-overrides-mistake.yaml")},
	}.files(t, fleet))
	w.fails([]string{
		"policies[0], document 1: PropagationPolicy default/wrong",
		"spec.placement.overrides: unknown field: Karmada has no such field: write an OverridePolicy",
		"spec.placement.failover: unknown field: it is spec.failover",
	}, "validate", "-no-color")
}

const shop = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {currency: EUR}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
`

const shopPolicy = `apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: shop}
spec:
  resourceSelectors:
    - {apiVersion: v1, kind: Namespace, name: shop}
    - {apiVersion: v1, kind: ConfigMap, namespace: shop}
  placement:
    clusterAffinity: {clusterNames: [kube02, kube03]}
`

const webapp = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: web
          image: nginx:1.27
          env: [{name: LANG, value: C.UTF-8}]
`

const threeRegionsPolicy = `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: web
spec:
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment, name: web}
  placement:
    spreadConstraints:
      - {spreadByField: region, minGroups: 3, maxGroups: 3}
      - {spreadByField: cluster, minGroups: 3, maxGroups: 3}
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
`

var regionPolicy = `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata:
  name: web
spec:
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment, name: web}
  overrideRules:
` + setRegion("kube02", "beijing") + setRegion("kube03", "shanghai") + setRegion("kube04", "guangzhou")

// setRegion returns an override rule that sets the environment variable REGION on one member.
func setRegion(member, region string) string {
	return fmt.Sprintf(`    - targetCluster: {clusterNames: [%s]}
      overriders:
        plaintext:
          - {path: /spec/template/spec/containers/0/env/-, operator: add, value: {name: REGION, value: %s}}
`, member, region)
}
