package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// typedPolicies is a configuration with the given blocks, whose propagation has the policies at the given addresses.
func typedPolicies(provider, members, template, blocks string, addresses ...string) map[string]string {
	return map[string]string{
		"template.yaml": template,
		"main.tf": provider + `
resource "multicluster_member" "fleet" {
  for_each = ` + members + `
  name     = each.key
  region   = each.value
}

resource "multicluster_propagation" "app" {
  name      = "app"
  members   = values(multicluster_member.fleet)
  templates = [file("template.yaml")]
  policies  = [` + strings.Join(addresses, ", ") + `]
}
` + blocks,
	}
}

// Lab B: one member in each of two regions.
func TestTypedPoliciesLabB(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		policy := `
resource "multicluster_propagation_policy" "ha" {
  name               = "demoapp-ha"
  resource_selectors = [{ api_version = "apps/v1", kind = "Deployment", name = "demoapp" }]
  propagate_deps     = true
  placement = {
    replica_scheduling = { replica_scheduling_type = "Duplicated" }
    spread_constraints = [for field in ["region", "cluster"] : { spread_by_field = field, min_groups = 2, max_groups = 2 }]
  }
}
`
		files := func(secondRegion string) map[string]string {
			return typedPolicies(providerBlock(fleet, "kube02", "kube03"), `{ kube02 = "beijing", kube03 = "`+secondRegion+`" }`,
				deployment, policy, "multicluster_propagation_policy.ha.manifest")
		}
		w := newWorkspace(t, cli, files("beijing"))
		w.fails([]string{"PropagationPolicy default/demoapp-ha", "region"}, "plan", "-no-color")

		w.write(files("shanghai"))
		says(t, w.plan(), "duplicated: 4 on each member, 8 in all")
		w.apply()
		w.settled()
		for _, name := range []string{"kube02", "kube03"} {
			if got := live(t, fleet, name, "apps/v1", "Deployment", "default", "demoapp", "spec", "replicas"); got != int64(4) {
				t.Errorf("%s: %v replicas, want 4", name, got)
			}
		}
		w.destroy()
	})
}

// Lab N: one replica in each of three regions, which is told where it is. The policies' own values come from a resource that
// is created in the same run.
func TestTypedPoliciesLabN(t *testing.T) {
	fleet := acceptance(t)
	template := strings.Replace(deployment, "replicas: 4", "replicas: 3", 1) + "          env: []\n"
	files := typedPolicies(providerBlock(fleet, memberNames...), `{ kube02 = "beijing", kube03 = "shanghai", kube04 = "guangzhou" }`, template, `
resource "terraform_data" "variable" {
  input = "REGION"
}

resource "multicluster_propagation_policy" "spread" {
  name               = "spread"
  resource_selectors = [{ api_version = "apps/v1", kind = "Deployment", name = "demoapp" }]
  placement = {
    replica_scheduling = { replica_scheduling_type = "Divided", replica_division_preference = "Weighted" }
    spread_constraints = [
      { spread_by_field = "region", min_groups = 3 },
      { spread_by_field = "cluster", min_groups = 3 },
    ]
  }
}

resource "multicluster_override_policy" "region" {
  name               = "region"
  resource_selectors = [{ api_version = "apps/v1", kind = "Deployment", name = "demoapp" }]
  override_rules = [{
    overriders = {
      plaintext = [{
        path     = "/spec/template/spec/containers/0/env/-"
        operator = "add"
        value    = jsonencode({ name = terraform_data.variable.output, value = "{{ member.region }}" })
      }]
    }
  }]
}
`, "multicluster_propagation_policy.spread.manifest", "multicluster_override_policy.region.manifest")
	w := newWorkspace(t, oneCLI(t), files)
	says(t, w.plan(), "+ manifest = (known after apply)", "+ works = (known after apply)")
	w.apply()
	w.settled()
	for member, region := range map[string]string{"kube02": "beijing", "kube03": "shanghai", "kube04": "guangzhou"} {
		fields := w.works(member)["Deployment.apps/default/demoapp"]
		if fields["spec.replicas"] != 1.0 || fields["spec.template.spec.containers[name=demoapp].env[name=REGION].value"] != region {
			t.Errorf("%s has %v", member, fields)
		}
		if got := live(t, fleet, member, "apps/v1", "Deployment", "default", "demoapp", "spec", "replicas"); got != int64(1) {
			t.Errorf("%s: %v replicas, want 1", member, got)
		}
	}

	// Another value changes just what depends on it, and the plan shows it.
	files["main.tf"] = strings.Replace(files["main.tf"], "terraform_data.variable.output", `"ZONE"`, 1)
	w.write(files)
	says(t, w.plan(), `+ "spec.template.spec.containers[name=demoapp].env[name=ZONE].value"`, "0 to add, 2 to change, 0 to destroy")
	w.apply()
	w.settled()
	w.destroy()
}

// The examples are valid, need no member, and settle; the faults of a policy are shown with the path of the attribute.
func TestTypedPoliciesAlone(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		const header = "terraform {\n  required_providers {\n    multicluster = { source = \"registry.terraform.io/multicluster/multicluster\" }\n  }\n}\n\n" +
			"provider \"multicluster\" {}\n"
		w := newWorkspace(t, cli, map[string]string{
			"main.tf":        header,
			"propagation.tf": example(t, "multicluster_propagation_policy/resource.tf"),
			"policy.yaml":    example(t, "multicluster_propagation_policy/policy.yaml"),
			"overrides.tf":   example(t, "multicluster_override_policy/resource.tf"),
		})
		w.must("validate")
		w.apply()
		w.settled()

		// The same policy as attributes, and the other way round, is an update in place.
		given := example(t, "multicluster_propagation_policy/resource.tf")
		typed := strings.Replace(given, `manifest = file("policy.yaml")`, `name = "web"
  resource_selectors = [{ api_version = "apps/v1", kind = "Deployment", name = "web" }]
  placement = { cluster_affinity = { cluster_names = ["kube02", "kube03"] } }`, 1)
		for _, text := range []string{typed, given} {
			w.write(map[string]string{"propagation.tf": text})
			says(t, w.apply(), "0 added, 1 changed, 0 destroyed")
			w.settled()
		}

		w.write(map[string]string{"faulty.tf": `
variable "unknown" {}

resource "multicluster_override_policy" "faulty" {
  name = var.unknown
  override_rules = [{
    overriders = {
      image     = [{ component = "Digest", operator = "add", value = "x" }]
      plaintext = [{ path = "/spec/x", operator = "add", value = jsonencode("x") }]
    }
  }]
}
`})
		w.fails([]string{"override_rules[0].overriders.image[0].component", `"Registry", "Repository", "Tag"`}, "validate", "-no-color")
	})
}

// example returns a file of the examples of resources.
func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "resources", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
