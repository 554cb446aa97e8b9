package api

import (
	"encoding/json"
	"reflect"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// FuzzAdd feeds any JSON object to the whole of decoding, defaulting and validating. Nothing may panic; a refused document
// must leave no trace, an accepted one must keep its defaults when they are set again, and survive being written and read.
func FuzzAdd(f *testing.F) {
	for _, spec := range []string{
		"{}",
		"{" + selectWeb + ", placement: {clusterAffinities: [{affinityName: a, clusterNames: [b], overflowAffinities: [{affinityName: c}]}], spreadConstraints: [{}], replicaScheduling: {weightPreference: {staticWeightList: [{weight: 1, targetCluster: {}}]}}}}",
		"{" + selectWeb + ", propagateDeps: true, failover: {application: {decisionConditions: {}, statePreservation: {rules: []}}, cluster: {}}, suspension: {dispatching: true}}",
		"{overrides: [null, {}], priority: 1.5, placement: 7}",
		"{overrideRules: [{overriders: {plaintext: [{path: /a, operator: add, value: null}], fieldOverrider: [{fieldPath: /a, yaml: [{subPath: /b, operator: replace, value: [1]}]}]}}]}",
	} {
		for _, kind := range policyKinds {
			data, err := yaml.YAMLToJSON([]byte(policyText(kind, spec)))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var doc map[string]any
		if utiljson.Unmarshal(data, &doc) != nil {
			return
		}
		var p Policies
		if err := p.Add(doc, "policies[0], document 1"); err != nil {
			if len(p.Propagation)+len(p.Override)+len(p.Notes) > 0 {
				t.Errorf("%v, and the policy was kept", err)
			}
			return
		}
		if err := p.Add(doc, "policies[1], document 1"); err != nil || len(p.Propagation)+len(p.Override) != 1 {
			t.Errorf("the same document again: %v", err)
		}
		for _, policy := range p.Propagation {
			checkStable(t, policy, &PropagationPolicy{})
		}
		for _, policy := range p.Override {
			checkStable(t, policy, &OverridePolicy{})
		}
	})
}

func checkStable(t *testing.T, p, again policy) {
	t.Helper()
	before, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if errs := checkShape(asDocument(t, before), reflect.TypeOf(p).Elem()); len(errs) > 0 {
		t.Errorf("a policy that was written is refused: %v", errs)
	}
	if err := json.Unmarshal(before, again); err != nil {
		t.Fatal(err)
	}
	again.SetDefaults()
	if after, err := json.Marshal(again); err != nil || string(before) != string(after) {
		t.Errorf("defaults set again: %v\nbefore %s\nafter  %s", err, before, after)
	}
}

func asDocument(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := utiljson.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}
