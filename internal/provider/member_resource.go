package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

var (
	_ resource.Resource                   = (*memberResource)(nil)
	_ resource.ResourceWithConfigure      = (*memberResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*memberResource)(nil)
	_ resource.ResourceWithImportState    = (*memberResource)(nil)
	_ resource.ResourceWithValidateConfig = (*memberResource)(nil)
)

func newMemberResource() resource.Resource { return &memberResource{} }

// memberResource is multicluster_member: what is declared of a member, and its health. It contacts the cluster only in Read.
type memberResource struct {
	fleet *fleet
}

// memberModel is the state of multicluster_member.
type memberModel struct {
	fleetMemberModel
	Probe types.Object `tfsdk:"probe"`
}

// Metadata names the resource type.
func (r *memberResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_member"
}

// Schema describes the resource.
func (r *memberResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "Name of the member: the key of its connection in the provider's `members`, and what policies call it. Another name is another member.",
			Validators:          []validator.String{stringvalidator.LengthBetween(1, api.MaxClusterName)},
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()}, // health and identity are those of the name
		},
		"region": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Region, for affinities and spread constraints.",
		},
		"zones": schema.ListAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: "Zones, for affinities and spread constraints.",
		},
		"provider_name": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Infrastructure provider (Karmada's `spec.provider`), for affinities and spread constraints.",
		},
		"labels": schema.MapAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: "Labels, for label selectors of policies.",
		},
		"taints": schema.ListNestedAttribute{
			Optional: true,
			MarkdownDescription: "Taints. Without a matching toleration in the policy, `NoSchedule` keeps new replicas away: a member that already has " +
				"the object keeps at most what it has.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"key":   schema.StringAttribute{Required: true, MarkdownDescription: "Key."},
				"value": schema.StringAttribute{Optional: true, MarkdownDescription: "Value."},
				"effect": schema.StringAttribute{
					Required:            true,
					MarkdownDescription: "`NoSchedule` or `NoExecute`. In this version both keep new replicas away, and neither evicts any.",
					Validators:          []validator.String{stringvalidator.OneOf("NoSchedule", "NoExecute")},
				},
			}},
		},
		"unschedulable": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Cordon the member: the same as a `NoSchedule` taint `" + scheduler.TaintUnschedulable + "`.",
		},
		"variables": schema.MapAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: "Values that overrides can use as `{{ member.variables[\"key\"] }}`: role ARNs, certificate ARNs, subnet ids. They may be unknown at plan.",
		},
		"generation": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "Raise it when another cluster has taken this member's place on purpose. The objects of the old cluster then count as gone " +
				"and everything is applied anew. Until then a cluster with another identity is never written to.",
			Validators: []validator.Int64{int64validator.AtLeast(1)},
		},
		"probe": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "How the member's health is probed at every refresh.",
			Attributes: map[string]schema.Attribute{
				"timeout":  durationAttribute("How long one probe may take. Default `10s`."),
				"confirm":  durationAttribute("Keep probing a failing member for so long before it counts as unhealthy, within one refresh. Default `0s`."),
				"interval": durationAttribute("Time between two probes while confirming. Default `5s`."),
			},
		},
		"unhealthy": schema.MapAttribute{
			Computed:    true,
			ElementType: types.StringType,
			MarkdownDescription: "Empty when the member is well. Otherwise `reason` (`Unreachable`, `NotReady`, `Untrusted`, `CredentialsFailed` or `IdentityChanged`), " +
				"`message`, `since` and `observed_at` (RFC 3339). Only `Unreachable` and `NotReady` taint the member.",
		},
		"effective_taints": schema.MapNestedAttribute{
			Computed: true,
			MarkdownDescription: "The taints in force, by `key:effect`: those declared, that of `unschedulable`, and `" + scheduler.TaintNotReady + "` or `" +
				scheduler.TaintUnreachable + "` (`NoSchedule` and `NoExecute`) while the member is unhealthy. Nothing is evicted for a `NoExecute` taint in this version.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"key":        schema.StringAttribute{Computed: true, MarkdownDescription: "Key."},
				"value":      schema.StringAttribute{Computed: true, MarkdownDescription: "Value."},
				"effect":     schema.StringAttribute{Computed: true, MarkdownDescription: "Effect."},
				"time_added": schema.StringAttribute{Computed: true, MarkdownDescription: "Since when (RFC 3339); null for declared taints."},
			}},
		},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A member cluster: what is declared of it, and its health. Declaring it needs no connection and no cluster; its health is probed at every " +
			"refresh. The connection is in the provider's `members`.",
		Attributes: attributes,
	}
}

