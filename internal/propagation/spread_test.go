package propagation

import (
	"reflect"
	"testing"
)

func TestPlacementsExplainSpread(t *testing.T) {
	members := named("kube02", "kube03", "kube04")
	for i, region := range []string{"eu", "eu", "us"} {
		members[i].Cluster.Spec.Region = region
	}
	const spread = "spreadConstraints: [{spreadByField: region, minGroups: 2, maxGroups: 2}, {spreadByField: cluster, minGroups: 2, maxGroups: 2}]"
	const service = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}"
	const policy = "{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: all}, spec: {resourceSelectors: " +
		"[{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: Service}], placement: {" + spread + ", replicaScheduling: {" +
		"replicaSchedulingType: Divided, replicaDivisionPreference: Weighted}}}}"
	placements := compute(t, input(t, members, testdata(t, "01-demoapp-deployment.yaml"), service, policy)).Placements
	for key, reason := range map[string]string{
		demoapp:               "divided by weights kube02 1, kube04 1; spread over 2 regions (eu, us) and 2 members",
		"Service/default/web": "spread over 2 regions (eu, us) and 2 members",
	} {
		p := placements[key]
		if want := map[string]string{"kube03": "was left out by the spread constraints"}; p.Reason != reason || !reflect.DeepEqual(p.Rejected, want) {
			t.Errorf("%s: reason %q, rejected %v, want %q and %v", key, p.Reason, p.Rejected, reason, want)
		}
	}
}

// Which members could have been selected changes with capacity: a placement that stays shows what it showed.
func TestPlacementsThatStayKeepTheirExplanation(t *testing.T) {
	prior := Placement{Reason: "as it was", Rejected: map[string]string{"b": leftOut, "gone": leftOut, "d": "had untolerated taint {x}"}}
	p := Placement{Reason: "as it is", Rejected: map[string]string{"c": leftOut, "d": leftOut}}
	p.explainAs(prior, []string{"a", "b", "c", "d"})
	if want := (Placement{Reason: "as it was", Rejected: map[string]string{"b": leftOut}}); !reflect.DeepEqual(p, want) {
		t.Errorf("got %+v, want %+v", p, want)
	}
}
