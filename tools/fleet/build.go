package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet/binaries"
)

// build fills the cache with the named tools, or with all, one after the other, for a small machine builds two
// no faster than one.
func build(ctx context.Context, out io.Writer, names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(binaries.All, func(t binaries.Tool) bool { return t.Name == name }) {
			return fmt.Errorf("no tool is named %q", name)
		}
	}
	for _, tool := range binaries.All {
		if len(names) > 0 && !slices.Contains(names, tool.Name) {
			continue
		}
		dir, err := binaries.Ensure(ctx, out, tool)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "ready  %s\n", dir)
	}
	return nil
}

// path prints where a program lies. Progress goes to standard error, so that a shell can take the path.
func path(ctx context.Context, out io.Writer, args []string) error {
	if len(args) != 1 {
		return errors.New("path wants the name of one program")
	}
	var found string
	var err error
	switch args[0] {
	case "terraform":
		found, err = binaries.Terraform(ctx, os.Stderr)
	case "tofu", binaries.OpenTofu.Name:
		found, err = binaries.Tofu(ctx, os.Stderr)
	default:
		found, err = binaries.Path(ctx, os.Stderr, args[0])
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, found)
	return nil
}
