package provider_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// interrupted runs the CLI, presses Ctrl-C as soon as the time has come, and returns all it printed. It has to fail.
func (w *workspace) interrupted(now func() bool, args ...string) string {
	w.t.Helper()
	return w.disturbed(now, func(cli *os.Process) error { return cli.Signal(os.Interrupt) }, args...)
}

// killProvider kills the provider that the CLI runs. Tests run one after the other, so there is just one.
func killProvider(t *testing.T) func(cli *os.Process) error {
	return func(*os.Process) error {
		links, err := filepath.Glob("/proc/[0-9]*/exe")
		if err != nil {
			return err
		}
		for _, link := range links {
			if target, err := os.Readlink(link); err != nil || target != providerBinary(t) {
				continue
			}
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			if err != nil {
				return err
			}
			process, err := os.FindProcess(pid)
			if err != nil {
				return err
			}
			return process.Kill()
		}
		return errors.New("no provider is running")
	}
}

// disturbed runs the CLI, disturbs it as soon as the time has come, and returns all it printed. It has to fail.
func (w *workspace) disturbed(now func() bool, disturb func(cli *os.Process) error, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), w.cli, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for !now() {
		select {
		case err := <-done:
			w.t.Fatalf("%v ended before it could be disturbed: %v\n%s", args, err, &out)
		case <-time.After(50 * time.Millisecond):
		}
	}
	if err := disturb(cmd.Process); err != nil {
		w.t.Error(err)
	}
	if err := <-done; err == nil {
		w.t.Errorf("%v succeeds although it was disturbed:\n%s", args, &out)
	}
	return out.String()
}

// leaving is a ConfigMap that hold keeps from going away.
var leaving = configMap("leaving")

// hold keeps the ConfigMap on kube03 when it is deleted, until letGo.
func hold(t *testing.T, fleet *testfleet.Fleet) {
	t.Helper()
	patch(t, fleet, "kube03", "v1", "ConfigMap", "leaving", `{"metadata": {"finalizers": ["example.com/patience"]}}`)
}

func letGo(t *testing.T, fleet *testfleet.Fleet) {
	t.Helper()
	patch(t, fleet, "kube03", "v1", "ConfigMap", "leaving", `{"metadata": {"finalizers": null}}`)
}

// leaves reports whether the ConfigMap is being deleted.
func leaves(t *testing.T, fleet *testfleet.Fleet) bool {
	t.Helper()
	obj := get(t, fleet, "kube03", "v1", "ConfigMap", "default", "leaving")
	return obj != nil && obj.GetDeletionTimestamp() != nil
}

// Ctrl-C ends an apply that waits. What was done by then is in the state, and the next apply does the rest.
func TestInterruptedUpdate(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		s := twoObjects
		s.templates = []string{settings, leaving}
		w := newWorkspace(t, cli, s.files(t, fleet))
		w.apply()
		hold(t, fleet)
		s.templates = []string{greeting("good day")}
		w.write(s.files(t, fleet))
		out := w.interrupted(func() bool { return leaves(t, fleet) }, "apply", "-auto-approve", "-no-color")
		says(t, out, "Error: Member kube03 is not as planned", "ConfigMap/default/leaving: it is still there", "waiting for example.com/patience")
		for member, objects := range map[string]int{"kube02": 1, "kube03": 2} {
			if works := w.works(member); works["ConfigMap/default/settings"]["data.greeting"] != "good day" || len(works) != objects {
				t.Errorf("the state has %v on %s", works, member)
			}
		}
		letGo(t, fleet)
		w.apply()
		w.settled()
	})
}

// The same for a create: what was made is not made anew.
func TestInterruptedCreate(t *testing.T) {
	fleet := acceptance(t)
	create(t, fleet, "kube03", map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "leaving", "namespace": "default", "finalizers": []any{"example.com/patience"}},
	})
	if err := client(t, fleet, "kube03", "v1", "ConfigMap", "default").Delete(t.Context(), "leaving", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s := twoObjects.with(map[string]string{"conflict_resolution": `"Overwrite"`})
	s.templates = append([]string{leaving}, s.templates...)
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	out := w.interrupted(func() bool { return len(identities(t, fleet, "kube02", "kube03")) == 4 }, "apply", "-auto-approve", "-no-color")
	says(t, out, "Error: Member kube03 is not as planned", "ConfigMap/default/leaving: it is being deleted, and has to be gone before it can be applied", "waiting for example.com/patience")
	before := identities(t, fleet, "kube02", "kube03")
	letGo(t, fleet)
	w.apply()
	same(t, "objects", 4, before, identities(t, fleet, "kube02", "kube03"))
	w.settled()
}

// And for a destroy.
func TestInterruptedDestroy(t *testing.T) {
	fleet := acceptance(t)
	s := twoObjects
	s.templates = append([]string{leaving}, s.templates...)
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	hold(t, fleet)
	out := w.interrupted(func() bool { return leaves(t, fleet) }, "destroy", "-auto-approve", "-no-color")
	says(t, out, "Error: Member kube03 is not as planned", "ConfigMap/default/leaving: it is still there")
	if got := w.works("kube03"); len(got) != 1 {
		t.Errorf("the state has %v, want the ConfigMap that is still there", got)
	}
	letGo(t, fleet)
	w.destroy()
}

