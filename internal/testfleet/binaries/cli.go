package binaries

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
)

// All are the tools in the order in which they are wanted.
var All = []Tool{Etcd, Kubernetes, Kwok, OpenTofu, GolangciLint, PluginDocs}

// Terraform returns the path of the CLI to use by default: terraform or tofu on PATH, else OpenTofu, built.
func Terraform(ctx context.Context, log io.Writer) (string, error) {
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return Tofu(ctx, log)
}

// Tofu returns the path of OpenTofu: the one on PATH, else the pinned one, built.
func Tofu(ctx context.Context, log io.Writer) (string, error) {
	if path, err := exec.LookPath("tofu"); err == nil {
		return path, nil
	}
	return Path(ctx, log, "tofu")
}

// Path returns the path of a program by its name, after building its tool if need be.
func Path(ctx context.Context, log io.Writer, program string) (string, error) {
	for _, tool := range All {
		if !slices.ContainsFunc(tool.Programs, func(p Program) bool { return p.Name == program }) {
			continue
		}
		dir, err := Ensure(ctx, log, tool)
		if err != nil {
			return "", err
		}
		return filepath.Join(dir, program), nil
	}
	return "", fmt.Errorf("no tool builds a program %q", program)
}
