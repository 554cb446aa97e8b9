package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

const demoapp = "Deployment.apps/default/demoapp"

// labs returns the files of a workspace whose propagation "app" uses the given templates and policies on kube02 and kube03.
func labs(fleet *testfleet.Fleet, templates, policies []string) map[string]string {
	files := map[string]string{}
	names := func(kind string, texts []string) string {
		var calls []string
		for i, text := range texts {
			name := fmt.Sprintf("%s-%d.yaml", kind, i)
			files[name] = text
			calls = append(calls, fmt.Sprintf("file(%q)", name))
		}
		return strings.Join(calls, ", ")
	}
	files["main.tf"] = providerBlock(fleet, "kube02", "kube03") + `
resource "multicluster_member" "fleet" {
  for_each = { kube02 = "beijing", kube03 = "shanghai" }
  name     = each.key
  region   = each.value
  labels   = { region = each.value }
}

resource "multicluster_propagation" "app" {
  name      = "app"
  members   = values(multicluster_member.fleet)
  templates = [` + names("template", templates) + `]
  policies  = [` + names("policy", policies) + `]
}
`
	return files
}

func TestLabA(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		w := newWorkspace(t, cli, labs(fleet, []string{deployment}, []string{duplicatedPolicy}))
		says(t, w.plan(), `+ "spec.replicas" = 4`, "duplicated: 4 on each member, 8 in all")
		w.apply()
		w.settled()
		for _, name := range []string{"kube02", "kube03"} {
			if got := live(t, fleet, name, "apps/v1", "Deployment", "default", "demoapp", "spec", "replicas"); got != int64(4) {
				t.Errorf("%s: %v replicas, want 4", name, got)
			}
		}
		w.destroy()
		for _, name := range []string{"kube02", "kube03"} {
			if exists(t, fleet, name, "apps/v1", "Deployment", "default", "demoapp") {
				t.Errorf("%s still has the Deployment", name)
			}
		}
	})
}
