package provider_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
			got[member], _, _ = unstructured.NestedString(obj.Object, "data", "greeting")
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

// Two states with one name: the second takes over, and says so before. The first can then neither change nor remove anything.
func TestSameNameInTwoStates(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		first := newWorkspace(t, cli, twoObjects.files(t, fleet))
		first.apply()
		before := identities(t, fleet, "kube02", "kube03")

		second := newWorkspace(t, cli, twoObjects.with(map[string]string{"adopt": "false"}).files(t, fleet))
		second.fails([]string{"Error: Objects of this name exist", "kube02: 2 objects, last applied 20", "import the propagation, or allow adoption"}, "plan", "-no-color")
		second.write(twoObjects.files(t, fleet))
		says(t, second.plan(), "Warning: Objects will be adopted", "kube02: 2 objects, last applied 20", "kube03: 2 objects")
		second.apply()
		second.settled()

		says(t, first.plan(), "Warning: Objects were taken over", "kube02: ConfigMap/default/settings (propagation app, instance ",
			`- "(ownership)" = "propagation app, instance`)
		first.write(map[string]string{"templates-0.yaml": greeting("mine")})
		first.fails([]string{"Error: Member kube02 is not as planned", "ConfigMap/default/settings: it was taken over by another state", "keep the propagation in one state only"},
			"apply", "-auto-approve", "-no-color")
		greets(t, fleet, map[string]string{"kube02": "hello", "kube03": "hello"})
		first.destroy()
		same(t, "objects", 4, before, identities(t, fleet, "kube02", "kube03"))
		second.settled()
		second.destroy()
		same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
	})
}

// A new name relabels in place, also on a member that was away.
func TestNewNameRelabels(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), twoObjects.files(t, fleet))
	w.apply()
	before := identities(t, fleet, "kube02", "kube03")
	stop(t, fleet, "kube03")
	w.write(twoObjects.with(map[string]string{"name": `"application"`}).files(t, fleet))
	says(t, w.plan(), `~ name = "app" -> "application"`, "will be updated in-place")
	w.apply()
	start(t, fleet, "kube03")
	w.apply()
	w.settled()
	same(t, "objects", 4, before, identities(t, fleet, "kube02", "kube03"))
	for _, member := range []string{"kube02", "kube03"} {
		label := live(t, fleet, member, "v1", "ConfigMap", "default", "settings", "metadata", "labels", "terraform-provider-multicluster/propagation")
		if label != "application" {
			t.Errorf("the label on %s is %v", member, label)
		}
	}
	w.destroy()
	same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
}

// What is applied is what was planned: a template that changed since is refused, and nothing is touched.
func TestSavedPlanOfOtherTemplates(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		w := newWorkspace(t, cli, twoObjects.files(t, fleet))
		w.apply()
		before, untouched := identities(t, fleet, "kube02", "kube03"), versions(t, fleet, "kube02", "kube03")
		w.write(map[string]string{"templates-0.yaml": greeting("planned")})
		w.plan("-out=plan")
		w.write(map[string]string{"templates-0.yaml": greeting("another")})
		w.fails([]string{"Error: Provider produced inconsistent final plan"}, "apply", "-no-color", "plan") // Terraform's words
		same(t, "objects", 4, before, identities(t, fleet, "kube02", "kube03"))
		same(t, "resourceVersions", 2, untouched, versions(t, fleet, "kube02", "kube03"))
		w.apply()
		w.settled()
		greets(t, fleet, map[string]string{"kube02": "another", "kube03": "another"})
		same(t, "objects", 4, before, identities(t, fleet, "kube02", "kube03"))
	})
}

// Without a refresh a plan and a destroy go by the state alone.
func TestWithoutRefresh(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), twoObjects.files(t, fleet))
	w.apply("-refresh=false")
	before := identities(t, fleet, "kube02", "kube03")
	w.write(map[string]string{"templates-0.yaml": greeting("good day")})
	w.apply("-refresh=false")
	greets(t, fleet, map[string]string{"kube02": "good day", "kube03": "good day"})
	same(t, "objects", 4, before, identities(t, fleet, "kube02", "kube03"))
	w.settled()
	w.must("destroy", "-auto-approve", "-refresh=false")
	same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
}

