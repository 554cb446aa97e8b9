package scheduler

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

type counts = map[string]int64

// member returns a member that serves Deployments and has room for so many Pods. Its labels are {name: its name}.
func member(name string, pods int64, edits ...func(*api.Cluster)) *api.Cluster {
	c := &api.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"name": name}}}
	c.Status.APIEnablements = []api.APIEnablement{ // a version may be listed in parts
		{GroupVersion: "apps/v1", Resources: []api.APIResource{{Kind: "StatefulSet"}}},
		{GroupVersion: "apps/v1", Resources: []api.APIResource{{Kind: "Deployment"}}},
	}
	c.Status.ResourceSummary = &api.ResourceSummary{
		Allocatable: corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(pods, resource.DecimalSI)},
	}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

func tainted(c *api.Cluster) {
	c.Spec.Taints = []corev1.Taint{{Key: "cordon", Effect: corev1.TaintEffectNoSchedule}}
}

func unobservedMember(c *api.Cluster) { c.Status = api.ClusterStatus{} }

func removed(c *api.Cluster) { c.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }

func inRegion(region string) func(*api.Cluster) {
	return func(c *api.Cluster) { c.Spec.Region = region }
}

func inZones(zones ...string) func(*api.Cluster) {
	return func(c *api.Cluster) { c.Spec.Zones = zones }
}

func ofProvider(provider string) func(*api.Cluster) {
	return func(c *api.Cluster) { c.Spec.Provider = provider }
}

func clusterNames(names ...string) api.ClusterAffinity {
	return api.ClusterAffinity{ClusterNames: names}
}

// byWeights divides by static weights; without rules all members weigh the same.
func byWeights(rules ...api.StaticClusterWeight) *api.ReplicaSchedulingStrategy {
	s := &api.ReplicaSchedulingStrategy{ReplicaSchedulingType: api.Divided, ReplicaDivisionPreference: api.Weighted}
	if len(rules) > 0 {
		s.WeightPreference = &api.ClusterPreferences{StaticWeightList: rules}
	}
	return s
}

func weigh(name string, weight int64) api.StaticClusterWeight {
	return api.StaticClusterWeight{TargetCluster: clusterNames(name), Weight: weight}
}

func byAvailable() *api.ReplicaSchedulingStrategy {
	s := byWeights()
	s.WeightPreference = &api.ClusterPreferences{DynamicWeight: api.DynamicWeightByAvailableReplicas}
	return s
}

func byFewest() *api.ReplicaSchedulingStrategy {
	return &api.ReplicaSchedulingStrategy{ReplicaSchedulingType: api.Divided, ReplicaDivisionPreference: api.Aggregated}
}

// scheduling is a request for a Deployment.
func scheduling(replicas int64, s *api.ReplicaSchedulingStrategy, clusters []*api.Cluster, edits ...func(*Request)) Request {
	r := Request{
		TieKey: "", APIVersion: "apps/v1", Kind: "Deployment", Replicas: replicas,
		Placement: &api.Placement{ReplicaScheduling: s}, Clusters: clusters,
	}
	for _, edit := range edits {
		edit(&r)
	}
	return r
}

func had(previous counts) func(*Request) {
	return func(r *Request) { r.Previous.Clusters = previous }
}

func fresh(r *Request) { r.Fresh = true }

func spreadBy(constraints ...api.SpreadConstraint) func(*Request) {
	return func(r *Request) { r.Placement.SpreadConstraints = constraints }
}

func by(field api.SpreadFieldValue, least, most int) api.SpreadConstraint {
	return api.SpreadConstraint{SpreadByField: field, MinGroups: least, MaxGroups: most}
}

func overflowing(r *Request) {
	r.Placement.ClusterAffinities = []api.ClusterAffinityTerm{{
		AffinityName: "own", ClusterAffinity: clusterNames("a"),
		OverflowAffinities: []api.OverflowAffinityTerm{{AffinityName: "more", ClusterAffinity: clusterNames("b")}, {AffinityName: "most", ClusterAffinity: clusterNames("c")}},
	}}
}

