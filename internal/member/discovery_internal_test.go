package member

import (
	"maps"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// TestDiscoverEach: what older servers are asked one group version at a time is what newer ones say at once.
func TestDiscoverEach(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := Open(m.Name, Connection{Host: m.Host, CA: string(m.CA), Token: m.Token}, Options{})
	defer s.Close()
	atOnce, err := s.discover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	each := &catalog{failed: maps.Clone(atOnce.failed)}
	if err := s.discoverEach(t.Context(), each); err != nil {
		t.Fatal(err)
	}
	each.markPreferred()
	if len(each.resources) != len(atOnce.resources) || len(each.resources) < 50 {
		t.Errorf("got %d kinds one by one, and %d at once", len(each.resources), len(atOnce.resources))
	}
	preferred := func(c *catalog) map[string]bool {
		kinds := map[string]bool{}
		for _, r := range c.resources {
			kinds[r.GroupVersionKind().String()+" "+r.Resource] = r.Preferred
		}
		return kinds
	}
	if one, all := preferred(each), preferred(atOnce); !maps.Equal(one, all) {
		t.Errorf("got %v\none by one, and %v\nat once", one, all)
	}
}
