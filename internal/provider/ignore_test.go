package provider_test

import (
	"maps"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// patch changes an object of a member's default namespace as somebody else.
func patch(t *testing.T, fleet *testfleet.Fleet, member, apiVersion, kind, name, text string) {
	t.Helper()
	_, err := client(t, fleet, member, apiVersion, kind, "default").Patch(t.Context(), name, types.MergePatchType, []byte(text), metav1.PatchOptions{FieldManager: "somebody"})
	if err != nil {
		t.Fatal(err)
	}
}

// What ignore_fields names is sent where an object is new, and is others' from then on: it is not shown, no drift, and kept
// by every update, whoever owns it.
func TestIgnoredFields(t *testing.T) {
	fleet := acceptance(t)
	s := setup{
		members:   twoRegions,
		templates: []string{lab(t, "01-demoapp-deployment.yaml")},
		policies:  []string{lab(t, "06-propagationpolicy-failover.yaml")},
	}
	ignoring := s
	ignoring.arguments = map[string]string{"ignore_fields": `["spec.replicas", "/spec/template/spec/containers/0/image"]`}
	w := newWorkspace(t, oneCLI(t), ignoring.files(t, fleet))
	silent(t, changes(w.plan()), `"spec.replicas" =`, `].image" =`)
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "3 ikubernetes/demoapp:v1.0", "kube03": "1 ikubernetes/demoapp:v1.0"})
	w.settled()

	patch(t, fleet, "kube02", "apps/v1", "Deployment", "demoapp",
		`{"spec":{"replicas":7,"template":{"spec":{"containers":[{"name":"demoapp","image":"ikubernetes/demoapp:v9"}]}}}}`)
	w.settled()
	changed := ignoring
	changed.templates = []string{replaced(t, s.templates[0], "replicas: 4", "replicas: 8", "  name: demoapp\n  namespace", "  name: demoapp\n  labels: {tier: front}\n  namespace")}
	w.write(changed.files(t, fleet))
	says(t, changes(w.plan()), `+ "metadata.labels.tier"`)
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "7 ikubernetes/demoapp:v9", "kube03": "1 ikubernetes/demoapp:v1.0"})
	w.settled()

	if err := client(t, fleet, "kube03", "apps/v1", "Deployment", "default").Delete(t.Context(), "demoapp", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "7 ikubernetes/demoapp:v9", "kube03": "2 ikubernetes/demoapp:v1.0"})
	w.settled()

	// Fields that are ignored no longer are ours again, and those that are ignored from now on keep the value we gave them.
	w.write(s.files(t, fleet))
	says(t, changes(w.plan()), `+ "spec.replicas"`)
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "3 ikubernetes/demoapp:v1.0", "kube03": "1 ikubernetes/demoapp:v1.0"})
	w.write(ignoring.files(t, fleet))
	says(t, changes(w.plan()), `- "spec.replicas"`)
	w.apply()
	w.write(changed.files(t, fleet))
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "3 ikubernetes/demoapp:v1.0", "kube03": "1 ikubernetes/demoapp:v1.0"})
	w.settled()

	changed.arguments = map[string]string{"ignore_fields": `["spec.replica"]`}
	w.write(changed.files(t, fleet))
	says(t, w.plan(), "Warning: Path names nothing here", "No template has spec.replica.", "take it out of ignore_fields")
	changed.arguments = map[string]string{"ignore_fields": `["spec."]`}
	w.write(changed.files(t, fleet))
	w.fails([]string{"Path cannot be read", "spec."}, "validate", "-no-color")
}