func TestSchedule(t *testing.T) {
	three := []*api.Cluster{member("a", 10), member("b", 20), member("c", 30)}
	zoned := []*api.Cluster{
		member("a", 10, inZones("z1")), member("b", 10, inZones("z1")), member("c", 10, inZones("z2")), member("d", 10, inZones("z3")),
	}
	tests := map[string]struct {
		request Request
		want    counts
	}{
		"no strategy is duplicated":       {scheduling(3, nil, three), counts{"a": 3, "b": 3, "c": 3}},
		"no replicas":                     {scheduling(0, byWeights(), three), counts{"a": 0, "b": 0, "c": 0}},
		"equal weights":                   {scheduling(3, byWeights(), three), counts{"a": 1, "b": 1, "c": 1}},
		"two at two to one":               {scheduling(2, byWeights(weigh("a", 2), weigh("b", 1)), three), counts{"a": 1, "b": 1}},
		"the greatest of several weights": {scheduling(4, byWeights(weigh("a", 1), weigh("a", 3), weigh("b", 1)), three), counts{"a": 3, "b": 1}},
		"weights of others":               {scheduling(3, byWeights(weigh("z", 1)), three), counts{"a": 1, "b": 1, "c": 1}},
		"weights ignore what was":         {scheduling(4, byWeights(weigh("a", 1), weigh("b", 1)), three, had(counts{"a": 4})), counts{"a": 2, "b": 2}},
		"a member that is being removed":  {scheduling(2, nil, []*api.Cluster{member("a", 1, removed), member("b", 1)}), counts{"b": 2}},

		"by capacity":                     {scheduling(6, byAvailable(), three), counts{"a": 1, "b": 2, "c": 3}},
		"stays while it fits":             {scheduling(6, byAvailable(), three, had(counts{"a": 6})), counts{"a": 6}},
		"only what is missing is divided": {scheduling(9, byAvailable(), three, had(counts{"a": 6})), counts{"a": 7, "b": 1, "c": 1}},
		"those that remain are shared":    {scheduling(3, byAvailable(), three, had(counts{"a": 4, "b": 2})), counts{"a": 2, "b": 1}},
		"afresh":                          {scheduling(12, byAvailable(), three, had(counts{"a": 6}), fresh), counts{"a": 3, "b": 4, "c": 5}},
		"a lost member's share moves":     {scheduling(6, byAvailable(), three, had(counts{"a": 3, "z": 3})), counts{"a": 4, "b": 1, "c": 1}},
		"to the fewest":                   {scheduling(25, byFewest(), three), counts{"c": 25}},
		"to the fewest that suffice":      {scheduling(45, byFewest(), three), counts{"b": 18, "c": 27}},
		"those that hold some first":      {scheduling(8, byFewest(), three, had(counts{"a": 2})), counts{"a": 8}},

		"0 replicas stay": {
			scheduling(0, byAvailable(), three, had(counts{"a": 2}), func(r *Request) { r.Requirements = &Requirements{ResourceRequest: list("cpu", "1")} }),
			counts{"a": 0, "b": 0, "c": 0},
		},
		"a tainted member keeps what it has": {
			scheduling(5, nil, []*api.Cluster{member("a", 9, tainted), member("b", 9)}, had(counts{"a": 2})), counts{"a": 2, "b": 5},
		},
		"a tainted member shrinks": {
			scheduling(1, nil, []*api.Cluster{member("a", 9, tainted), member("b", 9)}, had(counts{"a": 2})), counts{"a": 1, "b": 1},
		},
		"a tainted member without replicas stays": {
			scheduling(3, nil, []*api.Cluster{member("a", 9, tainted), member("b", 9)}, had(counts{"a": 0})), counts{"a": 0, "b": 3},
		},
		"a tainted member's weight counts up to what it has": {
			scheduling(9, byWeights(), []*api.Cluster{member("a", 9, tainted), member("b", 9), member("c", 9)}, had(counts{"a": 1})),
			counts{"a": 1, "b": 4, "c": 4},
		},
		"a tainted member is not grown by capacity": {
			scheduling(9, byAvailable(), []*api.Cluster{member("a", 90, tainted), member("b", 9)}, had(counts{"a": 4})), counts{"a": 4, "b": 5},
		},
		"nor afresh": {
			scheduling(9, byAvailable(), []*api.Cluster{member("a", 90, tainted), member("b", 9)}, had(counts{"a": 4}), fresh), counts{"a": 3, "b": 6},
		},

		"unset maxGroups is no limit": {scheduling(3, nil, three, spreadBy(by(api.SpreadByCluster, 1, 0))), counts{"a": 3, "b": 3, "c": 3}},
		"at most two members":         {scheduling(3, nil, three, spreadBy(by(api.SpreadByCluster, 1, 2))), counts{"b": 3, "c": 3}},
		"static weights honour spread": {
			scheduling(4, byWeights(weigh("a", 1), weigh("b", 1), weigh("c", 3)), three, spreadBy(by(api.SpreadByCluster, 1, 2))), counts{"a": 1, "c": 3},
		},
		"weights never add members, nor does spread": {
			scheduling(4, byWeights(weigh("b", 1), weigh("c", 3)), three, spreadBy(by(api.SpreadByCluster, 2, 2))), counts{"b": 1, "c": 3},
		},
		"roomier members take the place of others": {
			scheduling(45, byAvailable(), three, had(counts{"a": 5}), spreadBy(by(api.SpreadByCluster, 1, 2))), counts{"a": 15, "c": 30},
		},
		"one member of each zone": {
			scheduling(2, nil, zoned, spreadBy(by(api.SpreadByCluster, 2, 2), by(api.SpreadByZone, 2, 2))), counts{"a": 2, "c": 2},
		},
		"all members of two zones": {
			scheduling(2, nil, zoned, spreadBy(by(api.SpreadByCluster, 3, 0), by(api.SpreadByZone, 2, 2))), counts{"a": 2, "b": 2, "c": 2},
		},
		"a member with two zones counts in both": {
			scheduling(2, nil, []*api.Cluster{member("a", 9, inZones("z1", "z2")), member("b", 9, inZones("z3"))}, spreadBy(by(api.SpreadByCluster, 1, 0), by(api.SpreadByZone, 3, 3))),
			counts{"a": 2, "b": 2},
		},
		"a zone named twice is one": {
			scheduling(2, nil, []*api.Cluster{member("a", 9, inZones("z1", "z1")), member("b", 9, inZones("z2")), member("c", 9, inZones("z2"))},
				spreadBy(by(api.SpreadByCluster, 1, 0), by(api.SpreadByZone, 1, 1))),
			counts{"b": 2, "c": 2},
		},
		"providers, and regions within them": {
			scheduling(1, nil, []*api.Cluster{
				member("a", 9, ofProvider("aws"), inRegion("eu")), member("b", 9, ofProvider("aws"), inRegion("us")),
				member("c", 9, ofProvider("gcp"), inRegion("eu")), member("d", 9, ofProvider("gcp"), inRegion("ap")),
			}, spreadBy(by(api.SpreadByProvider, 2, 2), by(api.SpreadByRegion, 1, 1), by(api.SpreadByCluster, 2, 0))),
			counts{"a": 1, "c": 1},
		},

		"the group's own members first": {scheduling(8, byAvailable(), three, overflowing), counts{"a": 8}},
		"what does not fit overflows":   {scheduling(35, byAvailable(), three, overflowing), counts{"a": 10, "b": 20, "c": 5}},
		"even if the first tier is in the last region": {
			scheduling(12, byFewest(), []*api.Cluster{member("a", 10, inRegion("eu")), member("b", 20, inRegion("ap"))}, overflowing,
				spreadBy(by(api.SpreadByRegion, 1, 2), by(api.SpreadByCluster, 2, 2))),
			counts{"a": 10, "b": 2},
		},
		"the last tier empties first": {
			scheduling(22, byAvailable(), []*api.Cluster{member("a", 0), member("b", 2), member("c", 9)}, overflowing, had(counts{"a": 10, "b": 10, "c": 5})),
			counts{"a": 10, "b": 12},
		},

		"before clusters exist": {
			scheduling(5, byAvailable(), []*api.Cluster{member("a", 0, unobservedMember), member("b", 0, unobservedMember)}), counts{"a": 3, "b": 2},
		},
		"before some exist": {
			scheduling(4, byFewest(), []*api.Cluster{member("a", 90), member("b", 0, unobservedMember)}), counts{"a": 2, "b": 2},
		},
		"what is placed stays without observation": {
			scheduling(5, byAvailable(), []*api.Cluster{member("a", 0, unobservedMember), member("b", 9)}, had(counts{"a": 5})), counts{"a": 5},
		},
		"even if a fresh division is asked for": {
			scheduling(5, byAvailable(), []*api.Cluster{member("a", 0, unobservedMember), member("b", 9)}, had(counts{"a": 5}), fresh), counts{"a": 5},
		},
		"more go to members that were observed": {
			scheduling(8, byAvailable(), []*api.Cluster{member("a", 0, unobservedMember), member("b", 9)}, had(counts{"a": 5})), counts{"a": 5, "b": 3},
		},
		"as long as those can take them": {
			scheduling(9, byAvailable(), []*api.Cluster{member("a", 0, unobservedMember), member("b", 1)}, had(counts{"a": 5})), counts{"a": 8, "b": 1},
		},
		"static weights need no observation": {
			scheduling(3, byWeights(weigh("a", 2), weigh("b", 1)), []*api.Cluster{member("a", 0, unobservedMember), member("b", 0, unobservedMember)}), counts{"a": 2, "b": 1},
		},
		"sums beyond 32 bits": {
			scheduling(3e9, byAvailable(), []*api.Cluster{member("a", 2e9), member("b", 2e9)}), counts{"a": 15e8, "b": 15e8},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Schedule(tt.request)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got.Clusters, tt.want) {
				t.Errorf("Schedule() = %v, want %v", got.Clusters, tt.want)
			}
		})
	}
}

