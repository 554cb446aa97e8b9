// Package testfleet runs real Kubernetes control planes on this machine, each a member cluster for tests
// and the demo: its own kube-apiserver and controllers, fake nodes where Pods must become ready, and a
// proxy in front that can refuse, swallow or slow down connections. No fake client stands in for a member.
package testfleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
)

// startTimeout bounds the start of one server, on a machine that is busy with other work too.
const startTimeout = 3 * time.Minute

// Options say which fleet to start.
type Options struct {
	// Members are the names of the member clusters.
	Members []string
	// Nodes gives each member a scheduler and a fake node with 8 CPUs, 32 GiB and room for 110 Pods, on
	// which Pods become ready at once.
	Nodes bool
	// ServersOnly leaves out the controllers: a deleted Namespace then never ends and a Deployment makes
	// no Pods, but a member starts and idles for less. It excludes Nodes.
	ServersOnly bool
	// Dir takes data, logs and kubeconfig and is kept. Empty means a temporary folder that Stop removes.
	Dir string
	// Log gets a line per step. Nil means none.
	Log io.Writer
}

// Fleet is a set of running member clusters.
type Fleet struct {
	// Kubeconfig is the path of a file with one context per member, named like it, with its admin token.
	Kubeconfig string
	// Members are in the order of the options.
	Members []*Member

	options  Options
	dir      string
	programs programs
	etcd     *process
}

// Start starts a fleet and returns when every member is ready and, with nodes, its node is too. The
// programs are built first if the cache lacks them, which takes minutes. When it fails nothing is left
// running. The processes end with Stop, on Linux also when this program ends in any other way.
func Start(ctx context.Context, options Options) (*Fleet, error) {
	if options.Log == nil {
		options.Log = io.Discard
	}
	if len(options.Members) == 0 {
		return nil, errors.New("a fleet needs the name of at least one member")
	}
	if options.Nodes && options.ServersOnly {
		return nil, errors.New("a fleet with nodes needs its controllers: Nodes and ServersOnly exclude each other")
	}
	f := &Fleet{options: options}
	if err := f.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start the test fleet: %w", err), f.Stop())
	}
	return f, nil
}

func (f *Fleet) start(ctx context.Context) error {
	var err error
	if f.programs, err = findPrograms(ctx, f.options); err != nil {
		return err
	}
	if f.dir, err = makeDir(f.options.Dir); err != nil {
		return err
	}
	began := time.Now()
	f.etcd = f.programs.etcd(f.dir)
	if err := f.etcd.start(); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, name := range f.options.Members {
		m, err := newMember(f, name)
		if err != nil {
			return errors.Join(fmt.Errorf("member %s: %w", name, err), group.Wait())
		}
		f.Members = append(f.Members, m)
		group.Go(func() error {
			if err := m.Start(ctx); err != nil {
				return err
			}
			fmt.Fprintf(f.options.Log, "ready  %s at %s after %.1f s\n", name, m.Host, time.Since(began).Seconds())
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return errors.Join(err, f.etcd.failure())
	}
	return f.writeKubeconfig()
}

// makeDir returns an absolute folder for data and logs. A temporary one lies near the root, because the
// path of a Unix socket holds about 100 bytes only.
func makeDir(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "testfleet-")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

func (f *Fleet) writeKubeconfig() error {
	contexts := make(map[string]*Member, len(f.Members))
	for _, m := range f.Members {
		contexts[m.Name] = m
	}
	text, err := Kubeconfig(contexts)
	if err != nil {
		return err
	}
	f.Kubeconfig = filepath.Join(f.dir, "kubeconfig")
	return os.WriteFile(f.Kubeconfig, text, 0o600)
}

// Member returns the member of that name, or nil when the fleet has none.
func (f *Fleet) Member(name string) *Member {
	for _, m := range f.Members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Stop ends every process of the fleet at once, for its data is thrown away, and removes a temporary
// folder. It may be called again.
func (f *Fleet) Stop() error {
	var errs []error
	for _, m := range f.Members {
		errs = append(errs, m.Stop())
	}
	errs = append(errs, f.etcd.kill())
	if f.options.Dir == "" && f.dir != "" {
		errs = append(errs, os.RemoveAll(f.dir))
	}
	return errors.Join(errs...)
}