// Configure takes the fleet from the provider.
func (r *memberResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.fleet, _ = req.ProviderData.(*fleet)
}

// ValidateConfig checks what the attribute validators cannot: the declared properties as Karmada's webhook checks a Cluster.
func (r *memberResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config memberModel
	var whole types.Object
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &whole)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(warnEmpty("member", whole)...)
	resp.Diagnostics.Append(validateMember(ctx, config.fleetMemberModel, path.Empty(), schemaTells)...)
}

// ModifyPlan plans the health that was last read, and the taints that follow from it.
func (r *memberResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan memberModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.Unhealthy = stringMapValue(nil)
	tie := ""
	if !req.State.Raw.IsNull() {
		var state memberModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		if plan.Name.Equal(state.Name) { // else it is replaced
			plan.Unhealthy = plannedHealth(state, plan)
			tie = "and propagations may have objects on it"
		}
	}
	plan.EffectiveTaints = r.planTaints(ctx, plan, &resp.Diagnostics)
	if !plan.Name.IsUnknown() && r.fleet != nil && r.fleet.reach(plan.Name.ValueString()) == reachAbsent {
		resp.Diagnostics.AddAttributeError(path.Root("name"), summaryAbsent, r.fleet.absentDetail(plan.Name.ValueString(), tie))
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// plannedHealth returns the health that was last read, but for one thing that the plan itself mends: another cluster is no
// fault any more once a raised generation says that it is meant.
func plannedHealth(state, plan memberModel) types.Map {
	reason, _ := state.Unhealthy.Elements()["reason"].(types.String)
	switch {
	case reason.ValueString() != api.ReasonIdentityChanged:
		return state.Unhealthy
	case plan.Generation.IsUnknown():
		return types.MapUnknown(types.StringType)
	case plan.generation() > state.generation():
		return stringMapValue(nil)
	default:
		return state.Unhealthy
	}
}

func (r *memberResource) planTaints(ctx context.Context, plan memberModel, diags *diag.Diagnostics) types.Map {
	if !fullyKnown(plan.Taints) || plan.Unschedulable.IsUnknown() || plan.Unhealthy.IsUnknown() {
		return types.MapUnknown(effectiveTaintType)
	}
	declared, moreDiags := readTaints(ctx, plan.Taints)
	diags.Append(moreDiags...)
	unhealthy, moreDiags := readUnhealthy(ctx, plan.Name.ValueString(), plan.Unhealthy)
	diags.Append(moreDiags...)
	return effectiveTaintsValue(propagation.EffectiveTaints(declared, plan.Unschedulable.ValueBool(), unhealthy))
}

// Create stores what is declared. It needs no connection.
func (r *memberResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Update stores what is planned.
func (r *memberResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete forgets the member. Objects on it belong to propagations, which remove them.
func (r *memberResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// ImportState imports a member by its name.
func (r *memberResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("name"), req, resp)
	if r.fleet != nil && r.fleet.reach(req.ID) == reachAbsent {
		resp.Diagnostics.AddError(summaryAbsent, r.fleet.absentDetail(req.ID, ""))
	}
}

func durationAttribute(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: description,
		Validators:          []validator.String{durationValidator{}},
	}
}