func TestScheduleErrors(t *testing.T) {
	notServing := func(c *api.Cluster) { c.Status.APIEnablements = []api.APIEnablement{{GroupVersion: "apps/v1"}} }
	two := []*api.Cluster{member("a", 10), member("b", 20)}
	evicting := func(names ...string) func(*Request) { return func(r *Request) { r.Previous.Evicting = names } }
	only := func(names ...string) func(*Request) {
		return func(r *Request) { r.Placement.ClusterAffinity = &api.ClusterAffinity{ClusterNames: names} }
	}
	labelled := func(key, value string) func(*Request) {
		return func(r *Request) {
			r.Placement.ClusterAffinity = &api.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}}
		}
	}
	regional := func(region string) func(*Request) {
		return func(r *Request) {
			r.Placement.ClusterAffinity = &api.ClusterAffinity{FieldSelector: &api.FieldSelector{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: api.FieldRegion, Operator: corev1.NodeSelectorOpIn, Values: []string{region}}},
			}}
		}
	}
	tests := map[string]struct {
		request Request
		want    string
	}{
		"no members": {scheduling(1, nil, nil), "0/0 members fit: there are no members"},
		"each for its reason": {
			scheduling(1, nil, []*api.Cluster{member("a", 1, tainted), member("b", 1, tainted), member("c", 1, notServing), member("d", 1), member("e", 1, removed)}, only("a", "b", "c")),
			"0/5 members fit: 1 did not match the affinity: not in clusterNames, 1 did not serve apps/v1 Deployment, 2 had untolerated taint {cordon:NoSchedule}, 1 being removed",
		},
		"a label value": {
			scheduling(1, nil, two, labelled("name", "c")), "0/2 members fit: 2 did not match the affinity: label name=c (a has a, b has b)",
		},
		"a label key": {
			scheduling(1, nil, two, labelled("nam", "a")), "0/2 members fit: 2 did not match the affinity: label nam=a (a has name=a, b has name=b)",
		},
		"a region": {
			scheduling(1, nil, []*api.Cluster{
				member("a", 1, inRegion("eu")), member("b", 1, inRegion("eu")), member("c", 1, inRegion("eu")), member("d", 1), member("e", 1), member("f", 1, inRegion("us")),
			}, regional("asia")),
			"0/6 members fit: 6 did not match the affinity: region in (asia) (3 have eu, d and e have none, f has us)",
		},
		"more values than one can read": {
			scheduling(1, nil, []*api.Cluster{member("a", 1), member("b", 1), member("c", 1), member("d", 1), member("e", 1)}, labelled("name", "z")),
			"0/5 members fit: 5 did not match the affinity: label name=z",
		},
		"evicted":        {scheduling(1, nil, two, evicting("a", "b")), "0/2 members fit: 2 had an open eviction of this object"},
		"no zones":       {scheduling(1, nil, two, spreadBy(by(api.SpreadByZone, 1, 1))), "0/2 members fit: 2 had no zone to spread by"},
		"not enough":     {scheduling(40, byAvailable(), append(two, member("c", 0))), "40 replicas to place, but the members can take 30: a 10, b 20, others none (short of pods on a, b, c)"},
		"nothing at all": {scheduling(4, byAvailable(), []*api.Cluster{member("a", 0)}), "4 replicas to place, but the members can take 0 (short of pods on a)"},
		"not enough yet": {scheduling(40, byAvailable(), two, had(counts{"a": 5})), "35 replicas to place, but the members can take 30: a 10, b 20 (short of pods on a, b)"},
		"tainted and full": {
			scheduling(9, byWeights(), []*api.Cluster{member("a", 10, tainted)}, had(counts{"a": 2})),
			"9 replicas to place, but the members can take 2: a 2",
		},
		"no room in any tier": {scheduling(99, byAvailable(), two, overflowing), "no group of clusterAffinities fits: own: 99 replicas to place, but the members can take 30: a 10, b 20 (short of pods on a, b)"},
		"too few members":     {scheduling(1, nil, two, spreadBy(by(api.SpreadByCluster, 3, 0))), "spread constraint by cluster: 3 wanted, 2 available (a, b)"},
		"too little room": {
			scheduling(25, byAvailable(), two, spreadBy(by(api.SpreadByCluster, 1, 1))),
			"spread constraint by cluster: no 1 member, as many as maxGroups allows, can hold more than 20 of 25 replicas (a, b)",
		},
		"too few zones": {
			scheduling(1, nil, []*api.Cluster{member("a", 1, inZones("z1")), member("b", 1, inZones("z1"))}, spreadBy(by(api.SpreadByZone, 2, 0))),
			"spread constraint by zone: 2 wanted, 1 available (z1)",
		},
		"too few members in them": {
			scheduling(1, nil, []*api.Cluster{member("a", 1, inRegion("eu")), member("b", 1, inRegion("us"))}, spreadBy(by(api.SpreadByRegion, 1, 1), by(api.SpreadByCluster, 2, 0))),
			"spread constraint by region: no choice that the constraints allow has 2 members (eu, us)",
		},
		"by label only": {
			scheduling(1, nil, two, spreadBy(api.SpreadConstraint{SpreadByLabel: "env", MinGroups: 1})),
			"spreadByLabel cannot select members: add a constraint by cluster, region, zone or provider",
		},
		"an unknown strategy": {
			scheduling(1, &api.ReplicaSchedulingStrategy{ReplicaSchedulingType: "Tripled"}, two), `replicaScheduling: unsupported type "Tripled" with preference ""`,
		},
		"an unknown weight": {
			scheduling(1, func() *api.ReplicaSchedulingStrategy {
				s := byAvailable()
				s.WeightPreference.DynamicWeight = "Price"
				return s
			}(), two), `replicaScheduling: unsupported dynamicWeight "Price"`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Schedule(tt.request)
			if err == nil {
				t.Fatalf("Schedule() = %v, want an error", got.Clusters)
			}
			if err.Error() != tt.want {
				t.Errorf("error %q, want %q", err, tt.want)
			}
			if got.Clusters != nil {
				t.Errorf("clusters %v beside an error", got.Clusters)
			}
		})
	}
}

