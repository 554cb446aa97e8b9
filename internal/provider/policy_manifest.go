package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"sigs.k8s.io/yaml"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// The attributes of a policy that are not fields of its spec.
const (
	attributeName          = "name"
	attributeNamespace     = "namespace"
	attributeClusterScoped = "cluster_scoped"
	attributeManifest      = "manifest"
)

// render returns the policy as YAML with sorted keys: what is written, and no defaults. The text is unknown while a value
// in it is.
func (r *policyResource) render(ctx context.Context, config types.Object) (types.String, diag.Diagnostics) {
	var w policyWriter
	document := w.document(r, config.Attributes())
	w.diags.Append(warnEmpty("policy", config)...)
	v := judge(document)
	if w.unknown {
		v.keepCertain()
	}
	v.without(w.diags.Errors(), config.Type(ctx))
	w.diags.Append(v.atAttributes(config.Type(ctx))...)
	if w.unknown || w.diags.HasError() {
		return types.StringUnknown(), w.diags
	}
	text, err := yaml.Marshal(document)
	if err != nil {
		w.diags.AddError("Policy cannot be rendered", fmt.Sprintf("A text of the policy has a character that YAML cannot hold: %s. Remove it.", err))
		return types.StringUnknown(), w.diags
	}
	return types.StringValue(string(text)), w.diags
}

// policyWriter turns the attributes of a policy into a document of JSON values. Attributes that are null are not written;
// empty lists, maps and objects are.
type policyWriter struct {
	unknown bool // a value is not known yet, and left out
	diags   diag.Diagnostics
}

// document returns the policy that the attributes of the resource describe.
func (w *policyWriter) document(r *policyResource, attributes map[string]attr.Value) map[string]any {
	spec, metadata := maps.Clone(attributes), map[string]attr.Value{}
	for _, name := range []string{attributeName, attributeNamespace} {
		metadata[name] = spec[name]
		delete(spec, name)
	}
	delete(spec, attributeClusterScoped)
	delete(spec, attributeManifest)
	return map[string]any{
		"apiVersion": api.PolicyAPIVersion,
		"kind":       w.kind(r, attributes),
		"metadata":   w.object(path.Empty(), metadata),
		"spec":       w.object(path.Empty(), spec),
	}
}

// kind returns the kind of the policy, and checks the name and the namespace that go with it.
func (w *policyWriter) kind(r *policyResource, attributes map[string]attr.Value) string {
	if name, ok := attributes[attributeName].(types.String); ok && !name.IsUnknown() && name.ValueString() == "" {
		w.diags.AddAttributeError(path.Root(attributeName), "Policy without a name",
			"Set name, or give the whole policy as YAML in manifest.")
	}
	clusterScoped, _ := attributes[attributeClusterScoped].(types.Bool)
	w.unknown = w.unknown || clusterScoped.IsUnknown()
	if !clusterScoped.ValueBool() {
		return r.kind
	}
	if namespace := attributes[attributeNamespace]; !namespace.IsNull() && !namespace.IsUnknown() {
		w.diags.AddAttributeError(path.Root(attributeNamespace), "Policy with and without a namespace",
			"A policy with cluster_scoped = true is for all namespaces and has none itself. Remove namespace, and name the namespace in each of "+
				"resource_selectors to stay within it; or remove cluster_scoped.")
	}
	return r.clusterKind
}

// object returns the fields of an object by the names that Karmada gives them.
func (w *policyWriter) object(at path.Path, attributes map[string]attr.Value) map[string]any {
	fields := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		switch value := attributes[name]; {
		case value.IsNull():
		case value.IsUnknown():
			w.unknown = true
		default:
			fields[fieldName(name)] = w.value(at.AtName(name), value)
		}
	}
	return fields
}

// value returns an attribute as a JSON value. Elements that are null stay so, for the API to refuse them by their place;
// unknown ones are replaced, so that others keep their place.
func (w *policyWriter) value(at path.Path, value attr.Value) any {
	if value.IsNull() {
		return nil
	}
	if value.IsUnknown() {
		w.unknown = true
		return placeholder(value)
	}
	switch value := value.(type) {
	case types.Object:
		return w.object(at, value.Attributes())
	case types.Map:
		elements := make(map[string]any, len(value.Elements()))
		for key, element := range value.Elements() {
			elements[key] = w.value(at.AtMapKey(key), element)
		}
		return elements
	case types.List:
		elements := make([]any, len(value.Elements()))
		for i, element := range value.Elements() {
			elements[i] = w.value(at.AtListIndex(i), element)
		}
		return elements
	case jsonText:
		decoded, err := value.decode()
		if err != nil {
			w.diags.AddAttributeError(shownPath(at), "Value is not JSON", fmt.Sprintf("%s %s.", at, err))
			return value.ValueString()
		}
		return decoded
	case types.String:
		return value.ValueString()
	case types.Bool:
		return value.ValueBool()
	case types.Int64:
		return value.ValueInt64()
	}
	return nil
}

// placeholder returns an empty value of the kind of an unknown element.
func placeholder(element attr.Value) any {
	if _, ok := element.(types.Object); ok {
		return map[string]any{}
	}
	return ""
}

// overriders are the attributes that Karmada calls otherwise than by their name in camel case: those of overriders, which
// need not say so again.
var overriders = map[string]string{
	"image":       "imageOverrider",
	"command":     "commandOverrider",
	"args":        "argsOverrider",
	"labels":      "labelsOverrider",
	"annotations": "annotationsOverrider",
	"field":       "fieldOverrider",
}

// fieldName returns Karmada's name of an attribute: clusterNames for cluster_names.
func fieldName(attribute string) string {
	if name, ok := overriders[attribute]; ok {
		return name
	}
	first, others, _ := strings.Cut(attribute, "_")
	name := first
	for word := range strings.SplitSeq(others, "_") {
		if word != "" {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return name
}
