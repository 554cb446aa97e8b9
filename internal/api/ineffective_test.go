package api

import (
	"slices"
	"testing"
)

func TestAddNotesWhatHasNoEffect(t *testing.T) {
	tests := map[string]struct {
		spec string
		want []string // paths
	}{
		"nothing":        {"", nil},
		"defaults":       {", preemption: Never, schedulerName: default-scheduler", nil},
		"association":    {", association: true", []string{"spec.association"}},
		"preemption":     {", preemption: Always", []string{"spec.preemption"}},
		"scheduler":      {", schedulerName: volcano", []string{"spec.schedulerName"}},
		"failover":       {", failover: {cluster: {}}", []string{"spec.failover"}},
		"lazy":           {", activationPreference: Lazy", []string{"spec.activationPreference"}},
		"queue":          {", schedulePriority: {priorityClassSource: KubePriorityClass, priorityClassName: high}", []string{"spec.schedulePriority"}},
		"other workload": {", placement: {workloadAffinity: {affinity: {groupByLabelKey: app}}}", []string{"spec.placement.workloadAffinity"}},
		"label": {
			", placement: {spreadConstraints: [{spreadByField: cluster}, {spreadByLabel: rack}]}",
			[]string{"spec.placement.spreadConstraints[1].spreadByLabel"},
		},
		"two": {", association: true, activationPreference: Lazy", []string{"spec.association", "spec.activationPreference"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var p Policies
			if err := p.Add(document(t, policyText(KindPropagationPolicy, "{"+selectWeb+tt.spec+"}")), "policies[0], document 1"); err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, path := range tt.want {
				want = append(want, "policies[0], document 1: PropagationPolicy default/web: "+path+": accepted, no effect here: ")
			}
			if !slices.EqualFunc(p.Notes, want, func(note, start string) bool { return len(note) > len(start) && note[:len(start)] == start }) {
				t.Errorf("notes %q, want those that start with %q", p.Notes, want)
			}
		})
	}
}

// TestAddNotesLabelSelectorsBesideNames: the name decides, in policies of both types.
func TestAddNotesLabelSelectorsBesideNames(t *testing.T) {
	const selectors = "{resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: c}, {apiVersion: v1, kind: ConfigMap, labelSelector: {}}, {apiVersion: v1, kind: ConfigMap, name: c, labelSelector: {}}]"
	for kind, rest := range map[string]string{KindClusterPropagationPolicy: "}", KindClusterOverridePolicy: ", overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}]}"} {
		var p Policies
		if err := p.Add(document(t, policyText(kind, selectors+rest)), "policies[0], document 1"); err != nil {
			t.Fatal(err)
		}
		want := []string{"policies[0], document 1: " + kind + ` web: spec.resourceSelectors[2].labelSelector: accepted, no effect here: the name "c" decides; remove one of them`}
		if !slices.Equal(p.Notes, want) {
			t.Errorf("notes %q, want %q", p.Notes, want)
		}
	}
}

func TestAddGivesSuspensionToThoseThatNameNone(t *testing.T) {
	p := Policies{Suspension: &Suspension{Dispatching: new(true)}}
	for i, spec := range []string{"", ", suspension: {dispatchingOnClusters: {clusterNames: [kube01]}}"} {
		doc := document(t, policyText(KindPropagationPolicy, "{"+selectWeb+spec+"}"))
		if i == 1 {
			doc["metadata"] = map[string]any{"name": "other"}
		}
		if err := p.Add(doc, "policies[0]"); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.Propagation[0].Spec.Suspension; got == nil || got.Dispatching == nil || !*got.Dispatching {
		t.Errorf("a policy without suspension has %+v", got)
	}
	if got := p.Propagation[1].Spec.Suspension; got.Dispatching != nil || got.DispatchingOnClusters == nil {
		t.Errorf("a policy's own suspension is now %+v", got)
	}
}