func TestScheduleGroups(t *testing.T) {
	clusters := []*api.Cluster{member("a", 5), member("b", 50), member("c", 50)}
	placement := &api.Placement{ReplicaScheduling: byAvailable(), ClusterAffinities: []api.ClusterAffinityTerm{
		{AffinityName: "first", ClusterAffinity: clusterNames("a")},
		{AffinityName: "second", ClusterAffinity: clusterNames("b")},
		{AffinityName: "third", ClusterAffinity: clusterNames("c")},
	}}
	tests := map[string]struct {
		replicas  int64
		previous  string
		keep      bool
		fresh     bool
		want      string
		attempted string
	}{
		"the first that fits":               {5, "", false, false, "first", ""},
		"the next if the first is full":     {6, "", false, false, "second", "first"},
		"back to the first":                 {5, "third", false, false, "first", ""},
		"not back if the group is kept":     {5, "third", true, false, "third", ""},
		"back if a fresh start is asked":    {5, "third", true, true, "first", ""},
		"a group that is gone":              {5, "zeroth", true, false, "first", ""},
		"forward from the one that is kept": {6, "first", true, false, "second", "first"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Schedule(Request{
				APIVersion: "apps/v1", Kind: "Deployment", Replicas: tt.replicas, Placement: placement, Clusters: clusters,
				Previous: Previous{Group: tt.previous}, KeepGroup: tt.keep, Fresh: tt.fresh,
			})
			if err != nil {
				t.Fatal(err)
			}
			var attempted []string
			for _, a := range got.Attempted {
				attempted = append(attempted, a.Group)
			}
			if got.Group != tt.want || strings.Join(attempted, " ") != tt.attempted {
				t.Errorf("group %q after %v, want %q after %q", got.Group, attempted, tt.want, tt.attempted)
			}
		})
	}
}

