package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var (
	_ resource.Resource                   = (*propagationResource)(nil)
	_ resource.ResourceWithConfigure      = (*propagationResource)(nil)
	_ resource.ResourceWithValidateConfig = (*propagationResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*propagationResource)(nil)
	_ resource.ResourceWithImportState    = (*propagationResource)(nil)
)

func newPropagationResource() resource.Resource { return &propagationResource{} }

// propagationResource is multicluster_propagation: the binding of templates and policies to members. ModifyPlan is the
// scheduler, Create and Update are the execution controller, Read sees drift.
type propagationResource struct {
	fleet *fleet
}

// propagationModel is the configuration, plan and state of multicluster_propagation. Members, templates, sensitive
// templates and policies are write-only: they are in the configuration alone.
type propagationModel struct {
	ID                 types.String   `tfsdk:"id"`
	Name               types.String   `tfsdk:"name"`
	Namespace          types.String   `tfsdk:"namespace"`
	Members            types.List     `tfsdk:"members"`
	Templates          types.Dynamic  `tfsdk:"templates"`
	SensitiveTemplates types.Dynamic  `tfsdk:"sensitive_templates"`
	Policies           types.List     `tfsdk:"policies"`
	Observed           types.Map      `tfsdk:"observed"`
	SensitivePaths     types.List     `tfsdk:"sensitive_paths"`
	SecretsRevision    types.Int64    `tfsdk:"secrets_revision"`
	IgnoreFields       types.List     `tfsdk:"ignore_fields"`
	Interpreters       types.List     `tfsdk:"interpreters"`
	HelmHooks          types.String   `tfsdk:"helm_hooks"`
	Unmatched          types.String   `tfsdk:"unmatched"`
	ConflictResolution types.String   `tfsdk:"conflict_resolution"`
	DeletionPolicy     types.String   `tfsdk:"deletion_policy"`
	Suspension         types.Object   `tfsdk:"suspension"`
	RebalanceTrigger   types.String   `tfsdk:"rebalance_trigger"`
	Failback           types.String   `tfsdk:"failback"`
	Adopt              types.Bool     `tfsdk:"adopt"`
	MaxMembersRemoved  types.Int64    `tfsdk:"max_members_removed"`
	Validation         types.String   `tfsdk:"validation"`
	Placements         types.Map      `tfsdk:"placements"`
	Works              types.Map      `tfsdk:"works"`
	Timeouts           timeouts.Value `tfsdk:"timeouts"`
}

// Values of unmatched, deletion_policy and failback.
const (
	failbackAlways   = "Always"
	failbackNever    = "Never"
	unmatchedError   = "error"
	unmatchedIgnore  = "ignore"
	deletionDelete   = "delete"
	deletionOrphan   = "orphan"
	defaultNamespace = "default"
)

// defaultMaxMembersRemoved is how many members one plan may empty when nothing is configured.
const defaultMaxMembersRemoved = 1

// Metadata names the resource type.
func (r *propagationResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_propagation"
}

