package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet/binaries"
)

// memberNames are the members of the fleet that all acceptance tests share.
var memberNames = []string{"kube02", "kube03", "kube04"}

func TestMain(m *testing.M) {
	code := testfleet.Run(m, testfleet.Options{Members: memberNames})
	if builtProvider != "" {
		if err := os.RemoveAll(filepath.Dir(builtProvider)); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

// acceptance skips a test that needs real API servers and a CLI unless TF_ACC is set, as for every Terraform provider.
func acceptance(t *testing.T) *testfleet.Fleet {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("acceptance tests run with TF_ACC=1: they start real API servers and run Terraform (make acc)")
	}
	return testfleet.Shared(t)
}

// eachCLI runs a test with Terraform, where there is one, and with OpenTofu.
func eachCLI(t *testing.T, test func(t *testing.T, cli string)) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("acceptance tests run with TF_ACC=1: they start real API servers and run Terraform (make acc)")
	}
	if path, err := exec.LookPath("terraform"); err == nil {
		t.Run("terraform", func(t *testing.T) { test(t, path) })
	}
	t.Run("tofu", func(t *testing.T) {
		path, err := binaries.Tofu(t.Context(), os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		test(t, path)
	})
}

// oneCLI returns the CLI for tests that need not run with both.
func oneCLI(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path
	}
	path, err := binaries.Terraform(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// workspace is a folder with a configuration, and a CLI that runs it with the provider of this tree.
type workspace struct {
	t   *testing.T
	cli string
	dir string
	env []string
}

// newWorkspace returns a workspace with the given files.
func newWorkspace(t *testing.T, cli string, files map[string]string) *workspace {
	t.Helper()
	w := &workspace{t: t, cli: cli, dir: t.TempDir()}
	config := filepath.Join(t.TempDir(), "cli.tfrc")
	if err := os.WriteFile(config, fmt.Appendf(nil, `provider_installation {
  dev_overrides {
    "registry.terraform.io/multicluster/multicluster" = %[1]q
    "registry.opentofu.org/multicluster/multicluster" = %[1]q
  }
  direct {}
}
`, filepath.Dir(providerBinary(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	w.env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+config, "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1", "TF_LOG=", "TF_ACC=")
	w.write(files)
	return w
}

var builtProvider string

// providerBinary returns the provider of this tree, built once per test run.
func providerBinary(t *testing.T) string {
	t.Helper()
	if builtProvider != "" {
		return builtProvider
	}
	dir, err := os.MkdirTemp("", "provider-") //nolint:usetesting // it serves the tests after this one too.
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "terraform-provider-multicluster")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "github.com/multicluster/terraform-provider-multicluster")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the provider: %v\n%s", err, out)
	}
	builtProvider = path
	return path
}

// write writes files into the workspace.
func (w *workspace) write(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
}

// run runs the CLI and returns all it printed, and its exit code.
func (w *workspace) run(args ...string) (string, int) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), w.cli, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// must runs the CLI, which has to succeed.
func (w *workspace) must(args ...string) string {
	w.t.Helper()
	out, code := w.run(args...)
	if code != 0 {
		w.t.Fatalf("%s %s: exit code %d\n%s", filepath.Base(w.cli), strings.Join(args, " "), code, out)
	}
	return out
}

// fails runs the CLI, which has to fail and say all of want.
func (w *workspace) fails(want []string, args ...string) string {
	w.t.Helper()
	out, code := w.run(args...)
	if code == 0 {
		w.t.Fatalf("%s %s succeeds, want it to fail with %q\n%s", filepath.Base(w.cli), strings.Join(args, " "), want, out)
	}
	says(w.t, out, want...)
	return out
}

// apply applies without asking.
func (w *workspace) apply(args ...string) string {
	w.t.Helper()
	return w.must(append([]string{"apply", "-auto-approve", "-no-color"}, args...)...)
}

// plan returns what a plan prints.
func (w *workspace) plan(args ...string) string {
	w.t.Helper()
	return w.must(append([]string{"plan", "-no-color"}, args...)...)
}

// destroy destroys without asking.
func (w *workspace) destroy() {
	w.t.Helper()
	w.must("destroy", "-auto-approve", "-no-color")
}

// settled fails the test unless a plan has nothing to do.
func (w *workspace) settled() {
	w.t.Helper()
	if out, code := w.run("plan", "-no-color", "-detailed-exitcode"); code != 0 {
		w.t.Fatalf("the plan after an apply is not empty (exit code %d):\n%s", code, out)
	}
}

// works returns what the state says of one member of the propagation "app": object key -> fields.
func (w *workspace) works(member string) map[string]map[string]any {
	w.t.Helper()
	text, ok := w.attribute(app, "works").(map[string]any)[member].(string)
	if !ok {
		return nil
	}
	var objects map[string]map[string]any
	if err := json.Unmarshal([]byte(text), &objects); err != nil {
		w.t.Fatal(err)
	}
	return objects
}

// attribute returns an attribute of a resource in the state.
func (w *workspace) attribute(address, name string) any {
	w.t.Helper()
	var state struct {
		Values struct {
			RootModule struct {
				Resources []struct {
					Address string
					Tainted bool
					Values  map[string]any
				}
			} `json:"root_module"`
		}
	}
	if err := json.Unmarshal([]byte(w.must("show", "-json")), &state); err != nil {
		w.t.Fatal(err)
	}
	for _, r := range state.Values.RootModule.Resources {
		if r.Address == address {
			return r.Values[name]
		}
	}
	w.t.Fatalf("no %s in the state", address)
	return nil
}

// rawState returns the state file as it lies on the disk.
func (w *workspace) rawState() string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "terraform.tfstate"))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// says fails the test unless out holds every one of want; line breaks and the frame around diagnostics do not count.
func says(t *testing.T, out string, want ...string) {
	t.Helper()
	flat := flatten(out)
	for _, text := range want {
		if !strings.Contains(flat, flatten(text)) {
			t.Errorf("output does not say %q:\n%s", text, out)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// silent fails the test if out holds one of the texts.
func silent(t *testing.T, out string, texts ...string) {
	t.Helper()
	flat := flatten(out)
	for _, text := range texts {
		if strings.Contains(flat, flatten(text)) {
			t.Fatalf("output says %q:\n%s", text, out)
		}
	}
}

// flatten joins the lines of diagnostics, which CLIs wrap.
func flatten(out string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(out)), " ")
}

// providerBlock returns a provider block that reaches the fleet's members by kubeconfig.
func providerBlock(fleet *testfleet.Fleet, names ...string) string {
	var b strings.Builder
	b.WriteString("terraform {\n  required_providers {\n    multicluster = { source = \"registry.terraform.io/multicluster/multicluster\" }\n  }\n}\n\n")
	b.WriteString("provider \"multicluster\" {\n  members = {\n")
	for _, name := range names {
		fmt.Fprintf(&b, "    %s = { kubeconfig_path = %q, context = %q }\n", name, fleet.Kubeconfig, name)
	}
	b.WriteString("  }\n}\n")
	return b.String()
}
