package api

import (
	"encoding/json"
	"testing"
)

// everyPropagationField and everyOverrideField set every field there is, without regard to what goes together.
const everyPropagationField = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop, labels: {a: b}, annotations: {c: d}, creationTimestamp: "2026-01-02T03:04:05Z"}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web, labelSelector: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: In, values: [b]}]}}]
  association: true
  propagateDeps: true
  placement:
    clusterAffinity: &affinity
      labelSelector: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: Exists}]}
      fieldSelector: {matchExpressions: [{key: zone, operator: In, values: [a]}]}
      clusterNames: [kube01]
      exclude: [kube02]
    clusterAffinities: [{<<: *affinity, affinityName: near, overflowAffinities: [{<<: *affinity, affinityName: far}]}]
    clusterTolerations: [{key: a, operator: Equal, value: b, effect: NoExecute, tolerationSeconds: 30}]
    spreadConstraints: [{spreadByField: cluster, maxGroups: 3, minGroups: 2}, {spreadByLabel: rack}]
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference: {dynamicWeight: AvailableReplicas, staticWeightList: [{weight: 2, targetCluster: *affinity}]}
    workloadAffinity: {affinity: {groupByLabelKey: a}, antiAffinity: {groupByLabelKey: b}}
  priority: 3
  preemption: Always
  dependentOverrides: [web]
  schedulerName: default-scheduler
  failover:
    application:
      decisionConditions: {tolerationSeconds: 10}
      purgeMode: Gracefully
      gracePeriodSeconds: 20
      statePreservation: &state {rules: [{aliasLabelName: a, jsonPath: "{.b}"}]}
    cluster: {purgeMode: Directly, statePreservation: *state}
  conflictResolution: Overwrite
  activationPreference: Lazy
  suspension: {dispatching: true, dispatchingOnClusters: {clusterNames: [kube01]}}
  preserveResourcesOnDeletion: true
  schedulePriority: {priorityClassSource: KubePriorityClass, priorityClassName: high}
`

const everyOverrideField = `
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web}]
  targetCluster: {clusterNames: [kube01]}
  overriders: &overriders
    plaintext: [{path: /a, operator: add, value: {b: [1, 2.5, "c", null, true]}}]
    imageOverrider: [{predicate: {path: /a}, component: Tag, operator: replace, value: v1}]
    commandOverrider: [{containerName: a, operator: add, value: [b]}]
    argsOverrider: [{containerName: a, operator: remove, value: [b]}]
    labelsOverrider: [{operator: add, value: {a: b}}]
    annotationsOverrider: [{operator: remove, value: {a: b}}]
    fieldOverrider: [{fieldPath: /a, json: [{subPath: /b, operator: add, value: 1}], yaml: [{subPath: /b, operator: remove}]}]
  overrideRules: [{targetCluster: {exclude: [kube02]}, overriders: *overriders}]
`

// Every field is known under Karmada's name, and nothing that is written is lost.
func TestEveryFieldDecodes(t *testing.T) {
	for _, text := range []string{everyPropagationField, everyOverrideField} {
		doc := document(t, text)
		p, errs := decodePolicy(doc)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		got, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if want := compact(t, doc); compact(t, asDocument(t, got)) != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// Any value in the place of any other is either taken or refused without a trace: nothing panics.
func TestAnyValueAnywhere(t *testing.T) {
	values := []any{nil, true, int64(-1), 1.5, 1e300, "", "a b", []any{}, []any{nil}, map[string]any{}, map[string]any{"a": nil}}
	for _, text := range []string{everyPropagationField, everyOverrideField} {
		doc := document(t, text)
		tried := 0
		eachPlace(doc, func(put func(any)) {
			for _, v := range values {
				put(v)
				var p Policies
				err := p.Add(doc, "policies[0], document 1")
				if kept := len(p.Propagation) + len(p.Override); (err == nil) != (kept == 1) {
					t.Errorf("%d policies kept with %v", kept, err)
				}
				tried++
			}
		})
		if tried < 1000 {
			t.Errorf("tried %d documents only", tried)
		}
	}
}

// eachPlace visits every value at and below the object or list v with a function that replaces it, and restores it after.
func eachPlace(v any, visit func(put func(any))) {
	switch v := v.(type) {
	case map[string]any:
		for key, old := range v {
			visit(func(value any) { v[key] = value })
			v[key] = old
			eachPlace(old, visit)
		}
	case []any:
		for i, old := range v {
			visit(func(value any) { v[i] = value })
			v[i] = old
			eachPlace(old, visit)
		}
	}
}

func compact(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
