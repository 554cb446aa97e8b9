package member_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// plugin writes a credential plugin that runs script, and returns the connection that uses it.
func plugin(t *testing.T, m *testfleet.Member, script string) member.Connection {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plugin")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return member.Connection{Host: m.Host, CA: string(m.CA), Exec: &member.Exec{APIVersion: "client.authentication.k8s.io/v1", Command: path}}
}

// printToken is a plugin's script that prints a token.
func printToken(token string) string {
	return fmt.Sprintf(`echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "%s"}}'`, token)
}

// printCertificate is a plugin's script that prints a client certificate.
func printCertificate(m *testfleet.Member) string {
	escape := func(text []byte) string { return strings.ReplaceAll(string(text), "\n", "\\n") }
	return fmt.Sprintf(`cat <<'END'
{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"clientCertificateData": "%s", "clientKeyData": "%s"}}
END`, escape(m.ClientCert), escape(m.ClientKey))
}

func TestProbe(t *testing.T) {
	f := testfleet.Shared(t)
	m, other := f.Member("kube02"), f.Member("kube03")
	stranger, wrong := byToken(m), byToken(m)
	stranger.Token, wrong.Token = m.StrangerToken, "wrong"
	foreign := byToken(m)
	foreign.CA = string(other.CA)
	closed := byToken(m)
	closed.Host = "https://127.0.0.1:1"
	plain := byToken(m)
	for name, test := range map[string]struct {
		connection      member.Connection
		reason, message string
	}{
		"token":                   {connection: plain},
		"client certificate":      {connection: member.Connection{Host: m.Host, CA: string(m.CA), ClientCertificate: string(m.ClientCert), ClientKey: string(m.ClientKey)}},
		"kubeconfig":              {connection: member.Connection{KubeconfigPath: f.Kubeconfig, Context: "kube02"}},
		"plugin":                  {connection: plugin(t, m, printToken(m.Token))},
		"plugin with certificate": {connection: plugin(t, m, printCertificate(m))},
		"user without rights":     {connection: stranger},
		"insecure":                {connection: member.Connection{Host: m.Host, Insecure: true, Token: m.Token}},

		"wrong token": {wrong, api.ReasonCredentialsFailed, "the member refuses the credentials"},
		"certificate of another cluster": {
			member.Connection{Host: m.Host, CA: string(m.CA), ClientCertificate: string(other.ClientCert), ClientKey: string(other.ClientKey)},
			api.ReasonCredentialsFailed, "",
		},
		"failing plugin":  {plugin(t, m, "exit 3"), api.ReasonCredentialsFailed, "exit code 3"},
		"missing plugin":  {member.Connection{Host: m.Host, CA: string(m.CA), Exec: &member.Exec{APIVersion: "client.authentication.k8s.io/v1", Command: "no-such-plugin"}}, api.ReasonCredentialsFailed, "no-such-plugin not found"},
		"wrong plugin":    {plugin(t, m, printToken("wrong")), api.ReasonCredentialsFailed, "refuses"},
		"hanging plugin":  {plugin(t, m, "exec sleep 20"), api.ReasonCredentialsFailed, "no credentials"},
		"missing file":    {member.Connection{KubeconfigPath: "/nonexistent"}, api.ReasonCredentialsFailed, "its connection in the provider configuration cannot be used, so it was not asked: kubeconfig_path: /nonexistent does not exist"},
		"retired":         {member.Connection{Retired: true}, api.ReasonCredentialsFailed, "retired"},
		"CA of another":   {foreign, api.ReasonUntrusted, "certificate signed by unknown authority"},
		"other name":      {member.Connection{Host: m.Host, CA: string(m.CA), TLSServerName: "example.com", Token: m.Token}, api.ReasonUntrusted, "example.com"},
		"nothing listens": {closed, api.ReasonUnreachable, "connection refused"},
		"no such host":    {member.Connection{Host: "https://kube.invalid", Token: "t"}, api.ReasonUnreachable, "kube.invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, m, test.connection, member.Options{})
			var health member.Health
			var err error
			within(t, 8*time.Second, func() { health, err = s.Probe(t.Context(), member.ProbeSettings{Timeout: time.Second}) })
			if err != nil {
				t.Fatal(err)
			}
			if health.Reason != test.reason || !strings.Contains(health.Message, test.message) || health.Healthy() != (test.reason == "") {
				t.Errorf("got %+v, want %q with %q", health, test.reason, test.message)
			}
		})
	}
}

