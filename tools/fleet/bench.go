package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// runs are repeated for the median.
const runs = 3

// benchmark measures the provider with 99 objects on each of three members.
type benchmark struct {
	out       io.Writer
	fleet     *testfleet.Fleet
	workspace *workspace
	results   []*result // In the order of the operations.
}

// bench prints a table of times, requests, memory and sizes.
func bench(ctx context.Context, out io.Writer, _ []string) (err error) {
	dir, err := os.MkdirTemp("", "multicluster-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &benchmark{out: out}
	if b.workspace, err = newWorkspace(ctx, out, dir); err != nil {
		return err
	}
	b.fleet, err = testfleet.Start(ctx, testfleet.Options{Members: memberNames(), Log: out})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.fleet.Stop()) }()
	b.workspace.env = append(b.workspace.env, "TF_VAR_kubeconfig="+b.fleet.Kubeconfig)

	if err := b.write("main.tf", benchConfiguration); err != nil {
		return err
	}
	if _, err := b.workspace.run(ctx, "init", "-no-color"); err != nil {
		return err
	}
	var sizes sizes
	for i := range runs {
		fmt.Fprintf(out, "run    %d of %d\n", i+1, runs)
		if sizes, err = b.run(ctx); err != nil {
			return err
		}
	}
	return b.report(sizes)
}

// sizes are what the user has to keep and to read.
type sizes struct {
	stateBytes int64
	planLines  int
}

// run goes once through the life of the objects.
func (b *benchmark) run(ctx context.Context) (sizes, error) {
	var s sizes
	if err := b.write("objects.yaml", benchObjects("v1.0")); err != nil {
		return s, err
	}
	if _, err := b.measure(ctx, "create", "4 added", "apply", "-auto-approve", "-no-color"); err != nil {
		return s, err
	}
	state, err := os.Stat(filepath.Join(b.workspace.dir, "terraform.tfstate"))
	if err != nil {
		return s, err
	}
	s.stateBytes = state.Size()
	if err := b.settle(ctx); err != nil {
		return s, err
	}
	if _, err := b.measure(ctx, "plan, nothing changed", "No changes.", "plan", "-no-color"); err != nil {
		return s, err
	}

	if err := b.write("objects.yaml", benchObjects("v1.1")); err != nil {
		return s, err
	}
	plan, err := b.measure(ctx, "plan, 33 images changed", "1 to change", "plan", "-no-color", "-out=saved.tfplan")
	if err != nil {
		return s, err
	}
	s.planLines = strings.Count(plan, "\n")
	if _, err := b.measure(ctx, "apply, 33 images changed", "1 changed", "apply", "-no-color", "saved.tfplan"); err != nil {
		return s, err
	}
	if err := b.settle(ctx); err != nil {
		return s, err
	}

	for _, m := range b.fleet.Members {
		if err := scale(ctx, m, "app-01", 0); err != nil {
			return s, err
		}
	}
	if _, err := b.measure(ctx, "plan, 1 object drifted per member", "1 to change", "plan", "-no-color"); err != nil {
		return s, err
	}
	if _, err := b.measure(ctx, "destroy", "4 destroyed", "destroy", "-auto-approve", "-no-color"); err != nil {
		return s, err
	}
	return s, b.fleet.Clean(ctx)
}

// measure runs the CLI once, adds what it took to the results of the operation, and checks that its output holds a
// text, for nothing is quicker than an operation that does not do its work.
func (b *benchmark) measure(ctx context.Context, operation, want string, args ...string) (string, error) {
	r := b.result(operation)
	memory := watchMemory(b.workspace.provider)
	start := time.Now()
	output, err := b.workspace.run(ctx, args...)
	r.seconds = append(r.seconds, time.Since(start).Seconds())
	r.peakKiB = max(r.peakKiB, memory.stop())
	if err != nil {
		return output, err
	}
	if !strings.Contains(output, want) {
		return output, fmt.Errorf("%s: the output does not hold %q:\n%s", operation, want, output)
	}
	fmt.Fprintf(b.out, "       %s in %.2f s\n", operation, r.seconds[len(r.seconds)-1])
	r.requests = r.requests[:0]
	for _, m := range b.fleet.Members {
		requests, err := m.Requests(start)
		if err != nil {
			return output, err
		}
		r.requests = append(r.requests, testfleet.ByVerb(requests))
	}
	return output, nil
}

// result returns the results of an operation so far.
func (b *benchmark) result(operation string) *result {
	for _, r := range b.results {
		if r.operation == operation {
			return r
		}
	}
	r := &result{operation: operation}
	b.results = append(b.results, r)
	return r
}

// settle waits until the members' controllers have made all Pods, so that they do not take time from what is measured
// next.
func (b *benchmark) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	for _, m := range b.fleet.Members {
		for {
			busy, err := busyDeployments(ctx, m)
			if err != nil {
				return err
			}
			if busy == 0 {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%d Deployments of %s do not settle: %w", busy, m.Name, ctx.Err())
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	return nil
}

func busyDeployments(ctx context.Context, m *testfleet.Member) (int, error) {
	deployments, err := deploymentsOf(m)
	if err != nil {
		return 0, err
	}
	list, err := deployments.List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	busy := 0
	for _, d := range list.Items {
		if d.Status.ObservedGeneration < d.Generation || d.Status.UpdatedReplicas < *d.Spec.Replicas {
			busy++
		}
	}
	return busy, nil
}

func (b *benchmark) write(name, text string) error {
	return os.WriteFile(filepath.Join(b.workspace.dir, name), []byte(text), 0o600)
}
