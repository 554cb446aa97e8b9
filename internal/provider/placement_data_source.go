package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

var (
	_ datasource.DataSource              = (*placementDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*placementDataSource)(nil)
)

func newPlacementDataSource() datasource.DataSource { return &placementDataSource{} }

// placementDataSource is data.multicluster_placement: what a propagation would do, without doing it. It contacts nothing.
type placementDataSource struct {
	fleet *fleet
}

// previewModel is the configuration and the result of data.multicluster_placement.
type previewModel struct {
	Namespace    types.String  `tfsdk:"namespace"`
	Members      types.List    `tfsdk:"members"`
	Templates    types.Dynamic `tfsdk:"templates"`
	Policies     types.List    `tfsdk:"policies"`
	Observed     types.Map     `tfsdk:"observed"`
	IgnoreFields types.List    `tfsdk:"ignore_fields"`
	Interpreters types.List    `tfsdk:"interpreters"`
	HelmHooks    types.String  `tfsdk:"helm_hooks"`
	Unmatched    types.String  `tfsdk:"unmatched"`
	Placements   types.Map     `tfsdk:"placements"`
	Works        types.Map     `tfsdk:"works"`
}

// Metadata names the data source type.
func (d *placementDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_placement"
}

// Schema describes the data source.
func (d *placementDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Where a propagation with these arguments would put everything and what each member would get, if nothing were there yet: for tests and " +
			"reviews. It contacts no cluster and applies nothing. What it is given is stored in the state, so a Secret with data is refused.",
		Attributes: map[string]schema.Attribute{
			"namespace": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Namespace of templates and policies that name none. Default `default`.",
				Validators: []validator.String{namespaceValidator{}},
			},
			"members": schema.ListNestedAttribute{
				Required: true, MarkdownDescription: "The candidate members, such as `values(multicluster_member.fleet)`, or objects with a `name`.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataInputs(fleetMemberAttributes())},
			},
			"templates": schema.DynamicAttribute{
				Required: true, MarkdownDescription: "A list of templates, as in `multicluster_propagation`.",
			},
			"policies": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Policies, as in `multicluster_propagation`. The provider's `default_policies` are added.",
			},
			"observed": schema.MapNestedAttribute{
				Optional: true, MarkdownDescription: "What the members have room for and serve, as in `multicluster_propagation`.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataInputs(observedAttributes())},
			},
			"ignore_fields": dataInput(ignoreFieldsAttribute()),
			"interpreters":  dataInput(interpretersAttribute()),
			"helm_hooks":    dataInput(helmHooksAttribute()),
			"unmatched": schema.StringAttribute{
				Optional: true, MarkdownDescription: "What to do with a template that no policy selects: `error` (default), or `ignore` it.",
				Validators: []validator.String{stringvalidator.OneOf(unmatchedError, unmatchedIgnore)},
			},
			"placements": schema.MapNestedAttribute{
				Computed: true, MarkdownDescription: "Where each object goes and why, by object key, such as `Deployment.apps/default/web`.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataOutputs(placementOutputs())},
			},
			"works": schema.MapAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "What each member would get, as JSON by member: object key to fields, as `works` of `multicluster_propagation`.",
			},
		},
	}
}

// Configure takes the fleet from the provider.
func (d *placementDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.fleet, _ = req.ProviderData.(*fleet)
}

// Read computes placements and works.
func (d *placementDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer gatherWarnings(&resp.Diagnostics)
	var model previewModel
	var whole types.Object
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &whole)...)
	resp.Diagnostics.Append(warnEmpty("multicluster_placement", whole)...)
	if resp.Diagnostics.HasError() {
		return
	}
	planned, in, diags := preview(ctx, propagationModel{
		Namespace: model.Namespace, Members: model.Members, Templates: model.Templates, Policies: model.Policies, Observed: model.Observed, Unmatched: model.Unmatched,
		IgnoreFields: model.IgnoreFields, Interpreters: model.Interpreters, HelmHooks: model.HelmHooks,
	}, d.fleet.defaultPolicies, d.fleet.retired())
	resp.Diagnostics.Append(diags...)
	refuseSecrets(in.templates, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	placements, diags := types.MapValueFrom(ctx, placementType, placementModels(planned.Placements))
	resp.Diagnostics.Append(diags...)
	works, err := worksValue(planned.Works, planned.Unknown)
	if err != nil {
		resp.Diagnostics.AddError("Works cannot be written", sentence(err.Error()))
		return
	}
	model.Placements, model.Works = placements, works
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// refuseSecrets refuses data that would be stored in the state as it is.
func refuseSecrets(templates []manifest.Object, diags *diag.Diagnostics) {
	for _, template := range templates {
		if len(manifest.SensitivePaths(template.Unstructured, manifest.Sensitivity{})) > 0 {
			diags.AddAttributeError(path.Root("templates"), "Secret does not belong in multicluster_placement",
				template.Key().String()+" has data, and what a data source is given is stored in the state. Leave the data out here: where a Secret goes does not depend on it.")
		}
	}
}
