package api

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// document decodes YAML as the values Add takes.
func document(t *testing.T, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// policyText returns the document of a policy named web with this spec, in YAML flow style.
func policyText(kind, spec string) string {
	return "apiVersion: policy.karmada.io/v1alpha1\nkind: " + kind + "\nmetadata: {name: web}\nspec: " + spec
}

const selectWeb = "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]"

func TestAddRefuses(t *testing.T) {
	tests := map[string]struct {
		document string
		want     []string
	}{
		"overrides and failover inside placement": {
			policyText(KindPropagationPolicy, "{"+selectWeb+", placement: {overrides: [], failover: {}}}"),
			[]string{
				"spec.placement.failover: unknown field: it is spec.failover",
				"spec.placement.overrides: unknown field: Karmada has no such field: write an OverridePolicy",
			},
		},
		"wrong case and separators": {
			"apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {Name: web}\nspec: {resource_selectors: [], placement: {clusteraffinity: {}}}",
			[]string{
				`metadata.Name: unknown field: did you mean "name"?`,
				`spec.placement.clusteraffinity: unknown field: did you mean "clusterAffinity"?`,
				`spec.resource_selectors: unknown field: did you mean "resourceSelectors"?`,
			},
		},
		"near misses": {
			policyText(KindPropagationPolicy, "{resourceSelector: [], placement: {clusterAffinity: {excludeClusters: []}, spreadConstraints: [{maxGroup: 1}]}}"),
			[]string{
				`spec.placement.clusterAffinity.excludeClusters: unknown field: did you mean "exclude"?`,
				`spec.placement.spreadConstraints[0].maxGroup: unknown field: did you mean "maxGroups"?`,
				`spec.resourceSelector: unknown field: did you mean "resourceSelectors"?`,
			},
		},
		"fields one level too high": {
			policyText(KindPropagationPolicy, "{resourceSelectors: [{matchLabels: {a: b}}], clusterAffinity: {}, placement: {clusterNames: []}}"),
			[]string{
				"spec.clusterAffinity: unknown field: it is spec.placement.clusterAffinity",
				"spec.placement.clusterNames: unknown field: it is spec.placement.clusterAffinities[].clusterNames or spec.placement.clusterAffinity.clusterNames",
				"spec.resourceSelectors[0].matchLabels: unknown field: it is spec.resourceSelectors[0].labelSelector.matchLabels",
			},
		},
		"fields of the other kind": {
			policyText(KindPropagationPolicy, "{overrideRules: []}"),
			[]string{"spec.overrideRules: unknown field: it belongs to the kind OverridePolicy: spec.overrideRules"},
		},
		"placement in an override policy": {
			policyText(KindClusterOverridePolicy, "{placement: {}, overrides: {}}"),
			[]string{
				`spec.overrides: unknown field: did you mean "overriders"?`,
				"spec.placement: unknown field: it belongs to the kind PropagationPolicy: spec.placement",
			},
		},
		"field that resembles none": {
			policyText(KindPropagationPolicy, "{suspension: {paused: true}}"),
			[]string{"spec.suspension.paused: unknown field: known are dispatching, dispatchingOnClusters"},
		},
		"fields that are known elsewhere": {
			policyText(KindPropagationPolicy, "{placement: {priority: 1, clusterAffinities: [{affinity: a}]}, labels: {}}"),
			[]string{
				"spec.labels: unknown field: known are activationPreference, association, conflictResolution, dependentOverrides, failover, placement, preemption, preserveResourcesOnDeletion, priority, propagateDeps, resourceSelectors, schedulePriority, schedulerName, suspension",
				`spec.placement.clusterAffinities[0].affinity: unknown field: did you mean "affinityName"?`,
				"spec.placement.priority: unknown field: it is spec.priority",
			},
		},
		"field at the top": {
			policyText(KindPropagationPolicy, "{"+selectWeb+"}\nplacement: {}"),
			[]string{"placement: unknown field: it is spec.placement"},
		},
		"wrong types": {
			policyText(KindPropagationPolicy, `{resourceSelectors: [null], placement: {clusterTolerations: {}, clusterAffinity: [], workloadAffinity: ~},
				priority: "7", propagateDeps: "true", preserveResourcesOnDeletion: 1, dependentOverrides: [8], suspension: yes please}`),
			[]string{
				"spec.dependentOverrides[0]: Invalid value: must be a string, not a number: put it in quotes",
				"spec.placement.clusterAffinity: Invalid value: must be an object, not a list",
				"spec.placement.clusterTolerations: Invalid value: must be a list, not an object",
				"spec.preserveResourcesOnDeletion: Invalid value: must be true or false, not a number",
				"spec.priority: Invalid value: must be a whole number, not a string: remove the quotes",
				"spec.propagateDeps: Invalid value: must be true or false, not a string: remove the quotes",
				"spec.resourceSelectors[0]: Invalid value: must be an object, not null",
				"spec.suspension: Invalid value: must be an object, not a string",
			},
		},
		"wrong types in metadata": {
			"apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {name: web, labels: {a: 1, b: null, c: true}, creationTimestamp: soon, generation: -1.5}",
			[]string{
				"metadata.creationTimestamp: Invalid value: must be a time, not a string",
				"metadata.generation: Invalid value: -1.5: must be a whole number of at most 64 bits",
				"metadata.labels[a]: Invalid value: must be a string, not a number: put it in quotes",
				"metadata.labels[b]: Invalid value: must be a string, not null",
				"metadata.labels[c]: Invalid value: must be a string, not a boolean: put it in quotes",
			},
		},
		"numbers out of range": {
			policyText(KindPropagationPolicy, "{priority: 2147483648, placement: {spreadConstraints: [{minGroups: 1e30}, {minGroups: 9223372036854775808}]}}"),
			[]string{
				"spec.placement.spreadConstraints[0].minGroups: Invalid value: 1e+30: must be a whole number of at most 64 bits",
				"spec.placement.spreadConstraints[1].minGroups: Invalid value: 9.223372036854776e+18: must be a whole number of at most 64 bits",
				"spec.priority: Invalid value: 2147483648: must be a whole number of at most 32 bits",
			},
		},
		"spec that is no object": {
			policyText(KindOverridePolicy, "[]"),
			[]string{"spec: Invalid value: must be an object, not a list"},
		},
		"empty document": {
			"{}",
			[]string{
				"apiVersion: Invalid value: null: must be policy.karmada.io/v1alpha1",
				"kind: Invalid value: null: is not a policy: known are PropagationPolicy, ClusterPropagationPolicy, OverridePolicy, ClusterOverridePolicy",
			},
		},
		"version that does not exist": {
			"apiVersion: policy.karmada.io/v1\nkind: PropagationPolicy",
			[]string{`apiVersion: Invalid value: "policy.karmada.io/v1": must be policy.karmada.io/v1alpha1`},
		},
		"kind with a typing error": {
			policyText("PropogationPolicy", "{}"),
			[]string{`kind: Invalid value: "PropogationPolicy": is not a policy: did you mean "PropagationPolicy"?`},
		},
		"quota": {
			policyText("FederatedResourceQuota", "{}"),
			[]string{`kind: Invalid value: "FederatedResourceQuota": is not a policy: there is no control plane that could count over members; give each member its own ResourceQuota by an OverridePolicy`},
		},
		"rebalancer": {
			"apiVersion: apps.karmada.io/v1alpha1\nkind: WorkloadRebalancer",
			[]string{`kind: Invalid value: "WorkloadRebalancer": is not a policy: change rebalance_trigger of the multicluster_propagation`},
		},
		"kind of another group": {
			"apiVersion: apps/v1\nkind: Deployment",
			[]string{
				`apiVersion: Invalid value: "apps/v1": must be policy.karmada.io/v1alpha1`,
				`kind: Invalid value: "Deployment": is not a policy: known are PropagationPolicy, ClusterPropagationPolicy, OverridePolicy, ClusterOverridePolicy`,
			},
		},
		"schema, webhook and ignored values together": {
			policyText(KindPropagationPolicy, "{"+selectWeb+", preemption: Sometimes, placement: {spreadConstraints: [{spreadByField: region}], clusterTolerations: [{operator: exists}]}}"),
			[]string{
				`spec.preemption: Unsupported value: "Sometimes": supported values: "Always", "Never"`,
				"spec.placement.spreadConstraints: Invalid value: needs a constraint with spreadByField: cluster beside the others, to say how many members are wanted",
				`spec.placement.clusterTolerations[0].operator: Unsupported value: "exists": supported values: "", "Exists", "Equal"`,
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var p Policies
			err := p.Add(document(t, tt.document), "policies[1], document 2")
			var refused *PolicyError
			if !errors.As(err, &refused) {
				t.Fatalf("Add returned %v, want a *PolicyError", err)
			}
			var got []string
			for _, e := range refused.Errs {
				got = append(got, e.Field+": "+Explain(e))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if len(p.Propagation)+len(p.Override)+len(p.Notes) > 0 {
				t.Error("a refused document was kept")
			}
		})
	}
}

func TestPolicyErrorNamesTheDocument(t *testing.T) {
	var p Policies
	err := p.Add(document(t, "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: web, namespace: shop}\nspec: {resourceSelectors: [{kind: Deployment}]}"), "policies[1], document 2")
	const want = "policies[1], document 2: PropagationPolicy shop/web is not valid:\n  spec.resourceSelectors[0].apiVersion: Required value"
	if err == nil || err.Error() != want {
		t.Fatalf("got %v, want %s", err, want)
	}
	err = p.Add(document(t, policyText(KindPropagationPolicy, "{"+selectWeb+", failower: {}}")), "policies[2], document 1")
	const unknown = "policies[2], document 1: PropagationPolicy web is not valid:\n  spec.failower: unknown field: did you mean \"failover\"?"
	if err == nil || err.Error() != unknown {
		t.Errorf("got %v, want %s", err, unknown)
	}
}

func TestPolicyErrorHasTheFields(t *testing.T) {
	var p Policies
	err := p.Add(document(t, policyText(KindPropagationPolicy, "{resourceSelectors: [{kind: Deployment}]}")), "policies[0], document 1")
	var first *field.Error
	if !errors.As(err, &first) || first.Field != "spec.resourceSelectors[0].apiVersion" {
		t.Errorf("the error by field is %v", first)
	}
	var invalid *PolicyError
	if !errors.As(err, &invalid) {
		t.Fatalf("got %v, want a PolicyError", err)
	}
	invalid.Line = func(field string) int { return len(field) }
	if want := "\n  line 36: " + first.Field; !strings.Contains(err.Error(), want) {
		t.Errorf("got %s, want %s", err, want)
	}
}

func TestAddNamespace(t *testing.T) {
	p := Policies{Namespace: "shop"}
	for _, text := range []string{
		policyText(KindPropagationPolicy, "{"+selectWeb+"}"),
		policyText(KindClusterPropagationPolicy, "{"+selectWeb+"}"),
		policyText(KindOverridePolicy, "{"+selectWeb+"}"),
		"apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {name: web, namespace: other}\nspec: {" + selectWeb + "}",
		"apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterOverridePolicy\nmetadata: {name: web, namespace: other}\nspec: {" + selectWeb + "}",
	} {
		if err := p.Add(document(t, text), "policies[0], document 1"); err != nil {
			t.Fatal(err)
		}
	}
	type place struct{ policy, selector string }
	var got []place
	for _, policy := range p.Propagation {
		got = append(got, place{policy.Namespace, policy.Spec.ResourceSelectors[0].Namespace})
	}
	for _, policy := range p.Override {
		got = append(got, place{policy.Namespace, policy.Spec.ResourceSelectors[0].Namespace})
	}
	want := []place{{"shop", "shop"}, {"", ""}, {"shop", "shop"}, {"other", "other"}, {"", ""}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	wantNotes := []string{`policies[0], document 1: ClusterOverridePolicy web: metadata.namespace: "other" is ignored because the kind is cluster-scoped: name the namespace in each selector to stay within it`}
	if !slices.Equal(p.Notes, wantNotes) {
		t.Errorf("notes %q, want %q", p.Notes, wantNotes)
	}
}

func TestAddConflictResolution(t *testing.T) {
	tests := map[string]struct {
		given ConflictResolution
		spec  string
		want  ConflictResolution
	}{
		"nobody says":             {"", selectWeb, ConflictAbort},
		"the caller says":         {ConflictOverwrite, selectWeb, ConflictOverwrite},
		"the policy's value wins": {ConflictOverwrite, selectWeb + ", conflictResolution: Abort", ConflictAbort},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := Policies{ConflictResolution: tt.given}
			if err := p.Add(document(t, policyText(KindPropagationPolicy, "{"+tt.spec+"}")), "policies[0], document 1"); err != nil {
				t.Fatal(err)
			}
			if got := p.Propagation[0].Spec.ConflictResolution; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAddRenamesPurgeModes(t *testing.T) {
	var p Policies
	text := policyText(KindPropagationPolicy, "{"+selectWeb+", propagateDeps: true, failover: {application: {decisionConditions: {}, purgeMode: Graciously}, cluster: {purgeMode: Immediately}}}")
	if err := p.Add(document(t, text), "policies[0], document 1"); err != nil {
		t.Fatal(err)
	}
	failover := p.Propagation[0].Spec.Failover
	if failover.Application.PurgeMode != PurgeGracefully || failover.Cluster.PurgeMode != PurgeDirectly {
		t.Errorf("purge modes %q and %q", failover.Application.PurgeMode, failover.Cluster.PurgeMode)
	}
	if grace := failover.Application.GracePeriodSeconds; grace == nil || *grace != 600 {
		t.Errorf("the grace period of the renamed mode is %v, want 600", grace)
	}
	want := []string{
		"policies[0], document 1: PropagationPolicy default/web: spec.failover.application.purgeMode: Graciously is now called Gracefully and is read as that",
		"policies[0], document 1: PropagationPolicy default/web: spec.failover.cluster.purgeMode: Immediately is now called Directly and is read as that",
		"policies[0], document 1: PropagationPolicy default/web: spec.failover: accepted, no effect here: nothing moves by itself in this version; " +
			"retire a member that is lost, or change the policy",
	}
	if !slices.Equal(p.Notes, want) {
		t.Errorf("notes %q, want %q", p.Notes, want)
	}
}

func TestAddTwice(t *testing.T) {
	var p Policies
	add := func(text, source string) error { return p.Add(document(t, text), source) }
	first := policyText(KindPropagationPolicy, "{"+selectWeb+"}")
	written := policyText(KindPropagationPolicy, "{"+selectWeb+", priority: 0, conflictResolution: Abort}")
	changed := policyText(KindPropagationPolicy, "{"+selectWeb+", priority: 1}")
	if err := errors.Join(add(first, "policies[0], document 1"), add(written, "policies[1], document 1")); err != nil {
		t.Fatalf("the same policy, with its defaults written out: %v", err)
	}
	if len(p.Propagation) != 1 {
		t.Errorf("the same policy counts %d times", len(p.Propagation))
	}
	const want = "policies[2], document 1: PropagationPolicy default/web is already given by policies[0], document 1 with other content: rename or remove one of them"
	if err := add(changed, "policies[2], document 1"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := add(strings.Replace(changed, "kind: P", "kind: ClusterP", 1), "policies[3], document 1"); err != nil || len(p.Propagation) != 2 {
		t.Errorf("another kind of the same name: %v, %d policies", err, len(p.Propagation))
	}
}

// An explicit null must survive: a plaintext overrider that writes null differs from one without a value.
func TestAddKeepsNull(t *testing.T) {
	var p Policies
	text := policyText(KindOverridePolicy, `{overrideRules: [{overriders: {plaintext: [
		{path: /a, operator: add}, {path: /b, operator: add, value: null}, {path: /c, operator: add, value: {d: [1, 2.5, "x"]}}]}}]}`)
	if err := p.Add(document(t, text), "policies[0], document 1"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range p.Override[0].Spec.OverrideRules[0].Overriders.Plaintext {
		got = append(got, string(o.Value))
	}
	if want := []string{"", "null", `{"d":[1,2.5,"x"]}`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLabelValuesMayReferToTheMember(t *testing.T) {
	policy := func(value string) map[string]any {
		return map[string]any{
			"apiVersion": PolicyAPIVersion, "kind": KindOverridePolicy, "metadata": map[string]any{"name": "labels"},
			"spec": map[string]any{"overrideRules": []any{map[string]any{"overriders": map[string]any{
				"labelsOverrider": []any{map[string]any{"operator": "add", "value": map[string]any{"cluster": value}}},
			}}}},
		}
	}
	var policies Policies
	if err := policies.Add(policy(`{{ member.labels["zone/name"] }}`), "policies[0]"); err != nil {
		t.Errorf("a reference to the member is refused: %v", err)
	}
	if err := policies.Add(policy(`{{ other }}`), "policies[1]"); err == nil {
		t.Error("a text that is no label value is accepted")
	}
}
