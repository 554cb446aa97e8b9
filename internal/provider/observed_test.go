package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// dividedByCapacity is a policy of the demoapp Deployment that divides its replicas by what members have room for.
func dividedByCapacity(preference string) string {
	return `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: demoapp
spec:
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment, name: demoapp}
  placement:
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: ` + preference + "\n"
}

const (
	aggregated    = "Aggregated"
	dynamicWeight = "Weighted\n      weightPreference: {dynamicWeight: AvailableReplicas}"
)

// withRoom gives a member a node that has room for so many Pods, and a lot of everything else.
func withRoom(t *testing.T, fleet *testfleet.Fleet, member string, pods int) {
	t.Helper()
	nodes := client(t, fleet, member, "v1", "Node", "")
	_, err := nodes.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "node"},
	}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	room := fmt.Appendf(nil, `{"status": {"allocatable": {"cpu": "64", "memory": "256Gi", "pods": "%d"}}}`, pods)
	if _, err := nodes.Patch(t.Context(), "node", types.MergePatchType, room, metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
}

// observing is a propagation of the demoapp Deployment with so many replicas, divided by what two members are seen to have
// room for.
func observing(t *testing.T, replicas int, preference string) setup {
	return setup{
		members:   twoRegions,
		templates: []string{replaced(t, deployment, "replicas: 4", fmt.Sprintf("replicas: %d", replicas))},
		policies:  []string{dividedByCapacity(preference)},
		arguments: map[string]string{"observed": "data.multicluster_members.all.members"},
		more:      "data \"multicluster_members\" \"all\" {}\n",
	}
}

// placement returns what the state says of where the demoapp Deployment is.
func (w *workspace) placement() (p struct {
	Clusters  map[string]int64
	Group     string
	Reason    string
	Suspended []string
},
) {
	w.t.Helper()
	text, _ := w.attribute(app, "placements").(map[string]any)[demoapp].(string)
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		w.t.Fatalf("placement %q: %v", text, err)
	}
	return p
}

// placed fails the test unless the state and the members have the replicas of the demoapp Deployment; 0 is no Deployment.
func placed(t *testing.T, fleet *testfleet.Fleet, w *workspace, want map[string]int64) {
	t.Helper()
	got := map[string]int64{}
	for member := range want {
		if obj := get(t, fleet, member, "apps/v1", "Deployment", "default", "demoapp"); obj != nil {
			got[member], _, _ = unstructured.NestedInt64(obj.Object, "spec", "replicas")
		} else {
			got[member] = 0
		}
	}
	if !maps.Equal(got, want) {
		t.Fatalf("replicas on the members are %v, want %v", got, want)
	}
	inState := maps.Clone(want)
	maps.DeleteFunc(inState, func(_ string, n int64) bool { return n == 0 })
	if stored := w.placement().Clusters; !maps.Equal(stored, inState) {
		t.Fatalf("replicas in the state are %v, want %v", stored, inState)
	}
}

// Replicas are divided by what members have room for when they are placed, and stay there while room comes and goes.
func TestDynamicWeights(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		withRoom(t, fleet, "kube02", 9)
		withRoom(t, fleet, "kube03", 3)
		s := observing(t, 8, dynamicWeight)
		w := newWorkspace(t, cli, s.files(t, fleet))
		says(t, w.plan(), "divided by capacity kube02 9, kube03 3")
		w.apply()
		placed(t, fleet, w, map[string]int64{"kube02": 6, "kube03": 2})
		w.settled()
		withRoom(t, fleet, "kube02", 1)
		withRoom(t, fleet, "kube03", 100)
		w.settled()

		w.write(observing(t, 12, dynamicWeight).files(t, fleet))
		w.apply()
		placed(t, fleet, w, map[string]int64{"kube02": 6, "kube03": 6})
		w.settled()

		withRoom(t, fleet, "kube02", 100)
		again := observing(t, 12, dynamicWeight)
		again.arguments["rebalance_trigger"] = `"1"`
		w.write(again.files(t, fleet))
		w.apply()
		if got := w.placement(); got.Clusters["kube02"]+got.Clusters["kube03"] != 12 || got.Clusters["kube02"] < 5 || !strings.Contains(got.Reason, "divided by weights") {
			t.Errorf("after a rebalancing the placement is %+v, want 12 replicas in nearly equal parts", got)
		}
		w.settled()
	})
}

