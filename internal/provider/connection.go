package provider

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// connection is how one member is reached. Its values count only when it is known.
type connection struct {
	member.Connection
	unknown bool
}

// connectionModel is one element of the provider's members.
type connectionModel struct {
	KubeconfigPath       types.String `tfsdk:"kubeconfig_path"`
	Kubeconfig           types.String `tfsdk:"kubeconfig"`
	Context              types.String `tfsdk:"context"`
	Host                 types.String `tfsdk:"host"`
	ClusterCACertificate types.String `tfsdk:"cluster_ca_certificate"`
	TLSServerName        types.String `tfsdk:"tls_server_name"`
	Insecure             types.Bool   `tfsdk:"insecure"`
	Token                types.String `tfsdk:"token"`
	ClientCertificate    types.String `tfsdk:"client_certificate"`
	ClientKey            types.String `tfsdk:"client_key"`
	Exec                 types.Object `tfsdk:"exec"`
	ProxyURL             types.String `tfsdk:"proxy_url"`
	QPS                  types.Int64  `tfsdk:"qps"`
	Burst                types.Int64  `tfsdk:"burst"`
	Retired              types.Bool   `tfsdk:"retired"`
}

// execModel is the exec attribute of a connection.
type execModel struct {
	APIVersion types.String `tfsdk:"api_version"`
	Command    types.String `tfsdk:"command"`
	Args       types.List   `tfsdk:"args"`
	Env        types.Map    `tfsdk:"env"`
}

func connectionAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"kubeconfig_path": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Path of a kubeconfig file. `~` is the home directory; paths inside the file are relative to it.",
		},
		"kubeconfig": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			MarkdownDescription: "The text of a kubeconfig.",
		},
		"context": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "The context of the kubeconfig. Needed when it has more than one: its current context never counts, for that is what somebody worked with last.",
		},
		"host": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Address of the API server, such as `https://10.0.0.1:6443`. Without a scheme it is `https`.",
		},
		"cluster_ca_certificate": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "PEM certificates of the authority that signs the API server's certificate, as text or base64 encoded. With `host`. Default: the system's.",
		},
		"tls_server_name": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Name that the server's certificate must carry, where it is not that of the address.",
		},
		"insecure": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Do not verify the server's certificate. For throw-away clusters only.",
		},
		"token": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			MarkdownDescription: "Bearer token. With `host`.",
		},
		"client_certificate": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "PEM client certificate, as text or base64 encoded. With `host` and `client_key`.",
		},
		"client_key": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			MarkdownDescription: "PEM key of `client_certificate`, as text or base64 encoded.",
		},
		"exec": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "A command that prints credentials (a client-go credential plugin), such as `aws eks get-token`. With `host`.",
			Attributes: map[string]schema.Attribute{
				"api_version": schema.StringAttribute{
					Required:            true,
					MarkdownDescription: "`client.authentication.k8s.io/v1` or `client.authentication.k8s.io/v1beta1`, whichever the command prints.",
				},
				"command": schema.StringAttribute{
					Required:            true,
					MarkdownDescription: "The command, looked up in `PATH`.",
				},
				"args": schema.ListAttribute{
					Optional:            true,
					ElementType:         types.StringType,
					MarkdownDescription: "Its arguments.",
				},
				"env": schema.MapAttribute{
					Optional:            true,
					ElementType:         types.StringType,
					MarkdownDescription: "Environment variables to add.",
				},
			},
		},
		"proxy_url": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Proxy to reach the member through: `http`, `https` or `socks5`. Proxy variables of the environment are not used.",
		},
		"qps": schema.Int64Attribute{
			Optional:            true,
			MarkdownDescription: "Requests per second to allow. Default: no limit on the client's side; API servers have their own.",
		},
		"burst": schema.Int64Attribute{
			Optional:            true,
			MarkdownDescription: "Requests to allow at once above `qps`. With `qps`. Default: twice `qps`.",
		},
		"retired": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "The cluster is gone for good: it is never dialled again, is no candidate for placement, and the objects it held are forgotten. " +
				"Nothing else need be given. Remove the entry after the next apply.",
		},
	}
}

