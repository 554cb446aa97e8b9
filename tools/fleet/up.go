package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"text/template"
	"time"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet/binaries"
)

// endTimeout is how long the background process may take to end its fleet.
const endTimeout = 30 * time.Second

// up starts a fleet in a background process, or finds the one that is up, and prints how to use it.
func up(ctx context.Context, out io.Writer, _ []string) error {
	b, err := newBackground()
	if err != nil {
		return err
	}
	pid, err := b.pid()
	if err != nil {
		return err
	}
	if pid == 0 {
		if err := b.launch(ctx, out); err != nil {
			return err
		}
	}
	s, err := b.state()
	if err != nil {
		return fmt.Errorf("the fleet of process %d is not ready yet: %w", pid, err)
	}
	return s.print(out)
}

// launch starts the background process and shows its log until its fleet is ready.
func (b background) launch(ctx context.Context, out io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, err := os.Create(b.logFile)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // The background process has a handle of its own.
	cmd := exec.Command(self, "serve")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Out of reach of the terminal's signals.
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if err := b.follow(ctx, out, ended); err != nil {
		return errors.Join(err, ignoreDone(cmd.Process.Signal(syscall.SIGTERM)))
	}
	return nil
}

func ignoreDone(err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// follow copies the log until the fleet is ready, the process has ended or the context has.
func (b background) follow(ctx context.Context, out io.Writer, ended <-chan error) error {
	log, err := os.Open(b.logFile)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // Only read.
	for {
		_, err := b.state()
		if _, err := io.Copy(out, log); err != nil {
			return err
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			_, copyErr := io.Copy(out, log)
			return errors.Join(fmt.Errorf("the fleet did not come up: %w", err), copyErr)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// serve is the background process: it runs a fleet until it is told to end.
func serve(ctx context.Context, out io.Writer, _ []string) (err error) {
	b, err := newBackground()
	if err != nil {
		return err
	}
	lock, err := b.lock()
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // The end of the process would release it too.
	fleet, err := testfleet.Start(ctx, testfleet.Options{Members: memberNames(), Nodes: true, Log: out})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.stateFile), fleet.Stop()) }()
	if err := writeCLIConfig(filepath.Dir(fleet.Kubeconfig)); err != nil {
		return err
	}
	if err := b.save(fleet); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// cliConfig is the name of the file that makes Terraform and OpenTofu run the provider built in the source tree.
const cliConfig = "dev.tfrc"

func writeCLIConfig(dir string) error {
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("provider_installation {\n  dev_overrides { %q = %q }\n  direct {}\n}\n", providerSource, root)
	return os.WriteFile(filepath.Join(dir, cliConfig), []byte(text), 0o600)
}

// down ends the fleet that up started, and nothing else.
func down(ctx context.Context, out io.Writer, _ []string) error {
	b, err := newBackground()
	if err != nil {
		return err
	}
	pid, err := b.pid()
	if err != nil {
		return err
	}
	if pid == 0 {
		fmt.Fprintln(out, "No fleet is up.")
		return nil
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return fmt.Errorf("end process %d: %w", pid, err)
	}
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	for {
		left, err := b.pid()
		if err != nil {
			return err
		}
		if left == 0 {
			fmt.Fprintln(out, "The fleet is down.")
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("process %d does not end: %w", pid, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

//go:embed up.tmpl
var upText string

var upTemplate = template.Must(template.New("up").Parse(upText))

// print shows how to use the fleet.
func (s state) print(out io.Writer) error {
	return upTemplate.Execute(out, struct {
		state
		Source, CLIConfig string
	}{s, providerSource, filepath.Join(filepath.Dir(s.Kubeconfig), cliConfig)})
}
