package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet/binaries"
)

// background is the process that keeps a fleet up after the command that started it has ended. It holds a lock on
// the lock file while it lives, so that the process ID in the file is never that of somebody else.
type background struct {
	lockFile, stateFile, logFile string
}

// state is what the background process tells once its fleet is ready.
type state struct {
	Kubeconfig string
	Members    []memberState
}

type memberState struct {
	Name, Host string
	PID        int // Of the API server.
}

func newBackground() (background, error) {
	cache, err := binaries.CacheDir()
	if err != nil {
		return background{}, err
	}
	dir := filepath.Join(cache, "fleet")
	b := background{filepath.Join(dir, "lock"), filepath.Join(dir, "state.json"), filepath.Join(dir, "log")}
	return b, os.MkdirAll(dir, 0o700)
}

// lock takes the lock file for this process. What a process that was killed has left goes.
func (b background) lock() (*os.File, error) {
	file, err := os.OpenFile(b.lockFile, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("a fleet is already up: %w", err), file.Close())
	}
	if err := os.RemoveAll(b.stateFile); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if err := errors.Join(file.Truncate(0), writePID(file)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func writePID(file io.Writer) error {
	_, err := fmt.Fprintln(file, os.Getpid())
	return err
}

// pid returns the ID of the background process, 0 when none lives.
func (b background) pid() (int, error) {
	file, err := os.Open(b.lockFile)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }() // Only read.
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err == nil {
		return 0, nil // Nobody holds it.
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// save writes the state in one step, so that nobody reads half of it.
func (b background) save(fleet *testfleet.Fleet) error {
	s := state{Kubeconfig: fleet.Kubeconfig}
	for _, m := range fleet.Members {
		s.Members = append(s.Members, memberState{m.Name, m.Host, m.PID()})
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.stateFile+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(b.stateFile+".new", b.stateFile)
}

// state returns os.ErrNotExist while the fleet is not ready.
func (b background) state() (state, error) {
	var s state
	text, err := os.ReadFile(b.stateFile)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}
