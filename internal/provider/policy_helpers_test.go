package provider

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// hclObject and hclList are configurations as tests write them: values by attribute; attributes that are left out are null.
type (
	hclObject = map[string]any
	hclList   = []any
)

// hclUnknown in a configuration is a value that is not known yet.
const hclUnknown = tftypes.UnknownValue

// policyUnderTest is a policy resource and its schema.
type policyUnderTest struct {
	*policyResource
	t      *testing.T
	schema schema.Schema
}

func newPolicyUnderTest(t *testing.T, constructor func() resource.Resource) policyUnderTest {
	t.Helper()
	r, ok := constructor().(*policyResource)
	if !ok {
		t.Fatal("not a policy resource")
	}
	var resp resource.SchemaResponse
	r.Schema(t.Context(), resource.SchemaRequest{}, &resp)
	if diags := resp.Schema.ValidateImplementation(t.Context()); diags.HasError() {
		t.Fatal(diags)
	}
	return policyUnderTest{policyResource: r, t: t, schema: resp.Schema}
}

// config returns a configuration as the framework gives it to the resource.
func (p policyUnderTest) config(values hclObject) tfsdk.Config {
	p.t.Helper()
	return tfsdk.Config{Raw: terraformValue(p.t, p.schema.Type().TerraformType(p.t.Context()), values), Schema: p.schema}
}

// validate returns what ValidateConfig says of a configuration.
func (p policyUnderTest) validate(values hclObject) diag.Diagnostics {
	p.t.Helper()
	var resp resource.ValidateConfigResponse
	p.ValidateConfig(p.t.Context(), resource.ValidateConfigRequest{Config: p.config(values)}, &resp)
	return resp.Diagnostics
}

// plan returns the manifest that ModifyPlan plans for a configuration, and what it says.
func (p policyUnderTest) plan(values hclObject) (types.String, diag.Diagnostics) {
	p.t.Helper()
	config := p.config(values)
	req := resource.ModifyPlanRequest{Config: config, Plan: tfsdk.Plan(config)}
	resp := resource.ModifyPlanResponse{Plan: tfsdk.Plan(config)}
	p.ModifyPlan(p.t.Context(), req, &resp)
	var text types.String
	if diags := resp.Plan.GetAttribute(p.t.Context(), path.Root("manifest"), &text); diags.HasError() {
		p.t.Fatal(diags)
	}
	return text, resp.Diagnostics
}

// text returns the manifest planned for a configuration in which nothing is wrong or unknown.
func (p policyUnderTest) text(values hclObject) string {
	p.t.Helper()
	if diags := p.validate(values); diags.HasError() {
		p.t.Fatal(diags)
	}
	text, diags := p.plan(values)
	if len(diags) > 0 || text.IsUnknown() || text.IsNull() {
		p.t.Fatalf("planned %s, saying %v", text, diags)
	}
	return text.ValueString()
}

// terraformValue returns a value of a Terraform type.
func terraformValue(t *testing.T, of tftypes.Type, value any) tftypes.Value {
	t.Helper()
	switch value := value.(type) {
	case hclObject:
		values := map[string]tftypes.Value{}
		switch of := of.(type) {
		case tftypes.Object:
			for name, child := range of.AttributeTypes {
				values[name] = terraformValue(t, child, value[name])
			}
			for name := range value {
				if _, ok := of.AttributeTypes[name]; !ok {
					t.Fatalf("there is no attribute %s", name)
				}
			}
		case tftypes.Map:
			for key, element := range value {
				values[key] = terraformValue(t, of.ElementType, element)
			}
		}
		return tftypes.NewValue(of, values)
	case hclList:
		elements := make([]tftypes.Value, len(value))
		if of, ok := of.(tftypes.List); ok {
			for i, element := range value {
				elements[i] = terraformValue(t, of.ElementType, element)
			}
		}
		return tftypes.NewValue(of, elements)
	}
	return tftypes.NewValue(of, value)
}

// write returns the document of a configuration without checking it.
func (p policyUnderTest) write(values hclObject) hclObject {
	p.t.Helper()
	var config types.Object
	if diags := new(p.config(values)).Get(p.t.Context(), &config); diags.HasError() {
		p.t.Fatal(diags)
	}
	var w policyWriter
	document := w.document(p.policyResource, config.Attributes())
	if w.unknown || len(w.diags) > 0 {
		p.t.Fatalf("unknown %v, saying %v", w.unknown, w.diags)
	}
	return document
}

// without returns the elements of a that b does not have.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}
