package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

var _ function.Function = (*placeFunction)(nil)

func newPlaceFunction() function.Function { return &placeFunction{} }

// adviceToIgnore is the part of an error that a function has no argument for.
const adviceToIgnore = ", or set unmatched = \"ignore\" to leave templates without a policy alone"

// placeFunction is place: where templates go by policies. It needs no cluster and no provider configuration.
type placeFunction struct{}

// Metadata names the function.
func (f *placeFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "place"
}

// Definition describes the function.
func (f *placeFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Where templates go",
		MarkdownDescription: "Places templates on members as a propagation would if nothing were there yet, with no cluster and no provider configuration: for " +
			"`terraform console`, or an `output`, as OpenTofu's console does not call functions of providers. [Tests](../guides/pipelines.md) " +
			"can assert on such an output, or on the `placements` of a propagation; not on a call with nothing but constants, for then Terraform says " +
			"that nothing is checked. Returns, by object key (`Deployment.apps/default/web`), an object with `policy`, `clusters` (replicas by member), " +
			"`group`, `reason`, `rejected` (why a member is not chosen), `required`, `scalers`, `suspended` and `preserve` (whether it stays on its members when it is removed).",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "members", MarkdownDescription: "A list of member names, or of objects with the attributes of `multicluster_member`, such as " +
				"`{ name = \"kube02\", region = \"cn-north\", labels = { env = \"production\" } }`."},
			function.DynamicParameter{Name: "templates", MarkdownDescription: "A list of YAML texts and objects, or one text."},
			function.DynamicParameter{Name: "policies", MarkdownDescription: "A list of YAML texts, or one text."},
		},
		Return: function.MapReturn{ElementType: placementType},
	}
}

// Run places.
func (f *placeFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var members, templates, policies types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &members, &templates, &policies); resp.Error != nil {
		return
	}
	var arguments propagationModel
	var err error
	if arguments.Members, err = memberArguments(members); err != nil {
		resp.Error = function.NewArgumentFuncError(0, "members"+err.Error())
		return
	}
	arguments.Templates = types.DynamicValue(listOf(templates))
	if arguments.Policies, err = convertTo[types.List](listOf(policies), types.ListType{ElemType: types.StringType}); err != nil {
		resp.Error = function.NewArgumentFuncError(2, "policies"+err.Error())
		return
	}
	planned, _, diags := preview(ctx, arguments, nil, nil)
	if diags.HasError() {
		resp.Error = function.NewFuncError(strings.ReplaceAll(errorText(diags), adviceToIgnore, ""))
		return
	}
	resp.Error = resp.Result.Set(ctx, placementModels(planned.Placements))
}

// listOf returns a list as it is, and anything else as the one element of a list.
func listOf(v types.Dynamic) attr.Value {
	value := v.UnderlyingValue()
	if _, ok := listElements(value); ok {
		return value
	}
	return types.TupleValueMust([]attr.Type{types.DynamicType}, []attr.Value{v})
}

// memberArguments returns members that are given as names or objects.
func memberArguments(v types.Dynamic) (types.List, error) {
	to, ok := schema.NestedAttributeObject{Attributes: fleetMemberAttributes()}.Type().(types.ObjectType)
	if !ok {
		return types.List{}, fmt.Errorf(": want a list of objects")
	}
	elements, ok := listElements(v.UnderlyingValue())
	if !ok {
		return types.List{}, fmt.Errorf(": want a list of names or objects, found %s", typeName(v))
	}
	known := memberAttributeNames()
	members := make([]attr.Value, len(elements))
	for i, element := range elements {
		if name, ok := element.(types.String); ok {
			element = types.ObjectValueMust(map[string]attr.Type{"name": types.StringType}, map[string]attr.Value{"name": name})
		}
		if err := unknownAttribute(element, known); err != nil {
			return types.List{}, fmt.Errorf("[%d]%w", i, err)
		}
		member, err := convertTo[types.Object](element, to)
		if err == nil && (member.IsNull() || member.Attributes()["name"].IsNull()) {
			err = fmt.Errorf("a member needs a name")
		}
		if err != nil {
			return types.List{}, fmt.Errorf("[%d]: %w", i, err)
		}
		members[i] = member
	}
	return types.ListValueMust(to, members), nil
}

// memberAttributeNames returns the names of all attributes of a multicluster_member, sorted.
func memberAttributeNames() []string {
	var described resource.SchemaResponse
	newMemberResource().Schema(context.Background(), resource.SchemaRequest{}, &described)
	return slices.Sorted(maps.Keys(described.Schema.Attributes))
}

// unknownAttribute returns an error for an attribute that no multicluster_member has: conversion would drop it in silence.
func unknownAttribute(member attr.Value, known []string) error {
	object, ok := member.(types.Object)
	if !ok {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(object.Attributes())) {
		if slices.Contains(known, name) {
			continue
		}
		if meant := spelling.Nearest(name, known); meant != "" {
			return fmt.Errorf(".%s: a member has no such attribute (did you mean %s?)", name, meant)
		}
		return fmt.Errorf(".%s: a member has no such attribute; it has %s", name, strings.Join(known, ", "))
	}
	return nil
}

// errorText returns the errors among diagnostics as one text without its last mark, for Terraform adds a full stop.
func errorText(diags diag.Diagnostics) string {
	var texts []string
	for _, d := range diags.Errors() {
		texts = append(texts, d.Summary()+": "+d.Detail())
	}
	return strings.TrimRight(strings.Join(texts, "\n\n"), ".?")
}
