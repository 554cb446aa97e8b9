// Package member connects to one cluster: it dials, probes, discovers, lists, writes and observes. Errors name the member.
//
// A Session is shared by everything that talks to the same cluster during one run of the provider. It asks for what does
// not change only once: one HTTP/2 connection, one discovery, one list per kind and namespace.
package member

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// Options are what the process decides for all its sessions. The zero value is ready to use.
type Options struct {
	// Version of the provider, for the user agent.
	Version string

	// RetryFor is how long a request that meets a passing fault is repeated; 0 is 10 seconds.
	RetryFor time.Duration

	// WrapTransport, if not nil, sees every request on its way to the cluster, after credentials were added: to count or to
	// log. It must neither keep nor print headers.
	WrapTransport func(http.RoundTripper) http.RoundTripper
}

// Session is one cluster during one run. It is safe for concurrent use.
type Session struct {
	name       string
	connection Connection
	options    Options

	mu     sync.Mutex
	client *client
	outage outage

	writes    atomic.Uint64 // of what changes the served kinds
	health    memo[struct{}, observation]
	identity  memo[struct{}, api.Identity]
	discovery memo[struct{}, *catalog]
	owned     memo[listKey, *ownedList]
}

// Open returns a session with the named member. It reads no file and dials nothing: the first request does.
func Open(name string, connection Connection, options Options) *Session {
	if options.RetryFor == 0 {
		options.RetryFor = 10 * time.Second
	}
	return &Session{name: name, connection: connection, options: options}
}

// Name returns the name of the member.
func (s *Session) Name() string { return s.name }

// Close ends the connections that no request uses. The session stays usable.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil {
		s.client.close()
	}
}

// ConnectionError says that the connection of a member cannot be used as it is configured. Nothing was dialled.
type ConnectionError struct {
	Member string
	Err    error
}

// Error returns the member and the cause.
func (e *ConnectionError) Error() string {
	if errors.Is(e.Err, ErrRetired) {
		return fmt.Sprintf("member %s: %v", e.Member, e.Err)
	}
	return fmt.Sprintf("member %s: the connection cannot be used: %v", e.Member, e.Err)
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// connect returns the client, which is made at the first call. A failure is not remembered: a kubeconfig may yet be
// written by another resource of the same run.
func (s *Session) connect() (*client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil {
		return s.client, nil
	}
	cfg, err := s.connection.RESTConfig(s.options.Version)
	if err != nil {
		return nil, &ConnectionError{s.name, err}
	}
	if s.client, err = newClient(cfg, s.options.WrapTransport); err != nil {
		return nil, &ConnectionError{s.name, err}
	}
	return s.client, nil
}

// sleep waits for d, or until ctx ends, whose error it returns.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
