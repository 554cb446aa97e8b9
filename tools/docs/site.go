package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet/binaries"
)

const (
	providerName   = "multicluster"
	providerSource = "multicluster/multicluster"
)

// tables are computed, and take the place of a mark in a guide.
var tables = []struct {
	guide, mark string
	render      func(ctx context.Context, root string) (string, error)
}{
	{"from-karmada.md", "<!-- differences -->", func(context.Context, string) (string, error) { return differences(), nil }},
	{"conformance.md", "<!-- vectors -->", vectors},
}

// site is one rendering of the documentation.
type site struct {
	root string // of the source tree
	temp string // for everything that is made on the way
}

func (s site) schemas() string   { return filepath.Join(s.temp, "schemas.json") }
func (s site) templates() string { return filepath.Join(s.temp, "templates") }
func (s site) rendered() string  { return filepath.Join(s.temp, "docs") }

// writeSchemas builds the provider and writes its schemas as the CLI shows them, under a name that no registry is part of.
func (s site) writeSchemas(ctx context.Context, cli string) error {
	bin, workspace := filepath.Join(s.temp, "bin"), filepath.Join(s.temp, "workspace")
	if _, err := output(ctx, s.root, nil, "go", "build", "-o", filepath.Join(bin, "terraform-provider-"+providerName), "."); err != nil {
		return err
	}
	config := filepath.Join(s.temp, "cli.tfrc")
	for path, text := range map[string]string{
		config: fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"registry.terraform.io/%[1]s\" = %[2]q\n    "+
			"\"registry.opentofu.org/%[1]s\" = %[2]q\n  }\n  direct {}\n}\n", providerSource, bin),
		filepath.Join(workspace, "main.tf"): fmt.Sprintf("terraform {\n  required_providers {\n    %s = { source = %q }\n  }\n}\n",
			providerName, providerSource),
	} {
		if err := writeFile(path, text); err != nil {
			return err
		}
	}
	shown, err := output(ctx, workspace, []string{"TF_CLI_CONFIG_FILE=" + config, "CHECKPOINT_DISABLE=1"}, cli, "providers", "schema", "-json")
	if err != nil {
		return err
	}
	normal, err := normalise(shown)
	if err != nil {
		return err
	}
	return os.WriteFile(s.schemas(), normal, 0o600)
}

// normalise renames the one provider of a schema document, whose name begins with the registry of the CLI.
func normalise(document []byte) ([]byte, error) {
	var all struct {
		FormatVersion string                     `json:"format_version"`
		Providers     map[string]json.RawMessage `json:"provider_schemas"`
	}
	if err := json.Unmarshal(document, &all); err != nil {
		return nil, fmt.Errorf("read the schemas: %w", err)
	}
	if len(all.Providers) != 1 {
		return nil, fmt.Errorf("%d providers have schemas, want one", len(all.Providers))
	}
	for name, schema := range all.Providers {
		delete(all.Providers, name)
		all.Providers[providerName] = schema
	}
	return json.Marshal(all)
}

// copyTemplates copies templates/ and puts the tables in.
func (s site) copyTemplates(ctx context.Context) error {
	if err := os.CopyFS(s.templates(), os.DirFS(filepath.Join(s.root, "templates"))); err != nil {
		return err
	}
	for _, table := range tables {
		path := filepath.Join(s.templates(), "guides", table.guide)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		before, after, found := strings.Cut(string(text), table.mark)
		if !found {
			return fmt.Errorf("templates/guides/%s has no line %q", table.guide, table.mark)
		}
		rendered, err := table.render(ctx, s.root)
		if err != nil {
			return fmt.Errorf("templates/guides/%s: %w", table.guide, err)
		}
		if err := os.WriteFile(path, []byte(before+rendered+after), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// generate runs tfplugindocs, which takes its folders relative to the source tree.
func (s site) generate(ctx context.Context, log io.Writer) error {
	tfplugindocs, err := binaries.Path(ctx, log, "tfplugindocs")
	if err != nil {
		return err
	}
	args := []string{"generate", "--provider-name", providerName, "--providers-schema", s.schemas()}
	for name, folder := range map[string]string{"--website-source-dir": s.templates(), "--rendered-website-dir": s.rendered()} {
		relative, err := filepath.Rel(s.root, folder)
		if err != nil {
			return err
		}
		args = append(args, name, relative)
	}
	_, err = output(ctx, s.root, nil, tfplugindocs, args...)
	return err
}

// output runs a command and returns what it prints to standard output. The error holds all that it printed.
func output(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			out = append(out, exit.Stderr...)
		}
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return out, nil
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
