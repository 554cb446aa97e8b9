package member_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

func TestMain(m *testing.M) {
	testfleet.Main(m, testfleet.Options{Members: []string{"kube02", "kube03"}})
}

var (
	configMaps  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	deployments = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
)

// byToken is the connection of the member's administrator.
func byToken(m *testfleet.Member) member.Connection {
	return member.Connection{Host: m.Host, CA: string(m.CA), Token: m.Token}
}

// open opens a session that is closed with the test.
func open(t *testing.T, m *testfleet.Member, connection member.Connection, options member.Options) *member.Session {
	t.Helper()
	s := member.Open(m.Name, connection, options)
	t.Cleanup(s.Close)
	return s
}

// clients looks at a member past the session.
func clients(t *testing.T, m *testfleet.Member) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(m.Config())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// recorder notes the requests that a session sends.
type recorder struct {
	mu   sync.Mutex
	sent []string
}

func (r *recorder) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		r.mu.Lock()
		r.sent = append(r.sent, req.Method+" "+req.URL.Path)
		r.mu.Unlock()
		return next.RoundTrip(req)
	})
}

// take returns the requests since the last call.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := r.sent
	r.sent = nil
	return sent
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// object reads a manifest.
func object(t *testing.T, format string, args ...any) *unstructured.Unstructured {
	t.Helper()
	text, err := yaml.YAMLToJSON(fmt.Appendf(nil, format, args...))
	if err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	return obj
}

// apply applies obj through the session.
func apply(t *testing.T, s *member.Session, obj *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	resource, err := s.Mapping(t.Context(), obj.GroupVersionKind())
	if err != nil {
		t.Fatal(err)
	}
	live, _, err := s.Apply(t.Context(), resource, obj, member.ApplyOptions{FieldManager: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return live
}

// eventually waits until condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if condition() {
			return
		}
	}
	t.Fatalf("in vain waited for: %s", what)
}

// within fails the test when do takes longer than limit.
func within(t *testing.T, limit time.Duration, do func()) {
	t.Helper()
	began := time.Now()
	do()
	if took := time.Since(began); took > limit {
		t.Errorf("it took %v, want at most %v", took, limit)
	}
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got error %v, want one with %q", err, part)
	}
}

// soon is a context that ends in a while.
func soon(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
