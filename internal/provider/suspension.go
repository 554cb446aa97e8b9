package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// suspensionModel is the suspension of a propagation.
type suspensionModel struct {
	Dispatching           *bool                 `tfsdk:"dispatching"`
	DispatchingOnClusters *suspendClustersModel `tfsdk:"dispatching_on_clusters"`
}

type suspendClustersModel struct {
	ClusterNames []string `tfsdk:"cluster_names"`
}

// suspensionAttribute pauses the writing of works, as a policy and a propagation can.
func suspensionAttribute(description string) schema.SingleNestedAttribute {
	return optionalObject("Pauses the writing to members. What runs there keeps running as it is, and what is no longer placed there is still deleted. "+description,
		attributeMap{
			"dispatching": optionalFlag("`true` pauses all members. Default `false`. Not together with `dispatching_on_clusters`."),
			"dispatching_on_clusters": optionalObject("Pauses some members.", attributeMap{
				"cluster_names": optionalTexts("Names of the members."),
			}),
		})
}

// readSuspension returns what a propagation suspends, or nil.
func readSuspension(ctx context.Context, value types.Object) (*api.Suspension, diag.Diagnostics) {
	if value.IsNull() || !fullyKnown(value) {
		return nil, nil
	}
	var model suspensionModel
	diags := value.As(ctx, &model, objectAsOptions)
	suspension := &api.Suspension{Dispatching: model.Dispatching}
	if some := model.DispatchingOnClusters; some != nil {
		suspension.DispatchingOnClusters = &api.SuspendClusters{ClusterNames: some.ClusterNames}
	}
	if all := model.Dispatching; all != nil && *all && suspension.DispatchingOnClusters != nil && len(suspension.DispatchingOnClusters.ClusterNames) > 0 {
		diags.AddAttributeError(path.Root("suspension"), "Everything and some", "dispatching = true suspends all members, so dispatching_on_clusters has nothing to add. Remove one of them.")
	}
	return suspension, diags
}
