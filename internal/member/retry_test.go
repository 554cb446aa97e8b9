package member_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

func TestRequestsOutlastAnInterruption(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := open(t, m, byToken(m), member.Options{})
	apply(t, s, object(t, "%s", ours(t, "a", "1")))
	m.Cut()
	time.AfterFunc(time.Second, func() {
		if err := m.Restore(); err != nil {
			t.Error(err)
		}
	})
	live := apply(t, s, object(t, "%s", ours(t, "a", "2")))
	if got := fmt.Sprint(live.Object["data"]); got != "map[k:2]" {
		t.Errorf("got %s, want what was sent", got)
	}
}

// TestRequestsOutlastARestart: an API server that starts again refuses connections, then says 5xx and 403 for a moment.
func TestRequestsOutlastARestart(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := open(t, m, byToken(m), member.Options{RetryFor: time.Minute})
	apply(t, s, object(t, "%s", ours(t, "a", "1")))
	if err := m.Stop(); err != nil {
		t.Fatal(err)
	}
	started := make(chan error, 1)
	go func() { started <- m.Start(context.WithoutCancel(t.Context())) }()
	apply(t, s, object(t, "%s", ours(t, "a", "2")))
	if err := <-started; err != nil {
		t.Fatal(err)
	}
}

// TestLostMemberIsGivenUpOnce: who does not answer costs one wait, not one per request.
func TestLostMemberIsGivenUpOnce(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := open(t, m, byToken(m), member.Options{RetryFor: 2 * time.Second})
	resource, err := s.Mapping(t.Context(), configMaps)
	if err != nil {
		t.Fatal(err)
	}
	m.Cut()
	within(t, 15*time.Second, func() {
		if _, err := s.Get(t.Context(), resource, "default", "a"); !member.IsUnanswered(err) {
			t.Errorf("got %v, want no answer", err)
		}
	})
	within(t, 1900*time.Millisecond, func() {
		for range 50 {
			if _, err := s.Get(t.Context(), resource, "default", "a"); !member.IsUnanswered(err) {
				t.Errorf("got %v, want no answer", err)
			}
		}
	})
	if err := m.Restore(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the member to be asked again", func() bool {
		_, err := s.Get(t.Context(), resource, "default", "a")
		return member.IsGone(err)
	})
}