// TestProbeOfMemberThatIsCutOff: who does not answer is unreachable whatever its credentials are, and the plugin never runs.
func TestProbeOfMemberThatIsCutOff(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	for name, test := range map[string]struct {
		begin, end func() error
		message    string
	}{
		"refused":    {func() error { m.Cut(); return nil }, m.Restore, "no answer: "},
		"black hole": {m.BlackHole, m.Restore, "no answer in 1s"},
		"frozen":     {m.Freeze, m.Thaw, "no answer in 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			marker := filepath.Join(t.TempDir(), "ran")
			s := open(t, m, plugin(t, m, "touch "+marker+"; exit 1"), member.Options{})
			if err := test.begin(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := test.end(); err != nil {
					t.Error(err)
				}
			}()
			var health member.Health
			within(t, 8*time.Second, func() { health, _ = s.Probe(t.Context(), member.ProbeSettings{Timeout: time.Second}) })
			if health.Reason != api.ReasonUnreachable || !strings.HasPrefix(health.Message, test.message) {
				t.Errorf("got %+v, want %s: %s", health, api.ReasonUnreachable, test.message)
			}
			if _, err := os.Stat(marker); err == nil {
				t.Error("the plugin ran")
			}
		})
	}
}

// TestProbeOutlastsAConnection: the limits of a connection are shorter than the probe's. What is said begins the same.
func TestProbeOutlastsAConnection(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := open(t, m, byToken(m), member.Options{})
	if err := m.BlackHole(); err != nil {
		t.Fatal(err)
	}
	health, err := s.Probe(t.Context(), member.ProbeSettings{Timeout: 40 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if want := "no answer in 10s: net/http: TLS handshake timeout"; health.Reason != api.ReasonUnreachable || health.Message != want {
		t.Errorf("got %+v, want %s: %s", health, api.ReasonUnreachable, want)
	}
	if err := m.Restore(); err != nil {
		t.Fatal(err)
	}
}

// TestTimeOfAConnectionIsNotTheCallers: package net's time-outs pass for context.DeadlineExceeded.
func TestTimeOfAConnectionIsNotTheCallers(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := open(t, m, byToken(m), member.Options{RetryFor: time.Millisecond, WrapTransport: func(http.RoundTripper) http.RoundTripper {
		return &http.Transport{DialContext: (&net.Dialer{Timeout: time.Nanosecond}).DialContext}
	}})
	_, err := s.Mapping(t.Context(), configMaps)
	if errors.Is(err, context.DeadlineExceeded) || !member.IsUnanswered(err) || !strings.HasSuffix(err.Error(), ": i/o timeout") {
		t.Errorf("got %v, want no answer, and the time not to be up", err)
	}
}

// TestProbeOnce: many callers cost one probe, and the identity is part of it.
func TestProbeOnce(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	var sent recorder
	s := open(t, m, byToken(m), member.Options{WrapTransport: sent.wrap})
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			if health, err := s.Probe(t.Context(), member.ProbeSettings{}); err != nil || !health.Healthy() {
				t.Errorf("got %+v and %v, want a healthy member", health, err)
			}
			if identity, err := s.Identity(t.Context()); err != nil || len(identity.UID) != 36 {
				t.Errorf("got %+v and %v, want a UID", identity, err)
			}
		})
	}
	callers.Wait()
	got := sent.take()
	slices.Sort(got)
	if want := []string{"GET /api/v1/namespaces/kube-system", "GET /readyz"}; !slices.Equal(got, want) {
		t.Errorf("got requests %v, want %v", got, want)
	}
	if _, err := s.ProbeAgain(t.Context(), member.ProbeSettings{}); err != nil {
		t.Fatal(err)
	}
	if got := sent.take(); len(got) != 2 {
		t.Errorf("again: got requests %v, want both once more", got)
	}
}

func TestProbeConfirms(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	m.Cut()
	s := open(t, m, byToken(m), member.Options{})
	quick := member.ProbeSettings{Timeout: time.Second}
	if health, err := s.Probe(t.Context(), quick); err != nil || health.Reason != api.ReasonUnreachable {
		t.Fatalf("got %+v and %v, want %s", health, err, api.ReasonUnreachable)
	}
	time.AfterFunc(500*time.Millisecond, func() {
		if err := m.Restore(); err != nil {
			t.Error(err)
		}
	})
	confirm := member.ProbeSettings{Timeout: time.Second, Confirm: 20 * time.Second, Interval: 100 * time.Millisecond}
	within(t, 10*time.Second, func() {
		if health, err := s.Probe(t.Context(), confirm); err != nil || !health.Healthy() {
			t.Errorf("got %+v and %v, want the member back within the time to confirm", health, err)
		}
	})
	if health, _ := s.Probe(t.Context(), quick); !health.Healthy() {
		t.Errorf("got %+v, want what was confirmed", health)
	}
}

