// Command docs renders docs/ from the provider's schemas, templates/ and examples/. The make targets call it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet/binaries"
)

func main() {
	check := flag.Bool("check", false, "write nothing, and fail unless docs/ is what each CLI gives")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	do := write
	if *check {
		do = compare
	}
	if err := do(ctx, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

// write renders docs/ anew.
func write(ctx context.Context, log io.Writer) error {
	cli, err := binaries.Terraform(ctx, log)
	if err != nil {
		return err
	}
	return withSite(ctx, log, cli, replaceTree)
}

// compare fails unless docs/ is what Terraform, where there is one, and OpenTofu give.
func compare(ctx context.Context, log io.Writer) error {
	tofu, err := binaries.Tofu(ctx, log)
	if err != nil {
		return err
	}
	clis := []string{tofu}
	if terraform, err := exec.LookPath("terraform"); err == nil {
		clis = append(clis, terraform)
	}
	for _, cli := range clis {
		if err := withSite(ctx, log, cli, sameTree); err != nil {
			return fmt.Errorf("with %s: %w", filepath.Base(cli), err)
		}
	}
	return nil
}

// withSite renders the documentation into a temporary folder, with the schemas as the CLI shows them, and calls use with that
// folder and docs/.
func withSite(ctx context.Context, log io.Writer, cli string, use func(rendered, docs string) error) (err error) {
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "docs-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()

	s := site{root: root, temp: temp}
	if err := s.writeSchemas(ctx, cli); err != nil {
		return err
	}
	if err := s.copyTemplates(ctx); err != nil {
		return err
	}
	if err := s.generate(ctx, log); err != nil {
		return err
	}
	return use(s.rendered(), filepath.Join(root, "docs"))
}
