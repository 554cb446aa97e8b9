package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// Where Terraform has dropped a name, what held it is empty.
func TestEmptyPartsOfPolicies(t *testing.T) {
	affinities := func(groups ...any) hclObject {
		return propagating(hclObject{"placement": hclObject{"cluster_affinities": hclList(groups)}})
	}
	everywhere := hclObject{"target_cluster": hclObject{}, "weight": 1}
	for name, tt := range map[string]struct {
		constructor func() resource.Resource
		config      hclObject
		at          string // of the warning; none is wanted where it is empty
		want        []string
	}{
		"nothing nested": {newPropagationPolicyResource, propagating(nil), "", nil},
		"placement": {newPropagationPolicyResource, propagating(hclObject{"placement": hclObject{}}), "placement", []string{
			"  placement: everything goes to every member; it could have cluster_affinities, cluster_affinity, cluster_tolerations, replica_scheduling, spread_constraints, workload_affinity\n"}},
		"affinity": {newPropagationPolicyResource, propagating(hclObject{"placement": hclObject{"cluster_affinity": hclObject{}}}), "placement", []string{
			"  placement.cluster_affinity: it selects every member; it could have cluster_names, exclude, field_selector, label_selector\n"}},
		"several": {newPropagationPolicyResource, propagating(hclObject{
			"resource_selectors": hclList{hclObject{"api_version": "v1", "kind": "Secret", "label_selector": hclObject{}}},
			"failover":           hclObject{}, "placement": hclObject{"replica_scheduling": hclObject{"weight_preference": hclObject{"static_weight_list": hclList{everywhere}}}},
		}), "failover", []string{
			"  failover: its defaults hold; it could have application, cluster\n",
			"  placement.replica_scheduling.weight_preference.static_weight_list[0].target_cluster: it selects every member;",
			"  resource_selectors[0].label_selector: it leaves nothing out; it could have match_expressions, match_labels\n"}},
		"selector of a group": {newPropagationPolicyResource, affinities(hclObject{"affinity_name": "a", "label_selector": hclObject{}}), "placement", []string{
			"  placement.cluster_affinities[0].label_selector: it leaves nothing out;"}},
		"group with a name": {newPropagationPolicyResource, affinities(hclObject{"affinity_name": "a", "exclude": hclList{"x"}}, hclObject{"affinity_name": "b"}), "placement", []string{
			"  placement.cluster_affinities[1] but affinity_name: it selects every member; it could have cluster_names, exclude, field_selector, label_selector, overflow_affinities\n"}},
		"overriders": {newOverridePolicyResource, overriding(hclObject{}, nil), "override_rules[0]", []string{"  override_rules[0].overriders: it changes nothing; it could have annotations, args,"}},
		"a list without elements": {newPropagationPolicyResource, affinities(hclObject{"affinity_name": "a", "cluster_names": hclList{}}), "placement", []string{
			"  placement.cluster_affinities[0] but affinity_name: it selects every member; it could have cluster_names (now empty), exclude,"}},
		"said to be empty": {newPropagationPolicyResource, affinities(hclObject{"affinity_name": "a", "exclude": hclList{}}), "", nil},
		"suspends nothing": {newPropagationPolicyResource, propagating(hclObject{"suspension": hclObject{"dispatching_on_clusters": hclObject{"cluster_names": hclList{}}}}), "", nil},
		"cluster failover": {newPropagationPolicyResource, propagating(hclObject{"failover": hclObject{"cluster": hclObject{}}}), "", nil},
		"not known yet":    {newPropagationPolicyResource, propagating(hclObject{"suspension": hclUnknown, "placement": hclObject{"cluster_affinity": hclObject{"cluster_names": hclUnknown}}}), "", nil},
		"null":             {newPropagationPolicyResource, propagating(hclObject{"placement": nil}), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			diags := slices.DeleteFunc(newPolicyUnderTest(t, tt.constructor).validate(tt.config), func(d diag.Diagnostic) bool {
				return d.Summary() == "Policy is read with a change"
			})
			if tt.at == "" {
				checkFaults(t, diags, diag.SeverityWarning, nil)
				return
			}
			checkFaults(t, diags, diag.SeverityWarning, []fault{{tt.at, "a name is misspelt"}})
			if got := diags[0].Summary(); got != "Empty part in policy web" {
				t.Errorf("the summary is %s", got)
			}
			for _, text := range tt.want {
				if !strings.Contains(diags[0].Detail(), text) {
					t.Errorf("got\n%s\nwant\n%s", diags[0].Detail(), text)
				}
			}
			if parts := strings.Count(diags[0].Detail(), "\n  "); parts != len(tt.want) {
				t.Errorf("names %d parts, want %d", parts, len(tt.want))
			}
		})
	}
}

