package propagation

import (
	"fmt"
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
		"dynamic weight": {divided("Weighted", ""), map[string]Replicas{"a": {Count: 6}, "b": {Count: 2}}, "divided by capacity a 9, b 3"},
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

// No member is counted as if what was just placed on it took no room: not with further affinities, nor with groups.
func TestDivisionByCapacityStaysWithinIt(t *testing.T) {
	const overflow = "clusterAffinities: [{affinityName: home, clusterNames: [a], overflowAffinities: [{affinityName: away, clusterNames: [b]}]}], "
	const groups = "clusterAffinities: [{affinityName: home, clusterNames: [a]}, {affinityName: all, clusterNames: [a, b]}], "
	for name, test := range map[string]struct {
		policy string
		room   [2]int64
		want   map[string]Replicas
		group  string
	}{
		"overflow, aggregated":     {divided("Aggregated", overflow), [2]int64{4, 20}, map[string]Replicas{"a": {Count: 4}, "b": {Count: 4}}, "home"},
		"overflow, dynamic weight": {divided("Weighted", overflow), [2]int64{5, 20}, map[string]Replicas{"a": {Count: 5}, "b": {Count: 3}}, "home"},
		"a group that has room":    {divided("Weighted", groups), [2]int64{8, 8}, map[string]Replicas{"a": {Count: 8}}, "home"},
		"a group that has none":    {divided("Weighted", groups), [2]int64{6, 6}, map[string]Replicas{"a": {Count: 4}, "b": {Count: 4}}, "all"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "a", "b")
			roomy(w.members, test.room[0], test.room[1])
			w.apply(nil, eight(t), test.policy)
			got := w.prior.Placements[demoapp]
			if !maps.Equal(got.Clusters, test.want) || got.Group != test.group {
				t.Fatalf("placement %+v, want %v by group %s", got, test.want, test.group)
			}
			roomy(w.members, test.room[0]-test.want["a"].Count, test.room[1]-test.want["b"].Count) // as the members are seen from now on
			if next := w.demoappOn(eight(t), test.policy); !reflect.DeepEqual(next, got) {
				t.Errorf("the next placement is %+v, want it to stay %+v", next, got)
			}
		})
	}
}

func TestScalingToNothingAndBackStaysWhereItWas(t *testing.T) {
	scaled := func(n string) string { return strings.Replace(eight(t), "replicas: 8", "replicas: "+n, 1) }
	w := newWorld(t, "a", "b", "c")
	roomy(w.members, 9, 3, 3)
	policy := divided("Aggregated", "")
	for _, step := range []struct{ replicas, room int64 }{{8, 9}, {0, 1}, {2, 9}} {
		roomy(w.members, step.room, 3, 3)
		w.apply(nil, scaled(fmt.Sprint(step.replicas)), policy)
		if got := w.prior.Placements[demoapp].Clusters; !maps.Equal(got, map[string]Replicas{"a": {Count: step.replicas}}) {
			t.Errorf("%d replicas are on %v, want all on a", step.replicas, got)
		}
	}
}

// Where nothing runs, nothing is lost: three members have the object with 0 replicas, and one is enough for the first.
func TestScalingUpFromNothingEmptiesNoMember(t *testing.T) {
	scaled := func(n string) string { return strings.Replace(eight(t), "replicas: 8", "replicas: "+n, 1) }
	w := newWorld(t, "a", "b", "c")
	roomy(w.members, 9, 3, 3)
	w.apply(nil, scaled("0"), divided("Aggregated", ""))
	if got := w.prior.Placements[demoapp].Clusters; len(got) != 3 {
		t.Fatalf("0 replicas are on %v, want them on all", got)
	}
	planned, problems := w.plan(scaled("1"), divided("Aggregated", ""))
	if got := planned.Placements[demoapp].Clusters; len(problems) > 0 || !maps.Equal(got, map[string]Replicas{"a": {Count: 1}}) {
		t.Errorf("1 replica is on %v with %v, want it on a", got, details(problems))
	}
}

