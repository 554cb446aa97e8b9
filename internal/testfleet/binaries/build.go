package binaries

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// build makes the tool beside its target and renames it, so that the cache never holds half a tool.
func build(ctx context.Context, log io.Writer, tool Tool, src source, target string) (err error) {
	temp, err := os.MkdirTemp(filepath.Dir(target), "building-"+tool.Name+"-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()

	for _, program := range tool.Programs {
		start := time.Now()
		stop := report(log, "builds %s %s, once", program.Name, src.version)
		_, err := goCommand(ctx, src.dir, "build", "-trimpath", "-ldflags", linkerFlags(tool, src.version),
			"-o", filepath.Join(temp, program.Name), program.Package)
		stop()
		if err != nil {
			return err
		}
		fmt.Fprintf(log, "built  %s %s in %.0f s\n", program.Name, src.version, time.Since(start).Seconds())
	}
	if err := addFiles(ctx, tool, src, temp); err != nil {
		return err
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	return os.Rename(temp, target)
}

// addFiles writes what the tool needs beside its programs, out of the sources of its own module.
func addFiles(ctx context.Context, tool Tool, src source, dir string) error {
	if tool.files == nil {
		return nil
	}
	moduleDir, err := goCommand(ctx, src.dir, "list", "-m", "-f", "{{.Dir}}", tool.Module)
	if err != nil {
		return err
	}
	files, err := tool.files(strings.TrimSpace(moduleDir))
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func linkerFlags(tool Tool, version string) string {
	flags := "-s -w"
	if tool.variables != nil {
		for _, variable := range tool.variables(version) {
			flags += " -X " + variable
		}
	}
	return flags
}

// goCommand runs the go command in a folder and returns its standard output. Without cgo the build
// needs no C compiler and links statically.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s in %s: %w\n%s", args[0], dir, err, tail(stderr.String(), 20))
	}
	return stdout.String(), nil
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
