package provider_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

const second = "multicluster_propagation.second"

// another is a block with a second propagation in the same configuration, over the same members.
func another(arguments string) string {
	return fmt.Sprintf(`resource "multicluster_propagation" "second" {
  members   = values(multicluster_member.fleet)
  %s
}
`, arguments)
}

// Two propagations of one configuration that bring the same object are told so by the plan, whether they are new or not.
func TestTwoPropagationsPlanOneObject(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		s := twoObjects
		s.more = another(`name = "second"
  templates = [file("templates-0.yaml")]
  policies  = [file("policies-0.yaml")]`)
		w := newWorkspace(t, cli, s.files(t, fleet))
		want := []string{"Error: Objects are in two propagations", "kube02: ConfigMap/default/settings", "kube03: ConfigMap/default/settings", "belongs to one propagation"}
		out := w.fails(want, "plan", "-no-color")
		if !strings.Contains(flatten(out), "Propagation app and this one, second,") && !strings.Contains(flatten(out), "Propagation second and this one, app,") {
			t.Errorf("it does not name both propagations:\n%s", out)
		}

		s.more = ""
		w.write(s.files(t, fleet))
		w.apply()
		s.more = another(`name = "app"
  templates = [file("templates-0.yaml")]
  policies  = [file("policies-0.yaml")]`)
		w.write(s.files(t, fleet))
		says(t, w.plan(), "Warning: Objects ", "Objects named for propagation app ")
		s.more = strings.Replace(s.more, `"app"`, `"second"`, 1)
		w.write(s.files(t, fleet))
		w.fails(want, "plan", "-no-color")
		greets(t, fleet, map[string]string{"kube02": "hello", "kube03": "hello"})
	})
}

// Two states that are applied at the same time and bring the same new object: one has it, the other is told whose it is.
func TestTwoStatesApplyAtOnce(t *testing.T) {
	fleet := acceptance(t)
	s := twoObjects
	s.templates = []string{settings}
	s.policies = []string{everywhere("v1 ConfigMap")}
	names := []string{"one", "two"}
	workspaces := make([]*workspace, len(names))
	for i, name := range names {
		workspaces[i] = newWorkspace(t, oneCLI(t), s.with(map[string]string{"name": fmt.Sprintf("%q", name)}).files(t, fleet))
		workspaces[i].must("plan", "-out=plan")
	}
	out, codes := make([]string, len(names)), make([]int, len(names))
	var group sync.WaitGroup
	for i, w := range workspaces {
		group.Go(func() { out[i], codes[i] = w.run("apply", "-no-color", "plan") })
	}
	group.Wait()
	for _, member := range []string{"kube02", "kube03"} {
		owner := live(t, fleet, member, "v1", "ConfigMap", "default", "settings", "metadata", "labels", "terraform-provider-multicluster/propagation")
		for i, name := range names {
			lost := strings.Contains(flatten(out[i]), fmt.Sprintf("member %s: ConfigMap/default/settings: it belongs to propagation", member)) ||
				strings.Contains(flatten(out[i]), fmt.Sprintf("Member %s: ConfigMap/default/settings: it belongs to propagation", member))
			if lost == (name == owner) {
				t.Errorf("%s on %s belongs to %v, and propagation %s says:\n%s", "ConfigMap/default/settings", member, owner, name, out[i])
			}
		}
	}
	if codes[0] == 0 && codes[1] == 0 {
		t.Error("both succeed")
	}
}

// moving returns a setup in which the ConfigMap is in the propagation named, and the Deployment in the first.
func moving(to, arguments string) setup {
	s := twoObjects
	first, then := `file("templates-0.yaml"), `, ""
	if to == "second" {
		first, then = "", `file("templates-0.yaml"), `
	}
	s.arguments = map[string]string{"templates": "[" + first + `file("templates-1.yaml")]`}
	s.more = another(fmt.Sprintf(`name = "second"
  templates = [%sfile("others.yaml")]
  policies  = [file("policies-0.yaml")]
  %s`, then, arguments))
	return s
}

// mayBeDeleted is the warning of a plan that cannot promise that objects are taken over before they are deleted.
const mayBeDeleted = "Warning: Objects move between propagations"