func TestAggregated(t *testing.T) {
	fleet := acceptance(t)
	withRoom(t, fleet, "kube02", 3)
	withRoom(t, fleet, "kube03", 9)
	w := newWorkspace(t, oneCLI(t), observing(t, 4, aggregated).files(t, fleet))
	w.apply()
	placed(t, fleet, w, map[string]int64{"kube02": 0, "kube03": 4})
	w.settled()
	w.write(observing(t, 10, aggregated).files(t, fleet))
	w.apply()
	if got := w.placement().Clusters; got["kube03"] < 8 || got["kube02"]+got["kube03"] != 10 {
		t.Errorf("replicas are %v, want kube03 to be filled first", got)
	}
	w.settled()
	w.write(observing(t, 100, aggregated).files(t, fleet))
	w.fails([]string{"Template cannot be placed", "replicas to place, but the members can take", "Nothing is removed"}, "plan", "-no-color")
}

// A member that cannot be seen is a row with the reason, and the read goes on.
func TestMembersThatCannotBeSeen(t *testing.T) {
	fleet := acceptance(t)
	withRoom(t, fleet, "kube02", 9)
	withRoom(t, fleet, "kube03", 9)
	s := observing(t, 4, dynamicWeight)
	s.more = `data "multicluster_members" "all" {}

data "multicluster_members" "some" {
  names   = ["kube02", "kube04", "old", "nowhere", "later", "stranger"]
  timeout = "20s"
}

resource "terraform_data" "later" {}

output "reasons" {
  value = { for name, seen in data.multicluster_members.some.members : name => seen.reason }
}

output "rooms" {
  value = { for name, seen in data.multicluster_members.some.members : name => try(seen.capacity.allocatable.pods, null) }
}
`
	s.connections = map[string]string{
		"kube04": `{ kubeconfig_path = "kubeconfig04", context = "kube04" }`, "old": "{ retired = true }", "later": "{ host = terraform_data.later.id }",
		"stranger": fmt.Sprintf("{ host = %q, cluster_ca_certificate = %q, token = %q }", fleet.Member("kube03").Host, string(fleet.Member("kube03").CA), fleet.Member("kube03").StrangerToken),
	}
	files := s.files(t, fleet)
	dead, err := testfleet.Kubeconfig(map[string]*testfleet.Member{"kube04": fleet.Member("kube04")})
	if err != nil {
		t.Fatal(err)
	}
	files["kubeconfig04"] = string(dead)
	fleet.Member("kube04").Cut()
	w := newWorkspace(t, oneCLI(t), files)
	says(t, w.plan(), `kube02 = null`, `kube04 = "Unreachable: `, `old = "it is retired"`, `nowhere = "the provider configuration has no connection for this member"`,
		`later = "its connection is not known yet"`, `stranger = "member stranger: list nodes: nodes is forbidden: `, `kube02 = "9"`, `kube04 = null`)

	since := time.Now()
	w.plan()
	requests, err := fleet.Member("kube02").Requests(since)
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]int{}
	for _, r := range requests {
		path, _, _ := strings.Cut(r.URI, "?")
		asked[path]++
	}
	for _, path := range []string{"/version", "/api", "/apis", "/api/v1/nodes", "/api/v1/pods"} {
		if asked[path] == 0 || asked[path] > 2 { // there are two data sources
			t.Errorf("%s is asked for %d times: %v", path, asked[path], slices.Sorted(maps.Keys(asked)))
		}
	}
}

// A member that swallows what it is sent is given up after the time that the data source allows.
func TestObservationIsBounded(t *testing.T) {
	fleet := acceptance(t)
	s := setup{members: twoRegions, templates: []string{deployment}, policies: []string{duplicatedPolicy}}
	s.more = `data "multicluster_members" "some" {
  names   = ["kube02", "kube03"]
  timeout = "2s"
}

output "reasons" {
  value = { for name, seen in data.multicluster_members.some.members : name => seen.reason }
}
`
	if err := fleet.Member("kube03").BlackHole(); err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	says(t, w.plan(), "kube02 = null", `kube03 = "no complete answer within 2s"`)
}

