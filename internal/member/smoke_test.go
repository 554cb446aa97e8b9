package member_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

func TestMain(m *testing.M) {
	testfleet.Main(m, testfleet.Options{Members: []string{"kube02"}})
}

type counter struct {
	mu   sync.Mutex
	seen []string
}

func (c *counter) wrap(rt http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		resp, err := rt.RoundTrip(req)
		c.mu.Lock()
		defer c.mu.Unlock()
		s := req.Method + " " + req.URL.RequestURI()
		if resp != nil {
			s += " " + resp.Status + " " + resp.Proto
		}
		c.seen = append(c.seen, s)
		return resp, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestSmoke(t *testing.T) {
	f := testfleet.Shared(t)
	m := f.Member("kube02")
	var c counter
	s := member.Open("kube02", member.Connection{Host: m.Host, CA: string(m.CA), Token: m.Token}, member.Options{WrapTransport: c.wrap})
	start := time.Now()
	h, err := s.Probe(t.Context(), member.ProbeSettings{})
	t.Log(h, err, time.Since(start))
	uid, err := s.UID(t.Context())
	t.Log(uid, err)
	o, err := s.Owned(t.Context(), schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, "default")
	t.Log(o, err)
	_, err = s.Mapping(t.Context(), schema.GroupVersionKind{Group: "apps", Version: "v1beta1", Kind: "Deployment"})
	t.Log(err)
	st, err := s.Observe(t.Context(), nil)
	t.Logf("%+v %v", st.ResourceSummary, err)
	for _, r := range c.seen {
		t.Log(r)
	}
}
