package provider_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// threeMembers are the members of the application; kube03 and kube04 have it their own way.
var threeMembers = map[string]string{
	"kube02": `{ region = "beijing" }`,
	"kube03": `{ region = "shanghai", labels = { own = "true" }, variables = { role = "arn:aws:iam::3:role/web", certificate = "arn:aws:acm:3" } }`,
	"kube04": `{ region = "guangzhou", labels = { own = "true" }, variables = { role = "arn:aws:iam::4:role/web", certificate = "arn:aws:acm:4" } }`,
}

// application returns the objects of testdata/application.yaml, and a setup that runs them on three members.
func application(t *testing.T) ([]manifest.Object, setup) {
	t.Helper()
	text := file(t, "application.yaml")
	objects, err := manifest.Decode(manifest.Source{Argument: "templates"}, text)
	if err != nil {
		t.Fatal(err)
	}
	return objects, setup{
		members:   maps.Clone(threeMembers),
		templates: []string{text},
		policies:  []string{file(t, "application-policies.yaml")},
	}
}

// file returns a file of testdata.
func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestApplication applies 42 objects of as many kinds as an application has, overridden on two of three members. Everything is
// there after the first apply, nothing is to be done then, and nothing is left after a destroy.
func TestApplication(t *testing.T) {
	fleet := acceptance(t)
	objects, s := application(t)
	if len(objects) < 40 {
		t.Fatalf("the application has %d objects only", len(objects))
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	silent(t, w.apply(), "with "+app, "correct-horse", "battery-staple")
	for _, member := range memberNames {
		for _, object := range objects {
			if !exists(t, fleet, member, object.GetAPIVersion(), object.GetKind(), object.GetNamespace(), object.GetName()) {
				t.Errorf("%s lacks %s", member, object.Key())
			}
		}
		if got := len(w.works(member)); got != len(objects) {
			t.Errorf("the state has %d objects on %s, want %d", got, member, len(objects))
		}
	}
	checkApplication(t, fleet)
	w.settled()

	labelled := s
	labelled.policies = append(labelled.policies, everythingLabelled)
	w.write(labelled.files(t, fleet))
	w.apply() // every object is sent once more, Jobs and what is immutable too
	for _, object := range objects {
		if got := live(t, fleet, "kube02", object.GetAPIVersion(), object.GetKind(), object.GetNamespace(), object.GetName(), "metadata", "labels", "release"); got != "2" {
			t.Errorf("%s has the label release %v, want 2", object.Key(), got)
		}
	}
	checkApplication(t, fleet)
	w.settled()

	w.destroy()
	for _, member := range memberNames {
		for _, object := range objects {
			if object.GetKind() != "Namespace" && object.GetNamespace() != "" {
				continue // gone with the Namespace, or with its definition
			}
			if exists(t, fleet, member, object.GetAPIVersion(), object.GetKind(), "", object.GetName()) {
				t.Errorf("%s still has %s", member, object.Key())
			}
		}
	}
}

const everythingLabelled = `apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: release}
spec: {overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {release: "2"}}]}}]}
`

// checkApplication compares what runs with what templates and overrides say, member by member.
func checkApplication(t *testing.T, fleet *testfleet.Fleet) {
	t.Helper()
	const containers = "spec.template.spec.containers"
	for _, check := range []struct {
		object, path string
		want         [3]any // on kube02, kube03 and kube04
	}{
		{"apps/v1 Deployment web", containers + "[name=web].image", [3]any{"registry.example.com/example/web:1.0", "kube03.registry.example.com/example/web:1.0", "kube04.registry.example.com/example/web:1.0"}},
		{"apps/v1 Deployment web", "spec.template.spec.initContainers[name=wait].image", [3]any{"busybox:1.36", "kube03.registry.example.com/busybox:1.36", "kube04.registry.example.com/busybox:1.36"}},
		{"batch/v1 CronJob report", "spec.jobTemplate.spec.template.spec.containers[name=report].image", [3]any{"example/report:1.0", "kube03.registry.example.com/example/report:1.0", "kube04.registry.example.com/example/report:1.0"}},
		{"apps/v1 Deployment worker", "spec.replicas", [3]any{int64(1), int64(3), int64(1)}},
		{"apps/v1 Deployment worker", containers + "[name=worker].command", [3]any{[]any{"worker"}, []any{"worker", "--region", "shanghai"}, []any{"worker"}}},
		{"apps/v1 Deployment worker", containers + "[name=worker].args", [3]any{[]any{"--queue=default"}, []any{"--queue=kube03"}, []any{"--queue=default"}}},
		{"apps/v1 StatefulSet database", "spec.replicas", [3]any{int64(3), int64(3), int64(1)}},
		{"apps/v1 StatefulSet database", "spec.volumeClaimTemplates[0].spec.resources.requests.storage", [3]any{"10Gi", "10Gi", "20Gi"}},
		{"apps/v1 DaemonSet agent", containers + "[name=agent].env[name=CLUSTER].value", [3]any{"unnamed", "kube03", "kube04"}},
		{"v1 ConfigMap agent", `data["agent.yaml"]`, [3]any{
			"cluster: unnamed\noutputs: [{kind: stdout, line: \"{{ .Message }}\"}]\n",
			"cluster: kube03\noutputs:\n- kind: stdout\n  line: '{{ .Message }}'\n",
			"cluster: kube04\noutputs:\n- kind: stdout\n  line: '{{ .Message }}'\n"}},
		{"v1 ConfigMap settings", `data["settings.json"]`, [3]any{"{\"theme\": \"light\", \"retries\": 3}\n", "{\"theme\": \"light\", \"retries\": 3}\n", `{"theme":"dark","retries":3}`}},
		{"v1 ConfigMap settings", "metadata.labels.member", [3]any{nil, "kube03", "kube04"}},
		{"v1 ServiceAccount web", `metadata.annotations["example.com/role"]`, [3]any{"none", "arn:aws:iam::3:role/web", "arn:aws:iam::4:role/web"}},
		{"networking.k8s.io/v1 Ingress web", `metadata.annotations["example.com/certificate"]`, [3]any{"none", "arn:aws:acm:3", "arn:aws:acm:4"}},
		{"networking.k8s.io/v1 Ingress web", "spec.rules[0].host", [3]any{"shop.example.com", "shanghai.shop.example.com", "guangzhou.shop.example.com"}},
		{"v1 Secret database", "data.password", [3]any{"Y29ycmVjdC1ob3JzZQ==", "Y29ycmVjdC1ob3JzZQ==", "Y29ycmVjdC1ob3JzZQ=="}},
		{"shop.example.com/v1 Catalog main", "spec.size", [3]any{int64(10), int64(10), int64(10)}},
		{"batch/v1 Job seed", "spec.ttlSecondsAfterFinished", [3]any{int64(60), int64(60), int64(60)}},
	} {
		parts := strings.Fields(check.object)
		for i, member := range memberNames {
			obj := get(t, fleet, member, parts[0], parts[1], "shop", parts[2])
			if obj == nil {
				t.Errorf("%s lacks %s", member, check.object)
				continue
			}
			if got := manifest.Flatten(obj)[check.path]; fmt.Sprint(got) != fmt.Sprint(check.want[i]) {
				t.Errorf("%s: %s: %s is %v, want %v", member, check.object, check.path, got, check.want[i])
			}
		}
	}
}

func TestLabI(t *testing.T) {
	fleet := acceptance(t)
	minimal := setup{
		members:   twoRegions,
		templates: []string{lab(t, "01-demoapp-deployment.yaml")},
		policies:  []string{lab(t, "02-propagationpolicy.yaml"), nodesPolicy},
	}
	w := newWorkspace(t, oneCLI(t), minimal.files(t, fleet))
	w.apply()
	w.settled()
	for member, want := range map[string]string{"kube02": "<nil> <nil>", "kube03": "map[disk:ssd] [map[key:gpu operator:Exists]]"} {
		spec := live(t, fleet, member, "apps/v1", "Deployment", "default", "demoapp", "spec", "template", "spec")
		fields, ok := spec.(map[string]any)
		if got := fmt.Sprint(fields["nodeSelector"], " ", fields["tolerations"]); !ok || got != want {
			t.Errorf("%s has nodeSelector and tolerations %s, want %s", member, got, want)
		}
	}
}

const nodesPolicy = `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: nodes, namespace: default}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: demoapp}]
  overrideRules:
    - targetCluster: {clusterNames: [kube03]}
      overriders:
        plaintext:
          - {path: /spec/template/spec/nodeSelector, operator: add, value: {disk: ssd}}
          - {path: /spec/template/spec/tolerations, operator: add, value: [{key: gpu, operator: Exists}]}
`

// Errors of overrides name policy, rule, overrider, object, path and members, at plan.
func TestOverridesThatCannotBeApplied(t *testing.T) {
	const rule = "OverridePolicy default/wrong, overrideRules[1].overriders."
	overriders := func(text string) func(*testing.T, *setup) {
		return policy(`apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: wrong, namespace: default}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: demoapp}]
  overrideRules:
    - overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}
    - targetCluster: {clusterNames: [kube03]}
      overriders: ` + text + "\n")
	}
	variables := func(policy func(*testing.T, *setup)) func(*testing.T, *setup) {
		return func(t *testing.T, s *setup) {
			s.members["kube03"] = `{ region = "shanghai", variables = { role = "r", certificate = "c" } }`
			policy(t, s)
		}
	}
	refused(t, []refusal{
		{"a variable that is not there", "plan", variables(overriders(`{annotationsOverrider: [{operator: add, value: {role: '{{ member.variables["rolle"] }}'}}]}`)),
			[]string{rule + "annotationsOverrider[0], " + demoapp, `member kube03 has no such key (its variables: certificate, role)`, "On kube03."}},
		{"a zone that is not declared", "plan", overriders(`{imageOverrider: [{component: Tag, operator: replace, value: "{{ member.zone }}"}]}`),
			[]string{rule + "imageOverrider[0], " + demoapp, "member kube03 declares no zone"}},
		{"a reference that is none", "plan", overriders(`{argsOverrider: [{containerName: demoapp, operator: add, value: ["{{ member.color }}"]}]}`),
			[]string{rule + "argsOverrider[0]", "is no reference to the member"}},
		{"a tag that is none", "plan", overriders(`{imageOverrider: [{component: Tag, operator: replace, value: "v 1"}]}`),
			[]string{rule + "imageOverrider[0], " + demoapp, "path /spec/template/spec/containers/0/image", "v 1"}},
		{"a path that is not there", "plan", overriders(`{plaintext: [{path: /spec/paused, operator: replace, value: true}]}`),
			[]string{rule + "plaintext[0], " + demoapp, "path /spec/paused", "On kube03."}},
		{"a field that holds no document", "plan", overriders(`{fieldOverrider: [{fieldPath: /spec/replicas, json: [{subPath: /a, operator: add, value: 1}]}]}`),
			[]string{rule + "fieldOverrider[0], " + demoapp, "path /spec/replicas"}},
	})
}

// A Job that goes by itself has run when it is gone; a plain one is missed. What is immutable says so.
func TestJobsAndImmutableObjects(t *testing.T) {
	fleet := acceptance(t)
	job := func(name, more string) string {
		return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name + "}\nspec: {" + more + "template: {spec: {restartPolicy: Never, containers: [{name: a, image: 'a:1'}]}}}\n"
	}
	s := setup{
		members: twoRegions,
		templates: []string{job("plain", ""), job("passing", "ttlSecondsAfterFinished: 60, "), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: frozen}\nimmutable: true\ndata: {key: value}\n",
			"apiVersion: v1\nkind: Secret\nmetadata: {name: frozen}\nimmutable: true\nstringData: {key: correct-horse}\n"},
		policies: []string{everywhere("batch/v1 Job", "v1 ConfigMap", "v1 Secret")},
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	w.settled()
	for _, name := range []string{"plain", "passing"} {
		background := metav1.DeletePropagationBackground
		if err := client(t, fleet, "kube03", "batch/v1", "Job", "default").Delete(t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the Job is gone", func() bool { return !exists(t, fleet, "kube03", "batch/v1", "Job", "default", name) })
	}
	plan := changes(w.plan())
	says(t, plan, "Job.batch/default/plain")
	silent(t, plan, "Job.batch/default/passing")
	w.apply()
	w.settled()

	changed := s
	changed.templates = append([]string{}, s.templates...)
	changed.templates[2] = replaced(t, s.templates[2], "key: value", "key: other")
	changed.templates[3] = replaced(t, s.templates[3], "correct-horse", "battery-staple")
	w.write(changed.files(t, fleet))
	silent(t, w.fails([]string{
		"Member kube02: ConfigMap/default/frozen: data: Forbidden: field is immutable when `immutable` is set",
		"Member kube03: Secret/default/frozen: data: cannot change in place",
		"give the object another name, or delete it on the member and apply again",
	}, "apply", "-auto-approve", "-no-color"), "battery-staple", "YmF0dGVyeS1zdGFwbGU=")
	w.write(s.files(t, fleet))
	w.settled()
}
