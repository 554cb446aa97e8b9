package provider

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/override"
)

const (
	summaryPolicyInvalid = "Policy is not valid"
	summaryPolicyChanged = "Policy is read with a change"
)

// verdict is what the policy API has to say of one document.
type verdict struct {
	policy string // kind, namespace and name
	errs   field.ErrorList
	notes  []note
}

// note is a remark about a field, which stops nothing.
type note struct {
	field string
	text  string
}

// judge reads a document as a propagation would.
func judge(document map[string]any) *verdict {
	var policies api.Policies
	err := policies.Add(document, "")
	var invalid *api.PolicyError
	if errors.As(err, &invalid) {
		return &verdict{policy: invalid.Policy, errs: invalid.Errs}
	}
	v := &verdict{}
	for _, text := range policies.Notes {
		parts := strings.SplitN(text, ": ", 4) // source, policy, field, text
		if len(parts) == 4 {
			v.policy, v.notes = parts[1], append(v.notes, note{field: parts[2], text: parts[3]})
		}
	}
	var text *override.Error
	if _, err := override.Compile(policies.Override); errors.As(err, &text) {
		v.policy, v.errs = text.Policy.String(), field.ErrorList{textError(text)}
	}
	return v
}

// textError returns an override whose text cannot be understood as an error of its field.
func textError(err *override.Error) *field.Error {
	at := "spec."
	if err.Rule >= 0 {
		at += fmt.Sprintf("overrideRules[%d].", err.Rule)
	}
	return &field.Error{
		Type: field.ErrorTypeInvalid, Field: at + "overriders." + err.Overrider, BadValue: field.OmitValueType{}, Detail: err.Err.Error(),
	}
}

// keepCertain keeps the errors of a document known in part that no unknown value can mend: values of the wrong type, and
// values that are none of those allowed.
func (v *verdict) keepCertain() {
	v.errs = slices.DeleteFunc(v.errs, func(err *field.Error) bool {
		return err.Type != field.ErrorTypeNotSupported && err.Type != field.ErrorTypeTypeInvalid
	})
}

// without leaves out what the verdict says of attributes that there are diagnostics at already.
func (v *verdict) without(said diag.Diagnostics, resource attr.Type) {
	isSaid := func(name string) bool {
		at := attributePath(resource, name)
		return slices.ContainsFunc(said, func(d diag.Diagnostic) bool {
			located, ok := d.(diag.DiagnosticWithPath)
			return ok && located.Path().Equal(at)
		})
	}
	v.errs = slices.DeleteFunc(v.errs, func(err *field.Error) bool { return isSaid(err.Field) })
	v.notes = slices.DeleteFunc(v.notes, func(n note) bool { return isSaid(n.field) })
}

// atAttributes returns the verdict on a document that was written from attributes, each part at its attribute.
func (v *verdict) atAttributes(resource attr.Type) diag.Diagnostics {
	var diags diag.Diagnostics
	names := attributeNames{}
	names.collect(resource)
	for _, err := range v.errs {
		at := attributePath(resource, err.Field)
		body := api.Explain(&field.Error{Type: err.Type, BadValue: err.BadValue, Detail: names.replace(err.Detail)})
		diags.AddAttributeError(shownPath(at), summaryPolicyInvalid, sentence(fmt.Sprintf("%s: %s: %s", v.policy, at, body)))
	}
	for _, n := range v.notes {
		at := attributePath(resource, n.field)
		diags.AddAttributeWarning(shownPath(at), summaryPolicyChanged, sentence(fmt.Sprintf("%s: %s: %s", v.policy, at, names.replace(n.text))))
	}
	return diags
}

// atManifest returns the verdict on a document that was given whole, each part with the line of its field.
func (v *verdict) atManifest(line func(field string) int) diag.Diagnostics {
	var diags diag.Diagnostics
	at := path.Root(attributeManifest)
	text := func(field, what string) string {
		what = fmt.Sprintf("%s: %s: %s", v.policy, field, what)
		if n := line(field); n > 0 {
			what = fmt.Sprintf("line %d: %s", n, what)
		}
		return sentence(what)
	}
	for _, err := range v.errs {
		diags.AddAttributeError(at, summaryPolicyInvalid, text(err.Field, api.Explain(err)))
	}
	for _, n := range v.notes {
		diags.AddAttributeWarning(at, summaryPolicyChanged, text(n.field, n.text))
	}
	return diags
}

// checkManifest returns what is wrong with a policy given as YAML.
func (r *policyResource) checkManifest(text string) diag.Diagnostics {
	var diags diag.Diagnostics
	at := path.Root(attributeManifest)
	documents, err := manifest.Decode(manifest.Source{Argument: attributeManifest}, text)
	for _, err := range flattenErrors(err) {
		diags.AddAttributeError(at, "Document cannot be read", sentence(strings.TrimPrefix(err.Error(), attributeManifest+"[0], ")))
	}
	if diags.HasError() {
		return diags
	}
	if len(documents) != 1 {
		diags.AddAttributeError(at, "Not one policy", fmt.Sprintf(
			"manifest is for one policy, and this holds %d documents. Give each policy a resource of its own, or pass the text to policies of the "+
				"propagation as it is.", len(documents)))
		return diags
	}
	if kind := documents[0].GetKind(); r.isForeign(kind) {
		diags.AddAttributeError(at, "Policy of another kind", fmt.Sprintf(
			"This resource is for the kinds %s and %s, and the document is of kind %s. Use multicluster_%s.",
			r.kind, r.clusterKind, kind, resourceOfKind[kind]))
		return diags
	}
	diags = judge(documents[0].Object).atManifest(documents[0].Line)
	diags.Append(warnEmptyDocument(at, documents[0].Object, attributeManifest)...)
	return diags
}

// resourceOfKind names the resource, without the provider, that is for each kind of policy.
var resourceOfKind = map[string]string{
	api.KindPropagationPolicy:        propagationPolicyName,
	api.KindClusterPropagationPolicy: propagationPolicyName,
	api.KindOverridePolicy:           overridePolicyName,
	api.KindClusterOverridePolicy:    overridePolicyName,
}

// isForeign reports whether kind is a policy that the other resource is for.
func (r *policyResource) isForeign(kind string) bool {
	name, ok := resourceOfKind[kind]
	return ok && name != r.name
}

// aloneWithManifest refuses other arguments beside a policy that is given as YAML.
func (r *policyResource) aloneWithManifest(attributes map[string]attr.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if value := attributes[name]; name != attributeManifest && !value.IsNull() && !value.IsUnknown() {
			diags.AddAttributeError(path.Root(name), "Policy given twice", fmt.Sprintf(
				"manifest is the whole policy and leaves nothing for %s to say. Remove one of them.", name))
		}
	}
	return diags
}
