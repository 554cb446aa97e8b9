package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// overriding is an override policy with one rule for every member, and what more sets.
func overriding(overriders hclObject, more hclObject) hclObject {
	config := hclObject{"name": "web", "override_rules": hclList{hclObject{"overriders": overriders}}}
	for name, value := range more {
		config[name] = value
	}
	return config
}

// propagating is a propagation policy for every Deployment.
func propagating(more hclObject) hclObject {
	config := hclObject{"name": "web", "resource_selectors": everyDeployment}
	for name, value := range more {
		config[name] = value
	}
	return config
}

func plaintext(operator string, value any) hclObject {
	return hclObject{"plaintext": hclList{hclObject{"path": "/spec/x", "operator": operator, "value": value}}}
}

// A manifest has what is written, by sorted keys, and no defaults.
func TestPolicyManifest(t *testing.T) {
	p := newPolicyUnderTest(t, newOverridePolicyResource)
	got := p.text(overriding(hclObject{
		"plaintext": hclList{
			hclObject{"path": "/metadata/labels/app.kubernetes.io~1part-of", "operator": "add", "value": `"on"`},
			hclObject{"path": "/spec/paused", "operator": "replace", "value": "true"},
			hclObject{"path": "/spec/x", "operator": "add", "value": `{"snake_case": [1, 2.5, null]}`},
			hclObject{"path": "/spec/y", "operator": "add", "value": "null"},
			hclObject{"path": "/spec/z", "operator": "remove"},
		},
		"labels": hclList{hclObject{"operator": "add", "value": hclObject{"snake_case": "1.10", "image": ""}}},
		"image":  hclList{},
	}, hclObject{"namespace": "shop", "cluster_scoped": false}))
	const want = `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata:
  name: web
  namespace: shop
spec:
  overrideRules:
  - overriders:
      imageOverrider: []
      labelsOverrider:
      - operator: add
        value:
          image: ""
          snake_case: "1.10"
      plaintext:
      - operator: add
        path: /metadata/labels/app.kubernetes.io~1part-of
        value: "on"
      - operator: replace
        path: /spec/paused
        value: true
      - operator: add
        path: /spec/x
        value:
          snake_case:
          - 1
          - 2.5
          - null
      - operator: add
        path: /spec/y
        value: null
      - operator: remove
        path: /spec/z
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Any text comes back from the manifest as it was, or is refused.
func FuzzPolicyManifestKeepsTexts(f *testing.F) {
	for _, text := range []string{
		"", " ", "on", "No", "null", "~", "1.10", "0x1F", "1e3", "2026-01-02", "- a", "# no comment", "a: b", "---", "&a", "*a", "!tag", "%", "@", "`",
		"'", `"`, "\t", "line\nline\n", "line\r\n", "\n\n", "é\u2028\U0001F600", "{{ member.labels[\"x\"] }}", "<<", "=", "\x7f", "\ufeff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // Terraform has no such texts
		}
		p := newPolicyUnderTest(t, newOverridePolicyResource)
		config := overriding(hclObject{"command": hclList{hclObject{"container_name": "a", "operator": "add", "value": hclList{text}}}}, nil)
		manifest, diags := p.plan(config)
		if diags.HasError() {
			return
		}
		policies := readPolicies(t, manifest.ValueString())
		if got := policies.Override[0].Spec.OverrideRules[0].Overriders.CommandOverrider[0].Value[0]; got != text {
			t.Errorf("%q is read as %q", text, got)
		}
	})
}

// fault is a diagnostic as tests look at it.
type fault struct {
	path string // of the attribute, which the detail names if Terraform cannot show it
	text string // part of the detail
}

// pathThatShows is the part of a path that Terraform can show in the source.
var pathThatShows = regexp.MustCompile(`^[a-z_]+(?:\[[0-9]+\])?`)

