package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// The health that is planned is the one that was read, until a raised generation mends it. While it is not known whether it
// is raised, neither is the health: what a plan shows as known has to hold at apply.
func TestPlannedHealth(t *testing.T) {
	since := func(reason string) types.Map {
		const time = "2026-01-31T12:00:00Z"
		return stringMapValue(map[string]string{"reason": reason, "message": "", "since": time, "observed_at": time})
	}
	changed, away := since(api.ReasonIdentityChanged), since(api.ReasonUnreachable)
	unknown, well := types.MapUnknown(types.StringType), stringMapValue(nil)
	for name, test := range map[string]struct {
		read       types.Map
		generation types.Int64
		want       types.Map
	}{
		"well":                       {well, types.Int64Unknown(), well},
		"away":                       {away, types.Int64Value(2), away},
		"away, unknown generation":   {away, types.Int64Unknown(), away},
		"another cluster":            {changed, types.Int64Null(), changed},
		"another cluster, as before": {changed, types.Int64Value(1), changed},
		"another cluster, as meant":  {changed, types.Int64Value(2), well},
		"another cluster, perhaps":   {changed, types.Int64Unknown(), unknown},
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			state := memberModel{fleetMemberModel: fleetMemberModel{
				Name: types.StringValue("kube02"), Taints: types.ListNull(types.StringType), Unhealthy: test.read,
			}}
			plan := state
			plan.Generation = test.generation
			plan.Unhealthy = plannedHealth(state, plan)
			if !plan.Unhealthy.Equal(test.want) {
				t.Errorf("got %s, want %s", plan.Unhealthy, test.want)
			}
			if taints := (&memberResource{}).planTaints(t.Context(), plan, &diags); taints.IsUnknown() != test.want.IsUnknown() || diags.HasError() {
				t.Errorf("got taints %s and %v with the health %s", taints, diags, plan.Unhealthy)
			}
		})
	}
}

// What is not known yet refuses nothing.
func TestAdopts(t *testing.T) {
	for adopt, want := range map[types.Bool]bool{
		types.BoolNull(): true, types.BoolUnknown(): true, types.BoolValue(true): true, types.BoolValue(false): false,
	} {
		if got := (propagationModel{Adopt: adopt}).adopts(); got != want {
			t.Errorf("adopt %s: got %t, want %t", adopt, got, want)
		}
	}
}