func TestCancelEndsTheWaitAtOnce(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := open(t, m, byToken(m), member.Options{})
	resource, err := s.Mapping(t.Context(), configMaps)
	if err != nil {
		t.Fatal(err)
	}
	m.Cut()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	within(t, 8*time.Second, func() {
		if _, err := s.Get(ctx, resource, "default", "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
	if err := m.Restore(); err != nil {
		t.Fatal(err)
	}
}

// TestWriteWithoutAnswerIsUnconfirmed: it was sent and may have been carried out. When nothing listens, it was not; only who has
// no connection can be sure of that, for what was sent on one that is broken may have come through.
func TestWriteWithoutAnswerIsUnconfirmed(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	for name, test := range map[string]struct {
		lose        func() error
		connected   bool
		unconfirmed bool
	}{
		"swallowed": {m.BlackHole, true, true},
		"refused":   {func() error { m.Cut(); return nil }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, m, byToken(m), member.Options{RetryFor: 500 * time.Millisecond})
			resource, err := s.Mapping(t.Context(), configMaps)
			if err != nil {
				t.Fatal(err)
			}
			if err := test.lose(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := m.Restore(); err != nil {
					t.Error(err)
				}
			}()
			if !test.connected {
				s = open(t, m, byToken(m), member.Options{RetryFor: 500 * time.Millisecond})
			}
			_, _, err = s.Apply(soon(t, 2*time.Second), resource, object(t, "%s", ours(t, "a", "1")), member.ApplyOptions{FieldManager: "test"})
			var request *member.RequestError
			if !errors.As(err, &request) || request.Unconfirmed != test.unconfirmed {
				t.Errorf("got %v, want unconfirmed to be %v", err, test.unconfirmed)
			}
		})
	}
}

// TestWhatIsRepeated: a real API server cannot be made to give these answers at will.
func TestWhatIsRepeated(t *testing.T) {
	status := func(code int, reason, message string) string {
		return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"%s","message":"%s","code":%d,"details":{"name":"a"}}`, reason, message, code)
	}
	for name, test := range map[string]struct {
		code        int
		body        string
		repeated    bool
		unconfirmed bool
	}{
		"leader change":   {500, status(500, "", "etcdserver: leader changed"), true, true},
		"webhook":         {500, status(500, "InternalError", `failed calling webhook \"w\": connection refused`), true, true},
		"overload":        {429, status(429, "TooManyRequests", "slow down"), true, false},
		"load balancer":   {502, "<html>", true, true},
		"starting":        {503, status(503, "ServiceUnavailable", "starting"), true, true},
		"timeout":         {504, status(504, "Timeout", "timeout"), true, true},
		"unknown field":   {500, status(500, "", "failed to create typed patch object (a): .b: field not declared in schema"), false, false},
		"conflict":        {409, status(409, "Conflict", "conflict"), false, false},
		"invalid":         {422, status(422, "Invalid", "invalid"), false, false},
		"forbidden":       {403, status(403, "Forbidden", "forbidden"), false, false},
		"unauthorized":    {401, "Unauthorized", false, false},
		"not found":       {404, status(404, "NotFound", "not found"), false, false},
		"not implemented": {501, "no", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			s := throwAwaySession(t, func(w http.ResponseWriter, req *http.Request) {
				asked.Add(1)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(test.code)
				_, _ = w.Write([]byte(test.body))
			})
			_, _, err := s.Apply(t.Context(), configMapResource, object(t, "%s", ours(t, "a", "1")), member.ApplyOptions{FieldManager: "test"})
			var request *member.RequestError
			if !errors.As(err, &request) || request.Unconfirmed != test.unconfirmed {
				t.Errorf("got %v, want unconfirmed to be %v", err, test.unconfirmed)
			}
			if repeated := asked.Load() > 1; repeated != test.repeated {
				t.Errorf("asked %d times, want repeated to be %v", asked.Load(), test.repeated)
			}
		})
	}
}

func TestRetryAfterIsHeeded(t *testing.T) {
	var asked atomic.Int32
	s := throwAwaySession(t, func(w http.ResponseWriter, req *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = w.Write([]byte(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}`))
	})
	began := time.Now()
	if _, err := s.Get(t.Context(), configMapResource, "default", "a"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("asked again after %v, want at least the second that was asked for", took)
	}
}

// TestGarbageProvesNothing: neither a 404 of a load balancer nor a page in place of an object says that an object is gone.
func TestGarbageProvesNothing(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"404 page": http.NotFound,
		"404 as JSON": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"error": "no route"}`))
		},
		"page": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>welcome</html>")) },
		"null": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("null")) },
	} {
		t.Run(name, func(t *testing.T) {
			s := throwAwaySession(t, answer)
			if obj, err := s.Get(t.Context(), configMapResource, "default", "a"); err == nil || member.IsGone(err) {
				t.Errorf("get: got %v and %v, want an error that proves nothing", obj, err)
			}
			if list, err := s.List(t.Context(), configMapResource, "default", member.ListOptions{}); err == nil || member.IsGone(err) {
				t.Errorf("list: got %v and %v, want an error that proves nothing", list, err)
			}
			var none *member.NoMatchError
			if _, err := s.Mapping(t.Context(), configMaps); err == nil || errors.As(err, &none) {
				t.Errorf("discovery: got %v, want an error that proves nothing", err)
			}
		})
	}
}

var configMapResource = member.Resource{GroupVersionResource: configMaps.GroupVersion().WithResource("configmaps"), Kind: "ConfigMap", Namespaced: true}

// throwAwaySession is a session with a server that gives the same answer to everything.
func throwAwaySession(t *testing.T, answer http.HandlerFunc) *member.Session {
	t.Helper()
	server := httptest.NewUnstartedServer(answer)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	s := member.Open("kube02", throwAway(server), member.Options{RetryFor: 1500 * time.Millisecond})
	t.Cleanup(s.Close)
	return s
}
