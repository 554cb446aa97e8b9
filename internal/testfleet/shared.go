package testfleet

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
)

// shared is the one fleet of a test program.
var shared struct {
	sync.Mutex
	options *Options
	fleet   *Fleet
	err     error
}

// Main is the TestMain of a package whose tests share one fleet. The fleet starts with the first test that
// asks for it and stops after the last test.
func Main(m *testing.M, options Options) { os.Exit(Run(m, options)) }

// Run is Main for a TestMain that has more to clean up: it returns the exit code.
func Run(m *testing.M, options Options) int {
	if options.Log == nil {
		options.Log = os.Stderr
	}
	shared.options = &options
	code := m.Run()
	if shared.fleet != nil {
		if err := shared.fleet.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop the test fleet:", err)
			code = max(code, 1)
		}
	}
	return code
}

// Shared returns the package's fleet, clean: every member runs and holds nothing that an earlier test made.
// What the test leaves is cleaned when the next one asks. Tests that use it cannot run in parallel.
func Shared(t testing.TB) *Fleet {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.options == nil {
		t.Fatal("testfleet.Shared needs testfleet.Main in the package's TestMain")
	}
	if shared.fleet == nil && shared.err == nil {
		shared.fleet, shared.err = Start(context.Background(), *shared.options)
	} else if shared.err == nil {
		if err := shared.fleet.Clean(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.fleet
}
