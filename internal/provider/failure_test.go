package provider_test

import (
	"os"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// stop stops a member, as a power cut does.
func stop(t *testing.T, fleet *testfleet.Fleet, name string) {
	t.Helper()
	if err := fleet.Member(name).Stop(); err != nil {
		t.Fatal(err)
	}
}

// start brings a member back.
func start(t *testing.T, fleet *testfleet.Fleet, name string) {
	t.Helper()
	if err := fleet.Member(name).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A member that is away when the plan is made is warned of and tainted, and holds up nothing: its change is shown again when
// it is back.
func TestMemberAwayBeforeThePlan(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		w := newWorkspace(t, cli, twoObjects.files(t, fleet))
		w.apply()
		before := identities(t, fleet, "kube02", "kube03")
		stop(t, fleet, "kube03")
		w.write(map[string]string{"templates-0.yaml": greeting("good day")})

		plan := w.plan()
		says(t, plan, "Warning: Member kube03 is not well", "Unreachable: no answer", "Warning: Changes are held back", "ConfigMap/default/settings",
			`"kube02" = jsonencode(`, `~ "data.greeting" = "hello" -> "good day"`, "cluster.karmada.io/unreachable:NoExecute", "cluster.karmada.io/unreachable:NoSchedule")
		silent(t, plan, `"kube03" = jsonencode(`)
		w.apply()
		greets(t, fleet, map[string]string{"kube02": "good day"})
		unhealthy, _ := w.attribute(`multicluster_member.fleet["kube03"]`, "unhealthy").(map[string]any)
		if unhealthy["reason"] != "Unreachable" || unhealthy["since"] == "" || unhealthy["observed_at"] == "" {
			t.Errorf("unhealthy is %v", unhealthy)
		}
		w.settled() // still away: nothing to do but to wait

		start(t, fleet, "kube03")
		plan = w.plan()
		says(t, plan, `"kube03" = jsonencode(`, `~ "data.greeting" = "hello" -> "good day"`)
		silent(t, plan, `"kube02" = jsonencode(`, "Warning: Member", "held back")
		w.apply()
		greets(t, fleet, map[string]string{"kube02": "good day", "kube03": "good day"})
		same(t, "objects after the outage", 4, before, identities(t, fleet, "kube02", "kube03"))
		w.settled()
	})
}

// A member that takes connections and never answers: the plan of a create says how long it waited.
func TestCreateWithMemberThatHangs(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), twoObjects.files(t, fleet))
	if err := fleet.Member("kube03").Freeze(); err != nil {
		t.Fatal(err)
	}
	plan := w.plan()
	if err := fleet.Member("kube03").Thaw(); err != nil {
		t.Fatal(err)
	}
	says(t, plan, "Warning: Member kube03 is not well", "Unreachable: no answer in 10s")
	silent(t, plan, "deadline")
}

// A member that is lost between plan and apply is one error; the others are done, and the next apply adds just the rest.
func TestMemberLostBetweenPlanAndApply(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		w := newWorkspace(t, cli, twoObjects.files(t, fleet))
		w.apply()
		before := identities(t, fleet, "kube02", "kube03")
		w.write(map[string]string{"templates-0.yaml": greeting("good day")})
		w.plan("-out=plan")
		stop(t, fleet, "kube03")

		w.fails([]string{"Error: Member kube03 cannot be written to", "Nothing was sent to member kube03"}, "apply", "-no-color", "plan")
		greets(t, fleet, map[string]string{"kube02": "good day"})
		start(t, fleet, "kube03")
		untouched := versions(t, fleet, "kube02")
		plan := w.plan()
		says(t, plan, `"kube03" = jsonencode(`)
		silent(t, plan, `"kube02" = jsonencode(`)
		w.apply()
		greets(t, fleet, map[string]string{"kube02": "good day", "kube03": "good day"})
		same(t, "objects", 4, before, identities(t, fleet, "kube02", "kube03"))
		same(t, "kube02's ConfigMap", 1, untouched, versions(t, fleet, "kube02"))
		w.settled()
	})
}