// An object moves from one propagation to another that exists already. The plan says what keeps it from that; with Overwrite it
// takes one apply, whichever of the two is first, and the object stays what it was unless the plan has warned.
func TestMoveToAnotherPropagation(t *testing.T) {
	others := map[string]string{"others.yaml": strings.ReplaceAll(settings, "name: settings", "name: others")}
	where := func(t *testing.T, w *workspace, want string) {
		t.Helper()
		for _, member := range []string{"kube02", "kube03"} {
			_, first := w.works(member)["ConfigMap/default/settings"]
			if first == (want == "second") {
				t.Errorf("propagation app holds it on %s: %v", member, first)
			}
		}
	}
	eachCLI(t, func(t *testing.T, cli string) {
		t.Run("without Overwrite", func(t *testing.T) {
			fleet := acceptance(t)
			w := newWorkspace(t, cli, moving("app", "").files(t, fleet))
			w.write(others)
			w.apply()
			w.write(moving("second", "").files(t, fleet))
			says(t, w.plan(), "Warning: Objects belong to another propagation", "kube02: ConfigMap/default/settings (propagation app, instance ",
				`set conflict_resolution = "Overwrite" here`, "Otherwise the other propagation deletes them")
			w.run("apply", "-auto-approve", "-no-color") // how it ends depends on which of the two is first
			w.apply()
			w.settled()
			where(t, w, "second")
			greets(t, fleet, map[string]string{"kube02": "hello", "kube03": "hello"})
		})
		t.Run("with Overwrite, the old one first", func(t *testing.T) {
			fleet := acceptance(t)
			const arguments = "conflict_resolution = \"Overwrite\"\n  depends_on = [multicluster_propagation.app]"
			w := newWorkspace(t, cli, moving("app", arguments).files(t, fleet))
			w.write(others)
			w.apply()
			w.write(moving("second", arguments).files(t, fleet))
			plan := w.plan()
			says(t, plan, mayBeDeleted, "Propagation app removes these", "kube02: ConfigMap/default/settings",
				"give the resource of app depends_on with this one")
			silent(t, plan, "Objects belong to another propagation")
			w.apply()
			w.settled()
			where(t, w, "second")
			greets(t, fleet, map[string]string{"kube02": "hello", "kube03": "hello"})
		})
		t.Run("with Overwrite, in any order", func(t *testing.T) {
			fleet := acceptance(t)
			const arguments = `conflict_resolution = "Overwrite"`
			w := newWorkspace(t, cli, moving("app", arguments).files(t, fleet))
			w.write(others)
			w.apply()
			objects := identities(t, fleet, "kube02", "kube03")
			for _, to := range []string{"second", "app", "second"} {
				s := moving(to, arguments)
				s.arguments["conflict_resolution"] = `"Overwrite"`
				w.write(s.files(t, fleet))
				out := w.apply()
				w.settled()
				where(t, w, to)
				after := identities(t, fleet, "kube02", "kube03")
				if !strings.Contains(out, mayBeDeleted) {
					same(t, "objects", 4, objects, after)
				}
				objects = after
			}
		})
		t.Run("with Overwrite, the new one first", func(t *testing.T) {
			fleet := acceptance(t)
			before, after := moving("app", `conflict_resolution = "Overwrite"`), moving("second", `conflict_resolution = "Overwrite"`)
			before.arguments["depends_on"] = "[" + second + "]"
			after.arguments["depends_on"] = "[" + second + "]"
			w := newWorkspace(t, cli, before.files(t, fleet))
			w.write(others)
			w.apply()
			objects := identities(t, fleet, "kube02", "kube03")
			w.write(after.files(t, fleet))
			w.apply()
			w.settled()
			where(t, w, "second")
			same(t, "objects", 4, objects, identities(t, fleet, "kube02", "kube03"))
		})
		t.Run("with Overwrite, the old one destroyed", func(t *testing.T) {
			fleet := acceptance(t)
			before := moving("second", "")
			before.arguments["conflict_resolution"] = `"Overwrite"`
			w := newWorkspace(t, cli, before.files(t, fleet))
			w.write(others)
			w.apply()
			uid := func(name string) any {
				return live(t, fleet, "kube02", "v1", "ConfigMap", "default", name, "metadata", "uid")
			}
			moved := uid("settings")
			w.write(twoObjects.with(map[string]string{"conflict_resolution": `"Overwrite"`}).files(t, fleet))
			out := w.apply()
			w.settled()
			where(t, w, "app")
			greets(t, fleet, map[string]string{"kube02": "hello", "kube03": "hello"})
			if now := uid("settings"); now != moved && !strings.Contains(out, mayBeDeleted) {
				t.Errorf("the ConfigMap was %v, now it is %v", moved, now)
			}
			if exists(t, fleet, "kube02", "v1", "ConfigMap", "default", "others") {
				t.Error("what nobody takes over stays")
			}
		})
	})
}

// A new propagation that adopts says which objects of its name it does not hold: they stay. Its own are no surprise when it is
// replaced.
func TestAdoptionNamesWhatStays(t *testing.T) {
	fleet := acceptance(t)
	s := twoObjects
	s.templates = append([]string{strings.ReplaceAll(settings, "name: settings", "name: dropped")}, twoObjects.templates...)
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	w.must("state", "rm", app)
	w.write(twoObjects.files(t, fleet))
	out := w.apply()
	says(t, out, "Warning: Objects will be adopted", "kube02: 3 objects, last applied 20", "Of these, the plan does not hold: kube02: ConfigMap/default/dropped",
		"If their state was lost they stay on the members", "import the propagation by its name")
	if !exists(t, fleet, "kube02", "v1", "ConfigMap", "default", "dropped") {
		t.Error("it does not stay")
	}

	w.write(twoObjects.withLifecycle("create_before_destroy = true").files(t, fleet))
	w.apply()
	out = w.apply("-replace=" + app)
	silent(t, out, "from a state that was lost")
	w.settled()
}
