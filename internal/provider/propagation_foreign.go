package provider

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// warnForeign warns of objects that this plan brings and that another propagation holds now, so that the apply would refuse
// them. It asks only on behalf of objects that are new to the propagation, and no planned value comes from it.
func (r *propagationResource) warnForeign(ctx context.Context, plan propagationModel, rendered *rendering, diags *diag.Diagnostics) {
	takes := map[string]map[string]*propagation.Work{}
	for on := range rendered.planned.Works {
		if taken := propagation.Takes(rendered.prior, rendered.planned, on); len(taken) > 0 {
			takes[on] = taken
		}
	}
	foreign := objectKeys(ask(ctx, r.fleet, takes, questionTimeout, func(ctx context.Context, session *member.Session, taken map[string]*propagation.Work) []string {
		return r.foreign(ctx, session, plan, taken)
	}))
	maps.DeleteFunc(foreign, func(_ string, keys []string) bool { return len(keys) == 0 })
	if len(foreign) > 0 {
		diags.AddAttributeWarning(path.Root("templates"), "Objects belong to another propagation", fmt.Sprintf(
			"This plan brings objects that another propagation holds now:\n\n%s\n\nThe apply refuses them for as long as that is so. If they move from there to here, "+
				"set conflict_resolution = \"Overwrite\" here, which takes them over in place. Otherwise the other propagation deletes them, with what they hold, "+
				"before they can be created here: in an apply of its own, or in this one, should it be first. If it keeps them, take them out of the templates here.", objectLines(foreign)))
	}
}

// foreign returns those of the objects that belong to another propagation on one member, and to which.
func (r *propagationResource) foreign(ctx context.Context, session *member.Session, plan propagationModel, takes map[string]*propagation.Work) []string {
	name, instance := plan.Name.ValueString(), plan.ID.ValueString()
	var found []string
	for key, live := range ownedAmong(ctx, session, takes) {
		owner := execution.OwnerOf(live)
		if takes[key] == nil || owner.Propagation == name || (instance != "" && owner.Instance == instance) {
			continue
		}
		if planned, held := r.fleet.holds(owner.Instance); held && planned == name {
			continue // it is what this one replaces, under its earlier name
		}
		found = append(found, fmt.Sprintf("%s (%s)", key, owner))
	}
	return found
}