// A create that fails on one member leaves a tainted resource. The next apply makes nothing anew: it adds the member.
func TestMemberLostDuringCreate(t *testing.T) {
	// lost is a workspace whose create failed on kube03, which is back.
	lost := func(t *testing.T, cli string, s setup) (*testfleet.Fleet, *workspace) {
		t.Helper()
		fleet := acceptance(t)
		w := newWorkspace(t, cli, s.files(t, fleet))
		w.plan("-out=plan")
		stop(t, fleet, "kube03")
		w.fails([]string{"Error: Member kube03 cannot be written to", "apply again", "terraform untaint"}, "apply", "-no-color", "plan")
		greets(t, fleet, map[string]string{"kube02": "hello"})
		start(t, fleet, "kube03")
		greets(t, fleet, map[string]string{"kube03": ""})
		return fleet, w
	}
	added := func(t *testing.T, fleet *testfleet.Fleet, w *workspace, add func()) {
		t.Helper()
		before := identities(t, fleet, "kube02")
		add()
		same(t, "objects on kube02", 2, before, identities(t, fleet, "kube02"))
		greets(t, fleet, map[string]string{"kube02": "hello", "kube03": "hello"})
		w.settled()
		w.destroy()
		same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
	}
	again := func(t *testing.T, cli string, s setup) {
		t.Helper()
		fleet, w := lost(t, cli, s)
		added(t, fleet, w, func() {
			untouched := versions(t, fleet, "kube02")
			w.apply()
			same(t, "resourceVersion on kube02", 1, untouched, versions(t, fleet, "kube02"))
		})
	}
	eachCLI(t, func(t *testing.T, cli string) {
		t.Run("apply again", func(t *testing.T) { again(t, cli, twoObjects) })
		t.Run("apply again, create_before_destroy", func(t *testing.T) {
			fleet, w := lost(t, cli, twoObjects.withLifecycle("create_before_destroy = true"))
			added(t, fleet, w, func() { w.apply() })
		})
		t.Run("destroy", func(t *testing.T) {
			fleet, w := lost(t, cli, twoObjects)
			w.destroy()
			same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
		})
	})
	cli := oneCLI(t)
	t.Run("apply again, adopt = false", func(t *testing.T) { again(t, cli, twoObjects.with(map[string]string{"adopt": "false"})) })
	t.Run("untaint and apply", func(t *testing.T) {
		fleet, w := lost(t, cli, twoObjects)
		w.must("untaint", app)
		plan := w.plan()
		says(t, plan, "0 to add, 1 to change, 0 to destroy", `"kube03" = jsonencode(`)
		silent(t, plan, `"kube02" = jsonencode(`)
		added(t, fleet, w, func() { w.apply() })
	})
	t.Run("apply again while the member is away", func(t *testing.T) {
		fleet, w := lost(t, cli, twoObjects)
		stop(t, fleet, "kube03")
		added(t, fleet, w, func() {
			w.apply() // the member is known to be away now: this is no error
			start(t, fleet, "kube03")
			w.apply()
		})
	})
	t.Run("all members are lost during the next apply", func(t *testing.T) {
		fleet, w := lost(t, cli, twoObjects)
		added(t, fleet, w, func() {
			w.plan("-out=plan")
			stop(t, fleet, "kube03")
			stop(t, fleet, "kube02")
			w.fails([]string{"Error: Member kube02 cannot be written to", "Error: Member kube03 cannot be written to"}, "apply", "-no-color", "plan")
			start(t, fleet, "kube02")
			start(t, fleet, "kube03")
			if got := len(w.works("kube02")); got != 2 {
				t.Fatalf("the state knows %d objects on kube02, want 2", got)
			}
			w.apply()
		})
	})
	t.Run("a member that holds objects is away during the next apply", func(t *testing.T) {
		fleet, w := lost(t, cli, twoObjects)
		before := identities(t, fleet, "kube02")
		stop(t, fleet, "kube02")
		w.apply() // its objects cannot be in a state that was planned without them
		greets(t, fleet, map[string]string{"kube03": "hello"})
		w.fails([]string{"Error: Member kube02 cannot be searched", "destroy again when it is back"}, "destroy", "-auto-approve", "-no-color")
		start(t, fleet, "kube02")
		same(t, "objects on kube02", 2, before, identities(t, fleet, "kube02"))
		w.destroy()
		same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
	})
}

