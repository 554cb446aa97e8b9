package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What is not a policy has empty parts too.
func TestEmptyPartsElsewhere(t *testing.T) {
	object := func(values map[string]attr.Value) types.Object {
		kinds := map[string]attr.Type{}
		for name, value := range values {
			kinds[name] = value.Type(t.Context())
		}
		return types.ObjectValueMust(kinds, values)
	}
	none := object(map[string]attr.Value{"cluster_names": types.ListNull(types.StringType)})
	limit := func(value types.String) timeouts.Value {
		return timeouts.Value{Object: object(map[string]attr.Value{"create": value})}
	}
	for name, tt := range map[string]struct {
		config types.Object
		want   string // part of the warning; none is wanted where it is empty
	}{
		"a suspension": {object(map[string]attr.Value{"suspension": object(map[string]attr.Value{"dispatching_on_clusters": none})}), "dispatching_on_clusters: it suspends nothing; it could have cluster_names\n"},
		"timeouts":     {object(map[string]attr.Value{"timeouts": limit(types.StringNull())}), "timeouts: its defaults hold; it could have create\n"},
		"an observation": {object(map[string]attr.Value{"observed": types.MapValueMust(none.Type(t.Context()), map[string]attr.Value{"kube02": none})}),
			"observed[\"kube02\"]: nothing counts as seen of the member; it could have cluster_names\n"},
		"given timeouts": {object(map[string]attr.Value{"timeouts": limit(types.StringValue("1m"))}), ""},
		"null timeouts":  {object(map[string]attr.Value{"timeouts": timeouts.Value{Object: types.ObjectNull(nil)}}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			diags := warnEmpty("propagation", tt.config)
			switch {
			case tt.want == "" && len(diags) > 0:
				t.Errorf("warns: %v", diags)
			case tt.want != "" && (len(diags) != 1 || !strings.Contains(diags[0].Detail(), tt.want)):
				t.Errorf("got %v, want %s", diags, tt.want)
			}
		})
	}
}