// Schema describes the resource.
func (r *propagationResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Runs templates on members as policies say. The plan shows, member by member, what will change and why; the apply writes it " +
			"straight to the members, in parallel, and one member's trouble does not stop the others.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Random identity of this instance, written on every object. Only objects that carry it are ever deleted.",
			},
			"name": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the propagation: the value of the label `terraform-provider-multicluster/propagation` on every object. " +
					"A new name relabels in place.",
				Validators: []validator.String{labelValueValidator{}},
			},
			"namespace": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Namespace of templates and policies that name none. Default `default`.",
				Validators:          []validator.String{namespaceValidator{}},
			},
			"members": schema.ListNestedAttribute{
				Required:  true,
				WriteOnly: true,
				MarkdownDescription: "The candidate members, such as `values(multicluster_member.fleet)`. Write-only. Which of them run what is for the policies " +
					"to say. A module that is given them declares its variable with `type = any`: `list(object({ name = string }))` would drop taints, " +
					"region and variables without a word.",
				NestedObject: schema.NestedAttributeObject{Attributes: fleetMemberAttributes()},
			},
			"templates": schema.DynamicAttribute{
				Optional:  true,
				WriteOnly: true,
				MarkdownDescription: "A list of templates: each element is YAML text with any number of documents, or an object. Write-only. " +
					"Policies among the documents are taken as `policies`.",
			},
			"sensitive_templates": schema.DynamicAttribute{
				Optional:            true,
				WriteOnly:           true,
				MarkdownDescription: "As `templates`, and every value but identity and replicas is masked in plan and state. Write-only.",
			},
			"policies": schema.ListAttribute{
				Required:    true,
				WriteOnly:   true,
				ElementType: types.StringType,
				MarkdownDescription: "PropagationPolicies, OverridePolicies and their cluster-scoped forms, as Karmada writes them. Write-only. " +
					"Other documents in them are taken as `templates`.",
			},
			"observed": schema.MapNestedAttribute{
				Optional:  true,
				WriteOnly: true,
				MarkdownDescription: "What the members were seen to have room for and to serve: `data.multicluster_members.NAME.members`. Write-only. Policies that " +
					"divide by capacity (`Aggregated`, or `dynamicWeight`) use it for replicas that have no place yet, and leave alone those that have one. " +
					"A member that is not in it, or whose `capacity` is null, keeps what it has; where nothing is placed yet, replicas are divided equally. " +
					"Members that do not serve a kind are no candidates for it. While it is not known, neither are placements and works.",
				NestedObject: schema.NestedAttributeObject{Attributes: writeOnly(observedAttributes())},
			},
			"sensitive_paths": schema.ListAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Paths to mask in plan and state beside the data of Secrets, such as `data[\"password\"]` or `spec.*.token`, in any object. " +
					"Terraform does not tell providers what is `sensitive`.",
			},
			"secrets_revision": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "The revision shown for masked content. When it is set, this number alone says whether masked content changed: use it for " +
					"ephemeral or rotating values, which differ between plan and apply.",
				Validators: []validator.Int64{int64validator.AtLeast(1)},
			},
			"ignore_fields": ignoreFieldsAttribute(),
			"interpreters":  interpretersAttribute(),
			"helm_hooks":    helmHooksAttribute(),
			"unmatched": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "What to do with a template that no policy selects: `error` (default), or `ignore` one that never ran anywhere.",
				Validators:          []validator.String{stringvalidator.OneOf(unmatchedError, unmatchedIgnore)},
			},
			"conflict_resolution": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "What to do when an object that is not ours exists on a member: `Abort` (default) or `Overwrite`. A policy's own value wins. " +
					"Namespaces are adopted in any case.",
				Validators: []validator.String{stringvalidator.OneOf("Abort", "Overwrite")},
			},
			"deletion_policy": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "What to do with objects that are removed: `delete` (default), or `orphan` them. A policy's `preserveResourcesOnDeletion` " +
					"orphans too.",
				Validators: []validator.String{stringvalidator.OneOf(deletionDelete, deletionOrphan)},
			},
			"suspension": suspensionAttribute("A policy's own `suspension` wins."),
			"rebalance_trigger": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Any text. The plan in which it changes divides the replicas of policies that go by capacity afresh, as if none were placed, and " +
					"tries the groups of `clusterAffinities` from the first.",
			},
			"failback": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Whether objects return to an earlier group of `clusterAffinities` once it fits again: `Always` (default), or `Never` by themselves.",
				Validators:          []validator.String{stringvalidator.OneOf(failbackAlways, failbackNever)},
			},
			"adopt": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether a new propagation takes over objects that carry its name already (`true`, the default; the plan warns), or " +
					"refuses.",
			},
			"validation": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How a plan checks objects: by the `schema` of built-in kinds (default, needs no cluster), or by asking each `server` too, " +
					"with a dry run of every object that would be sent. The plan then shows what a member would refuse; it costs a request per changed object and member, " +
					"at plan and again at apply.",
				Validators: []validator.String{stringvalidator.OneOf(validationSchema, validationServer)},
			},
			"max_members_removed": schema.Int64Attribute{
				Optional:            true,
				MarkdownDescription: "How many members one plan may take the last object from, other than by destroying the resource. Default 1.",
				Validators:          []validator.Int64{int64validator.AtLeast(0)},
			},
			"placements": schema.MapAttribute{
				Computed:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Where each object goes and why, as JSON by object key: `policy`, `clusters` (replicas by member; null for kinds without " +
					"replicas), `group`, `reason`, `rejected` (why a member is not chosen), `required` (members only there because an object there refers to it), `scalers` (autoscalers that set its replicas), `suspended` (members on which nothing is written now), " +
					"`preserve` (true when the object stays on its members after it is removed here).",
			},
			"works": schema.MapAttribute{
				Computed:    true,
				ElementType: types.StringType,
				MarkdownDescription: "What each member holds, as JSON by member: object key (`Kind.group/namespace/name`) to owned fields. After a refresh these are " +
					"the live values, so that a plan shows drift.",
			},
			"timeouts": timeouts.Attributes(ctx, timeouts.Opts{Create: true, Read: true, Update: true, Delete: true}),
		},
	}
}

