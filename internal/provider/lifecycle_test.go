package provider_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

const settings = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  greeting: hello
`

// twoObjects is a ConfigMap and a Deployment on each of two members.
var twoObjects = setup{members: twoRegions, templates: []string{settings, deployment}, policies: []string{everywhere("v1 ConfigMap", "v1 Secret", "apps/v1 Deployment")}}

// with returns the setup with other arguments of the propagation.
func (s setup) with(arguments map[string]string) setup {
	s.arguments = arguments
	return s
}

// withLifecycle returns the setup with a lifecycle block.
func (s setup) withLifecycle(arguments string) setup {
	s.lifecycle = "lifecycle { " + arguments + " }"
	return s
}

// greeting returns the settings with another greeting.
func greeting(text string) string { return strings.ReplaceAll(settings, "hello", text) }

// greets fails the test unless the member's ConfigMap has the greeting; "" means that it has no ConfigMap.
func greets(t *testing.T, fleet *testfleet.Fleet, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for member := range want {
		if obj := get(t, fleet, member, "v1", "ConfigMap", "default", "settings"); obj != nil {
			got[member] = fmt.Sprint(obj.Object["data"].(map[string]any)["greeting"])
		} else {
			got[member] = ""
		}
	}
	if !maps.Equal(got, want) {
		t.Fatalf("greetings are %v, want %v", got, want)
	}
}

// identities returns the UIDs of the objects of twoObjects on the members: an object that was deleted and made anew has another.
func identities(t *testing.T, fleet *testfleet.Fleet, members ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, member := range members {
		for _, o := range [][3]string{{"v1", "ConfigMap", "settings"}, {"apps/v1", "Deployment", "demoapp"}} {
			if obj := get(t, fleet, member, o[0], o[1], "default", o[2]); obj != nil {
				found[member+" "+o[1]] = string(obj.GetUID())
			}
		}
	}
	return found
}

// versions returns the resourceVersion of the ConfigMap of twoObjects on the members: it changes with every write.
func versions(t *testing.T, fleet *testfleet.Fleet, members ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, member := range members {
		if obj := get(t, fleet, member, "v1", "ConfigMap", "default", "settings"); obj != nil {
			found[member] = obj.GetResourceVersion()
		}
	}
	return found
}

// same fails the test unless before and after are equal and hold n entries.
func same(t *testing.T, what string, n int, before, after map[string]string) {
	t.Helper()
	if len(before) != n || !maps.Equal(before, after) {
		t.Fatalf("%s: there are %d and should be %d, and they should not change\nbefore: %v\nafter:  %v", what, len(before), n, before, after)
	}
}

// A plan that is made before the clusters exist shows placements and works in full, and the same run applies it.
func TestFirstPlanBeforeTheClustersExist(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		s := twoObjects
		s.connections, s.more = map[string]string{}, `
locals {
  kubeconfig = yamldecode(file("kubeconfig"))
  clusters   = { for c in local.kubeconfig.clusters : c.name => c.cluster }
  users      = { for u in local.kubeconfig.users : u.name => u.user }
}

resource "terraform_data" "cluster" {
  for_each = local.clusters
  input    = { host = each.value.server, ca = each.value["certificate-authority-data"], token = local.users[each.key].token }
}
`
		for name := range s.members {
			s.connections[name] = fmt.Sprintf(`{
      host                   = terraform_data.cluster[%[1]q].output.host
      cluster_ca_certificate = base64decode(terraform_data.cluster[%[1]q].output.ca)
      token                  = terraform_data.cluster[%[1]q].output.token
    }`, name)
		}
		w := newWorkspace(t, cli, s.files(t, fleet))
		plan := w.plan()
		says(t, plan, `+ "kube02" = jsonencode(`, `+ "kube03" = jsonencode(`, `+ "spec.replicas" = 4`, "duplicated: 4 on each member, 8 in all")
		silent(t, plan, "with multicluster_", "works = (known after apply)", "placements = (known after apply)")
		w.apply()
		greets(t, fleet, map[string]string{"kube02": "hello", "kube03": "hello"})
		w.settled()
		w.destroy()
		same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
	})
}

// Whatever makes Terraform replace a propagation, its objects stay: none is deleted and made anew.
func TestReplacementKeepsObjects(t *testing.T) {
	trigger := func(input string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"trigger\" {\n  input = %q\n}\n", input)
	}
	referrer := `resource "terraform_data" "referrer" {
  input            = multicluster_propagation.app.id
  triggers_replace = [multicluster_propagation.app.id]
  lifecycle { create_before_destroy = true }
}
`
	for _, test := range []struct {
		name        string
		first, then setup // lifecycle and more
		arguments   map[string]string
		run         []string
	}{
		{name: "-replace", run: []string{"-replace=" + app}},
		{name: "-replace -refresh=false", run: []string{"-replace=" + app, "-refresh=false"}},
		{
			name: "replace_triggered_by", first: setup{lifecycle: "lifecycle { replace_triggered_by = [terraform_data.trigger] }", more: trigger("one")},
			then: setup{lifecycle: "lifecycle { replace_triggered_by = [terraform_data.trigger] }", more: trigger("two")},
		},
		{
			name: "create_before_destroy", first: setup{lifecycle: "lifecycle { create_before_destroy = true }"},
			then: setup{lifecycle: "lifecycle { create_before_destroy = true }"}, run: []string{"-replace=" + app},
		},
		{name: "create_before_destroy, inherited", first: setup{more: referrer}, then: setup{more: referrer}, run: []string{"-replace=" + app}},
		{name: "adopt = false", arguments: map[string]string{"adopt": "false"}, run: []string{"-replace=" + app}},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachCLI(t, func(t *testing.T, cli string) {
				fleet := acceptance(t)
				s := twoObjects.with(test.arguments)
				s.lifecycle, s.more = test.first.lifecycle, test.first.more
				w := newWorkspace(t, cli, s.files(t, fleet))
				w.apply()
				before := identities(t, fleet, "kube02", "kube03")
				s.lifecycle, s.more = test.then.lifecycle, test.then.more
				w.write(s.files(t, fleet))
				says(t, w.apply(test.run...), app+": Destr", app+": Creation complete")
				same(t, "objects after the replacement", 4, before, identities(t, fleet, "kube02", "kube03"))
				w.settled()
				w.destroy()
				same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
			})
		})
	}
}
