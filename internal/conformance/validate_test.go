package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// fieldError is one validation error as far as it is compared: its text is ours.
type fieldError struct {
	Field string `json:"field"`
	Type  string `json:"type"`
}

// misnamed are the fields that Karmada calls by a name that does not exist in a policy.
var misnamed = map[string]string{"spec.suspension.dispatching": "spec.suspension.suspension"}

// fieldErrors returns the errors as the vectors record them.
func fieldErrors(errs field.ErrorList) []fieldError {
	out := make([]fieldError, 0, len(errs))
	for _, err := range errs {
		out = append(out, fieldError{Field: cmp.Or(misnamed[err.Field], err.Field), Type: string(err.Type)})
	}
	return out
}

// runValidate gives a policy its defaults and validates it as the webhooks do; the schema of the CRDs is left out.
func runValidate(in json.RawMessage) (any, error) {
	var vector struct {
		Policy json.RawMessage `json:"policy"`
	}
	var meta metav1.TypeMeta
	if err := json.Unmarshal(in, &vector); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(vector.Policy, &meta); err != nil {
		return nil, err
	}

	var spec any
	var errs field.ErrorList
	switch meta.Kind {
	case api.KindPropagationPolicy, api.KindClusterPropagationPolicy:
		var p api.PropagationPolicy
		if err := json.Unmarshal(vector.Policy, &p); err != nil {
			return nil, err
		}
		p.SetDefaults()
		spec, errs = p.Spec, p.Validate()
	case api.KindOverridePolicy, api.KindClusterOverridePolicy:
		var p api.OverridePolicy
		if err := json.Unmarshal(vector.Policy, &p); err != nil {
			return nil, err
		}
		p.SetDefaults()
		spec, errs = p.Spec, p.Validate()
	default:
		return nil, fmt.Errorf("kind %q is not a policy", meta.Kind)
	}
	return map[string]any{"defaultedSpec": spec, "allowed": len(errs) == 0, "errors": fieldErrors(errs)}, nil
}
