package interpreter

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestReplicas(t *testing.T) {
	tests := []struct {
		name, object string
		supported    bool
		count        int64
		workload     bool
	}{
		{"deployment", `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 3}}`, true, 3, true},
		{"whole float", `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 3.0}}`, true, 3, true},
		{"as many as there can be", `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 2147483647}}`, true, 2147483647, true},
		{"absent reads as 0", `{apiVersion: apps/v1, kind: ReplicaSet, spec: {}}`, true, 0, false},
		{"0 with requests is a workload", `{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 0, template: {spec: {nodeSelector: {disk: ssd}}}}}`, true, 0, true},
		{"job: fewer completions", `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 10, completions: 3}}`, true, 3, true},
		{"job: fewer at a time", `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 2, completions: 3}}`, true, 2, true},
		{"job: work queue", `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 4}}`, true, 4, true},
		{"job: no parallelism", `{apiVersion: batch/v1, kind: Job, spec: {completions: 4}}`, true, 0, false},
		{"pod", `{apiVersion: v1, kind: Pod, spec: {}}`, true, 1, true},
		{"daemon set", `{apiVersion: apps/v1, kind: DaemonSet, spec: {}}`, false, 0, false},
		{"cron job", `{apiVersion: batch/v1, kind: CronJob, spec: {}}`, false, 0, false},
		{"job of another group", `{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, spec: {parallelism: 4}}`, false, 0, false},
		{"workflow", `{apiVersion: argoproj.io/v1alpha1, kind: Workflow, spec: {parallelism: 4}}`, true, 4, true},
		{"workflow: absent reads as 1", `{apiVersion: argoproj.io/v1alpha1, kind: Workflow, spec: {}}`, true, 1, true},
		{"clone set", `{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, spec: {replicas: 4}}`, true, 4, true},
		{"kruise stateful set", `{apiVersion: apps.kruise.io/v1beta1, kind: StatefulSet, spec: {replicas: 4}}`, true, 4, true},
		{"united deployment", `{apiVersion: apps.kruise.io/v1alpha1, kind: UnitedDeployment, spec: {replicas: 4}}`, true, 4, true},
		{"broadcast job", `{apiVersion: apps.kruise.io/v1alpha1, kind: BroadcastJob, spec: {parallelism: 4}}`, true, 4, true},
		{"notebook", `{apiVersion: kubeflow.org/v1, kind: Notebook, spec: {}}`, true, 1, true},
		{"unknown kind", `{apiVersion: example.com/v1, kind: Widget, spec: {replicas: 4}}`, false, 0, false},
	}
	kinds := newInterpreter(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := kinds.Replicas(parse(t, tt.object))
			if err != nil {
				t.Fatal(err)
			}
			if (got != nil) != tt.supported || got.Workload() != tt.workload {
				t.Fatalf("got %+v, workload %v", got, got.Workload())
			}
			if got != nil && got.Count != tt.count {
				t.Errorf("got %d replicas, want %d", got.Count, tt.count)
			}
		})
	}
}

func TestReplicasErrors(t *testing.T) {
	tests := []struct {
		name, object string
		texts        []string
	}{
		{"text", `{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: web}, spec: {replicas: three}}`,
			[]string{"Deployment shop/web", "spec.replicas is a string, want a whole number"}},
		{"part", `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 1.5}}`, []string{"spec.replicas is a number, want a whole number"}},
		{"huge", `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 1e30}}`, []string{"spec.replicas is a number, want a whole number"}},
		{"negative", `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: -1}}`, []string{"spec.replicas: want a number of replicas from 0 to 2147483647, have -1"}},
		{"more than 32 bits", `{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, spec: {replicas: 9223372036854775807}}`,
			[]string{"spec.replicas: want a number of replicas from 0 to 2147483647, have 9223372036854775807"}},
		{"broken spec", `{apiVersion: apps/v1, kind: Deployment, spec: broken}`, []string{"spec is a string, want an object"}},
		{"broken pod spec", `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 1, template: {spec: {containers: 1}}}}`, []string{"spec.template.spec is malformed"}},
		{"broken quantity", `{apiVersion: v1, kind: Pod, spec: {containers: [{resources: {requests: {cpu: lots}}}]}}`, []string{"spec is malformed"}},
		{"completions", `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 1, completions: []}}`, []string{"spec.completions is a list"}},
		{"negative completions", `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 3, completions: -2}}`, []string{"spec.completions: a number of completions is not negative, and this is -2"}},
	}
	kinds := newInterpreter(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := kinds.Replicas(parse(t, tt.object))
			checkError(t, err, tt.texts...)
		})
	}
}

