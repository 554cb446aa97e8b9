package conformance

import (
	"encoding/json"
	"errors"
	"slices"

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

// runOverride answers family override: the object as the member receives it and the policies of the rules that applied.
func runOverride(in json.RawMessage) (any, error) {
	var input overrideInput
	if err := json.Unmarshal(in, &input); err != nil {
		return nil, err
	}
	policies := slices.Concat(input.ClusterOverridePolicies, input.OverridePolicies)
	obj, applied, err := override.Apply(input.Template, override.Target{Cluster: input.Cluster}, policies)
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
