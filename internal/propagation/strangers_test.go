package propagation

import (
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

func TestComputeNotesMembersThatAreNotThere(t *testing.T) {
	propagation := func(more string) []string { return []string{policy(more)} }
	const weight = ", placement: {replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {" +
		"staticWeightList: [{targetCluster: {clusterNames: [kube02]}, weight: 3}, {targetCluster: {clusterNames: [kube3]}, weight: 1}]}}}"
	const single = "{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: one}, spec: {targetCluster: {exclude: [kube3]}, " +
		"overriders: {labelsOverrider: [{operator: add, value: {tier: web}}]}}}"
	for name, test := range map[string]struct {
		documents  []string
		suspension *api.Suspension
		field      string // that names kube3
	}{
		"affinity":  {documents: propagation(", placement: {clusterAffinity: {clusterNames: [kube02, kube3]}}"), field: "spec.placement.clusterAffinity.clusterNames"},
		"exclude":   {documents: propagation(", placement: {clusterAffinity: {exclude: [kube3]}}"), field: "spec.placement.clusterAffinity.exclude"},
		"two terms": {documents: propagation(", placement: {clusterAffinities: [{affinityName: one, clusterNames: [kube02, kube3]}, {affinityName: two, exclude: [kube3]}]}"), field: "spec.placement.clusterAffinities[0].clusterNames and spec.placement.clusterAffinities[1].exclude"},
		"overflow": {documents: propagation(", placement: {clusterAffinities: [{affinityName: one, clusterNames: [kube02], overflowAffinities: [{affinityName: three, clusterNames: [kube3]}]}], replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}}"),
			field: "spec.placement.clusterAffinities[0].overflowAffinities[0].clusterNames"},
		"weights":    {documents: propagation(weight), field: "spec.placement.replicaScheduling.weightPreference.staticWeightList[1].targetCluster.clusterNames"},
		"suspension": {documents: propagation(", suspension: {dispatchingOnClusters: {clusterNames: [kube3]}}"), field: "spec.suspension.dispatchingOnClusters.clusterNames"},
		"suspension of the propagation": {documents: propagation(""), field: "suspension.dispatching_on_clusters.cluster_names",
			suspension: &api.Suspension{DispatchingOnClusters: &api.SuspendClusters{ClusterNames: []string{"kube3"}}}},
		"override without rules": {documents: append(propagation(""), single), field: "spec.targetCluster.exclude"},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(t, named("kube02", "kube03"), append(test.documents, testdata(t, "01-demoapp-deployment.yaml"))...)
			if in.Policies.Suspension = test.suspension; test.suspension != nil {
				in.Policies.Propagation[0].Spec.Suspension = test.suspension
			}
			_, problems := Compute(in)
			want := " names kube3 (did you mean kube03?) in " + test.field + ", and the members of this propagation are kube02 and kube03."
			if len(problems) != 1 || !problems[0].Note || !strings.Contains(problems[0].Detail, want) {
				t.Errorf("problems %v, want a note that has %q", problems, want)
			}
		})
	}
}

func TestComputeLeavesMembersOfSharedPoliciesAlone(t *testing.T) {
	in := input(t, named("kube02"), testdata(t, "01-demoapp-deployment.yaml"), policy(", placement: {clusterAffinity: {exclude: [kube3]}}"))
	in.Shared = map[string]bool{"PropagationPolicy default/web": true}
	if _, problems := Compute(in); len(problems) != 0 {
		t.Errorf("problems %v, want none", problems)
	}
}
