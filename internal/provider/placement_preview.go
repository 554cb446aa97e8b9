package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// preview returns what a propagation with these arguments would plan if nothing were there yet, and the inputs it read.
func preview(
	ctx context.Context, arguments propagationModel, defaults []text, retired map[string]bool,
) (*propagation.Planned, *inputs, diag.Diagnostics) {
	in, diags := readArguments(ctx, arguments, defaults)
	for _, argument := range in.empty(arguments, defaults) {
		detail := "There are no " + argument + ". Give at least one."
		if why := in.whyNoTemplates(); argument == "templates" && why != "" {
			detail = why
		}
		diags.AddAttributeError(path.Root(argument), "Nothing to place", detail)
	}
	if diags.HasError() {
		return nil, in, diags
	}
	nothing, err := propagation.DecodeRecord(nil)
	if err != nil {
		diags.AddError("Placements cannot be computed", sentence(err.Error()))
		return nil, in, diags
	}
	planned, moreDiags := in.compute(arguments, history{prior: propagation.Prior{Record: nothing}, retired: retired})
	diags.Append(moreDiags...)
	return planned, in, diags
}

// placementModel is where one object goes and why, as previews show it.
type placementModel struct {
	Policy    types.String           `tfsdk:"policy"`
	Clusters  map[string]types.Int64 `tfsdk:"clusters"`
	Group     types.String           `tfsdk:"group"`
	Reason    types.String           `tfsdk:"reason"`
	Rejected  map[string]string      `tfsdk:"rejected"`
	Required  []string               `tfsdk:"required"`
	Scalers   []string               `tfsdk:"scalers"`
	Preserve  bool                   `tfsdk:"preserve"`
	Suspended []string               `tfsdk:"suspended"`
}

// placementOutputs describe where one object goes.
func placementOutputs() attributeMap {
	return attributeMap{
		"policy":    optionalText("Kind and name of the policy that selects the object, or the objects that it follows."),
		"clusters":  mapOf(types.Int64Type, "Replicas by member; null for kinds without replicas."),
		"group":     optionalText("The group of `clusterAffinities` that is used."),
		"reason":    optionalText("How the replicas came about."),
		"rejected":  mapOf(types.StringType, "Why a member is not chosen, by member."),
		"required":  optionalTexts("Members that the policy does not choose, and where an object refers to this one."),
		"scalers":   optionalTexts("Autoscalers that set the number of replicas once the object is there."),
		"suspended": optionalTexts("Members on which nothing is written now."),
		"preserve":  optionalFlag("Whether the object stays on its members when it is removed."),
	}
}

var placementType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"policy":    types.StringType,
	"clusters":  types.MapType{ElemType: types.Int64Type},
	"group":     types.StringType,
	"reason":    types.StringType,
	"rejected":  types.MapType{ElemType: types.StringType},
	"required":  types.ListType{ElemType: types.StringType},
	"scalers":   types.ListType{ElemType: types.StringType},
	"suspended": types.ListType{ElemType: types.StringType},
	"preserve":  types.BoolType,
}}

// placementModels returns placements as previews show them.
func placementModels(placements map[string]propagation.Placement) map[string]placementModel {
	models := make(map[string]placementModel, len(placements))
	for key, p := range placements {
		clusters := make(map[string]types.Int64, len(p.Clusters))
		for member, replicas := range p.Clusters {
			clusters[member] = types.Int64Null()
			if !replicas.None {
				clusters[member] = types.Int64Value(replicas.Count)
			}
		}
		models[key] = placementModel{
			Policy: textOrNull(p.Policy), Clusters: clusters, Group: textOrNull(p.Group), Reason: textOrNull(p.Reason),
			Rejected: maps.Collect(maps.All(p.Rejected)),
			Required: append([]string{}, p.Required...), Scalers: append([]string{}, p.Scalers...), Suspended: append([]string{}, p.Suspended...), Preserve: p.Preserve,
		}
	}
	return models
}
