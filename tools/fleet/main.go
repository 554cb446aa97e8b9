// Command fleet builds and runs the test fleet: real Kubernetes API servers on this machine, each a
// member cluster. The make targets call it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
)

type command struct {
	name, usage string
	run         func(ctx context.Context, out io.Writer, args []string) error
}

func commands() []command {
	return []command{
		{"build", "build all programs that tests and demo need into the cache", build},
		{"path", "print the path of a program, built if need be: terraform, tofu, golangci-lint, etcd, ...", path},
		{"up", "leave three clusters running in the background and print how to use them", up},
		{"down", "end what up started", down},
		{"serve", "run three clusters until interrupted, as up does in the background", serve},
		{"demo", "show the provider at work on three clusters and leave nothing behind", demo},
		{"bench", "measure the provider with 99 objects on each of three clusters", bench},
		{"help", "print this list", help},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, args []string) error {
	if len(args) == 0 {
		return errors.Join(errors.New("a command is missing"), help(ctx, out, nil))
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, out, args[1:])
		}
	}
	return errors.Join(fmt.Errorf("unknown command %q", args[0]), help(ctx, out, nil))
}

func help(_ context.Context, out io.Writer, _ []string) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range commands() {
		fmt.Fprintf(table, "go run ./tools/fleet %s\t%s\n", c.name, c.usage)
	}
	return table.Flush()
}
