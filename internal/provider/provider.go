// Package provider holds the Terraform schemas and lifecycle. It turns configuration into plain values, calls the
// packages that know the domain, and turns their results into plans, state and diagnostics.
package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var (
	_ provider.Provider                   = (*multiclusterProvider)(nil)
	_ provider.ProviderWithValidateConfig = (*multiclusterProvider)(nil)
	_ provider.ProviderWithFunctions      = (*multiclusterProvider)(nil)
)

// New returns a constructor of the provider at the given version, as providerserver.Serve wants it.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &multiclusterProvider{version: version} }
}

type multiclusterProvider struct {
	version string
}

// providerModel is the provider block.
type providerModel struct {
	Members         types.Map  `tfsdk:"members"`
	DefaultPolicies types.List `tfsdk:"default_policies"`
}

// Metadata names the provider.
func (p *multiclusterProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "multicluster"
	resp.Version = p.version
}

// Schema describes the provider block.
func (p *multiclusterProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Propagates Kubernetes objects to many clusters by Karmada's policies, with no control plane.",
		Attributes: map[string]schema.Attribute{
			"members": schema.MapNestedAttribute{
				Optional: true,
				MarkdownDescription: "Connections to the member clusters, by member name. They live here and only here: they are evaluated anew on " +
					"every run and never stored in state. Values may be ephemeral, and may be unknown while the clusters are still being created. " +
					"Each connection is given in exactly one way: `kubeconfig_path`, `kubeconfig` or `host`. Nothing of the environment " +
					"(`KUBECONFIG`, in-cluster accounts, `localhost`) is ever used instead.",
				NestedObject: schema.NestedAttributeObject{Attributes: connectionAttributes()},
			},
			"default_policies": schema.ListAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Policies, as YAML, that are added to every propagation: they take part in matching like any other policy, " +
					"and never warn when they match nothing.",
			},
		},
	}
}

// ValidateConfig checks each connection for exactly one way to reach its member, as far as it is known. It dials nothing.
func (p *multiclusterProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	_, diags := readConnections(ctx, config.Members)
	resp.Diagnostics.Append(diags...)
}

// Configure keeps the connections for the resources and data sources. It dials nothing.
func (p *multiclusterProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	connections, diags := readConnections(ctx, config.Members)
	resp.Diagnostics.Append(diags...)
	policies, diags := readStrings(ctx, path.Root("default_policies"), config.DefaultPolicies)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	fleet := newFleet(p.version, connections, config.Members.IsUnknown(), policies)
	resp.ResourceData = fleet
	resp.DataSourceData = fleet
}

// Resources lists the resource types.
func (p *multiclusterProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		newMemberResource,
		newTemplateResource,
		newPropagationPolicyResource,
		newOverridePolicyResource,
		newPropagationResource,
	}
}

// DataSources lists the data source types.
func (p *multiclusterProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		newMembersDataSource,
		newPlacementDataSource,
	}
}

// Functions lists the functions, which need no configuration.
func (p *multiclusterProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		newDivideFunction,
		newPlaceFunction,
	}
}