// TestProbeCancelled: a run that is stopped has seen nothing; it must not start a clock.
func TestProbeCancelled(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	if err := m.BlackHole(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := m.Restore(); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	s := open(t, m, byToken(m), member.Options{})
	within(t, 20*time.Second, func() {
		if health, err := s.Probe(ctx, member.ProbeSettings{Confirm: time.Minute}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %+v and %v, want %v", health, err, context.Canceled)
		}
	})
}

func TestIdentityWithoutRights(t *testing.T) {
	f := testfleet.Shared(t)
	seen := map[api.Identity]string{}
	for _, m := range f.Members {
		stranger := byToken(m)
		stranger.Token = m.StrangerToken
		little, err := open(t, m, stranger, member.Options{}).Identity(t.Context())
		if err != nil || little.UID != "" || !strings.HasPrefix(little.Fingerprint, "sha256:") {
			t.Fatalf("member %s: got %+v and %v, want a fingerprint only", m.Name, little, err)
		}
		all, err := open(t, m, byToken(m), member.Options{}).Identity(t.Context())
		if err != nil || !all.Same(little) {
			t.Errorf("member %s: %+v and %v for who has rights, %+v for who has none, want the same cluster", m.Name, all, err, little)
		}
		seen[little] = m.Name
	}
	if len(seen) != len(f.Members) {
		t.Errorf("got %v, want another fingerprint for each member", seen)
	}
}

// TestProbeOfSomethingElse: what answers need not be an API server. A real one cannot be made to answer like this.
func TestProbeOfSomethingElse(t *testing.T) {
	for name, test := range map[string]struct {
		answer          http.HandlerFunc
		reason, message string
	}{
		"not ready": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, "[+]ping ok\n[-]etcd failed: reason withheld\n[-]poststarthook/x failed: reason withheld\nreadyz check failed\n")
		}, api.ReasonNotReady, "etcd failed: reason withheld; poststarthook/x failed"},
		"load balancer without servers": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<h1>no backend</h1>", http.StatusServiceUnavailable)
		}, api.ReasonNotReady, "no backend"},
		"another site": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<html>welcome</html>")
		}, api.ReasonNotReady, "not what a Kubernetes API server sends"},
		"sign-in page": {func(w http.ResponseWriter, req *http.Request) {
			if req.Header.Get("Authorization") != "" {
				w.WriteHeader(http.StatusTeapot)
			}
			http.Redirect(w, req, "/login", http.StatusFound)
		}, api.ReasonNotReady, "302"},
		"old server": {func(w http.ResponseWriter, req *http.Request) {
			switch req.URL.Path {
			case "/healthz":
			case "/api/v1/namespaces/kube-system":
				_, _ = io.WriteString(w, `{"kind": "Namespace", "metadata": {"name": "kube-system", "uid": "u"}}`)
			default:
				http.NotFound(w, req)
			}
		}, "", ""},
		"no anonymous requests": {func(w http.ResponseWriter, req *http.Request) {
			switch {
			case req.Header.Get("Authorization") == "":
				http.Error(w, "Unauthorized", http.StatusUnauthorized)
			case req.URL.Path == "/readyz":
				http.Error(w, "[-]etcd failed", http.StatusInternalServerError)
			}
		}, api.ReasonNotReady, "etcd failed"},
		"404 for everything with credentials": {func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path != "/readyz" {
				http.NotFound(w, req)
			}
		}, api.ReasonNotReady, "404"},
		"locked out": {func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path != "/readyz" {
				http.Error(w, "Forbidden", http.StatusForbidden)
			}
		}, api.ReasonCredentialsFailed, "refuses the credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(test.answer)
			server.EnableHTTP2 = true
			server.StartTLS()
			defer server.Close()
			s := member.Open("kube02", throwAway(server), member.Options{})
			defer s.Close()
			health, err := s.Probe(t.Context(), member.ProbeSettings{Timeout: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if health.Reason != test.reason || !strings.Contains(health.Message, test.message) {
				t.Errorf("got %+v, want %q with %q", health, test.reason, test.message)
			}
		})
	}
	t.Run("no TLS", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		defer server.Close()
		connection := member.Connection{Host: strings.Replace(server.URL, "http:", "https:", 1), Token: "t"}
		if health, _ := member.Open("kube02", connection, member.Options{}).Probe(t.Context(), member.ProbeSettings{}); health.Reason != api.ReasonUntrusted {
			t.Errorf("got %+v, want %s", health, api.ReasonUntrusted)
		}
	})
	t.Run("old TLS", func(t *testing.T) {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		defer server.Close()
		if health, _ := member.Open("kube02", throwAway(server), member.Options{}).Probe(t.Context(), member.ProbeSettings{}); health.Reason != api.ReasonUntrusted {
			t.Errorf("got %+v, want %s", health, api.ReasonUntrusted)
		}
	})
}

// throwAway is the connection to a test server.
func throwAway(server *httptest.Server) member.Connection {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return member.Connection{Host: server.URL, CA: string(ca), Token: "t"}
}
