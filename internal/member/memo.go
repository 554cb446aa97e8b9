package member

import (
	"context"
	"sync"
)

// memo answers each key once: callers that ask while the answer is being fetched wait for it and share it, and later
// callers get it at once. A failed fetch is not remembered. The zero value is ready to use.
type memo[K comparable, V any] struct {
	mu      sync.Mutex
	flights map[K]*flight[V]
}

// flight is one fetch, under way or done. It runs until it ends or until nobody waits for it any more: one caller that
// gives up does not take the answer from the others.
type flight[V any] struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiters int
	value   V
	err     error
}

// get returns the answer for key, which fetch gives when it is not known yet. The error is that of fetch, or of ctx.
func (m *memo[K, V]) get(ctx context.Context, key K, fetch func(context.Context) (V, error)) (V, error) {
	m.mu.Lock()
	f, ok := m.flights[key]
	if !ok {
		f = m.start(ctx, key, fetch)
	}
	f.waiters++
	m.mu.Unlock()
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		m.leave(key, f)
		var none V
		return none, ctx.Err()
	}
}

// start begins the fetch for key. The lock is held.
func (m *memo[K, V]) start(ctx context.Context, key K, fetch func(context.Context) (V, error)) *flight[V] {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight[V]{done: make(chan struct{}), cancel: cancel}
	if m.flights == nil {
		m.flights = map[K]*flight[V]{}
	}
	m.flights[key] = f
	go func() {
		defer cancel()
		f.value, f.err = fetch(ctx)
		if f.err != nil {
			m.drop(key, f)
		}
		close(f.done)
	}()
	return f
}

// leave ends the fetch when the last waiter goes.
func (m *memo[K, V]) leave(key K, f *flight[V]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f.waiters--
	if f.waiters == 0 && !f.finished() {
		f.cancel()
		if m.flights[key] == f {
			delete(m.flights, key)
		}
	}
}

// drop forgets f, unless another fetch has taken its place.
func (m *memo[K, V]) drop(key K, f *flight[V]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.flights[key] == f {
		delete(m.flights, key)
	}
}

// forget drops the answers that match, and detaches fetches under way whose key matches: their answer may be older than
// what made it stale. A nil value stands for a fetch under way.
func (m *memo[K, V]) forget(stale func(key K, value *V) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, f := range m.flights {
		var value *V
		if f.finished() {
			value = &f.value
		}
		if stale(key, value) {
			delete(m.flights, key)
		}
	}
}

func (f *flight[V]) finished() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}
