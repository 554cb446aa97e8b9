package propagation

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// input returns an input of documents and members that hold nothing yet.
func input(t *testing.T, members []Member, documents ...string) Input {
	t.Helper()
	kinds, err := interpreter.New()
	if err != nil {
		t.Fatal(err)
	}
	in := Input{
		Members: members, Interpreter: kinds, Policies: &api.Policies{Namespace: "default"},
		Prior: Prior{Record: &Record{Members: map[string]*MemberRecord{}}},
	}
	for i, text := range documents {
		objects, err := manifest.Decode(manifest.Source{Argument: "templates", Index: i}, text)
		if err != nil {
			t.Fatal(err)
		}
		templates, policies := manifest.Split(objects)
		in.Templates = append(in.Templates, manifest.SetNamespace(templates, "default", nil)...)
		for _, p := range policies {
			if err := in.Policies.Add(p.Object, p.Source.String()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return in
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func named(names ...string) []Member {
	members := make([]Member, len(names))
	for i, name := range names {
		members[i].Cluster.Name = name
	}
	return members
}

// compute returns the output of a valid input.
func compute(t *testing.T, in Input) *Output {
	t.Helper()
	out, problems := Compute(in)
	for _, p := range problems {
		if !p.Note {
			t.Fatal(p)
		}
	}
	return out
}

func field(t *testing.T, out *Output, member, key string, at ...string) any {
	t.Helper()
	work, ok := out.Works[member][key]
	if !ok {
		t.Fatalf("%s has no %s", member, key)
	}
	value, _, err := unstructured.NestedFieldNoCopy(work.Object.Object, at...)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func image(t *testing.T, out *Output, member, key string) any {
	t.Helper()
	containers, ok := field(t, out, member, key, "spec", "template", "spec", "containers").([]any)
	if !ok || len(containers) == 0 {
		t.Fatalf("%s on %s has no containers", key, member)
	}
	first, ok := containers[0].(map[string]any)
	if !ok {
		t.Fatalf("%s on %s: container is no object", key, member)
	}
	return first["image"]
}

const demoapp = "Deployment.apps/default/demoapp"

func TestComputeDuplicates(t *testing.T) {
	out := compute(t, input(t, named("kube02", "kube03"), testdata(t, "01-demoapp-deployment.yaml"), testdata(t, "02-propagationpolicy.yaml")))
	for _, member := range []string{"kube02", "kube03"} {
		if got := field(t, out, member, demoapp, "spec", "replicas"); got != int64(4) {
			t.Errorf("%s: %v replicas, want 4", member, got)
		}
	}
	if want := "duplicated: 4 on each member, 8 in all"; out.Placements[demoapp].Reason != want {
		t.Errorf("reason %q, want %q", out.Placements[demoapp].Reason, want)
	}
}

func TestComputeOverridesOneMember(t *testing.T) {
	out := compute(t, input(t, named("kube02", "kube03"), testdata(t, "01-demoapp-deployment.yaml"),
		testdata(t, "02-propagationpolicy.yaml"), testdata(t, "03-overridepolicy.yaml")))
	if got := image(t, out, "kube02", demoapp); got != "ikubernetes/demoapp:v1.0" {
		t.Errorf("kube02: image %v", got)
	}
	if got := image(t, out, "kube03", demoapp); got != "ikubernetes/demoapp:v1.1" {
		t.Errorf("kube03: image %v", got)
	}
}

func TestComputeDividesByStaticWeights(t *testing.T) {
	out := compute(t, input(t, named("kube02", "kube03"), testdata(t, "01-demoapp-deployment.yaml"), testdata(t, "06-propagationpolicy-failover.yaml")))
	want := map[string]Replicas{"kube02": {Count: 3}, "kube03": {Count: 1}}
	if got := out.Placements[demoapp].Clusters; !reflect.DeepEqual(got, want) {
		t.Errorf("clusters %v, want %v", got, want)
	}
	if got := field(t, out, "kube03", demoapp, "spec", "replicas"); got != int64(1) {
		t.Errorf("kube03: %v replicas, want 1", got)
	}
}

func TestComputeOrderService(t *testing.T) {
	members := named("cluster-prod-east", "cluster-prod-west", "cluster-staging")
	for i, region := range []string{"cn-east", "cn-west", "cn-east"} {
		members[i].Cluster.Labels = map[string]string{"env": "production", "region": region}
	}
	members[2].Cluster.Labels["env"] = "staging"
	other := strings.ReplaceAll(strings.SplitN(testdata(t, "order-service.yaml"), "---\n", 2)[0], "order-service", "other")
	out := compute(t, input(t, members, testdata(t, "order-service.yaml"), other))
	key := "Deployment.apps/default/order-service"
	if got := field(t, out, "cluster-prod-east", key, "spec", "replicas"); got != int64(7) {
		t.Errorf("east: %v replicas, want 7", got)
	}
	if got := field(t, out, "cluster-prod-west", key, "spec", "replicas"); got != int64(3) {
		t.Errorf("west: %v replicas, want 3", got)
	}
	if got := image(t, out, "cluster-prod-west", key); got != "registry-west.example.com/redis:7.2" {
		t.Errorf("west: image %v", got)
	}
	if got := field(t, out, "cluster-prod-west", "Deployment.apps/default/other", "spec", "replicas"); got != int64(10) {
		t.Errorf("other on west: %v replicas, want 10", got)
	}
	if len(out.Works["cluster-staging"]) != 0 {
		t.Errorf("staging gets %d objects, want none", len(out.Works["cluster-staging"]))
	}
}

func TestComputeFollowsDependencies(t *testing.T) {
	deployment := strings.Replace(testdata(t, "01-demoapp-deployment.yaml"), "image: ikubernetes/demoapp:v1.0",
		"image: ikubernetes/demoapp:v1.0\n          envFrom: [{configMapRef: {name: settings}}]", 1)
	settings := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n"
	out := compute(t, input(t, named("kube02", "kube03", "kube04"), deployment, settings, testdata(t, "02-propagationpolicy.yaml")))
	want := map[string]Replicas{"kube02": {None: true}, "kube03": {None: true}}
	got := out.Placements["ConfigMap/default/settings"]
	if !reflect.DeepEqual(got.Clusters, want) || got.Reason != "follows "+demoapp {
		t.Errorf("placement %+v", got)
	}
}

func TestComputeNeedsAPolicyForEachTemplate(t *testing.T) {
	in := input(t, named("kube02"), testdata(t, "01-demoapp-deployment.yaml"),
		strings.ReplaceAll(testdata(t, "02-propagationpolicy.yaml"), "name: demoapp", "name: demoap"))
	_, problems := Compute(in)
	if len(problems) != 1 || problems[0].Note {
		t.Fatalf("problems %v, want one error", problems)
	}
	for _, want := range []string{demoapp, "templates[0], document 1", "PropagationPolicy default/demoap selects the name demoap", `unmatched = "ignore"`} {
		if !strings.Contains(problems[0].Detail, want) {
			t.Errorf("detail %q does not say %q", problems[0].Detail, want)
		}
	}

	_, problems = Compute(input(t, named("kube02"), testdata(t, "01-demoapp-deployment.yaml"),
		strings.ReplaceAll(testdata(t, "02-propagationpolicy.yaml"), "kind: Deployment", "kind: deployment")))
	if len(problems) != 1 || !strings.Contains(problems[0].Detail, "PropagationPolicy default/demoapp selects kind deployment, the template has Deployment") {
		t.Errorf("problems %v do not say how the kinds differ", problems)
	}

	in.IgnoreUnmatched = true
	if out := compute(t, in); len(out.Placements) != 0 {
		t.Errorf("placements %v, want none", out.Placements)
	}

	in.Prior.Works = Works{"kube02": Objects{demoapp: manifest.Fields{"apiVersion": "apps/v1"}}}
	if _, problems = Compute(in); len(problems) != 1 || problems[0].Summary != "Policy is gone for templates that run" {
		t.Errorf("problems %v, want that the policy is gone", problems)
	}
}

func TestComputeSaysWhyNothingFits(t *testing.T) {
	members := named("kube05", "kube06")
	_, problems := Compute(input(t, members, testdata(t, "01-demoapp-deployment.yaml"), testdata(t, "02-propagationpolicy.yaml")))
	var details []string
	for _, p := range problems {
		details = append(details, p.Detail)
	}
	all := strings.Join(details, "\n")
	for _, want := range []string{"0/2 members fit: 2 did not match the affinity", "names kube02 and kube03 in spec.placement.clusterAffinity.clusterNames, and the members of this propagation are kube05 and kube06"} {
		if !strings.Contains(all, want) {
			t.Errorf("problems %q do not say %q", all, want)
		}
	}
}

func TestComputeTellsOnceWhatIsWrongOnManyMembers(t *testing.T) {
	_, problems := Compute(input(t, named("kube02", "kube03"), testdata(t, "01-demoapp-deployment.yaml"), testdata(t, "02-propagationpolicy.yaml"),
		`{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: wrong}, spec: {
		  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}],
		  overrideRules: [{overriders: {plaintext: [{path: /spec/template/spec/containers/7/image, operator: replace, value: a}]}}]}}`))
	if len(problems) != 1 || !strings.HasSuffix(problems[0].Detail, "On kube02 and kube03.") || strings.Contains(problems[0].Detail, "on member") {
		t.Errorf("problems are %v, want one for both members", problems)
	}
}

func TestComputeLetsOverridesAddMarksToTemplatesWithoutAny(t *testing.T) {
	out := compute(t, input(t, named("kube02", "kube03"), settings, everywhere,
		`{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: marked}, spec: {overrideRules: [{targetCluster: {clusterNames: [kube02]}, overriders: {plaintext: [
		  {path: /metadata/annotations/a, operator: add, value: b}, {path: /metadata/labels/c, operator: add, value: d}]}}]}}`))
	marked, plain := out.Works["kube02"][settingsKey].Object, out.Works["kube03"][settingsKey].Object
	if marked.GetAnnotations()["a"] != "b" || marked.GetLabels()["c"] != "d" {
		t.Errorf("kube02 gets %v", marked)
	}
	for _, name := range []string{"annotations", "labels"} {
		if marks, found, _ := unstructured.NestedMap(plain.Object, "metadata", name); found {
			t.Errorf("kube03 gets the %s %v, want none", name, marks)
		}
	}
}

func TestComputeChecksWhatOverridesMakeOfAnObject(t *testing.T) {
	const rule = "OverridePolicy default/wrong, overrideRules[0].overriders.plaintext[0]: Deployment.apps/default/demoapp is no valid object any more: "
	for name, test := range map[string]struct{ patch, want string }{
		"a wrong type":       {`{path: /spec/replicas, operator: replace, value: two}`, "spec.replicas: "},
		"out of range":       {`{path: /spec/replicas, operator: replace, value: 4294967296}`, "spec.replicas: "},
		"a field unheard of": {`{path: /spec/replica, operator: add, value: 2}`, "spec.replica: unknown field; did you mean replicas? On kube02 and kube03."},
		"an item twice": {`{path: /spec/template/spec/containers/-, operator: add, value: {name: demoapp, image: a}}`,
			"spec.template.spec.containers"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Compute(input(t, named("kube02", "kube03"), testdata(t, "01-demoapp-deployment.yaml"), testdata(t, "02-propagationpolicy.yaml"),
				"{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: wrong}, spec: {overrideRules: [{overriders: {plaintext: ["+test.patch+"]}}, {overriders: {labelsOverrider: [{operator: remove, value: {none: a}}]}}]}}"))
			if len(problems) != 1 || problems[0].Note || !strings.HasPrefix(problems[0].Detail, rule+test.want) || !strings.HasSuffix(problems[0].Detail, "On kube02 and kube03.") {
				t.Errorf("problems are %v, want one that says %s%s", problems, rule, test.want)
			}
		})
	}
}

func TestComputeDoesNotDependOnOrder(t *testing.T) {
	documents := []string{testdata(t, "01-demoapp-deployment.yaml"), testdata(t, "03-overridepolicy.yaml"), testdata(t, "06-propagationpolicy-failover.yaml")}
	one := compute(t, input(t, named("kube02", "kube03"), documents...))
	other := compute(t, input(t, named("kube03", "kube02"), documents[2], documents[1], documents[0]))
	if !reflect.DeepEqual(one.Placements, other.Placements) {
		t.Errorf("placements differ: %v and %v", one.Placements, other.Placements)
	}
	for member := range one.Works {
		if !reflect.DeepEqual(one.Works[member][demoapp].Object, other.Works[member][demoapp].Object) {
			t.Errorf("%s: objects differ", member)
		}
	}
}

func TestComputeKeepsTaintedMembersAtWhatTheyHave(t *testing.T) {
	members := named("kube02", "kube03")
	members[1].Cluster.Spec.Taints = EffectiveTaints(nil, true, Unhealthy{})
	in := input(t, members, strings.Replace(testdata(t, "01-demoapp-deployment.yaml"), "replicas: 4", "replicas: 8", 1), testdata(t, "06-propagationpolicy-failover.yaml"))
	in.Prior.Placements = map[string]Placement{demoapp: {Clusters: map[string]Replicas{"kube02": {Count: 3}, "kube03": {Count: 1}}}}
	want := map[string]Replicas{"kube02": {Count: 7}, "kube03": {Count: 1}}
	if got := compute(t, in).Placements[demoapp].Clusters; !reflect.DeepEqual(got, want) {
		t.Errorf("clusters %v, want %v", got, want)
	}
}

func TestComputeNotesOverridesForMembersThatAreNotThere(t *testing.T) {
	in := input(t, named("kube02", "kube03"), testdata(t, "01-demoapp-deployment.yaml"), testdata(t, "02-propagationpolicy.yaml"),
		strings.Replace(testdata(t, "03-overridepolicy.yaml"), "[kube03]", "[kube3]", 1))
	_, problems := Compute(in)
	if len(problems) != 1 || !problems[0].Note || !strings.Contains(problems[0].Detail, "OverridePolicy default/demoapp names kube3 (did you mean kube03?) in spec.overrideRules[0].targetCluster.clusterNames, and the members") {
		t.Errorf("problems %v, want a note about kube3", problems)
	}
}

func TestComputeSaysThatNamespacesNeedAClusterPolicy(t *testing.T) {
	namespace := "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
	policy := strings.NewReplacer("apps/v1", "v1", "kind: Deployment", "kind: Namespace", "name: demoapp", "name: shop").Replace(testdata(t, "02-propagationpolicy.yaml"))
	_, problems := Compute(input(t, named("kube02"), namespace, policy))
	if len(problems) == 0 || !strings.Contains(problems[0].Detail, "only a ClusterPropagationPolicy selects cluster-scoped objects") {
		t.Errorf("problems %v", problems)
	}
}

func TestComputeNotesKindsOfWhichTheReplicasAreNotKnown(t *testing.T) {
	rollout := strings.NewReplacer("apps/v1", "example.com/v1", "kind: Deployment", "kind: Rollout")
	in := input(t, named("kube02", "kube03"), rollout.Replace(testdata(t, "01-demoapp-deployment.yaml")), rollout.Replace(testdata(t, "06-propagationpolicy-failover.yaml")))
	_, problems := Compute(in)
	if len(problems) != 1 || !problems[0].Note || !strings.Contains(problems[0].Detail, "each member gets all 4. Declare the kind in interpreters") {
		t.Errorf("problems %v, want a note", problems)
	}
}

func TestComputeRefusesOverridesOfIdentity(t *testing.T) {
	for _, path := range []string{"/metadata/name", "/metadata/namespace", "/kind"} {
		overriders := "plaintext: [{path: " + path + ", operator: replace, value: zz}]"
		policy := "apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterOverridePolicy\nmetadata: {name: identity}\nspec:\n  overrideRules:\n" +
			"    - targetCluster: {clusterNames: [kube03]}\n      overriders: {" + overriders + "}\n"
		_, problems := Compute(input(t, named("kube02", "kube03"), settings, everywhere, policy))
		const rule = "ClusterOverridePolicy identity, overrideRules[0].overriders.plaintext[0]: ConfigMap/default/settings would become "
		if !failed(problems) || !strings.Contains(problems[0].Detail, "cannot be overridden") || !strings.HasPrefix(problems[0].Detail, rule) {
			t.Errorf("%s: problems %v, want an error", path, problems)
		}
	}
}