func TestScheduleSaysWhy(t *testing.T) {
	got, err := Schedule(scheduling(9, byWeights(weigh("a", 1), weigh("b", 2)), []*api.Cluster{
		member("a", 9), member("b", 9, tainted), member("c", 9), member("d", 9, tainted),
	}, had(counts{"b": 1})))
	if err != nil {
		t.Fatal(err)
	}
	want := Result{
		Clusters: counts{"a": 8, "b": 1},
		Selected: []string{"b", "a", "c"},
		Weights:  counts{"a": 1, "b": 2},
		Reasons:  []string{"no static weight: c", "b keeps at most its 1 replica: untolerated taint {cordon:NoSchedule}"},
		Rejected: map[string][]Reason{"d": {{Filter: FilterTaint, Detail: "cordon:NoSchedule"}}},
	}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("Schedule() = %+v, want %+v", got, want)
	}

	got, err = Schedule(scheduling(10, byWeights(weigh("a", 3), weigh("b", 1), weigh("c", 1)), []*api.Cluster{
		member("a", 9, tainted), member("b", 9, tainted), member("c", 9),
	}, had(counts{"a": 2, "b": 3})))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Reasons) != 2 || !strings.HasPrefix(got.Reasons[1], "b keeps at most its 3 replicas") {
		t.Errorf("reasons are %q, want one for a and one for b, which would get more in place of a", got.Reasons)
	}

	got, err = Schedule(scheduling(3, byAvailable(), []*api.Cluster{member("a", 9), member("b", 0, unobservedMember)}))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"no observation yet: b"}; !slices.Equal(got.Reasons, want) {
		t.Errorf("reasons %q, want %q", got.Reasons, want)
	}
	if want := (counts{"a": 9}); !maps.Equal(got.Capacity, want) {
		t.Errorf("capacity %v, want %v", got.Capacity, want)
	}
}

