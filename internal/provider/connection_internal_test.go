package provider

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Each connection that is not usable is an error of its own, in the order of names.
func TestReadConnectionsReportsEveryOne(t *testing.T) {
	connectionType, ok := schema.NestedAttributeObject{Attributes: connectionAttributes()}.Type().(types.ObjectType)
	if !ok {
		t.Fatal("connections are no objects")
	}
	elements := map[string]attr.Value{}
	for name, host := range map[string]string{"kube02": "ftp://a", "kube03": "https://a", "kube04": ""} {
		given := types.ObjectValueMust(map[string]attr.Type{"host": types.StringType, "token": types.StringType},
			map[string]attr.Value{"host": types.StringValue(host), "token": types.StringValue("a")})
		c, err := convert(given, connectionType)
		if err != nil {
			t.Fatal(err)
		}
		elements[name] = c
	}
	elements["kube05"] = types.ObjectNull(connectionType.AttrTypes)
	connections, diags := readConnections(t.Context(), types.MapValueMust(connectionType, elements))
	var at []string
	for _, d := range diags {
		if located, ok := d.(diag.DiagnosticWithPath); ok {
			at = append(at, located.Path().String())
		}
	}
	members := path.Root("members")
	want := []string{members.AtMapKey("kube02").String(), members.AtMapKey("kube04").String(), members.AtMapKey("kube05").String()}
	if !slices.Equal(at, want) || connections["kube03"].Host != "https://a" {
		t.Errorf("got errors at %v and %v of kube03, want errors at %v", at, connections["kube03"], want)
	}
}
