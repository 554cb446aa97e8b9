package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var (
	_ resource.Resource                   = (*policyResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*policyResource)(nil)
	_ resource.ResourceWithValidateConfig = (*policyResource)(nil)
)

// policyResource is multicluster_propagation_policy or multicluster_override_policy: a policy in HCL that is checked and
// rendered as the document Karmada would read, or that document itself, checked. It contacts nothing.
type policyResource struct {
	name        string // of the resource type, without that of the provider
	kind        string // of a policy for one namespace
	clusterKind string // of a policy for all of them
	description string
	attributes  func() attributeMap // of spec
}

// Metadata names the resource type.
func (r *policyResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.name
}

// Schema describes the resource.
func (r *policyResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := r.attributes()
	attributes[attributeName] = optionalText("Name of the policy. Required, unless the policy is given as `manifest`.")
	attributes[attributeNamespace] = optionalText("Namespace of the policy: it selects objects there alone. When it is not written, the rendered " +
		"policy has none and takes the `namespace` of the propagation that uses it, which is `default` unless set.")
	attributes[attributeClusterScoped] = optionalFlag("`true` makes it a " + r.clusterKind + ", which selects cluster-scoped objects and those of " +
		"every namespace; it has no `namespace`. Default `false`: the kind is " + r.kind + ".")
	attributes[attributeManifest] = schema.StringAttribute{
		Optional: true,
		Computed: true,
		MarkdownDescription: "The policy as YAML, for `policies` of a propagation. It is rendered from the other arguments, with sorted keys and " +
			"without defaults, and is known in the plan as soon as they are. Or give it in place of all of them: one policy as Karmada writes it.\n\n" +
			"Plans show it and the state holds it whole, also what is marked as sensitive in the other arguments: Terraform tells no provider of " +
			"such marks. Keep secrets out of policies.",
	}
	resp.Schema = schema.Schema{MarkdownDescription: r.description, Attributes: attributes}
}

// ValidateConfig reports everything that is wrong with the policy, as far as it is known.
func (r *policyResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	defer gatherWarnings(&resp.Diagnostics)
	var config types.Object
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	_, diags := r.manifest(ctx, config)
	resp.Diagnostics.Append(diags...)
}

// ModifyPlan plans the text of the policy. Warnings are left to ValidateConfig, which sees the same values.
func (r *policyResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer gatherWarnings(&resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		return
	}
	var config types.Object
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	manifest, diags := r.manifest(ctx, config)
	resp.Diagnostics.Append(diags.Errors()...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(attributeManifest), manifest)...)
}

// manifest returns the text of the policy, unknown while a value in it is, and what is wrong with it.
func (r *policyResource) manifest(ctx context.Context, config types.Object) (types.String, diag.Diagnostics) {
	attributes := config.Attributes()
	given, ok := attributes[attributeManifest].(types.String)
	if !ok || given.IsNull() {
		return r.render(ctx, config)
	}
	diags := r.aloneWithManifest(attributes)
	if !given.IsUnknown() {
		diags.Append(r.checkManifest(given.ValueString())...)
	}
	return given, diags
}

// Create stores what is planned.
func (r *policyResource) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Read has nothing to read.
func (r *policyResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update stores what is planned.
func (r *policyResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete forgets the policy. What it placed is up to the propagations that used it.
func (r *policyResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