func TestPolicyErrors(t *testing.T) {
	tests := map[string]struct {
		constructor func() resource.Resource
		config      hclObject
		want        []fault
	}{
		"nothing":            {newPropagationPolicyResource, hclObject{}, []fault{{"name", "Set name, or give the whole policy as YAML in manifest"}, {"resource_selectors", "name at least one kind"}}},
		"empty name":         {newPropagationPolicyResource, propagating(hclObject{"name": ""}), []fault{{"name", "Set name"}}},
		"bad name":           {newPropagationPolicyResource, propagating(hclObject{"name": "Web"}), []fault{{"name", "lowercase"}}},
		"bad namespace":      {newPropagationPolicyResource, propagating(hclObject{"namespace": "a.b"}), []fault{{"namespace", "PropagationPolicy a.b/web: namespace: Invalid value"}}},
		"no selectors":       {newPropagationPolicyResource, hclObject{"name": "web"}, []fault{{"resource_selectors", "name at least one kind of object"}}},
		"scope and none":     {newPropagationPolicyResource, propagating(hclObject{"namespace": "shop", "cluster_scoped": true}), []fault{{"namespace", "Remove namespace"}}},
		"selector elsewhere": {newPropagationPolicyResource, propagating(hclObject{"resource_selectors": hclList{hclObject{"api_version": "v1", "kind": "Secret", "namespace": "other"}}}), []fault{{"resource_selectors[0].namespace", `must be the namespace of the policy, "default"`}}},
		"null element":       {newPropagationPolicyResource, propagating(hclObject{"dependent_overrides": hclList{"a", nil}}), []fault{{"dependent_overrides[1]", "must be a string, not null"}}},
		"null in a map":      {newPropagationPolicyResource, propagating(hclObject{"placement": hclObject{"cluster_affinity": hclObject{"label_selector": hclObject{"match_labels": hclObject{"a.b/c": nil}}}}}), []fault{{`placement.cluster_affinity.label_selector.match_labels["a.b/c"]`, "must be a string, not null"}}},
		"null object":        {newPropagationPolicyResource, propagating(hclObject{"resource_selectors": hclList{nil}}), []fault{{"resource_selectors[0]", "must be an object, not null"}}},
		"number too large":   {newPropagationPolicyResource, propagating(hclObject{"priority": 1 << 40}), []fault{{"priority", "32 bits"}}},
		"enumeration":        {newPropagationPolicyResource, propagating(hclObject{"conflict_resolution": "overwrite"}), []fault{{"conflict_resolution", `supported values: "Abort", "Overwrite"`}}},
		"group name":         {newPropagationPolicyResource, propagating(hclObject{"placement": hclObject{"cluster_affinities": hclList{hclObject{"affinity_name": strings.Repeat("a", 33)}}}}), []fault{{"placement.cluster_affinities[0].affinity_name", "Too long"}}},
		"names of attributes": {newPropagationPolicyResource, propagating(hclObject{"placement": hclObject{"cluster_affinity": hclObject{}, "cluster_affinities": hclList{hclObject{"affinity_name": "a"}}}}),
			[]fault{{"placement", "cluster_affinity and cluster_affinities exclude each other"}}},
		"field that is none": {newPropagationPolicyResource, propagating(hclObject{"suspension": hclObject{"dispatching": true, "dispatching_on_clusters": membersNamed("a")}}), []fault{{"suspension", "drop dispatching_on_clusters"}}},
		"several": {newPropagationPolicyResource, propagating(hclObject{"preemption": "always", "failover": hclObject{"application": hclObject{"grace_period_seconds": 0}}}),
			[]fault{{"preemption", "Unsupported value"}, {"propagate_deps", "must be true with failover.application"}, {"failover.application.grace_period_seconds", "set purge_mode: Directly"}}},

		"not JSON":    {newOverridePolicyResource, overriding(plaintext("add", "v1.1"), nil), []fault{{"override_rules[0].overriders.plaintext[0].value", `write jsonencode("v1.1").`}}},
		"broken JSON": {newOverridePolicyResource, overriding(plaintext("add", `{"a": }`), nil), []fault{{"override_rules[0].overriders.plaintext[0].value", `an object as jsonencode({ ... })`}}},
		"not JSON, and more": {newOverridePolicyResource, overriding(hclObject{"plaintext": hclList{hclObject{"path": "/x", "operator": "move", "value": "debug"}}}, hclObject{"namespace": "a.b"}),
			[]fault{{"override_rules[0].overriders.plaintext[0].value", `jsonencode("debug")`}, {"override_rules[0].overriders.plaintext[0].operator", "Unsupported value"}, {"namespace", "Invalid value"}}},
		"empty JSON":       {newOverridePolicyResource, overriding(plaintext("add", ""), nil), []fault{{"override_rules[0].overriders.plaintext[0].value", `jsonencode("")`}}},
		"operator":         {newOverridePolicyResource, overriding(plaintext("move", "1"), nil), []fault{{"override_rules[0].overriders.plaintext[0].operator", `"add", "remove", "replace"`}}},
		"short names":      {newOverridePolicyResource, overriding(hclObject{"image": hclList{hclObject{"component": "Digest", "operator": "add"}}}, nil), []fault{{"override_rules[0].overriders.image[0].component", "Unsupported value"}}},
		"not a label":      {newOverridePolicyResource, overriding(hclObject{"labels": hclList{hclObject{"operator": "add", "value": hclObject{"a b": "c"}}}}, nil), []fault{{"override_rules[0].overriders.labels[0].value", "a b"}}},
		"field and sub":    {newOverridePolicyResource, overriding(hclObject{"field": hclList{hclObject{"field_path": "data", "json": hclList{hclObject{"sub_path": "x", "operator": "add"}}}}}, nil), []fault{{"override_rules[0].overriders.field[0].field_path", "begin with a slash"}, {"override_rules[0].overriders.field[0].json[0].sub_path", "begin with a slash"}, {"override_rules[0].overriders.field[0].json[0].value", "needed by add"}}},
		"unknown variable": {newOverridePolicyResource, overriding(hclObject{"image": hclList{hclObject{"component": "Tag", "operator": "add", "value": "{{ member.nam }}"}}}, nil), []fault{{"override_rules[0].overriders.image[0]", "{{ member.name }}"}}},
		"in one rule":      {newOverridePolicyResource, hclObject{"name": "web", "overriders": plaintext("add", `"{{ member.x }}"`)}, []fault{{"overriders.plaintext[0]", "{{ member.name }}"}}},
		"both forms":       {newOverridePolicyResource, overriding(hclObject{}, hclObject{"target_cluster": hclObject{}}), []fault{{"target_cluster", "override_rules"}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPolicyUnderTest(t, tt.constructor)
			checkFaults(t, p.validate(tt.config).Errors(), diag.SeverityError, tt.want)
			text, diags := p.plan(tt.config)
			if !diags.HasError() {
				t.Errorf("the plan has %s and no error", text)
			}
		})
	}
}

