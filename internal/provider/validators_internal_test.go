package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// What the validators of the schema refuse is not told again.
func TestValidateMemberLeavesToTheSchemaWhatIsItsOwn(t *testing.T) {
	taint := map[string]attr.Type{"key": types.StringType, "value": types.StringType, "effect": types.StringType}
	tainted := func(key, effect string) types.List {
		return types.ListValueMust(types.ObjectType{AttrTypes: taint}, []attr.Value{types.ObjectValueMust(taint, map[string]attr.Value{
			"key": types.StringValue(key), "value": types.StringNull(), "effect": types.StringValue(effect),
		})})
	}
	for name, test := range map[string]struct {
		member string
		taints types.List
		errors int
	}{
		"all is well":          {"kube02", tainted("a", "NoSchedule"), 0},
		"the effect":           {"kube02", tainted("a", "PreferNoSchedule"), 0},
		"the key":              {"kube02", tainted("a b", "NoSchedule"), 1},
		"the key and effect":   {"kube02", tainted("a b", "PreferNoSchedule"), 1},
		"the length of a name": {strings.Repeat("a", api.MaxClusterName+1), tainted("a", "NoSchedule"), 0},
		"the letters of one":   {"Kube02", tainted("a", "NoSchedule"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			model := fleetMemberModel{
				Name: types.StringValue(test.member), Taints: test.taints, Zones: types.ListNull(types.StringType), Labels: types.MapNull(types.StringType),
				Variables: types.MapNull(types.StringType), Unhealthy: types.MapNull(types.StringType), EffectiveTaints: types.MapNull(effectiveTaintType),
			}
			if diags := validateMember(t.Context(), model, path.Empty(), schemaTells); diags.ErrorsCount() != test.errors {
				t.Errorf("diagnostics %v, want %d errors", diags, test.errors)
			}
		})
	}
}

// A label is told once, at its key, whatever is wrong with it.
func TestValidateMemberTellsALabelOnceAtItsKey(t *testing.T) {
	model := fleetMemberModel{
		Name: types.StringValue("kube02"), Zones: types.ListNull(types.StringType), Taints: types.ListNull(types.ObjectType{}),
		Labels: stringMapValue(map[string]string{"env": "a b", "a b": "c d", "good": "yes"}), Variables: types.MapNull(types.StringType),
		Unhealthy: types.MapNull(types.StringType), EffectiveTaints: types.MapNull(effectiveTaintType),
	}
	diags := validateMember(t.Context(), model, path.Empty(), schemaTells)
	if len(diags) != 2 {
		t.Fatalf("diagnostics %v, want one for each of two labels", diags)
	}
	for i, key := range []string{"a b", "env"} {
		located, ok := diags[i].(diag.DiagnosticWithPath)
		if !ok || !located.Path().Equal(path.Root("labels").AtMapKey(key)) || !strings.Contains(diags[i].Detail(), "label "+key) {
			t.Errorf("got %v, want an error at labels[%q] that names the label", diags[i], key)
		}
	}
}

func TestConflictResolutionGivenToPolicies(t *testing.T) {
	for value, want := range map[string]api.ConflictResolution{"": "", "Abort": "Abort", "Overwrite": "Overwrite", "overwrite": ""} {
		if got := (propagationModel{ConflictResolution: types.StringValue(value)}).conflictResolution(); got != want {
			t.Errorf("%q gives policies %q, want %q", value, got, want)
		}
	}
}