// Of YAML the same is said as of arguments, wherever it is given.
func TestEmptyPartsOfDocuments(t *testing.T) {
	const head = "apiVersion: policy.karmada.io/v1alpha1\nmetadata: {name: web}\n"
	propagating := head + "kind: PropagationPolicy\nspec:\n  resourceSelectors: [{apiVersion: v1, kind: Secret}]\n"
	overriding := head + "kind: OverridePolicy\nspec:\n  overrideRules: [{targetCluster: %, overriders: {argsOverrider: [{containerName: a, operator: remove, value: [b]}]}}]\n"
	for name, tt := range map[string]struct {
		constructor func() resource.Resource
		text        string
		want        string // none is wanted where it is empty
	}{
		"an empty list":   {newPropagationPolicyResource, propagating + "  placement: {clusterAffinity: {clusterNames: []}}", "  spec.placement.clusterAffinity: it selects every member; it could have clusterNames (now empty), exclude,"},
		"a blank":         {newPropagationPolicyResource, propagating + "  placement:\n    clusterAffinity:\n      clusterNames:\n", "  spec.placement.clusterAffinity: it selects every member; it could have clusterNames, exclude,"},
		"no labels":       {newPropagationPolicyResource, propagating + "  placement: {clusterAffinity: {labelSelector: {matchLabels: {}}}}", "  spec.placement.clusterAffinity.labelSelector: it leaves nothing out; it could have matchExpressions, matchLabels (now empty)\n"},
		"said so":         {newPropagationPolicyResource, propagating + "  placement: {clusterAffinity: {labelSelector: {}}}", ""},
		"everywhere":      {newPropagationPolicyResource, propagating + "  placement: {}", ""},
		"a target":        {newOverridePolicyResource, strings.Replace(overriding, "%", "{clusterNames: []}", 1), "  spec.overrideRules[0].targetCluster: it selects every member;"},
		"a said target":   {newOverridePolicyResource, strings.Replace(overriding, "%", "{exclude: []}", 1), ""},
		"nothing written": {newPropagationPolicyResource, propagating, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var want []fault
			if tt.want != "" {
				want = []fault{{"manifest", tt.want}}
			}
			checkFaults(t, newPolicyUnderTest(t, tt.constructor).validate(hclObject{"manifest": tt.text}), diag.SeverityWarning, want)
			var in inputs
			var diags diag.Diagnostics
			in.sort(in.readTexts("policies", []text{{value: tt.text}}, &diags), propagationModel{}, nil, &diags)
			if tt.want != "" {
				want = []fault{{"policies", tt.want}}
			}
			checkFaults(t, diags, diag.SeverityWarning, want)
		})
	}
}

func TestShownPath(t *testing.T) {
	for _, tt := range []struct{ at, want path.Path }{
		{path.Empty(), path.Empty()},
		{path.Root("a"), path.Root("a")},
		{path.Root("a").AtName("b"), path.Root("a")},
		{path.Root("a").AtName("b").AtListIndex(1), path.Root("a")},
		{path.Root("a").AtListIndex(1), path.Root("a").AtListIndex(1)},
		{path.Root("a").AtMapKey("k").AtName("b").AtName("c"), path.Root("a").AtMapKey("k")},
	} {
		if got := shownPath(tt.at); !got.Equal(tt.want) {
			t.Errorf("%s: %s, want %s", tt.at, got, tt.want)
		}
	}
}