// What is not known of a member leaves what it has, and divides what is new equally.
func TestWithoutObservation(t *testing.T) {
	fleet := acceptance(t)
	s := observing(t, 8, dynamicWeight)
	delete(s.arguments, "observed")
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	says(t, w.plan(), "no observation yet: kube02, kube03")
	w.apply()
	placed(t, fleet, w, map[string]int64{"kube02": 4, "kube03": 4})
	w.settled()
	withRoom(t, fleet, "kube02", 90)
	withRoom(t, fleet, "kube03", 10)
	w.write(observing(t, 8, dynamicWeight).files(t, fleet))
	w.settled()
}

// An observation that waits for a change makes placements known after apply, with a warning that names it.
func TestObservationThatIsNotKnown(t *testing.T) {
	fleet := acceptance(t)
	withRoom(t, fleet, "kube02", 9)
	withRoom(t, fleet, "kube03", 3)
	s := observing(t, 8, dynamicWeight)
	s.more = "resource \"terraform_data\" \"change\" {}\n\ndata \"multicluster_members\" \"all\" {\n  depends_on = [terraform_data.change]\n}\n"
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	says(t, w.plan(), "Works are known after apply", "Not known yet: observed.", "placements = (known after apply)")
	w.apply()
	placed(t, fleet, w, map[string]int64{"kube02": 6, "kube03": 2})
	w.settled()
}

