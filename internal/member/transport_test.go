package member_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// tunnel is an HTTP proxy that counts the connections made through it.
func tunnel(t *testing.T, made *atomic.Int32) string {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		target, err := net.Dial("tcp", req.Host)
		if err != nil || req.Method != http.MethodConnect {
			http.Error(w, "no way", http.StatusBadGateway)
			return
		}
		made.Add(1)
		source, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, err = io.WriteString(source, "HTTP/1.1 200 OK\r\n\r\n")
		}
		if err != nil {
			t.Error(err)
			return
		}
		go func() { _, _ = io.Copy(target, source); _ = target.Close() }()
		go func() { _, _ = io.Copy(source, target); _ = source.Close() }()
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

func TestProxy(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1") // never used
	var made atomic.Int32
	connection := byToken(m)
	connection.ProxyURL = tunnel(t, &made)
	s := open(t, m, connection, member.Options{})
	if health, err := s.Probe(t.Context(), member.ProbeSettings{}); err != nil || !health.Healthy() || made.Load() == 0 {
		t.Errorf("got %+v and %v over %d connections through the proxy", health, err, made.Load())
	}
	if health, err := open(t, m, byToken(m), member.Options{}).Probe(t.Context(), member.ProbeSettings{}); err != nil || !health.Healthy() {
		t.Errorf("without a proxy: got %+v and %v", health, err)
	}
}

// TestOneConnection: everything with credentials shares one HTTP/2 connection. API servers close the one on which an
// anonymous request came.
func TestOneConnection(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	var made atomic.Int32
	connection := byToken(m)
	connection.ProxyURL = tunnel(t, &made)
	s := open(t, m, connection, member.Options{})
	if _, err := s.Probe(t.Context(), member.ProbeSettings{}); err != nil {
		t.Fatal(err)
	}
	probing := made.Load()
	resource, err := s.Mapping(t.Context(), configMaps)
	if err != nil {
		t.Fatal(err)
	}
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			if _, err := s.Get(t.Context(), resource, "default", "a"); !member.IsGone(err) {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	if got := made.Load(); probing > 2 || got != probing {
		t.Errorf("got %d connections for the probe and %d in all, want 2 and no more", probing, got)
	}
}

func TestQPS(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	connection := byToken(m)
	connection.QPS, connection.Burst = 5, 1
	s := open(t, m, connection, member.Options{})
	began := time.Now()
	if _, err := s.Mapping(t.Context(), configMaps); err != nil { // two requests
		t.Fatal(err)
	}
	if took := time.Since(began); took < 150*time.Millisecond {
		t.Errorf("two requests took %v, want the second to wait for 200 ms", took)
	}
}
