package member

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestMemoFetchesOnce(t *testing.T) {
	var m memo[string, int]
	var fetched atomic.Int32
	release := make(chan struct{})
	fetch := func(ctx context.Context) (int, error) {
		<-release
		return int(fetched.Add(1)), ctx.Err()
	}
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			if got, err := m.get(t.Context(), "a", fetch); got != 1 || err != nil {
				t.Errorf("got %d and %v, want 1 and no error", got, err)
			}
		})
	}
	close(release)
	callers.Wait()
	if got, err := m.get(t.Context(), "a", fetch); got != 1 || err != nil {
		t.Errorf("later: got %d and %v, want 1 and no error", got, err)
	}
	if got, _ := m.get(t.Context(), "b", fetch); got != 2 {
		t.Errorf("another key: got %d, want 2", got)
	}
}

func TestMemoForgetsFailures(t *testing.T) {
	var m memo[string, int]
	broken := errors.New("broken")
	if _, err := m.get(t.Context(), "a", func(context.Context) (int, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Fatalf("got error %v, want %v", err, broken)
	}
	if got, err := m.get(t.Context(), "a", func(context.Context) (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("got %d and %v, want 7 and no error", got, err)
	}
}

// TestMemoOutlivesImpatientCallers: who gives up takes the answer from nobody, and the last one ends the fetch.
func TestMemoOutlivesImpatientCallers(t *testing.T) {
	var m memo[string, int]
	started, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	fetch := func(ctx context.Context) (int, error) {
		close(started)
		select {
		case <-release:
			return 7, nil
		case <-ctx.Done():
			close(ended)
			return 0, ctx.Err()
		}
	}
	first, giveUp := context.WithCancel(t.Context())
	gaveUp, got := make(chan error, 1), make(chan int, 1)
	go func() { _, err := m.get(first, "a", fetch); gaveUp <- err }()
	<-started
	go func() { v, _ := m.get(t.Context(), "a", fetch); got <- v }()
	waitFor(t, func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.flights["a"].waiters == 2 })
	giveUp()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up got %v, want its own context's error", err)
	}
	close(release)
	if v := <-got; v != 7 {
		t.Errorf("who stayed got %d, want 7", v)
	}

	started, release = make(chan struct{}), make(chan struct{})
	only, cancel := context.WithCancel(t.Context())
	go func() { _, err := m.get(only, "b", fetch); gaveUp <- err }()
	<-started
	cancel()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) {
		t.Errorf("the only one who waited got %v, want its own context's error", err)
	}
	<-ended
}

// TestMemoDetachesStaleFetches: an answer that was under way when it became stale is kept for those who waited only.
func TestMemoDetachesStaleFetches(t *testing.T) {
	var m memo[string, int]
	started, release, got := make(chan struct{}), make(chan struct{}), make(chan int, 1)
	go func() {
		v, _ := m.get(t.Context(), "a", func(context.Context) (int, error) { close(started); <-release; return 1, nil })
		got <- v
	}()
	<-started
	m.forget(func(key string, value *int) bool { return key == "a" && value == nil })
	close(release)
	if v := <-got; v != 1 {
		t.Errorf("who waited got %d, want 1", v)
	}
	if v, _ := m.get(t.Context(), "a", func(context.Context) (int, error) { return 2, nil }); v != 2 {
		t.Errorf("who came later got %d, want 2", v)
	}
	m.forget(func(_ string, value *int) bool { return *value == 3 })
	if v, _ := m.get(t.Context(), "a", func(context.Context) (int, error) { return 3, nil }); v != 2 {
		t.Errorf("after another value was forgotten: got %d, want 2", v)
	}
}

func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	for range 1000 {
		if condition() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("it never happened")
}
