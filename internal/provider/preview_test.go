package provider_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// requirement is all the configuration that functions need.
const requirement = "terraform {\n  required_providers {\n    multicluster = { source = \"registry.terraform.io/multicluster/multicluster\" }\n  }\n}\n"

// evaluate returns what the CLI says to an expression: in its console or, as OpenTofu 1.12 closes a provider before its console
// calls a function of it, as an output.
func (w *workspace) evaluate(expression string) string {
	w.t.Helper()
	if filepath.Base(w.cli) != "terraform" {
		w.write(map[string]string{"output.tf": "output \"it\" {\n  value = " + expression + "\n}\n"})
		out, _ := w.run("plan", "-no-color")
		return out
	}
	cmd := exec.CommandContext(w.t.Context(), w.cli, "console", "-no-color")
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env, strings.NewReader(expression+"\n")
	out, _ := cmd.CombinedOutput() // an error of the expression is the answer
	return strings.ReplaceAll(string(out), "\"", "")
}

// previewFiles are a Deployment, a policy that divides it by weights 3 and 1, and a configuration without a provider block.
func previewFiles(t *testing.T) map[string]string {
	return map[string]string{
		"main.tf": requirement, "deployment.yaml": lab(t, "01-demoapp-deployment.yaml"), "policy.yaml": lab(t, "06-propagationpolicy-failover.yaml"),
	}
}

// Functions answer with no cluster, no provider configuration and no state.
func TestFunctions(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		w := newWorkspace(t, cli, previewFiles(t))
		const place = `provider::multicluster::place(["kube02", "kube03"], file("deployment.yaml"), file("policy.yaml"))`
		for expression, want := range map[string][]string{
			`provider::multicluster::divide(10, { kube02 = 3, kube03 = 1 })`: {`kube02 = 7`, `kube03 = 3`},
			`provider::multicluster::divide(-1, {})`:                         {"replicas is -1: give a whole number of 0 or more."},
			`provider::multicluster::divide(10, { kube02 = 0 })`:             {"10 replicas would go nowhere"},
			place: {`kube02 = 3`, `divided by weights kube02 3, kube03 1`, `PropagationPolicy default/demoapp-failover`},
			place + `["` + demoapp + `"].clusters.kube03`:                               {"1"},
			`provider::multicluster::place([], file("deployment.yaml"), [])`:            {"Nothing to place: There are no members. Give at least one."},
			`provider::multicluster::place(["kube02"], "kind: [", file("policy.yaml"))`: {"templates[0]"},
			`provider::multicluster::place(["kube02"], [], [file("deployment.yaml")])`:  {"No policy selects a template", demoapp},
		} {
			says(t, w.evaluate(expression), want...)
		}
	})
}

// terraform test checks policies without a cluster.
func TestFunctionsInTests(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		files := previewFiles(t)
		files["main.tf"] += "output \"placements\" {\n  value = provider::multicluster::place([\"kube02\", \"kube03\"], file(\"deployment.yaml\"), file(\"policy.yaml\"))\n}\n"
		files["placement.tftest.hcl"] = `run "three_quarters_on_kube02" {
  command = plan
  assert {
    condition     = output.placements["` + demoapp + `"].clusters.kube02 == 3
    error_message = "kube02 should have 3 replicas."
  }
}

run "one_quarter_on_kube03" {
  command = plan
  assert {
    condition     = output.placements["` + demoapp + `"].clusters.kube03 == 2
    error_message = "kube03 should have 2 replicas."
  }
}
`
		w := newWorkspace(t, cli, files)
		w.fails([]string{"1 passed, 1 failed", "kube03 should have 2 replicas."}, "test", "-no-color")
	})
}

// The preview says what a propagation with the same arguments then does.
func TestPreviewIsWhatAPropagationDoes(t *testing.T) {
	fleet := acceptance(t)
	withRoom(t, fleet, "kube02", 9)
	withRoom(t, fleet, "kube03", 3)
	s := observing(t, 8, dynamicWeight)
	s.policies = append(s.policies, lab(t, "03-overridepolicy.yaml"))
	s.provider = `default_policies = [file("policies-1.yaml")]`
	s.more += `
data "multicluster_placement" "preview" {
  members   = [for name in ["kube02", "kube03"] : { name = name }]
  templates = [file("templates-0.yaml")]
  policies  = [file("policies-0.yaml")]
  observed  = data.multicluster_members.all.members
}

output "clusters" {
  value = data.multicluster_placement.preview.placements["` + demoapp + `"].clusters
}

output "same_works" {
  value = data.multicluster_placement.preview.works == multicluster_propagation.app.works
}
`
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	plan := w.plan()
	says(t, plan, "+ same_works = true", "+ clusters = { + kube02 = 6 + kube03 = 2 }")
	w.apply()
	placed(t, fleet, w, map[string]int64{"kube02": 6, "kube03": 2})
}

// What a data source is given is stored, so a Secret is refused there; and what is wrong is said as a propagation says it.
func TestPreviewRefuses(t *testing.T) {
	cli := oneCLI(t)
	for name, test := range map[string]struct {
		arguments string
		want      []string
	}{
		"a Secret with data": {
			`members = [{ name = "kube02" }]
  templates = [file("secret.yaml")]
  policies  = ["{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: all}, spec: {resourceSelectors: [{apiVersion: v1, kind: Secret}]}}"]`,
			[]string{"Secret does not belong in multicluster_placement", "Secret/default/key has data", "Leave the data out here"},
		},
		"no members": {
			`members = []
  templates = [file("deployment.yaml")]
  policies  = [file("policy.yaml")]`,
			[]string{"Nothing to place", "There are no members."},
		},
		"no fit": {
			`members = [{ name = "kube02", taints = [{ key = "x", effect = "NoSchedule" }] }]
  templates = [file("deployment.yaml")]
  policies  = [file("policy.yaml")]`,
			[]string{"Template cannot be placed", "0/1 members fit: 1 had untolerated taint {x:NoSchedule}"},
		},
		"no quantity": {
			`members = [{ name = "kube02" }]
  templates = [file("deployment.yaml")]
  policies  = [file("policy.yaml")]
  observed  = { kube02 = { capacity = { allocatable = { pods = "many" } } } }`,
			[]string{"Quantity cannot be read", `pods = "many" is no Kubernetes quantity`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := previewFiles(t)
			files["secret.yaml"] = "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {password: hunter2}\n"
			files["main.tf"] += "data \"multicluster_placement\" \"preview\" {\n  " + test.arguments + "\n}\n"
			w := newWorkspace(t, cli, files)
			silent(t, w.fails(test.want, "plan", "-no-color"), "hunter2")
		})
	}
}