// A member that takes connections and says nothing is given up like one that is away, before the plan and after it, and holds
// up nobody.
func TestFrozenMember(t *testing.T) {
	for name, freeze := range map[string]struct {
		freeze, thaw func(*testfleet.Member) error
	}{
		"the API server hangs":     {(*testfleet.Member).Freeze, (*testfleet.Member).Thaw},
		"the network swallows all": {(*testfleet.Member).BlackHole, (*testfleet.Member).Restore},
	} {
		t.Run(name, func(t *testing.T) {
			fleet := acceptance(t)
			kube03 := fleet.Member("kube03")
			w := newWorkspace(t, oneCLI(t), twoObjects.files(t, fleet))
			w.apply()
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			w.write(map[string]string{"templates-0.yaml": greeting("good day")})
			w.plan("-out=plan")
			must(freeze.freeze(kube03))
			w.fails([]string{"Error: Member kube03 cannot be written to"}, "apply", "-no-color", "plan")
			greets(t, fleet, map[string]string{"kube02": "good day"})

			w.write(map[string]string{"templates-0.yaml": greeting("good night")})
			says(t, w.apply(), "Warning: Member kube03 is not well", "Unreachable: no answer", "Warning: Changes are held back")
			greets(t, fleet, map[string]string{"kube02": "good night"})
			must(freeze.thaw(kube03))
			w.apply()
			greets(t, fleet, map[string]string{"kube02": "good night", "kube03": "good night"})
			w.settled()
		})
	}
}

// The time that the user gives bounds an apply; a slow member just takes longer.
func TestSlowMember(t *testing.T) {
	fleet := acceptance(t)
	kube03 := fleet.Member("kube03")
	if err := kube03.Slow(500 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(t, oneCLI(t), twoObjects.files(t, fleet))
	silent(t, w.apply(), "with multicluster_")
	w.settled()

	w.write(twoObjects.with(map[string]string{"timeouts": `{ update = "1s" }`}).files(t, fleet))
	w.apply()
	w.write(map[string]string{"templates-0.yaml": greeting("good day")})
	w.plan("-out=plan")
	if err := kube03.Slow(3 * time.Second); err != nil {
		t.Fatal(err)
	}
	w.fails([]string{"Error: Member kube03", "timeouts on the propagation says how long"}, "apply", "-no-color", "plan")
	greets(t, fleet, map[string]string{"kube02": "good day"})
}

const newService = "apiVersion: v1\nkind: Service\nmetadata: {name: new}\nspec: {ports: [{port: 80}], selector: {app: demoapp}}\n"

// killedUpdate applies two objects, and kills something once kube02 has got a third and kube03 has not. It returns the set-up
// with the third; that without it is what the workspace has.
func killedUpdate(t *testing.T, kill func(cli *os.Process) error) (*testfleet.Fleet, *workspace, setup) {
	t.Helper()
	fleet := acceptance(t)
	before := twoObjects
	before.policies = []string{everywhere("v1 ConfigMap", "v1 Service", "apps/v1 Deployment")}
	w := newWorkspace(t, oneCLI(t), before.files(t, fleet))
	w.apply()
	after := before
	after.templates = append([]string{newService}, before.templates...)
	w.write(after.files(t, fleet))
	w.plan("-out=plan")
	if err := fleet.Member("kube03").Freeze(); err != nil {
		t.Fatal(err)
	}
	w.disturbed(func() bool { return exists(t, fleet, "kube02", "v1", "Service", "default", "new") }, kill, "apply", "-no-color", "plan")
	if err := fleet.Member("kube03").Thaw(); err != nil {
		t.Fatal(err)
	}
	w.write(before.files(t, fleet))
	return fleet, w, after
}

// withoutService fails the test if a member has the third object.
func withoutService(t *testing.T, fleet *testfleet.Fleet) {
	t.Helper()
	for _, member := range []string{"kube02", "kube03"} {
		if exists(t, fleet, member, "v1", "Service", "default", "new") {
			t.Errorf("%s still has the Service", member)
		}
	}
}

// When the provider is killed during an update, Terraform keeps the state from before and drops the private state. Nothing is
// lost: what was applied by then is found, whatever its kind, and goes when the change is taken back.
func TestKilledProvider(t *testing.T) {
	t.Run("apply again", func(t *testing.T) {
		fleet, w, after := killedUpdate(t, killProvider(t))
		before := identities(t, fleet, "kube02", "kube03")
		w.write(after.files(t, fleet))
		w.apply()
		same(t, "objects", 4, before, identities(t, fleet, "kube02", "kube03"))
		w.settled()
		w.destroy()
		withoutService(t, fleet)
	})
	t.Run("take it back", func(t *testing.T) {
		fleet, w, _ := killedUpdate(t, killProvider(t))
		says(t, w.plan(), `- "Service/default/new"`)
		w.apply()
		withoutService(t, fleet)
		w.settled()
	})
	t.Run("destroy", func(t *testing.T) {
		fleet, w, _ := killedUpdate(t, killProvider(t))
		w.destroy()
		withoutService(t, fleet)
	})
}

// When Terraform itself is killed there is no new state at all. The next apply of the same configuration goes on, and a destroy
// searches for what no state shows.
func TestKilledTerraform(t *testing.T) {
	fleet, w, _ := killedUpdate(t, (*os.Process).Kill)
	out := w.must("destroy", "-auto-approve", "-no-color")
	says(t, out, "Note from member kube02", "that the state did not show", "Service/default/new")
	withoutService(t, fleet)
}
