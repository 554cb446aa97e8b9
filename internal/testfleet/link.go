package testfleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

const (
	blackHoleToxic = "black-hole"
	latencyToxic   = "latency"
)

// newLink returns the proxy between a member's clients and its API server, not yet listening.
func newLink(name, listen, upstream string) *toxiproxy.Proxy {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	return toxiproxy.NewProxy(server, name, listen, upstream)
}

// Cut closes the member's address: open connections break and new ones are refused, while the member
// itself goes on.
func (m *Member) Cut() {
	m.link.Stop()
}

// BlackHole swallows all that is sent to the member: connections open, and nothing ever answers.
func (m *Member) BlackHole() error {
	return m.addToxic(`{"name": %q, "type": "timeout", "stream": "upstream", "attributes": {"timeout": 0}}`, blackHoleToxic)
}

// Slow delays every answer of the member, on open connections too.
func (m *Member) Slow(latency time.Duration) error {
	return m.addToxic(`{"name": %q, "type": "latency", "stream": "downstream", "attributes": {"latency": %d}}`,
		latencyToxic, latency.Milliseconds())
}

func (m *Member) addToxic(format string, args ...any) error {
	m.link.Toxics.ResetToxics(context.Background())
	if _, err := m.link.Toxics.AddToxicJson(strings.NewReader(fmt.Sprintf(format, args...))); err != nil {
		return fmt.Errorf("member %s: proxy: %w", m.Name, err)
	}
	return nil
}

// Restore ends Cut, BlackHole and Slow. Connections that were swallowed close.
func (m *Member) Restore() error {
	m.link.Toxics.ResetToxics(context.Background())
	if err := m.link.Start(); err != nil && !errors.Is(err, toxiproxy.ErrProxyAlreadyStarted) {
		return fmt.Errorf("member %s: listen on %s: %w", m.Name, m.Host, err)
	}
	return nil
}
