package conformance

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/override"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// overrideInput is the input of family override.
type overrideInput struct {
	Template                *unstructured.Unstructured `json:"template"`
	Cluster                 *api.Cluster               `json:"cluster"`
	OverridePolicies        []*api.OverridePolicy      `json:"overridePolicies"`
	ClusterOverridePolicies []*api.OverridePolicy      `json:"clusterOverridePolicies"`
}

func runOverride(in json.RawMessage) (any, error) { return runOverrideWith(in, undone{}) }

// runOverrideWith answers family override: the object as the member receives it and the policies of the rules that applied.
func runOverrideWith(in json.RawMessage, u undone) (any, error) {
	var input overrideInput
	if err := json.Unmarshal(in, &input); err != nil {
		return nil, err
	}
	if u.has(errorsNotSilence) {
		input.skipEmptyDocuments()
	}
	obj, applied, err := input.apply()
	var failed *override.Error
	switch {
	case errors.As(err, &failed):
		return map[string]any{"error": map[string]any{"class": "error"}}, nil
	case err != nil:
		return nil, err
	}
	names := map[string][]string{"cluster": {}, "namespaced": {}}
	for _, a := range applied {
		tier := "namespaced"
		if a.Policy.ClusterScoped() {
			tier = "cluster"
		}
		names[tier] = append(names[tier], a.Policy.Name)
	}
	slices.Sort(names["cluster"])
	slices.Sort(names["namespaced"])
	return map[string]any{"object": obj.Object, "applied": names}, nil
}

func (i *overrideInput) apply() (*unstructured.Unstructured, []override.Applied, error) {
	set, err := override.Compile(slices.Concat(i.ClusterOverridePolicies, i.OverridePolicies))
	if err != nil {
		return nil, nil, err
	}
	return set.Apply(i.Template, override.Target{Cluster: i.Cluster})
}

// skipEmptyDocuments takes out the patches of JSON documents that are empty, which Karmada leaves as they are.
func (i *overrideInput) skipEmptyDocuments() {
	empty := func(o api.FieldOverrider) bool {
		tokens := strings.Split(strings.TrimPrefix(o.FieldPath, "/"), "/")
		document, found, err := unstructured.NestedString(i.Template.Object, tokens...)
		return len(o.JSON) > 0 && found && err == nil && document == ""
	}
	for _, p := range slices.Concat(i.ClusterOverridePolicies, i.OverridePolicies) {
		p.Spec.Overriders.FieldOverrider = slices.DeleteFunc(p.Spec.Overriders.FieldOverrider, empty)
		for n := range p.Spec.OverrideRules {
			o := &p.Spec.OverrideRules[n].Overriders
			o.FieldOverrider = slices.DeleteFunc(o.FieldOverrider, empty)
		}
	}
}

// TestExplainEmptyDocument: a patch of an empty document differs, tagged or not.
func TestExplainEmptyDocument(t *testing.T) {
	const in = `{"template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}, "data": {"a": "", "b": "{}"}}, "cluster": {"metadata": {"name": "kube02"}},
		"clusterOverridePolicies": [{"kind": "ClusterOverridePolicy", "metadata": {"name": "p"}, "spec": {"overrideRules": [{"overriders": {"fieldOverrider": [
			{"fieldPath": "/data/a", "json": [{"subPath": "/x", "operator": "add", "value": 1}]}, {"fieldPath": "/data/b", "json": [{"subPath": "/x", "operator": "add", "value": 1}]}]}}]}}]}`
	const out = `{"applied": {"cluster": ["p"], "namespaced": []}, "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}, "data": {"a": "", "b": "{\"x\":1}"}}}`
	v := &vector{Name: "override/field", In: json.RawMessage(in), Out: json.RawMessage(out), Compare: "exact"}
	if got := explain("override", v); got != errorsNotSilence {
		t.Errorf("it differs for %q, want %q", got, errorsNotSilence)
	}
	v.Out = json.RawMessage(strings.Replace(out, `"a": ""`, `"a": "{}"`, 1))
	if got := explain("override", v); got != "" {
		t.Errorf("another document is explained by %q", got)
	}
}
