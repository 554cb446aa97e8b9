package provider_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// followed are the guides that tell what to type.
var followed = []string{"first-hour.md", "reading-a-plan.md", "pipelines.md", "members.md", "propagations.md"}

// TestGuides follows them: it writes their files, runs their commands one after the other, and
// compares what these print with what the guide says.
func TestGuides(t *testing.T) {
	for _, name := range followed {
		t.Run(strings.TrimSuffix(name, ".md"), func(t *testing.T) {
			eachCLI(t, func(t *testing.T, cli string) { follow(t, cli, blocks(t, guide(name))) })
		})
	}
}

// follow does what the blocks of a guide say.
func follow(t *testing.T, cli string, steps []block) {
	t.Helper()
	r := newReader(t, cli)
	printed := ""
	for i, b := range steps {
		switch {
		case b.file != "":
			r.write(b)
		case b.language == "sh":
			fails := i+1 < len(steps) && strings.HasPrefix(steps[i+1].text, "Error: ")
			printed = r.run(b, fails)
		case b.language == "text":
			r.compare(b, printed)
		default:
			t.Fatalf("%s: a block of %q says neither which file it is nor what to do", b.at, b.language)
		}
	}
}

// reader is somebody who follows a guide: with kind clusters, a folder, and the provider from a registry.
type reader struct {
	t     *testing.T
	fleet *testfleet.Fleet
	w     *workspace
}

func newReader(t *testing.T, cli string) *reader {
	t.Helper()
	fleet := acceptance(t)
	w := newWorkspace(t, cli, nil)
	home, bin := t.TempDir(), t.TempDir()
	clusters := map[string]*testfleet.Member{}
	for _, name := range memberNames {
		clusters["kind-"+name] = fleet.Member(name)
	}
	kubeconfig, err := testfleet.Kubeconfig(clusters)
	if err != nil {
		t.Fatal(err)
	}
	writeKubeconfig(t, home, string(kubeconfig))
	if err := os.Symlink(cli, filepath.Join(bin, "terraform")); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TF_CLI_CONFIG_FILE="+registry(t),
		"TF_CLI_ARGS_test=-no-color", "TF_CLI_ARGS_plan=-no-color", "TF_CLI_ARGS_apply=-no-color -auto-approve", "TF_CLI_ARGS_destroy=-no-color -auto-approve")
	return &reader{t: t, fleet: fleet, w: w}
}

// registry returns a CLI configuration with which init finds the provider of this tree, as if a registry had it.
func registry(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		at := filepath.Join(dir, host, "multicluster", "multicluster", "1.0.0", runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(providerBinary(t), filepath.Join(at, "terraform-provider-multicluster_v1.0.0")); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(t.TempDir(), "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror { path = %q }\n}\n", dir)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

// write writes the file that a block holds, or appends to it.
func (r *reader) write(b block) {
	r.t.Helper()
	text := b.text
	if b.appended {
		text = readFile(r.t, filepath.Join(r.w.dir, b.file)) + text
	}
	r.w.write(map[string]string{b.file: text})
}

// run runs the commands of a block and returns what they print. The last one has to fail if fails says so.
func (r *reader) run(b block, fails bool) string {
	r.t.Helper()
	var printed strings.Builder
	commands := strings.Split(strings.TrimSpace(b.text), "\n")
	for i, command := range commands {
		if r.fleetDoes(b, command) {
			continue
		}
		cmd := exec.CommandContext(r.t.Context(), "sh", "-c", command)
		cmd.Dir, cmd.Env = r.w.dir, r.w.env
		out, err := cmd.CombinedOutput()
		printed.Write(out)
		if (err != nil) != (fails && i == len(commands)-1) {
			r.t.Fatalf("%s: %s: %v\n%s", b.at, command, err, out)
		}
	}
	return printed.String()
}

// compare fails the test unless what was printed holds every line of a block.
func (r *reader) compare(b block, printed string) {
	r.t.Helper()
	flat := flatten(printed)
	for line := range strings.Lines(b.text) {
		if text := flatten(line); !strings.Contains(flat, text) {
			r.t.Fatalf("%s: not printed: %s\nbut:\n%s", b.at, text, printed)
		}
	}
}

// clusterCommands are the commands that are about clusters, and not about the configuration. The first group is the cluster.
var clusterCommands = []struct {
	pattern *regexp.Regexp
	do      func(r *reader, m *testfleet.Member, match []string) error
}{
	{regexp.MustCompile(`^kind create cluster --name (\w+)$`), func(r *reader, m *testfleet.Member, _ []string) error {
		if m.PID() != 0 { // it is there from the start
			return nil
		}
		return m.Replace(r.t.Context())
	}},
	{regexp.MustCompile(`^kind delete cluster --name (\w+)$`), func(_ *reader, m *testfleet.Member, _ []string) error { return m.Stop() }},
	{regexp.MustCompile(`^docker stop (\w+)-control-plane$`), func(_ *reader, m *testfleet.Member, _ []string) error { return m.Stop() }},
	{regexp.MustCompile(`^docker start (\w+)-control-plane$`), func(r *reader, m *testfleet.Member, _ []string) error { return m.Start(r.t.Context()) }},
	{regexp.MustCompile(`^kubectl --context kind-(\w+) get deployment (\w+)$`), func(r *reader, m *testfleet.Member, match []string) error {
		live(r.t, r.fleet, m.Name, "apps/v1", "Deployment", "default", match[2], "spec")
		return nil
	}},
	{regexp.MustCompile(`^kubectl --context kind-(\w+) scale deployment (\w+) --replicas (\d+)$`), func(r *reader, m *testfleet.Member, match []string) error {
		_, err := client(r.t, r.fleet, m.Name, "apps/v1", "Deployment", "default").Patch(r.t.Context(), match[2], types.MergePatchType,
			[]byte(`{"spec":{"replicas":`+match[3]+`}}`), metav1.PatchOptions{FieldManager: "kubectl"}, "scale")
		return err
	}},
}

// fleetDoes does what a command about clusters does, with the fleet in their place. It reports whether it is one.
func (r *reader) fleetDoes(b block, command string) bool {
	r.t.Helper()
	for _, known := range clusterCommands {
		match := known.pattern.FindStringSubmatch(command)
		if match == nil {
			continue
		}
		m := r.fleet.Member(match[1])
		if m == nil {
			r.t.Fatalf("%s: %s: there is no cluster %s", b.at, command, match[1])
		}
		if err := known.do(r, m, match); err != nil {
			r.t.Fatalf("%s: %s: %v", b.at, command, err)
		}
		return true
	}
	return false
}