// readConnections turns the provider's members into plain values. An element that holds an unknown value is unknown as a whole.
func readConnections(ctx context.Context, members types.Map) (map[string]connection, diag.Diagnostics) {
	var diags diag.Diagnostics
	connections := make(map[string]connection, len(members.Elements()))
	elements := members.Elements()
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		c, moreDiags := readConnection(ctx, name, elements[name])
		diags.Append(moreDiags...)
		connections[name] = c
	}
	return connections, diags
}

// readConnection returns the connection of one member.
func readConnection(ctx context.Context, name string, element attr.Value) (connection, diag.Diagnostics) {
	var diags diag.Diagnostics
	at := path.Root("members").AtMapKey(name)
	object, ok := element.(types.Object)
	if !ok || object.IsNull() {
		diags.AddAttributeError(at, "Member without a connection",
			"The connection of member "+name+" is null. Give kubeconfig_path, kubeconfig or host, or leave the member out.")
		return connection{}, diags
	}
	if !fullyKnown(object) {
		return connection{unknown: true, Connection: member.Connection{Retired: knownTrue(object.Attributes()["retired"])}}, nil
	}
	var model connectionModel
	diags.Append(object.As(ctx, &model, objectAsOptions)...)
	if diags.HasError() {
		return connection{}, diags
	}
	c, moreDiags := model.connection(ctx)
	diags.Append(moreDiags...)
	if err := c.Validate(); err != nil {
		diags.AddAttributeError(at, "Member connection is not usable", "Member "+name+": "+err.Error()+".")
	}
	return c, diags
}

func (m connectionModel) connection(ctx context.Context) (connection, diag.Diagnostics) {
	var diags diag.Diagnostics
	c := connection{
		Connection: member.Connection{
			KubeconfigPath:    m.KubeconfigPath.ValueString(),
			Kubeconfig:        m.Kubeconfig.ValueString(),
			Context:           m.Context.ValueString(),
			Host:              m.Host.ValueString(),
			CA:                m.ClusterCACertificate.ValueString(),
			TLSServerName:     m.TLSServerName.ValueString(),
			Insecure:          m.Insecure.ValueBool(),
			Token:             m.Token.ValueString(),
			ClientCertificate: m.ClientCertificate.ValueString(),
			ClientKey:         m.ClientKey.ValueString(),
			ProxyURL:          m.ProxyURL.ValueString(),
			QPS:               float32(m.QPS.ValueInt64()),
			Burst:             int(m.Burst.ValueInt64()),
			Retired:           m.Retired.ValueBool(),
		},
	}
	if !m.Exec.IsNull() {
		var exec execModel
		diags.Append(m.Exec.As(ctx, &exec, objectAsOptions)...)
		c.Exec = &member.Exec{APIVersion: exec.APIVersion.ValueString(), Command: exec.Command.ValueString()}
		diags.Append(exec.Args.ElementsAs(ctx, &c.Exec.Args, false)...)
		diags.Append(exec.Env.ElementsAs(ctx, &c.Exec.Env, false)...)
	}
	return c, diags
}

// fullyKnown reports whether no value within v is unknown.
func fullyKnown(v attr.Value) bool {
	if v.IsUnknown() {
		return false
	}
	var elements []attr.Value
	switch v := v.(type) {
	case types.Object:
		for _, element := range v.Attributes() {
			elements = append(elements, element)
		}
	case types.Map:
		for _, element := range v.Elements() {
			elements = append(elements, element)
		}
	case types.List:
		elements = v.Elements()
	case types.Tuple:
		elements = v.Elements()
	case types.Dynamic:
		elements = []attr.Value{v.UnderlyingValue()}
	}
	return !slices.ContainsFunc(elements, func(element attr.Value) bool { return element != nil && !fullyKnown(element) })
}

func knownTrue(v attr.Value) bool {
	b, ok := v.(types.Bool)
	return ok && b.ValueBool()
}
