package provider_test

import (
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

const release = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: red}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {helm.sh/hook: "pre-install,pre-upgrade"}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: try, annotations: {helm.sh/hook: test}}
spec: {containers: [{name: a, image: a}]}
`

const keptClaim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: uploads, annotations: {helm.sh/resource-policy: keep}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

// Hooks among what a chart renders are refused, all of them by name, or left out.
func TestHelmHooks(t *testing.T) {
	fleet := acceptance(t)
	s := setup{
		members:   twoRegions,
		templates: []string{release},
		policies:  []string{everywhere("v1 ConfigMap", "batch/v1 Job", "v1 Pod")},
		arguments: map[string]string{},
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.fails([]string{
		"Helm hooks among the templates", "Job.batch/default/migrate (templates[0], document 2", "pre-install,pre-upgrade",
		"Pod/default/try (templates[0], document 3", `Set helm_hooks = "skip"`, "take the annotation helm.sh/hook off",
	}, "validate", "-no-color")
	s.arguments["helm_hooks"], s.more = "terraform_data.skip.output", "resource \"terraform_data\" \"skip\" { input = \"skip\" }\n"
	w.write(s.files(t, fleet))
	says(t, w.plan(), "Not known yet: helm_hooks")
	s.arguments["helm_hooks"], s.more = `"skip"`, ""
	w.write(s.files(t, fleet))
	silent(t, changes(w.plan()), "migrate", "try")
	w.apply()
	w.settled()
	if !exists(t, fleet, "kube03", "v1", "ConfigMap", "default", "settings") || exists(t, fleet, "kube03", "batch/v1", "Job", "default", "migrate") {
		t.Error("kube03 has not just what is no hook")
	}
}

// What the chart says is to be kept stays when it is removed, and is nobody's then.
func TestHelmKeeps(t *testing.T) {
	fleet := acceptance(t)
	s := setup{
		members:   twoRegions,
		templates: []string{configMap("settings"), keptClaim, replaced(t, configMap("kept"), "{name: kept}", "{name: kept, annotations: {helm.sh/resource-policy: keep}}")},
		policies:  []string{everywhere("v1 ConfigMap", "v1 PersistentVolumeClaim")},
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	w.settled()
	fewer := s
	fewer.templates = []string{s.templates[0], s.templates[2]}
	w.write(fewer.files(t, fleet))
	w.apply()
	w.settled()
	keeps(t, fleet, "PersistentVolumeClaim", "uploads")
	w.destroy()
	keeps(t, fleet, "PersistentVolumeClaim", "uploads")
	keeps(t, fleet, "ConfigMap", "kept")
	if exists(t, fleet, "kube03", "v1", "ConfigMap", "default", "settings") {
		t.Error("kube03 still has what is not to be kept")
	}
}

// keeps fails the test unless both members have the object, without our mark.
func keeps(t *testing.T, fleet *testfleet.Fleet, kind, name string) {
	t.Helper()
	for _, member := range []string{"kube02", "kube03"} {
		obj := get(t, fleet, member, "v1", kind, "default", name)
		if obj == nil {
			t.Errorf("%s has lost the %s %s", member, kind, name)
		} else if len(obj.GetLabels()) > 0 {
			t.Errorf("%s has the %s %s with labels %v", member, kind, name, obj.GetLabels())
		}
	}
}