// checkFaults compares diagnostics, which all have to be of one severity.
func checkFaults(t *testing.T, diags diag.Diagnostics, severity diag.Severity, want []fault) {
	t.Helper()
	if len(diags) != len(want) {
		t.Errorf("%d diagnostics, want %d", len(diags), len(want))
	}
	for _, f := range want {
		if !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
			located, ok := d.(diag.DiagnosticWithPath)
			shown := pathThatShows.FindString(f.path)
			return ok && located.Path().String() == shown && d.Severity() == severity && strings.Contains(d.Detail(), f.text) &&
				(shown == f.path || strings.Contains(d.Detail(), f.path))
		}) {
			t.Errorf("none at %s with %q", f.path, f.text)
		}
	}
	if t.Failed() {
		t.Log(diags)
	}
}

func TestPolicyGivenAsManifest(t *testing.T) {
	const policy = "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: web}\nspec: {resourceSelectors: [{apiVersion: v1, kind: Secret}]}\n"
	tests := map[string]struct {
		manifest string
		more     hclObject
		want     []fault
	}{
		"accepted":       {"# a comment\n---\n" + policy + "---\n", nil, nil},
		"with a name":    {policy, hclObject{"name": "web", "priority": 1}, []fault{{"name", "nothing for name to say"}, {"priority", "nothing for priority to say"}}},
		"empty":          {"", nil, []fault{{"manifest", "holds 0 documents"}}},
		"two":            {policy + "---\n" + policy, nil, []fault{{"manifest", "holds 2 documents"}}},
		"no YAML":        {"a: [", nil, []fault{{"manifest", "Document 1, line"}}},
		"other resource": {strings.Replace(policy, "PropagationPolicy", "ClusterOverridePolicy", 1), nil, []fault{{"manifest", "Use multicluster_override_policy"}}},
		"no policy":      {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", nil, []fault{{"manifest", "must be policy.karmada.io/v1alpha1"}, {"manifest", "is not a policy"}}},
		"unknown field": {strings.Replace(policy, "spec: {", "spec: {prioriti: 1, ", 1), nil,
			[]fault{{"manifest", "Line 4: PropagationPolicy web: spec.prioriti: unknown field: did you mean \"priority\"?"}}},
		"not valid": {strings.Replace(policy, "spec: {", "spec: {preemption: always, priority: '1', ", 1), nil,
			[]fault{{"manifest", "Line 4: PropagationPolicy web: spec.priority: Invalid value: must be a whole number"}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPolicyUnderTest(t, newPropagationPolicyResource)
			config := hclObject{"manifest": tt.manifest}
			for name, value := range tt.more {
				config[name] = value
			}
			diags := p.validate(config)
			checkFaults(t, diags, diag.SeverityError, tt.want)
			for _, d := range diags {
				if strings.HasSuffix(d.Detail(), "?.") {
					t.Errorf("ends with two marks: %s", d.Detail())
				}
			}
			text, diags := p.plan(config)
			if len(tt.want) == 0 && (len(diags) > 0 || text.ValueString() != tt.manifest) {
				t.Errorf("planned %s, saying %v", text, diags)
			}
			if len(tt.want) > 0 && !diags.HasError() {
				t.Error("the plan has no error")
			}
		})
	}
}

// A name that Karmada has given up is read as the present one, and what has no effect is named: in one warning, once.
func TestPolicyWarnings(t *testing.T) {
	p := newPolicyUnderTest(t, newPropagationPolicyResource)
	retired := propagating(hclObject{"propagate_deps": true, "failover": hclObject{"application": hclObject{"purge_mode": "Graciously"}}})
	for name, tt := range map[string]struct {
		config hclObject
		at     string
	}{
		"attributes": {retired, "failover"},
		"manifest":   {hclObject{"manifest": yamlOf(t, p.write(retired))}, "manifest"},
	} {
		t.Run(name, func(t *testing.T) {
			diags := p.validate(tt.config)
			checkFaults(t, diags, diag.SeverityWarning, []fault{{tt.at, "Graciously is now called Gracefully"}})
			checkFaults(t, diags, diag.SeverityWarning, []fault{{tt.at, "failover: accepted, no effect here"}})
			if text := p.text(tt.config); !strings.Contains(text, "Graciously") {
				t.Errorf("rendered as something else than was written:\n%s", text)
			}
		})
	}
}

// Whatever is unknown makes the manifest unknown, and is no error.
func TestPolicyWithUnknownValues(t *testing.T) {
	for _, tt := range append(labPolicies, struct {
		file        string
		name        string
		constructor func() resource.Resource
		attributes  hclObject
	}{"", "every overrider", newOverridePolicyResource, overriding(hclObject{
		"plaintext": hclList{hclObject{"path": "/a", "operator": "add", "value": "1"}},
		"command":   hclList{hclObject{"container_name": "a", "operator": "add", "value": hclList{"b"}}},
		"labels":    hclList{hclObject{"operator": "add", "value": hclObject{"a": "b"}}},
		"field":     hclList{hclObject{"field_path": "/a", "yaml": hclList{hclObject{"sub_path": "/b", "operator": "add", "value": "1"}}}},
	}, nil)}) {
		t.Run(tt.file+" "+tt.name, func(t *testing.T) {
			p := newPolicyUnderTest(t, tt.constructor)
			tried := 0
			eachPlace(tt.attributes, "", func(at string) {
				tried++
				if diags := p.validate(tt.attributes); diags.HasError() {
					t.Errorf("%s unknown: %v", at, diags)
				}
				if text, diags := p.plan(tt.attributes); diags.HasError() || !text.IsUnknown() {
					t.Errorf("%s unknown: planned %s, saying %v", at, text, diags)
				}
			})
			if tried < 10 {
				t.Errorf("tried %d places only", tried)
			}
			if text := p.text(tt.attributes); text == "" {
				t.Error("nothing is rendered")
			}
		})
	}
}

// eachPlace makes every value at and below an object or list unknown, one after the other, and calls visit each time.
func eachPlace(value any, at string, visit func(at string)) {
	try := func(at string, place any, put func(any)) {
		put(hclUnknown)
		visit(at)
		put(place)
		eachPlace(place, at, visit)
	}
	switch value := value.(type) {
	case hclObject:
		for name, place := range value {
			try(at+"."+name, place, func(v any) { value[name] = v })
		}
	case hclList:
		for i, place := range value {
			try(fmt.Sprintf("%s[%d]", at, i), place, func(v any) { value[i] = v })
		}
	}
}

// What is known is judged, even beside values that are not.
func TestPolicyKnownInPart(t *testing.T) {
	p := newPolicyUnderTest(t, newPropagationPolicyResource)
	checkFaults(t, p.validate(hclObject{
		"name":               hclUnknown,
		"resource_selectors": hclUnknown,
		"preemption":         "always",
		"placement": hclObject{
			"cluster_affinities": hclList{hclUnknown, hclObject{"affinity_name": hclUnknown, "cluster_names": hclList{hclUnknown, nil}}},
			"replica_scheduling": hclObject{"replica_scheduling_type": "divided"},
		},
	}), diag.SeverityError, []fault{{"placement.cluster_affinities[1].cluster_names[1]", "null"}})
	checkFaults(t, p.validate(hclObject{
		"name": hclUnknown, "preemption": "always", "placement": hclObject{"replica_scheduling": hclObject{"replica_scheduling_type": "divided"}},
	}), diag.SeverityError, []fault{{"preemption", "Unsupported"}, {"placement.replica_scheduling.replica_scheduling_type", "Unsupported"}})
	checkFaults(t, p.validate(hclObject{"manifest": hclUnknown, "name": hclUnknown}), diag.SeverityError, nil)
	checkFaults(t, p.validate(hclObject{"manifest": hclUnknown, "name": "web"}), diag.SeverityError, []fault{{"name", "nothing for name to say"}})
}
