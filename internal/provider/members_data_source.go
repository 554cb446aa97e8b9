package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

var (
	_ datasource.DataSource              = (*membersDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*membersDataSource)(nil)
)

func newMembersDataSource() datasource.DataSource { return &membersDataSource{} }

// membersDataSource is data.multicluster_members: what the members have room for and serve, seen live. It takes no reference
// to a member, so that it is read at plan even when members are about to change.
type membersDataSource struct {
	fleet *fleet
}

// membersModel is the configuration and the result of data.multicluster_members.
type membersModel struct {
	Names   types.Set    `tfsdk:"names"`
	Grades  types.List   `tfsdk:"grades"`
	Timeout types.String `tfsdk:"timeout"`
	Members types.Map    `tfsdk:"members"`
}

// defaultObserveTimeout bounds the observation of all members.
const defaultObserveTimeout = 30 * time.Second

// Metadata names the data source type.
func (d *membersDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_members"
}

// Schema describes the data source.
func (d *membersDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "What the members have room for and serve, seen live and in parallel: for `observed` of a propagation, which divides replicas by it. " +
			"A member that cannot be seen is a row with its `reason`; the read itself does not fail. Do not refer to resources here, or let it depend on them: " +
			"a data source that waits for a change is read during apply, and what is planned from it is not known before.",
		Attributes: map[string]schema.Attribute{
			"names": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "The members to look at. Default: every member in the provider's `members`.",
			},
			"grades": schema.ListAttribute{
				Optional: true, ElementType: quantitiesType,
				MarkdownDescription: "Lower bounds by which to count nodes, lowest first, each a map such as `{ cpu = \"2\", memory = \"4Gi\" }` with the same " +
					"resources, as Karmada's `resourceModels`. With them a replica has to fit on one node; without, what is free on all nodes counts as one. " +
					"A resource that they leave out counts as used up. Nodes with less than the first bounds are counted with it, so start with zeros.",
			},
			"timeout": schema.StringAttribute{
				Optional: true, MarkdownDescription: "How long to wait for all members together. Default `30s`.",
				Validators: []validator.String{durationValidator{}},
			},
			"members": schema.MapNestedAttribute{
				Computed: true, MarkdownDescription: "What was seen, by member name.",
				NestedObject: schema.NestedAttributeObject{Attributes: dataOutputs(observedAttributes())},
			},
		},
	}
}

// Configure takes the fleet from the provider.
func (d *membersDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.fleet, _ = req.ProviderData.(*fleet)
}

// Read looks at the members.
func (d *membersDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model membersModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	names := slices.Sorted(maps.Keys(d.fleet.connections))
	if !model.Names.IsNull() {
		resp.Diagnostics.Append(model.Names.ElementsAs(ctx, &names, false)...)
	}
	grades, diags := readGrades(ctx, model.Grades)
	resp.Diagnostics.Append(diags...)
	timeout := defaultObserveTimeout
	if !model.Timeout.IsNull() {
		timeout, _ = time.ParseDuration(model.Timeout.ValueString()) // the validator has seen to it
	}
	if resp.Diagnostics.HasError() {
		return
	}

	type sight struct {
		status api.ClusterStatus
		reason string
	}
	wanted := map[string]struct{}{}
	for _, name := range names {
		wanted[name] = struct{}{}
	}
	seen := inParallel(wanted, func(name string, _ struct{}) sight {
		status, reason := d.observe(ctx, name, timeout, grades)
		return sight{status, reason}
	})
	rows := make(map[string]observedModel, len(seen))
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		row, diags := newObservedModel(ctx, seen[name].status, grades, seen[name].reason)
		resp.Diagnostics.Append(diags...)
		rows[name] = row
	}
	if err := ctx.Err(); err != nil {
		resp.Diagnostics.AddError("Members were not observed", sentence(err.Error()))
		return
	}
	members, diags := types.MapValueFrom(ctx, observedType, rows)
	resp.Diagnostics.Append(diags...)
	model.Members = members
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// observe looks at one member. The text says what could not be seen and why, or is empty.
func (d *membersDataSource) observe(ctx context.Context, name string, timeout time.Duration, grades []api.ResourceModel) (api.ClusterStatus, string) {
	switch d.fleet.reach(name) {
	case reachAbsent:
		return api.ClusterStatus{}, "the provider configuration has no connection for this member"
	case reachUnknown:
		return api.ClusterStatus{}, "its connection is not known yet"
	case reachRetired:
		return api.ClusterStatus{}, "it is retired"
	case reachKnown:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no complete answer within %s", timeout))
	defer cancel()
	session := d.fleet.session(name)
	health, err := session.Probe(ctx, member.ProbeSettings{})
	if err != nil {
		return api.ClusterStatus{}, context.Cause(ctx).Error()
	}
	if !health.Healthy() {
		return api.ClusterStatus{}, health.Reason + ": " + health.Message
	}
	status, err := session.Observe(ctx, grades)
	switch {
	case err == nil:
		return status, ""
	case ctx.Err() != nil:
		return status, context.Cause(ctx).Error()
	default:
		return status, strings.ReplaceAll(errors.Join(flattenErrors(err)...).Error(), "\n", "; ")
	}
}

// readGrades returns the grades of nodes that a list of lower bounds describes.
func readGrades(ctx context.Context, list types.List) ([]api.ResourceModel, diag.Diagnostics) {
	var bounds []map[string]string
	diags := list.ElementsAs(ctx, &bounds, false)
	models := make([]api.ResourceModel, 0, len(bounds))
	for i, least := range bounds {
		at := path.Root("grades").AtListIndex(i)
		model := resourceModel(uint(i), readQuantities(at, least, &diags)) //nolint:gosec // the index of a list is not negative.
		models = append(models, model)
		if i > 0 && !slices.EqualFunc(model.Ranges, models[0].Ranges, func(a, b api.ResourceModelRange) bool { return a.Name == b.Name }) {
			diags.AddAttributeError(at, "Grades of different resources", fmt.Sprintf(
				"grades[%d] bounds other resources than grades[0]. Give each the same ones.", i))
		}
	}
	return models, diags
}