func TestDivisionByCapacityGrowsWhereThereIsRoom(t *testing.T) {
	w := newWorld(t, "a", "b")
	roomy(w.members, 9, 3)
	w.apply(nil, eight(t), divided("Weighted", ""))
	roomy(w.members, 0, 4)
	got := w.demoappOn(strings.Replace(eight(t), "replicas: 8", "replicas: 10", 1), divided("Weighted", ""))
	if want := map[string]Replicas{"a": {Count: 6}, "b": {Count: 4}}; !maps.Equal(got.Clusters, want) || got.Reason != "divided by capacity a 0, b 4" {
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

// With failback = "Never" the groups before the one that is kept are not tried again, and what was in their way stays told:
// the plan after an apply is empty.
func TestKeptGroupStaysExplained(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.keepGroup = true
	grouped := policy(", placement: {clusterAffinities: [{affinityName: first, clusterNames: [c]}, {affinityName: second, clusterNames: [a]}]}")
	w.apply(nil, eight(t), grouped)
	first := w.prior.Placements[demoapp]
	if first.Group != "second" || !strings.Contains(first.Reason, "group first was passed over") {
		t.Fatalf("placement %+v, want the second group, and why", first)
	}
	if next := w.demoappOn(eight(t), grouped); !reflect.DeepEqual(next, first) {
		t.Errorf("the next plan says %+v, want %+v", next, first)
	}
	moved := strings.Replace(grouped, "clusterNames: [a]", "clusterNames: [b]", 1)
	if next := w.demoappOn(eight(t), moved); strings.Contains(next.Reason, "passed over") {
		t.Errorf("a placement that changes is explained by %q", next.Reason)
	}
}

// A member that the object leaves is no candidate any more if only the object kept it one: the plan says so at once, not the
// one after the apply.
func TestLeftMemberIsToldAtOnce(t *testing.T) {
	weighted := policy(weights(""))
	everywhere, onA := policy(", placement: {}"), policy(", placement: {clusterAffinity: {clusterNames: [a]}}")
	aggregated := divided("Aggregated", "spreadConstraints: [{spreadByField: cluster, minGroups: 1}], ")
	scaled := func(n int) string {
		return strings.Replace(testdata(t, "01-demoapp-deployment.yaml"), "replicas: 4", fmt.Sprintf("replicas: %d", n), 1)
	}
	for name, test := range map[string]struct {
		before, after [2]string // template and policy
		clusters      map[string]Replicas
		rejected      string // why b is not chosen
		reason        string
	}{
		"affinity": {
			[2]string{scaled(2), everywhere}, [2]string{scaled(2), onA}, map[string]Replicas{"a": {Count: 2}},
			"did not match the affinity: not in clusterNames, had untolerated taint {cordon:NoSchedule}", "",
		},
		"static weights": {
			[2]string{scaled(2), weighted}, [2]string{scaled(1), weighted}, map[string]Replicas{"a": {Count: 1}},
			"had untolerated taint {cordon:NoSchedule}", "divided by weights a 3",
		},
		"capacity": {
			[2]string{scaled(2), everywhere}, [2]string{scaled(2), aggregated}, map[string]Replicas{"a": {Count: 2}},
			"had untolerated taint {cordon:NoSchedule}", "divided by weights a 2; capacity a 7, b 0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "a", "b")
			roomy(w.members, 9, 9)
			w.apply(nil, test.before[0], test.before[1])
			roomy(w.members, 7, 7)
			w.members[1].Cluster.Spec.Taints = []corev1.Taint{{Key: "cordon", Effect: corev1.TaintEffectNoSchedule}}
			w.apply(nil, test.after[0], test.after[1])
			first := w.prior.Placements[demoapp]
			if !maps.Equal(first.Clusters, test.clusters) || first.Rejected["b"] != test.rejected || first.Reason != test.reason {
				t.Errorf("placement %+v, want %v, %q and b rejected for %q", first, test.clusters, test.reason, test.rejected)
			}
			if next := w.demoappOn(test.after[0], test.after[1]); !reflect.DeepEqual(next, first) {
				t.Errorf("the next plan says %+v, want %+v", next, first)
			}
		})
	}
}
