package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// readDocuments returns the documents of templates, sensitive templates, policies and default policies.
func (in *inputs) readDocuments(ctx context.Context, config propagationModel, defaults []text, diags *diag.Diagnostics) []manifest.Object {
	policies, moreDiags := readStrings(ctx, path.Root("policies"), config.Policies)
	diags.Append(moreDiags...)

	templates := in.readTemplates("templates", config.Templates, diags)
	sensitive := in.readTemplates("sensitive_templates", config.SensitiveTemplates, diags)
	documents := append(templates, sensitive...)
	documents = append(documents, in.readTexts("policies", policies, diags)...)
	documents = append(documents, in.readTexts("default_policies", defaults, diags)...)
	return documents
}

func (in *inputs) readTexts(argument string, texts []text, diags *diag.Diagnostics) []manifest.Object {
	var documents []manifest.Object
	for i, t := range texts {
		switch {
		case t.list:
			in.unknown = append(in.unknown, argument)
			continue
		case t.unknown:
			in.unknown = append(in.unknown, fmt.Sprintf("%s[%d]", argument, i))
			continue
		}
		objects, err := manifest.Decode(manifest.Source{Argument: argument, Index: i}, t.value)
		addInputError(diags, argument, i, err)
		documents = append(documents, objects...)
	}
	return documents
}

// readTemplates returns the documents of a list whose elements are YAML text or objects.
func (in *inputs) readTemplates(argument string, list types.Dynamic, diags *diag.Diagnostics) []manifest.Object {
	if list.IsUnknown() || list.IsUnderlyingValueUnknown() {
		in.unknown = append(in.unknown, argument)
		return nil
	}
	if list.IsNull() || list.IsUnderlyingValueNull() {
		return nil
	}
	elements, ok := listElements(list.UnderlyingValue())
	if !ok {
		diags.AddAttributeError(path.Root(argument), "Not a list", fmt.Sprintf(
			"%s wants a list of YAML texts and objects, such as [file(\"app.yaml\")], and this is %s.", argument, typeName(list.UnderlyingValue())))
		return nil
	}
	var documents []manifest.Object
	for i, element := range elements {
		source := manifest.Source{Argument: argument, Index: i}
		value, unknown, err := plainValue(element)
		if err != nil {
			addInputError(diags, argument, i, fmt.Errorf("%s[%d]: %w", argument, i, err))
			continue
		}
		var objects []manifest.Object
		switch value := value.(type) {
		case nil:
			diags.AddAttributeError(path.Root(argument), "Element is null", fmt.Sprintf("%s[%d] is null. "+leaveNullOut, argument, i))
			continue
		case unknownValue:
			in.unknown = append(in.unknown, fmt.Sprintf("%s[%d]", argument, i))
			continue
		case string:
			objects, err = manifest.Decode(source, value)
		case map[string]any:
			if in.placementUnknown(source, value, unknown) {
				continue
			}
			objects, err = manifest.FromValue(source, value, unknown)
		default:
			err = fmt.Errorf("%s[%d]: want YAML text or an object, found %s", argument, i, typeName(element))
		}
		addInputError(diags, argument, i, err)
		documents = append(documents, objects...)
		if err == nil && len(objects) == 0 {
			in.blank = append(in.blank, fmt.Sprintf("%s[%d]", argument, i))
		}
	}
	return documents
}

// placementFields are the fields of a template without which its placement cannot be computed. Items are those of a List.
var placementFields = []string{
	"apiVersion", "kind", "metadata.name", "metadata.generateName", "metadata.namespace", "metadata.labels", "items",
	"spec.replicas", "spec.parallelism", "spec.completions",
}

// referenceFields are the fields, wherever they are, that say which other objects a template depends on or scales, or what a
// replica needs of a member.
var referenceFields = []string{
	"configMapRef", "secretRef", "configMapKeyRef", "secretKeyRef", "imagePullSecrets", "volumes", "serviceAccountName", "tls", "resources",
	"scaleTargetRef",
}

// placementUnknown reports whether an object lacks a value that placements depend on, and notes the object if so. Of a
// policy that is every value.
func (in *inputs) placementUnknown(source manifest.Source, value map[string]any, unknown []string) bool {
	apiVersion, _ := value["apiVersion"].(string)
	policy := strings.HasPrefix(apiVersion, api.PolicyGroup+"/")
	kind, _ := value["kind"].(string)
	fields := placementFields
	if replicas, ok := in.kinds.ReplicasPath(kschema.FromAPIVersionAndKind(apiVersion, kind)); ok {
		fields = append(slices.Clone(fields), strings.Join(replicas, "."))
	}
	for _, at := range unknown {
		if policy || slices.ContainsFunc(fields, func(field string) bool { return within(at, field) || within(field, at) }) || refers(at) {
			in.unknown = append(in.unknown, fmt.Sprintf("%s[%d].%s", source.Argument, source.Index, at))
			return true
		}
	}
	return false
}

// refers reports whether a path leads through one of the fields that dependencies and requirements are read from.
func refers(path string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }), func(step string) bool {
		return slices.Contains(referenceFields, step)
	})
}

// within reports whether a path is that of a field or of something in it.
func within(path, field string) bool {
	rest, found := strings.CutPrefix(path, field)
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