// An import by name holds everything; the first apply after it makes nothing anew, and removes what is not wanted any more.
func TestImport(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		w := newWorkspace(t, cli, twoObjects.files(t, fleet))
		w.apply()
		before, untouched := identities(t, fleet, "kube02", "kube03"), versions(t, fleet, "kube02", "kube03")
		for _, address := range []string{app, `multicluster_member.fleet["kube02"]`, `multicluster_member.fleet["kube03"]`} {
			w.must("state", "rm", address)
		}
		w.must("import", "-no-color", `multicluster_member.fleet["kube02"]`, "kube02")
		w.must("import", "-no-color", `multicluster_member.fleet["kube03"]`, "kube03")
		w.must("import", "-no-color", app, "app")
		for _, member := range []string{"kube02", "kube03"} {
			if got := w.works(member); len(got) != 2 || got["ConfigMap/default/settings"]["data.greeting"] != "hello" {
				t.Errorf("the import holds %v on %s", got, member)
			}
		}
		plan := w.plan()
		says(t, plan, "0 to add, 3 to change, 0 to destroy", "~ placements") // regions, labels and placements are nowhere on a member
		silent(t, plan, "works")
		w.apply()
		w.settled()
		same(t, "objects", 4, before, identities(t, fleet, "kube02", "kube03"))
		same(t, "resourceVersions", 2, untouched, versions(t, fleet, "kube02", "kube03"))
		w.destroy()
		same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
	})
}

// What cannot be imported says so.
func TestImportOfNothing(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), twoObjects.files(t, fleet))
	w.fails([]string{"Error: Nothing to import", "terraform-provider-multicluster/propagation = app", "Searched: kube02, kube03"}, "import", "-no-color", app, "app")
	w.fails([]string{"Error: Member without a connection", `no connection for member "kube09"`}, "import", "-no-color", `multicluster_member.fleet["kube02"]`, "kube09")
	stop(t, fleet, "kube03")
	w.fails([]string{"Error: Member kube03 cannot be searched"}, "import", "-no-color", app, "app")
}

// A resource that is renamed with a moved block keeps everything. Without one Terraform creates and destroys at once, and
// whichever comes first, the objects are there in the end.
func TestRenamedResource(t *testing.T) {
	renamed := func(s setup, t *testing.T, fleet *testfleet.Fleet) map[string]string {
		files := s.files(t, fleet)
		files["main.tf"] = replaced(t, files["main.tf"], `resource "multicluster_propagation" "app"`, `resource "multicluster_propagation" "application"`)
		return files
	}
	eachCLI(t, func(t *testing.T, cli string) {
		t.Run("with a moved block", func(t *testing.T) {
			fleet := acceptance(t)
			w := newWorkspace(t, cli, twoObjects.files(t, fleet))
			w.apply()
			s := twoObjects
			s.more = "moved {\n  from = multicluster_propagation.app\n  to   = multicluster_propagation.application\n}\n"
			w.write(renamed(s, t, fleet))
			says(t, w.plan(), "multicluster_propagation.app has moved to multicluster_propagation.application", "0 to add, 0 to change, 0 to destroy")
			before := identities(t, fleet, "kube02", "kube03")
			w.apply()
			same(t, "objects", 4, before, identities(t, fleet, "kube02", "kube03"))
		})
		t.Run("without one", func(t *testing.T) {
			fleet := acceptance(t)
			w := newWorkspace(t, cli, twoObjects.files(t, fleet))
			w.apply()
			w.write(renamed(twoObjects, t, fleet))
			says(t, w.plan(), "Warning: Objects change hands", "add a moved block")
			w.apply()
			greets(t, fleet, map[string]string{"kube02": "hello", "kube03": "hello"})
			w.settled()
		})
	})
}

// A member that is not named any more loses its objects, and only that one. Several at once need leave.
func TestMembersLeave(t *testing.T) {
	fleet := acceptance(t)
	three := twoObjects
	three.members = maps.Clone(twoRegions)
	three.members["kube04"] = `{ region = "beijing" }`
	w := newWorkspace(t, oneCLI(t), three.files(t, fleet))
	w.apply()
	before := identities(t, fleet, "kube02", "kube03", "kube04")
	if len(before) != 6 {
		t.Fatalf("there are %v", before)
	}
	only := func(members string) map[string]string { return map[string]string{"members": members} }

	one := `[multicluster_member.fleet["kube02"]]`
	w.write(three.with(only(one)).files(t, fleet))
	w.fails([]string{"Error: Plan empties too many members", "kube03 (2 objects), kube04 (2 objects)", "At most 1", "max_members_removed = 2"}, "plan", "-no-color")
	same(t, "objects", 6, before, identities(t, fleet, "kube02", "kube03", "kube04"))

	w.write(three.with(only(`[multicluster_member.fleet["kube02"], multicluster_member.fleet["kube03"]]`)).files(t, fleet))
	says(t, w.plan(), `- "kube04" = jsonencode(`)
	w.apply()
	w.settled()
	maps.DeleteFunc(before, func(key, _ string) bool { return strings.HasPrefix(key, "kube04") })
	same(t, "objects", 4, before, identities(t, fleet, "kube02", "kube03", "kube04"))
}
