package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet/binaries"
)

// workspace is a folder with a configuration, in which Terraform or OpenTofu runs the provider of this source tree.
type workspace struct {
	dir      string // Of the configuration.
	provider string // The provider's executable.
	cli      string
	env      []string
}

// newWorkspace builds the provider and prepares an empty configuration folder inside dir.
func newWorkspace(ctx context.Context, out io.Writer, dir string) (*workspace, error) {
	cli, err := binaries.Terraform(ctx, out)
	if err != nil {
		return nil, err
	}
	w := &workspace{dir: filepath.Join(dir, "configuration"), cli: cli}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return nil, err
	}
	mirror := filepath.Join(dir, "mirror")
	if w.provider, err = buildProvider(ctx, mirror); err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror { path = %q }\n}\n", mirror)
	w.env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+config, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1")
	return w, os.WriteFile(config, []byte(text), 0o600)
}

// buildProvider builds the provider into a folder from which both CLIs install it, each under the address of its own
// registry.
func buildProvider(ctx context.Context, mirror string) (string, error) {
	root, err := binaries.Root()
	if err != nil {
		return "", err
	}
	const version = "0.0.1"
	packageDir := filepath.Join(filepath.FromSlash(providerSource), version, runtime.GOOS+"_"+runtime.GOARCH)
	terraform := filepath.Join(mirror, "registry.terraform.io", packageDir)
	opentofu := filepath.Join(mirror, "registry.opentofu.org", packageDir)
	executable := filepath.Join(terraform, "terraform-provider-multicluster_v"+version)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", executable, ".")
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the provider: %w\n%s", err, output)
	}
	if err := os.MkdirAll(filepath.Dir(opentofu), 0o700); err != nil {
		return "", err
	}
	return executable, os.Symlink(terraform, opentofu)
}

// name is that of the CLI: terraform or tofu.
func (w *workspace) name() string {
	return filepath.Base(w.cli)
}

// run runs the CLI and returns what it printed, standard error included. The error holds that output too.
func (w *workspace) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, w.cli, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	// On Ctrl-C the CLI is told once, not by the terminal too, and so has time to save its state.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return output.String(), fmt.Errorf("%s %s: %w\n%s", w.name(), strings.Join(args, " "), err, output.String())
	}
	return output.String(), nil
}