// A HorizontalPodAutoscaler among the templates has the replicas of its target to itself, from the first apply on, and gives
// them back when it goes.
func TestAutoscaler(t *testing.T) {
	fleet := acceptance(t)
	s := setup{
		members:   twoRegions,
		templates: []string{lab(t, "01-demoapp-deployment.yaml")},
		policies:  []string{lab(t, "06-propagationpolicy-failover.yaml"), everywhere("autoscaling/v2 HorizontalPodAutoscaler")},
	}
	scaled := s
	scaled.templates = append(scaled.templates, autoscaler)
	w := newWorkspace(t, oneCLI(t), scaled.files(t, fleet))
	plan := changes(w.plan())
	says(t, plan, "HorizontalPodAutoscaler.autoscaling/default/demoapp", "scalers")
	silent(t, plan, `"spec.replicas"`)
	w.apply()
	five := runs{"kube02": "5 ikubernetes/demoapp:v1.0", "kube03": "5 ikubernetes/demoapp:v1.0"}
	eventually(t, "the autoscaler has scaled", func() bool { return maps.Equal(running(t, fleet, "demoapp"), five) })
	w.settled()

	updated := scaled
	updated.templates = []string{replaced(t, s.templates[0], "demoapp:v1.0", "demoapp:v1.1"), autoscaler}
	w.write(updated.files(t, fleet))
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "5 ikubernetes/demoapp:v1.1", "kube03": "5 ikubernetes/demoapp:v1.1"})
	w.settled()

	w.write(s.files(t, fleet))
	says(t, changes(w.plan()), `+ "spec.replicas" = 3`, `+ "spec.replicas" = 1`)
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "3 ikubernetes/demoapp:v1.0", "kube03": "1 ikubernetes/demoapp:v1.0"})
	w.settled()
}

// An autoscaler that no template brings fights over the replicas: a plan that changes them names it.
func TestAutoscalerOfSomebodyElse(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), twoObjects.files(t, fleet))
	w.apply()
	create(t, fleet, "kube03", map[string]any{
		"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": map[string]any{"name": "theirs", "namespace": "default"},
		"spec": map[string]any{
			"minReplicas": int64(7), "maxReplicas": int64(9), "scaleTargetRef": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": "demoapp"},
		},
	})
	eventually(t, "the autoscaler has scaled", func() bool {
		return live(t, fleet, "kube03", "apps/v1", "Deployment", "default", "demoapp", "spec", "replicas") == int64(7)
	})
	says(t, w.plan(), `"spec.replicas" = 7 -> 4`, "Warning: Autoscalers set replicas too",
		"member kube03: HorizontalPodAutoscaler.autoscaling/default/theirs sets those of Deployment.apps/default/demoapp", `add "spec.replicas" to ignore_fields`)
	w.write(twoObjects.with(map[string]string{"ignore_fields": `["spec.replicas"]`}).files(t, fleet))
	silent(t, w.apply(), "Autoscalers")
	w.settled()
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 120 {
		if done() {
			return
		}
		time.Sleep(time.Second)
	}
	t.Fatalf("it does not come to pass that %s", what)
}

const autoscaler = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: demoapp, namespace: default}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: demoapp}
  minReplicas: 5
  maxReplicas: 9
`

// Karmada's label says the same for one workload.
func TestRetainedReplicas(t *testing.T) {
	fleet := acceptance(t)
	s := setup{
		members: twoRegions,
		templates: []string{replaced(t, lab(t, "01-demoapp-deployment.yaml"),
			"  name: demoapp\n  namespace", "  name: demoapp\n  labels: {resourcetemplate.karmada.io/retain-replicas: \"true\"}\n  namespace")},
		policies: []string{lab(t, "02-propagationpolicy.yaml")},
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	expect(t, fleet, "demoapp", sameOnBoth)
	patch(t, fleet, "kube03", "apps/v1", "Deployment", "demoapp", `{"spec":{"replicas":2}}`)
	w.settled()
	s.templates[0] = replaced(t, s.templates[0], "demoapp:v1.0", "demoapp:v1.1")
	w.write(s.files(t, fleet))
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "4 ikubernetes/demoapp:v1.1", "kube03": "2 ikubernetes/demoapp:v1.1"})
	w.settled()
}