// ignoreFieldsAttribute names what is left to others.
func ignoreFieldsAttribute() schema.ListAttribute {
	return optionalTexts("Fields that others set once an object is there, such as `spec.replicas`, `data[\"ca.crt\"]` or `spec.template.spec.containers[*].image`, " +
		"in any object: paths as `works` shows them, or JSON pointers. Where the object is not there yet they are sent as template and overrides have them; " +
		"from then on they are neither sent nor owned nor shown, and keep whatever value they have. The same is so, without being named here, for the replicas of a " +
		"workload on every member that gets a HorizontalPodAutoscaler for it from these templates, and of one with the label " +
		"`resourcetemplate.karmada.io/retain-replicas: \"true\"`.")
}

// fleetMemberAttributes is the part of multicluster_member that a propagation reads.
func fleetMemberAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		// Wanted in every element, and not Required: the framework takes the name of an element that is unknown as a whole, such as
		// one resource of a list during validation, for a missing one (hashicorp/terraform-plugin-framework#186).
		"name":          schema.StringAttribute{Optional: true, WriteOnly: true, MarkdownDescription: "Name: the key of its connection in the provider's `members`. Required."},
		"region":        schema.StringAttribute{Optional: true, WriteOnly: true, MarkdownDescription: "Region."},
		"zones":         schema.ListAttribute{Optional: true, WriteOnly: true, ElementType: types.StringType, MarkdownDescription: "Zones."},
		"provider_name": schema.StringAttribute{Optional: true, WriteOnly: true, MarkdownDescription: "Infrastructure provider."},
		"labels":        schema.MapAttribute{Optional: true, WriteOnly: true, ElementType: types.StringType, MarkdownDescription: "Labels."},
		"taints": schema.ListNestedAttribute{
			Optional:            true,
			WriteOnly:           true,
			MarkdownDescription: "Declared taints; `effective_taints` wins.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"key":    schema.StringAttribute{Required: true, WriteOnly: true, MarkdownDescription: "Key."},
				"value":  schema.StringAttribute{Optional: true, WriteOnly: true, MarkdownDescription: "Value."},
				"effect": schema.StringAttribute{Required: true, WriteOnly: true, MarkdownDescription: "`NoSchedule` or `NoExecute`."},
			}},
		},
		"unschedulable": schema.BoolAttribute{Optional: true, WriteOnly: true, MarkdownDescription: "Whether the member is cordoned."},
		"variables":     schema.MapAttribute{Optional: true, WriteOnly: true, ElementType: types.StringType, MarkdownDescription: "Values for overrides."},
		"generation":    schema.Int64Attribute{Optional: true, WriteOnly: true, MarkdownDescription: "Number of the cluster that stands for this member."},
		"unhealthy":     schema.MapAttribute{Optional: true, WriteOnly: true, ElementType: types.StringType, MarkdownDescription: "Health, as `multicluster_member` gives it."},
		"effective_taints": schema.MapNestedAttribute{
			Optional:            true,
			WriteOnly:           true,
			MarkdownDescription: "Taints in force, as `multicluster_member` gives them.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"key":        schema.StringAttribute{Required: true, WriteOnly: true, MarkdownDescription: "Key."},
				"value":      schema.StringAttribute{Optional: true, WriteOnly: true, MarkdownDescription: "Value."},
				"effect":     schema.StringAttribute{Required: true, WriteOnly: true, MarkdownDescription: "Effect."},
				"time_added": schema.StringAttribute{Optional: true, WriteOnly: true, MarkdownDescription: "Since when (RFC 3339)."},
			}},
		},
	}
}

// Configure takes the fleet from the provider.
func (r *propagationResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.fleet, _ = req.ProviderData.(*fleet)
}

// ValidateConfig reports what is wrong with members, templates and policies by themselves, as far as they are known. The
// provider's default policies are not: they count as still to come.
func (r *propagationResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	defer gatherWarnings(&resp.Diagnostics)
	var config propagationModel
	var whole types.Object
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &whole)...)
	resp.Diagnostics.Append(warnEmpty("propagation", whole)...)
	if resp.Diagnostics.HasError() || config.Members.IsNull() || config.Policies.IsNull() { // the framework refuses null itself
		return
	}
	_, diags := readInputs(ctx, config, []text{{unknown: true}})
	resp.Diagnostics.Append(diags.Errors()...) // the plan gives the warnings, once
}

// ImportState imports a propagation by its name: Read finds its objects by their label.
func (r *propagationResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("name"), req, resp)
}
