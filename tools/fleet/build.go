package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet/binaries"
)

// build fills the cache, one tool after the other, for a small machine builds two no faster than one.
func build(ctx context.Context, out io.Writer, _ []string) error {
	for _, tool := range binaries.All {
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
	case "tofu":
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
