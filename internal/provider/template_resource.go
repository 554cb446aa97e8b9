package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"sigs.k8s.io/yaml"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

var (
	_ resource.Resource                   = (*templateResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*templateResource)(nil)
	_ resource.ResourceWithValidateConfig = (*templateResource)(nil)
)

func newTemplateResource() resource.Resource { return &templateResource{} }

// templateResource is multicluster_template: YAML that is checked and normalised on its own, for templates that several
// propagations share. It contacts nothing.
type templateResource struct{}

// templateModel is the state of multicluster_template.
type templateModel struct {
	YAML     types.String `tfsdk:"yaml"`
	Manifest types.String `tfsdk:"manifest"`
	Objects  types.List   `tfsdk:"objects"`
}

// Metadata names the resource type.
func (r *templateResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_template"
}

// Schema describes the resource.
func (r *templateResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Kubernetes objects as YAML, checked and normalised. Optional: the same YAML can be given to `templates` of a propagation directly. " +
			"Its text is stored in the state, so a Secret with data is refused: pass that to `templates`, which is write-only.",
		Attributes: map[string]schema.Attribute{
			"yaml": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "YAML text with any number of documents.",
			},
			"manifest": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The objects as normalised YAML: sorted keys, lists expanded, comments and empty documents left out.",
			},
			"objects": schema.ListAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "The keys of the objects, such as `Deployment.apps/default/web`, in their order.",
			},
		},
	}
}

// ValidateConfig reports everything that is wrong with the text, once it is known.
func (r *templateResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config templateModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.YAML.IsUnknown() {
		return
	}
	objects, err := manifest.Decode(manifest.Source{Argument: "yaml"}, config.YAML.ValueString())
	for _, err := range flattenErrors(err) {
		resp.Diagnostics.AddAttributeError(path.Root("yaml"), "Document cannot be read", sentence(err.Error()))
	}
	for _, object := range objects {
		if len(manifest.SensitivePaths(object.Unstructured, manifest.Sensitivity{})) > 0 {
			resp.Diagnostics.AddAttributeError(path.Root("yaml"), "Secret does not belong in multicluster_template",
				object.Key().String()+" has data, and the text of this resource is stored in the state. Pass the Secret in `templates` of the propagation, "+
					"which is write-only.")
		}
	}
}

// ModifyPlan computes the normalised text.
func (r *templateResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan templateModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.Manifest, plan.Objects = types.StringUnknown(), types.ListUnknown(types.StringType)
	if !plan.YAML.IsUnknown() {
		text, keys, err := normalise(plan.YAML.ValueString())
		if err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("yaml"), "Document cannot be read", sentence(err.Error()))
			return
		}
		plan.Manifest, plan.Objects = types.StringValue(text), types.ListValueMust(types.StringType, keys)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// normalise returns the documents as YAML with sorted keys, and their object keys.
func normalise(text string) (string, []attr.Value, error) {
	objects, err := manifest.Decode(manifest.Source{Argument: "yaml"}, text)
	if err != nil {
		return "", nil, err
	}
	documents := make([]string, len(objects))
	keys := make([]attr.Value, len(objects))
	for i, object := range objects {
		document, err := yaml.Marshal(object.Object)
		if err != nil {
			return "", nil, err
		}
		documents[i] = string(document)
		keys[i] = types.StringValue(object.Key().String())
	}
	return strings.Join(documents, "---\n"), keys, nil
}

// Create stores what is planned.
func (r *templateResource) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Read has nothing to read.
func (r *templateResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update stores what is planned.
func (r *templateResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete forgets the text.
func (r *templateResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}
