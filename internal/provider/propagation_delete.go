package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// Delete removes the objects of this instance from all members. It finds the connections in the provider configuration.
func (r *propagationResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer gatherWarnings(&resp.Diagnostics)
	var state propagationModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := state.Timeouts.Delete(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	prior, diags := r.readKept(ctx, state, req.Private)
	resp.Diagnostics.Append(diags...)
	keep, diags := readPlanned(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	moves, diags := readMoves(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.fleet.hold(state.ID.ValueString(), state.Name.ValueString())
	done := r.remove(ctx, state, prior, keep, moves)
	resp.Diagnostics.Append(done.diags...)
	if !done.diags.HasError() {
		if keep != nil {
			prior.Works, prior.Record = done.works, done.record
			r.fleet.handOver(keep.Name, handover{state.ID.ValueString(), prior})
		}
		return
	}
	works, err := worksValue(done.works, nil)
	if err != nil {
		resp.Diagnostics.AddError("Works cannot be written", sentence(err.Error()))
		return
	}
	state.Works = works
	resp.Diagnostics.Append(dropPlanned(ctx, resp.Private)...)
	resp.Diagnostics.Append(writeRecord(ctx, resp.Private, done.record)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// remove takes the objects of a propagation off all members, but for those to keep.
func (r *propagationResource) remove(
	ctx context.Context, state propagationModel, prior propagation.Prior, keep *plannedObjects, moves objectKeys,
) *applied {
	done := &applied{works: propagation.Works{}, record: prior.Record.Clone()}
	if keep == nil {
		r.findUnshown(ctx, state, prior, done)
	}
	orphan := state.DeletionPolicy.ValueString() == deletionOrphan
	changes := map[string]propagation.Change{}
	for name := range prior.Works {
		if r.fleet.reach(name) == reachRetired {
			continue
		}
		done.works[name] = prior.Works[name]
		changes[name] = propagation.RemoveAll(prior, name, keep.on(name, prior.Works[name]), orphan)
	}
	a := application{name: state.Name.ValueString(), instance: state.ID.ValueString(), destroy: keep == nil, moves: moves}
	r.send(ctx, a, changes, prior.Works, prior.Works, done)
	return done
}

// findUnshown adds to the works of prior what members hold that the state does not show: a run that was killed wrote no state,
// so every kind is searched, once, before nothing tells of the propagation any more.
func (r *propagationResource) findUnshown(ctx context.Context, state propagationModel, prior propagation.Prior, done *applied) {
	type search struct {
		held   propagation.Objects
		record *propagation.MemberRecord
		diags  diag.Diagnostics
	}
	searches := map[string]search{}
	for _, name := range prior.Members() {
		searches[name] = search{held: prior.Works[name], record: done.record.Member(name)}
	}
	found := inParallel(searches, func(name string, s search) search {
		s.held, s.diags = r.searchMember(ctx, name, state, s.held, s.record)
		return s
	})
	for _, name := range slices.Sorted(maps.Keys(found)) {
		done.diags.Append(found[name].diags...)
		if prior.Works[name] = found[name].held; found[name].held == nil {
			delete(prior.Works, name)
		}
	}
}

// searchMember returns what one member holds of a propagation: what the state shows, and what it finds beside that. When it
// cannot search although the record says that there may be something, that is an error: objects would be left behind.
func (r *propagationResource) searchMember(
	ctx context.Context, name string, state propagationModel, held propagation.Objects, record *propagation.MemberRecord,
) (objects propagation.Objects, diags diag.Diagnostics) {
	switch reach := r.fleet.reach(name); {
	case reach == reachRetired, reach != reachKnown && !record.Unshown:
		return held, nil
	case reach != reachKnown:
		diags.AddError(summaryAbsent, r.fleet.absentDetail(name, heldOn(held)))
		return held, diags
	}
	everywhere := *record
	everywhere.Unshown, everywhere.Kinds = true, nil
	seen, unread := r.see(ctx, name, state, held, &everywhere)
	if unread != "" {
		if record.Unshown {
			diags.AddError("Member "+name+" cannot be searched", sentence(fmt.Sprintf("%s. It may hold objects of this propagation that the state does "+
				"not show. Nothing was removed from it; destroy again when it is back", unread)))
		}
		return held, diags
	}
	objects, err := propagation.Refresh(held, record, seen.Seen)
	if err != nil {
		diags.AddError("State cannot be refreshed", sentence(err.Error()))
		return held, diags
	}
	if len(seen.Strays) > 0 {
		diags.AddWarning("Note from member "+name, fmt.Sprintf("It held objects of this propagation that the state did not show, as a run leaves them that "+
			"was ended before it could write the state: %s. They are removed with the others.", abbreviated(slices.Sorted(maps.Keys(seen.Strays)))))
	}
	return objects, diags
}