// randomRequest returns a request over a handful of members of all sorts.
func randomRequest(r *rand.Rand) Request {
	var clusters []*api.Cluster
	previous := counts{}
	for i := range 1 + r.IntN(8) {
		c := member(fmt.Sprintf("m%d", i), r.Int64N(40), inRegion(fmt.Sprint("r", r.IntN(3))), inZones(fmt.Sprint("z", r.IntN(3))))
		switch r.IntN(6) {
		case 0:
			tainted(c)
		case 1:
			unobservedMember(c)
		}
		if r.IntN(3) == 0 {
			previous[c.Name] = r.Int64N(10)
		}
		clusters = append(clusters, c)
	}
	strategies := []*api.ReplicaSchedulingStrategy{nil, byWeights(), byWeights(weigh("m0", 1), weigh("m1", 5), weigh("m2", 2)), byAvailable(), byFewest()}
	constraints := [][]api.SpreadConstraint{
		nil, nil, {by(api.SpreadByCluster, 1, 3)}, {by(api.SpreadByRegion, 2, 0), by(api.SpreadByCluster, 2, 4)}, {by(api.SpreadByZone, 1, 2)},
	}
	request := scheduling(r.Int64N(30), strategies[r.IntN(len(strategies))], clusters, had(previous), spreadBy(constraints[r.IntN(len(constraints))]...))
	request.TieKey = fmt.Sprint(r.IntN(1000))
	request.Fresh = r.IntN(5) == 0
	return request
}

func TestScheduleProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	placed := 0
	for range 5000 {
		request := randomRequest(r)
		got, err := Schedule(request)

		shuffled := request
		shuffled.Clusters = slices.Clone(request.Clusters)
		r.Shuffle(len(shuffled.Clusters), func(i, j int) {
			shuffled.Clusters[i], shuffled.Clusters[j] = shuffled.Clusters[j], shuffled.Clusters[i]
		})
		again, errAgain := Schedule(shuffled)
		if fmt.Sprint(err) != fmt.Sprint(errAgain) || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", again) {
			t.Fatalf("the order of members changed %+v, %v to %+v, %v", got, err, again, errAgain)
		}
		if err != nil {
			continue
		}
		placed++
		checkNumbers(t, &request, got)

		if slices.ContainsFunc(request.Clusters, func(c *api.Cluster) bool { return len(c.Spec.Taints) > 0 }) {
			continue // one that is left for good is no candidate any more
		}
		settled := request
		settled.Fresh = false
		settled.Previous.Clusters = got.Clusters
		stays, err := Schedule(settled)
		if err != nil || !maps.Equal(stays.Clusters, got.Clusters) {
			t.Fatalf("%v does not stay: %v, %v", got.Clusters, stays.Clusters, err)
		}
	}
	if placed < 2000 {
		t.Errorf("only %d of the requests were placed: the test shows little", placed)
	}
}

// checkNumbers makes sure that no replica is lost or made up, and that tainted members do not grow.
func checkNumbers(t *testing.T, r *Request, got Result) {
	t.Helper()
	s, err := strategyOf(r.Placement)
	if err != nil {
		t.Fatal(err)
	}
	if s != duplicated && r.Replicas > 0 && sum(got.Clusters) != r.Replicas {
		t.Fatalf("%v has not %d replicas", got.Clusters, r.Replicas)
	}
	for _, c := range r.Clusters {
		n, ok := got.Clusters[c.Name]
		if before, was := r.Previous.Clusters[c.Name]; ok && len(c.Spec.Taints) > 0 && (!was || n > before) {
			t.Fatalf("tainted %s has %d replicas, had %d", c.Name, n, before)
		}
		if ok && !slices.Contains(got.Selected, c.Name) {
			t.Fatalf("%s has replicas but was not selected", c.Name)
		}
	}
}

// BenchmarkSchedule places 1,000 objects on 20 members.
func BenchmarkSchedule(b *testing.B) {
	var clusters []*api.Cluster
	for i := range 20 {
		c := member(fmt.Sprintf("member-%02d", i), 110, inRegion(fmt.Sprint("region-", i%4)))
		c.Status.ResourceSummary.Allocatable["cpu"] = resource.MustParse("64")
		c.Status.ResourceSummary.Allocatable["memory"] = resource.MustParse("256Gi")
		clusters = append(clusters, c)
	}
	need := &Requirements{ResourceRequest: list("cpu", "250m", "memory", "512Mi")}
	for name, s := range map[string]*api.ReplicaSchedulingStrategy{"duplicated": nil, "static": byWeights(), "dynamic": byAvailable(), "aggregated": byFewest()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for i := range 1000 {
					request := scheduling(50, s, clusters, spreadBy(by(api.SpreadByRegion, 2, 3), by(api.SpreadByCluster, 4, 8)))
					request.TieKey, request.Requirements = fmt.Sprint(i), need
					if _, err := Schedule(request); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
