package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// Members of which nothing need be asked are done while others are still begun with.
func TestFindUnshownOnManyMembers(t *testing.T) {
	const members = 1000
	connections, works := map[string]connection{}, propagation.Works{}
	for i := range members {
		name := fmt.Sprintf("member-%d", i)
		connections[name] = connection{Connection: member.Connection{Retired: true}}
		works[name] = propagation.Objects{"ConfigMap/default/a": {"apiVersion": "v1"}}
	}
	record, err := propagation.DecodeRecord(nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &propagationResource{fleet: newFleet("test", connections, false, nil)}
	prior := propagation.Prior{Works: works, Record: record}
	done := &applied{works: propagation.Works{}, record: record.Clone()}
	r.findUnshown(t.Context(), propagationModel{ID: types.StringValue("i"), Name: types.StringValue("app")}, prior, done)
	if done.diags.HasError() || len(prior.Works) != members {
		t.Errorf("got works of %d members and %v, want all %d as they were", len(prior.Works), done.diags, members)
	}
}
