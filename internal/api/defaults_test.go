package api

import (
	"encoding/json"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestPropagationDefaults(t *testing.T) {
	const selectors = "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web, namespace: default}]"
	const always = selectors + ", priority: 0, preemption: Never, schedulerName: default-scheduler, conflictResolution: Abort"
	tests := map[string]struct{ spec, want string }{
		"least":                    {selectWeb, always + ", placement: {}"},
		"written values stay":      {selectors + ", priority: -1, preemption: Always, schedulerName: mine, conflictResolution: Overwrite", selectors + ", priority: -1, preemption: Always, schedulerName: mine, conflictResolution: Overwrite, placement: {}"},
		"spread by what":           {selectWeb + ", placement: {spreadConstraints: [{}, {maxGroups: 3}, {spreadByLabel: rack, minGroups: 2}, {spreadByField: zone, minGroups: -1}]}", always + ", placement: {spreadConstraints: [{spreadByField: cluster, minGroups: 1}, {spreadByField: cluster, minGroups: 1, maxGroups: 3}, {spreadByLabel: rack, minGroups: 2}, {spreadByField: zone, minGroups: -1}]}"},
		"division":                 {selectWeb + ", placement: {replicaScheduling: {}}", always + ", placement: {replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted}}"},
		"division by aggregation":  {selectWeb + ", placement: {replicaScheduling: {replicaDivisionPreference: Aggregated}}", always + ", placement: {replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}}"},
		"duplication":              {selectWeb + ", placement: {replicaScheduling: {replicaSchedulingType: Duplicated}}", always + ", placement: {replicaScheduling: {replicaSchedulingType: Duplicated}}"},
		"failover":                 {selectWeb + ", failover: {application: {decisionConditions: {}}, cluster: {}}", always + ", placement: {}, failover: {application: {decisionConditions: {tolerationSeconds: 300}, purgeMode: Gracefully, gracePeriodSeconds: 600}, cluster: {purgeMode: Gracefully}}"},
		"failover without a grace": {selectWeb + ", failover: {application: {decisionConditions: {tolerationSeconds: 0}, purgeMode: Directly}}", always + ", placement: {}, failover: {application: {decisionConditions: {tolerationSeconds: 0}, purgeMode: Directly}}"},
		"imported service":         {"resourceSelectors: [{apiVersion: multicluster.x-k8s.io/v1alpha1, kind: ServiceImport, namespace: default}]", "resourceSelectors: [{apiVersion: multicluster.x-k8s.io/v1alpha1, kind: ServiceImport, namespace: default}], priority: 0, preemption: Never, schedulerName: default-scheduler, conflictResolution: Abort, placement: {}, propagateDeps: true"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var p, want PropagationPolicy
			unmarshal(t, policyText(KindPropagationPolicy, "{"+tt.spec+"}"), &p)
			unmarshal(t, policyText(KindPropagationPolicy, "{"+tt.want+"}"), &want)
			p.SetDefaults()
			if p.Namespace != DefaultNamespace {
				t.Errorf("namespace %q", p.Namespace)
			}
			if got, want := text(t, p.Spec), text(t, want.Spec); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestClusterKindsKeepSelectorsOpen(t *testing.T) {
	var p PropagationPolicy
	var o OverridePolicy
	unmarshal(t, policyText(KindClusterPropagationPolicy, "{"+selectWeb+"}"), &p)
	unmarshal(t, policyText(KindClusterOverridePolicy, "{"+selectWeb+"}"), &o)
	p.SetDefaults()
	o.SetDefaults()
	if p.Spec.ResourceSelectors[0].Namespace != "" || o.Spec.ResourceSelectors[0].Namespace != "" || p.Namespace != "" || o.Namespace != "" {
		t.Errorf("a cluster-scoped policy got a namespace: %+v, %+v", p, o)
	}
}

func unmarshal(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
