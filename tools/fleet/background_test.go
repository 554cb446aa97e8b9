package main

import (
	"errors"
	"os"
	"testing"
)

func TestBackgroundIsKnownWhileItHoldsTheLock(t *testing.T) {
	t.Setenv("MULTICLUSTER_CACHE", t.TempDir())
	b, err := newBackground()
	if err != nil {
		t.Fatal(err)
	}
	if pid, err := b.pid(); pid != 0 || err != nil {
		t.Errorf("before: pid %d, %v; want none", pid, err)
	}
	// A background process that was killed has left its state.
	if err := os.WriteFile(b.stateFile, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}

	lock, err := b.lock()
	if err != nil {
		t.Fatal(err)
	}
	if pid, err := b.pid(); pid != os.Getpid() || err != nil {
		t.Errorf("pid %d, %v; want %d", pid, err, os.Getpid())
	}
	if _, err := b.state(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("state: %v, want that there is none yet", err)
	}
	if second, err := b.lock(); err == nil {
		t.Errorf("a second process got the lock: %v", second.Name())
	}

	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if pid, err := b.pid(); pid != 0 || err != nil {
		t.Errorf("after: pid %d, %v; want none", pid, err)
	}
}