// A member that is away when everything is destroyed is an error. What it holds stays in the state, and the next destroy
// ends it.
func TestMemberAwayAtDestroy(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		w := newWorkspace(t, cli, twoObjects.files(t, fleet))
		w.apply()
		stop(t, fleet, "kube03")
		w.fails([]string{"Error: Member kube03 cannot be written to", "destroy again", "kube03 = { retired = true }"}, "destroy", "-auto-approve", "-no-color")
		same(t, "objects on kube02", 0, identities(t, fleet, "kube02"), nil)
		if kube02, kube03 := w.works("kube02"), w.works("kube03"); len(kube02) != 0 || len(kube03) != 2 {
			t.Errorf("the state holds %v and %v, want nothing and two objects", kube02, kube03)
		}
		start(t, fleet, "kube03")
		w.destroy()
		same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
	})
}

// A replacement whose Delete half fails leaves a resource that a plain destroy removes whole.
func TestDestroyAfterAReplacementThatFailed(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		w := newWorkspace(t, cli, twoObjects.files(t, fleet))
		w.apply()
		narrow := twoObjects
		narrow.templates = narrow.templates[:1] // the Deployment is not wanted any more
		w.write(narrow.files(t, fleet))
		w.plan("-out=plan", "-replace="+app)
		stop(t, fleet, "kube03")
		w.fails([]string{"Error: Member kube03 cannot be written to"}, "apply", "-no-color", "plan")
		start(t, fleet, "kube03")
		w.destroy()
		same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
	})
}

// A member that is lost during a replacement that creates first keeps its objects: the old propagation, which Terraform has
// still to destroy, does not take them from the new one.
func TestMemberLostDuringCreateBeforeDestroy(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		w := newWorkspace(t, cli, twoObjects.withLifecycle("create_before_destroy = true").files(t, fleet))
		w.apply()
		before := identities(t, fleet, "kube02", "kube03")
		w.plan("-out=plan", "-replace="+app)
		stop(t, fleet, "kube03")
		w.fails([]string{"Error: Member kube03 cannot be written to"}, "apply", "-no-color", "plan")
		start(t, fleet, "kube03")
		w.apply()
		same(t, "objects after the replacement", 4, before, identities(t, fleet, "kube02", "kube03"))
		w.settled()
		w.destroy()
		same(t, "objects after the destroy", 0, identities(t, fleet, "kube02", "kube03"), nil)
	})
}

// A member that is lost while the old half of such a replacement is destroyed is soon given up. What the old one alone still
// holds there goes with the next apply.
func TestMemberLostInTheDestroyHalf(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		s := twoObjects
		s.lifecycle = "lifecycle { create_before_destroy = true }"
		narrow := s
		s.templates = append([]string{leaving}, s.templates...)
		w := newWorkspace(t, cli, s.files(t, fleet))
		w.apply()
		before := identities(t, fleet, "kube02", "kube03")
		hold(t, fleet)
		w.write(narrow.files(t, fleet))
		w.plan("-out=plan", "-replace="+app)
		lost := func(*os.Process) error { return fleet.Member("kube03").Stop() }
		out := w.disturbed(func() bool { return leaves(t, fleet) }, lost, "apply", "-no-color", "plan")
		says(t, out, "Error: Member kube03 is not as planned", "gives no answer", "whether it took ConfigMap/default/leaving is not known")
		start(t, fleet, "kube03")
		letGo(t, fleet)
		w.apply()
		w.settled()
		same(t, "objects after the replacement", 4, before, identities(t, fleet, "kube02", "kube03"))
		for _, member := range []string{"kube02", "kube03"} {
			if exists(t, fleet, member, "v1", "ConfigMap", "default", "leaving") {
				t.Errorf("%s still has what only the old one held", member)
			}
		}
	})
}