func TestRequirements(t *testing.T) {
	tests := []struct{ name, pod, want string }{
		{"nothing", `{containers: [{}]}`, `null`},
		{"sum of the containers", `{containers: [{resources: {requests: {cpu: 100m, memory: 1Gi}}}, {resources: {requests: {cpu: 1}}}]}`,
			`{resourceRequest: {cpu: 1100m, memory: 1Gi}}`},
		{"the largest init container, by resource", `{containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}],
			initContainers: [{resources: {requests: {cpu: 2}}}, {resources: {requests: {cpu: 3, memory: 1Mi}}}]}`,
			`{resourceRequest: {cpu: "3", memory: 1Gi}}`},
		{"a sidecar counts as an init container", `{containers: [{resources: {requests: {cpu: 1}}}],
			initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 2}}}]}`, `{resourceRequest: {cpu: "2"}}`},
		{"overhead comes on top", `{containers: [{}], initContainers: [{resources: {requests: {cpu: 2}}}], overhead: {cpu: 50m}}`,
			`{resourceRequest: {cpu: 2050m}}`},
		{"a limit stands for a missing request", `{containers: [{resources: {limits: {cpu: 2, nvidia.com/gpu: 1}, requests: {cpu: 1}}}]}`,
			`{resourceRequest: {cpu: "1", nvidia.com/gpu: "1"}}`},
		{"each is rounded up", `{containers: [{resources: {requests: {cpu: 100u, memory: 1500m}}}, {resources: {requests: {cpu: 100u, memory: 1500m}}}]}`,
			`{resourceRequest: {cpu: 2m, memory: "4"}}`},
		{"zero is no request", `{containers: [{resources: {requests: {cpu: 0}}}]}`, `null`},
		{"other names are ignored", `{containers: [{resources: {requests: {bananas: 1, hugepages-2Mi: 1, attachable-volumes-csi: 2}}}]}`,
			`{resourceRequest: {hugepages-2Mi: "1", attachable-volumes-csi: "2"}}`},
		{"node selector", `{nodeSelector: {disk: ssd}}`, `{nodeClaim: {nodeSelector: {disk: ssd}}}`},
		{"tolerations", `{tolerations: [{key: k, operator: Exists}]}`, `{nodeClaim: {tolerations: [{key: k, operator: Exists}]}}`},
		{"required affinity", `{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}}`,
			`{nodeClaim: {hardNodeAffinity: {nodeSelectorTerms: []}}}`},
		{"preferred affinity", `{affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}, nodeSelector: {}}`, `null`},
	}
	kinds := newInterpreter(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			replicas, err := kinds.Replicas(parse(t, `{apiVersion: v1, kind: Pod, spec: `+tt.pod+`}`))
			if err != nil {
				t.Fatal(err)
			}
			checkJSON(t, replicas.Requirements, tt.want)
		})
	}
}

func TestRevise(t *testing.T) {
	tests := []struct{ name, object, want string }{
		{"deployment", `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 3, paused: true}}`, `{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 7, paused: true}}`},
		{"stateful set", `{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 0}}`, `{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 7}}`},
		{"replica set without the field", `{apiVersion: apps/v1, kind: ReplicaSet, spec: {}}`, `{apiVersion: apps/v1, kind: ReplicaSet, spec: {}}`},
		{"deployment without a spec", `{apiVersion: apps/v1, kind: Deployment}`, `{apiVersion: apps/v1, kind: Deployment}`},
		{"job", `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 3, completions: 5}}`, `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 7, completions: 5}}`},
		{"workflow", `{apiVersion: argoproj.io/v1alpha1, kind: Workflow, spec: {parallelism: 3}}`, `{apiVersion: argoproj.io/v1alpha1, kind: Workflow, spec: {parallelism: 7}}`},
		{"pod", `{apiVersion: v1, kind: Pod}`, ``},
		{"daemon set", `{apiVersion: apps/v1, kind: DaemonSet}`, ``},
	}
	kinds := newInterpreter(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := kinds.Revise(parse(t, tt.object), 7)
			if ok != (tt.want != "") {
				t.Fatalf("got %v, %v", got, ok)
			}
			if ok {
				checkJSON(t, got, tt.want)
			}
		})
	}
}

func TestReplicasPath(t *testing.T) {
	kinds := newInterpreter(t, declared)
	for gvk, want := range map[schema.GroupVersionKind]string{
		of("apps/v1", "Deployment"):    "spec.replicas",
		of("batch/v1", "Job"):          "spec.parallelism",
		of("example.com/v1", "Widget"): "spec.replicas",
		of("v1", "Pod"):                "",
	} {
		got, ok := kinds.ReplicasPath(gvk)
		if ok != (want != "") || ok && !slices.Equal(got, path(want)) {
			t.Errorf("%s: got %v, %v, want %q", gvk, got, ok, want)
		}
	}
}

func TestCompletions(t *testing.T) {
	job := parse(t, `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 2, completions: 5}}`)
	if n, ok := Completions(job); !ok || n != 5 {
		t.Errorf("got %d, %v, want 5", n, ok)
	}
	checkJSON(t, ReviseCompletions(job, 3), `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 2, completions: 3}}`)

	for name, object := range map[string]string{
		"work queue":    `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 2}}`,
		"other group":   `{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, spec: {completions: 5}}`,
		"no number":     `{apiVersion: batch/v1, kind: Job, spec: {completions: five}}`,
		"not an object": `{apiVersion: batch/v1, kind: Job, spec: five}`,
	} {
		if n, ok := Completions(parse(t, object)); ok {
			t.Errorf("%s: got %d", name, n)
		}
	}
	queue := `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 2}}`
	checkJSON(t, ReviseCompletions(parse(t, queue), 3), queue)
}
