package scheduler

import (
	"slices"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// What spread constraints leave out is told, and the weights have no part in it.
func TestScheduleTellsWhatSpreadLeavesOut(t *testing.T) {
	regions := []*api.Cluster{member("a", 9, inRegion("eu")), member("b", 9, inRegion("eu")), member("c", 9, inRegion("us"))}
	byRegion := spreadBy(by(api.SpreadByRegion, 2, 2), by(api.SpreadByCluster, 2, 2))
	many := make([]*api.Cluster, 0, 7)
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		many = append(many, member(name, 9, inRegion("region-"+name)))
	}
	for name, test := range map[string]struct {
		request Request
		leftOut []string
		reason  string
	}{
		"replicas":                 {scheduling(4, byWeights(), regions, byRegion), []string{"b"}, "spread over 2 regions (eu, us) and 2 members"},
		"no replicas":              {scheduling(0, nil, regions, byRegion), []string{"b"}, "spread over 2 regions (eu, us) and 2 members"},
		"duplicated":               {scheduling(1, nil, regions, spreadBy(by(api.SpreadByCluster, 1, 1))), []string{"b", "c"}, "spread over 1 member"},
		"many regions":             {scheduling(7, byWeights(), many, spreadBy(by(api.SpreadByRegion, 6, 6))), []string{"g"}, "spread over 6 regions and 6 members"},
		"all are selected":         {scheduling(3, nil, regions, spreadBy(by(api.SpreadByRegion, 2, 0))), nil, ""},
		"no constraints":           {scheduling(3, nil, regions), nil, ""},
		"members without a weight": {scheduling(3, byWeights(weigh("a", 1), weigh("c", 1)), regions, byRegion), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Schedule(test.request)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.LeftOut, test.leftOut) {
				t.Errorf("left out %v, want %v", got.LeftOut, test.leftOut)
			}
			if test.reason != "" && !slices.Contains(got.Reasons, test.reason) || test.reason == "" && len(got.Reasons) > 0 {
				t.Errorf("reasons %q, want %q", got.Reasons, test.reason)
			}
		})
	}
}
