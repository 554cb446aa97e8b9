package provider

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// warnForeign warns of objects that this plan brings and that another propagation holds now, so that the apply would refuse
// them. It asks only on behalf of objects that are new to the propagation, and no planned value comes from it.
func (r *propagationResource) warnForeign(ctx context.Context, plan propagationModel, rendered *rendering, diags *diag.Diagnostics) {
	var mu sync.Mutex
	var group sync.WaitGroup
	foreign := objectKeys{}
	for on := range rendered.planned.Works {
		takes := propagation.Takes(rendered.prior, rendered.planned, on)
		if r.fleet.reach(on) != reachKnown || len(takes) == 0 {
			continue
		}
		group.Go(func() {
			found := r.foreign(ctx, on, plan, takes)
			mu.Lock()
			defer mu.Unlock()
			if len(found) > 0 {
				foreign[on] = found
			}
		})
	}
	group.Wait()
	if len(foreign) > 0 {
		diags.AddAttributeWarning(path.Root("templates"), "Objects belong to another propagation", fmt.Sprintf(
			"This plan brings objects that another propagation holds now:\n\n%s\n\nThe apply refuses them for as long as that is so. If they move from there to here, "+
				"set conflict_resolution = \"Overwrite\" here, which takes them over in place. Otherwise the other propagation deletes them, with what they hold, "+
				"before they can be created here: in an apply of its own, or in this one, should it be first. If it keeps them, take them out of the templates here.", objectLines(foreign)))
	}
}

// foreign returns those of the objects that belong to another propagation on one member, and to which. Of a member that does
// not answer it returns none.
func (r *propagationResource) foreign(ctx context.Context, on string, plan propagationModel, takes map[string]*propagation.Work) []string {
	session := r.fleet.session(on)
	if health, err := session.Probe(ctx, member.ProbeSettings{}); err != nil || !health.Healthy() {
		return nil
	}
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