// Members that do not serve a kind are no candidates, custom resources get the scope that they have there, and a definition
// that is placed serves its kind.
func TestKindsThatAreServed(t *testing.T) {
	fleet := acceptance(t)
	s := setup{
		members: twoRegions,
		templates: []string{`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: planets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: planets, singular: planet, kind: Planet}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`, "apiVersion: example.com/v1\nkind: Planet\nmetadata: {name: earth}\n"},
		policies: []string{`apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: planets}
spec:
  resourceSelectors: [{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}]
  placement: {clusterAffinity: {clusterNames: [kube03]}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: earth}
spec:
  resourceSelectors: [{apiVersion: example.com/v1, kind: Planet}]
`},
		arguments: map[string]string{"observed": "data.multicluster_members.all.members"},
		more:      "data \"multicluster_members\" \"all\" {}\n",
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	says(t, w.apply(), "did not serve example.com/v1 Planet")
	if !exists(t, fleet, "kube03", "example.com/v1", "Planet", "", "earth") {
		t.Error("kube03 has no Planet")
	}
	w.settled()

	// A second propagation without the definition knows the scope from what was seen.
	s.templates, s.arguments = s.templates[1:], maps.Clone(s.arguments)
	s.templates[0], s.arguments["name"] = replaced(t, s.templates[0], "earth", "mars"), `"other"`
	other := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	says(t, other.apply(), `"Planet.example.com/mars"`)
	other.settled()
}

// A suspended member is frozen and shown so; the others go on.
func TestSuspension(t *testing.T) {
	fleet := acceptance(t)
	s := setup{members: twoRegions, templates: []string{deployment}, policies: []string{duplicatedPolicy}}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	s.templates = []string{replaced(t, deployment, "replicas: 4", "replicas: 5")}
	s.arguments = map[string]string{"suspension": `{ dispatching_on_clusters = { cluster_names = ["kube03"] } }`}
	w.write(s.files(t, fleet))
	says(t, w.apply(), "Warning: Changes are suspended", "kube03: Deployment.apps/default/demoapp")
	if got := w.placement().Suspended; !slices.Equal(got, []string{"kube03"}) {
		t.Errorf("suspended in the state: %v", got)
	}
	running := func(want map[string]any) {
		t.Helper()
		got := map[string]any{}
		for member := range want {
			got[member] = live(t, fleet, member, "apps/v1", "Deployment", "default", "demoapp", "spec", "replicas")
		}
		if !maps.Equal(got, want) {
			t.Fatalf("replicas are %v, want %v", got, want)
		}
	}
	running(map[string]any{"kube02": int64(5), "kube03": int64(4)})
	w.settled()
	s.arguments = nil
	w.write(s.files(t, fleet))
	plan := w.plan()
	says(t, plan, "4 -> 5", "0 to add, 1 to change, 0 to destroy")
	silent(t, plan, "Changes are suspended")
	w.apply()
	running(map[string]any{"kube02": int64(5), "kube03": int64(5)})
	w.settled()
}

// Objects return to the first group that fits, unless failback is Never.
func TestFailback(t *testing.T) {
	fleet := acceptance(t)
	gold := func(labels string) map[string]string {
		return map[string]string{"kube02": "{ labels = { " + labels + " } }", "kube03": "{}"}
	}
	s := setup{
		members: gold(""), templates: []string{deployment}, arguments: map[string]string{"failback": `"Never"`},
		policies: []string{`apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: demoapp
spec:
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment, name: demoapp}
  placement:
    clusterAffinities:
      - affinityName: gold
        labelSelector: {matchLabels: {tier: gold}}
      - affinityName: any
        clusterNames: [kube03]
`},
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	says(t, w.apply(), "group gold was passed over")
	placed(t, fleet, w, map[string]int64{"kube02": 0, "kube03": 4})
	s.members = gold(`tier = "gold"`)
	w.write(s.files(t, fleet))
	w.apply()
	placed(t, fleet, w, map[string]int64{"kube02": 0, "kube03": 4})
	w.settled()
	s.arguments = nil
	w.write(s.files(t, fleet))
	w.apply()
	placed(t, fleet, w, map[string]int64{"kube02": 4, "kube03": 0})
	w.settled()
}

// What Pods use and wait for is what the members say, seen by few requests.
func TestLiveCapacity(t *testing.T) {
	acceptance(t)
	fleet, err := testfleet.Start(t.Context(), testfleet.Options{Members: []string{"kube05"}, Nodes: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := fleet.Stop(); err != nil {
			t.Error(err)
		}
	})
	workload := replaced(t, deployment, "image: ikubernetes/demoapp:v1.0", "image: ikubernetes/demoapp:v1.0\n          resources: {requests: {cpu: 500m, memory: 1Gi}}")
	s := observing(t, 4, aggregated)
	s.members, s.templates = map[string]string{"kube05": "{}"}, []string{workload}
	s.more += `
data "multicluster_members" "graded" {
  grades = [{ cpu = "0", memory = "0" }, { cpu = "6", memory = "16Gi" }]
}

output "seen" {
  value = data.multicluster_members.graded.members.kube05
}
`
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	says(t, w.apply(), "capacity kube05 16") // 8 CPUs
	placed(t, fleet, w, map[string]int64{"kube05": 4})
	type seen struct {
		KubernetesVersion string `json:"kubernetes_version"`
		Nodes             map[string]int
		Capacity          struct {
			Allocatable, Allocated, Allocating map[string]string
			Grades                             []struct {
				Min   map[string]string
				Nodes int
			}
		}
		APIs   string
		Reason *string
	}
	var got seen
	running := func() bool {
		w.apply()
		got = seen{}
		if err := json.Unmarshal([]byte(w.must("output", "-json", "seen")), &got); err != nil {
			t.Fatal(err)
		}
		return got.Capacity.Allocated["pods"] == "4"
	}
	for range 20 {
		if running() {
			break
		}
		time.Sleep(time.Second)
	}
	capacity := got.Capacity
	if !strings.HasPrefix(got.KubernetesVersion, "v1.") || got.Nodes["total"] != 1 || got.Nodes["ready"] != 1 || got.Reason != nil {
		t.Errorf("seen %+v", got)
	}
	if capacity.Allocatable["cpu"] != "8" || capacity.Allocatable["memory"] != "32Gi" || capacity.Allocatable["pods"] != "110" {
		t.Errorf("allocatable is %v", capacity.Allocatable)
	}
	if capacity.Allocated["cpu"] != "2" || capacity.Allocated["memory"] != "4Gi" || capacity.Allocated["pods"] != "4" || len(capacity.Allocating) != 0 {
		t.Errorf("allocated is %v, allocating %v", capacity.Allocated, capacity.Allocating)
	}
	if len(capacity.Grades) != 2 || capacity.Grades[0].Nodes != 0 || capacity.Grades[1].Nodes != 1 || capacity.Grades[1].Min["memory"] != "16Gi" {
		t.Errorf("grades are %v", capacity.Grades)
	}
	var scopes map[string]map[string]string
	if err := json.Unmarshal([]byte(got.APIs), &scopes); err != nil || scopes["apps/v1"]["Deployment"] != "Namespaced" || scopes["v1"]["Namespace"] != "Cluster" {
		t.Errorf("kinds are %s: %v", got.APIs, err)
	}
	w.settled()
}
