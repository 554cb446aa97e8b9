package propagation

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// roomy sets what the members were seen to have room for: so many Pods; -1 is a member that was not seen.
func roomy(members []Member, pods ...int64) {
	for i, n := range pods {
		members[i].Cluster.Status.ResourceSummary = nil
		if n >= 0 {
			members[i].Cluster.Status.ResourceSummary = &api.ResourceSummary{
				Allocatable: corev1.ResourceList{"pods": *resource.NewQuantity(n, resource.DecimalSI)},
			}
		}
	}
}

// divided returns a policy of the demoapp Deployment that divides its replicas by capacity.
func divided(preference, more string) string {
	strategy := "replicaDivisionPreference: Aggregated"
	if preference == "Weighted" {
		strategy = "replicaDivisionPreference: Weighted, weightPreference: {dynamicWeight: AvailableReplicas}"
	}
	return policy(", placement: {" + more + "replicaScheduling: {replicaSchedulingType: Divided, " + strategy + "}}")
}

// eight is the demoapp Deployment with 8 replicas.
func eight(t *testing.T) string {
	return strings.Replace(testdata(t, "01-demoapp-deployment.yaml"), "replicas: 4", "replicas: 8", 1)
}

// demoappOn returns where a world's next plan puts the demoapp Deployment, and why.
func (w *world) demoappOn(documents ...string) Placement {
	w.t.Helper()
	planned, _ := w.plan(documents...)
	return planned.Placements[demoapp]
}

func TestDivisionByCapacityStaysWhileItFits(t *testing.T) {
	for name, test := range map[string]struct {
		policy string
		want   map[string]Replicas
		reason string
	}{
		"dynamic weight": {divided("Weighted", ""), map[string]Replicas{"a": {Count: 6}, "b": {Count: 2}}, "divided by weights a 9, b 3; capacity a 9, b 3"},
		"aggregated":     {divided("Aggregated", ""), map[string]Replicas{"a": {Count: 8}}, "divided by weights a 9; capacity a 9, b 3"},
		"spread by member": {
			divided("Aggregated", "spreadConstraints: [{spreadByField: cluster, minGroups: 2, maxGroups: 2}], "), map[string]Replicas{"a": {Count: 8}},
			"divided by weights a 9; capacity a 9, b 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "a", "b")
			roomy(w.members, 9, 3)
			w.apply(nil, eight(t), test.policy)
			first := w.prior.Placements[demoapp]
			if !maps.Equal(first.Clusters, test.want) || first.Reason != test.reason {
				t.Fatalf("placement %+v, want %v because %s", first, test.want, test.reason)
			}
			for _, pods := range [][]int64{{1, 3}, {100, 0}, {0, 0}, {-1, 7}, {-1, -1}} {
				roomy(w.members, pods...)
				if next := w.demoappOn(eight(t), test.policy); !reflect.DeepEqual(next, first) {
					t.Errorf("with room for %v the placement is %+v, want it to stay %+v", pods, next, first)
				}
			}
		})
	}
}

// What a plan places takes room: the first tier is not filled again with what it has just taken.
func TestOverflowGoesWhereThereIsRoom(t *testing.T) {
	for _, preference := range []string{"Weighted", "Aggregated"} {
		document := divided(preference, "clusterAffinities: [{affinityName: first, clusterNames: [a], overflowAffinities: [{affinityName: more, clusterNames: [b]}]}], ")
		w := newWorld(t, "a", "b")
		roomy(w.members, 3, 9)
		w.apply(nil, eight(t), document)
		first := w.prior.Placements[demoapp]
		if want := map[string]Replicas{"a": {Count: 3}, "b": {Count: 5}}; !maps.Equal(first.Clusters, want) {
			t.Errorf("%s: placement %+v, want %v", preference, first, want)
		}
		roomy(w.members, 0, 4) // beside the 3 and 5 that they hold
		if next := w.demoappOn(eight(t), document); !reflect.DeepEqual(next, first) {
			t.Errorf("%s: the next placement is %+v, want it to stay %+v", preference, next, first)
		}
	}
}

func TestDivisionByCapacityGrowsWhereThereIsRoom(t *testing.T) {
	w := newWorld(t, "a", "b")
	roomy(w.members, 9, 3)
	w.apply(nil, eight(t), divided("Weighted", ""))
	roomy(w.members, 0, 4)
	got := w.demoappOn(strings.Replace(eight(t), "replicas: 8", "replicas: 10", 1), divided("Weighted", ""))
	if want := map[string]Replicas{"a": {Count: 6}, "b": {Count: 4}}; !maps.Equal(got.Clusters, want) || got.Reason != "divided by weights a 0, b 4; capacity a 0, b 4" {
		t.Errorf("placement %+v, want %v", got, want)
	}
}

func TestDivisionWithoutObservationIsEqual(t *testing.T) {
	w := newWorld(t, "a", "b")
	got := w.demoappOn(eight(t), divided("Weighted", ""))
	if want := map[string]Replicas{"a": {Count: 4}, "b": {Count: 4}}; !maps.Equal(got.Clusters, want) || !strings.Contains(got.Reason, "no observation yet: a, b") {
		t.Errorf("placement %+v, want %v", got, want)
	}
}

func TestRebalanceDividesAfresh(t *testing.T) {
	w := newWorld(t, "a", "b")
	roomy(w.members, 9, 3)
	w.apply(nil, eight(t), divided("Weighted", ""))
	roomy(w.members, 0, 6) // beside the 6 and 2 that they hold
	w.rebalance = true
	w.apply(nil, eight(t), divided("Weighted", ""))
	got := w.prior.Placements[demoapp]
	if want := map[string]Replicas{"a": {Count: 3}, "b": {Count: 5}}; !maps.Equal(got.Clusters, want) {
		t.Errorf("placement %+v, want %v", got, want)
	}
	w.rebalance = false
	if next := w.demoappOn(eight(t), divided("Weighted", "")); !reflect.DeepEqual(next, got) {
		t.Errorf("after it the placement is %+v, want it to stay %+v", next, got)
	}
}

func TestFailback(t *testing.T) {
	grouped := policy(", placement: {clusterAffinities: [{affinityName: first, clusterNames: [a]}, {affinityName: second, clusterNames: [b]}]}")
	cordon := EffectiveTaints(nil, true, Unhealthy{})
	for name, test := range map[string]struct {
		keep      bool
		rebalance bool
		want      string
	}{
		"returns":                      {false, false, "first"},
		"never":                        {true, false, "second"},
		"never, but for a rebalancing": {true, true, "first"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "a", "b")
			w.keepGroup, w.rebalance = test.keep, false
			w.members[0].Cluster.Spec.Taints = cordon
			w.apply(nil, eight(t), grouped)
			if got := w.prior.Placements[demoapp].Group; got != "second" {
				t.Fatalf("group %s while the first is cordoned, want second", got)
			}
			w.members[0].Cluster.Spec.Taints = nil
			w.rebalance = test.rebalance
			if got := w.demoappOn(eight(t), grouped).Group; got != test.want {
				t.Errorf("group %s when the first is back, want %s", got, test.want)
			}
		})
	}
}
