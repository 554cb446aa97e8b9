package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

// defaultReadTimeout bounds the refresh of a propagation as a whole.
const defaultReadTimeout = 2 * time.Minute

// Read writes the live value of every owned field into works. It never fails because of one member: that member keeps
// what it had, and its works are frozen until it can be read.
func (r *propagationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer gatherWarnings(&resp.Diagnostics)
	var state propagationModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || r.fleet == nil {
		return
	}
	timeout, diags := state.Timeouts.Read(ctx, defaultReadTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	if state.Works.IsNull() {
		r.readImported(ctx, state, resp)
		return
	}
	prior, diags := r.readKept(ctx, state, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.fleet.hold(state.ID.ValueString(), state.Name.ValueString())
	record := prior.Record.Clone()
	works := maps.Clone(prior.Works)
	taken := map[string][]string{}
	looks := r.look(ctx, state, prior, record)
	for _, name := range slices.Sorted(maps.Keys(looks)) {
		l := looks[name]
		switch {
		case l.unread != "":
			r.fleet.warnUnread(&resp.Diagnostics, name, l.unread)
			continue
		case l.err != nil:
			resp.Diagnostics.AddError("State cannot be refreshed", sentence(l.err.Error()))
			continue
		}
		if works[name] = l.objects; len(l.objects) == 0 && prior.Works[name] == nil {
			delete(works, name) // as the state had it
		}
		r.fleet.warnUnreadObjects(&resp.Diagnostics, name, l.seen.failed)
		if len(l.seen.taken) > 0 {
			taken[name] = l.seen.taken
		}
	}
	warnTaken(&resp.Diagnostics, taken)
	if resp.Diagnostics.HasError() {
		return
	}
	value, err := worksValue(works, nil)
	if err != nil {
		resp.Diagnostics.AddError("Works cannot be written", sentence(err.Error()))
		return
	}
	state.Works = value
	resp.Diagnostics.Append(writeRecord(ctx, resp.Private, record)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// look is what a member holds of a propagation by what was seen of it, or why it was not seen.
type look struct {
	objects propagation.Objects
	kept    *propagation.MemberRecord
	seen    seen
	unread  string
	err     error
}

// look looks at every member that can be reached, and updates the record of those that it sees.
func (r *propagationResource) look(ctx context.Context, state propagationModel, prior propagation.Prior, record *propagation.Record) map[string]look {
	looks := map[string]look{}
	for _, name := range prior.Members() {
		if kept := record.Member(name); r.fleet.reach(name) == reachKnown {
			looks[name] = look{objects: prior.Works[name], kept: kept}
		} else {
			kept.Unread = ""
		}
	}
	return inParallel(looks, func(name string, l look) look {
		l.seen, l.unread = r.see(ctx, name, state, l.objects, prior.Record.Members[name])
		if l.kept.Unread = l.unread; l.unread != "" {
			return l
		}
		if !l.kept.Identity.Known() {
			l.kept.Identity = l.seen.identity
		}
		l.objects, l.err = propagation.Refresh(l.objects, l.kept, l.seen.Seen)
		return l
	})
}

// seen is what was seen of a member, which cluster it is, which objects could not be read, and which belong to another
// propagation now.
type seen struct {
	propagation.Seen
	identity api.Identity
	failed   map[string]error
	taken    []string
}

// markRelabelled marks the objects that are ours and carry another name than the propagation has, so that they are applied
// again.
func (s *seen) markRelabelled(name string) {
	for key, live := range s.Live {
		if label := live.GetLabels()[execution.PropagationLabel]; label != name && s.Foreign[key] == "" {
			s.Foreign[key] = labelled(label)
		}
	}
}

// labelled says of what propagation an object's label is.
func labelled(label string) string {
	if label == "" {
		return "not labelled"
	}
	return "labelled " + label
}

// see reads the objects of one member, or says why the member as a whole could not be read.
func (r *propagationResource) see(
	ctx context.Context, name string, state propagationModel, objects propagation.Objects, record *propagation.MemberRecord,
) (seen, string) {
	session := r.fleet.session(name)
	health, err := session.Probe(ctx, member.ProbeSettings{})
	if err != nil {
		return seen{}, err.Error()
	}
	if !health.Healthy() {
		return seen{}, health.Reason + ": " + health.Message
	}
	identity, err := session.Identity(ctx)
	if err != nil {
		return seen{}, err.Error()
	}
	if record != nil && record.Identity.Known() && !record.Identity.Same(identity) {
		changed := identityChanged(identity, record.Identity, record.Generation)
		return seen{}, changed.Reason + ": " + changed.Message
	}
	out, unread := readMember(ctx, session, state.ID.ValueString(), objects, record)
	out.identity = identity
	out.markRelabelled(state.Name.ValueString())
	return out, unread
}

// readImported finds the objects of a propagation by their label, on every member that the provider knows.
func (r *propagationResource) readImported(ctx context.Context, state propagationModel, resp *resource.ReadResponse) {
	record, err := propagation.DecodeRecord(nil)
	if err != nil {
		resp.Diagnostics.AddError("State cannot be read", sentence(err.Error()))
		return
	}
	found := r.findAll(ctx, state.Name.ValueString(), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	works := propagation.Works{}
	instances := map[string]bool{}
	for name, objects := range found {
		for _, live := range objects.live {
			if works[name] == nil {
				works[name] = propagation.Objects{}
			}
			owned, err := execution.OwnedFields(live)
			if err != nil {
				resp.Diagnostics.AddError("Object cannot be imported", sentence(fmt.Sprintf("member %s: %s", name, err)))
				return
			}
			works[name][manifest.KeyOf(live).String()] = propagation.Stray{Owned: owned, Sensitive: execution.Sensitive(live)}.Fields()
			instances[execution.OwnerOf(live).Instance] = true
			record.Member(name).Touch(propagation.KindNamespace{APIVersion: live.GetAPIVersion(), Kind: live.GetKind(), Namespace: live.GetNamespace()})
		}
		record.Member(name).Identity = objects.identity
	}
	if len(works) == 0 {
		resp.Diagnostics.AddError("Nothing to import", nothingFound(state.Name.ValueString(), slices.Sorted(maps.Keys(found))))
		return
	}
	if len(instances) > 1 {
		resp.Diagnostics.AddError("Objects belong to more than one propagation", fmt.Sprintf(
			"Objects labelled %s carry %d different instances: two states hold, or held, a propagation of this name. Create a propagation with this name instead "+
				"of importing it: it adopts them all.", state.Name.ValueString(), len(instances)))
		return
	}
	for instance := range instances {
		state.ID = types.StringValue(instance)
	}
	value, err := worksValue(works, nil)
	if err != nil {
		resp.Diagnostics.AddError("Works cannot be written", sentence(err.Error()))
		return
	}
	state.Works = value
	state.Placements = stringMapValue(nil)
	resp.Diagnostics.Append(writeRecord(ctx, resp.Private, record)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// nothingFound says that no member has objects of a propagation.
func nothingFound(name string, searched []string) string {
	if len(searched) == 0 {
		return "No member was searched, for the provider's members holds no connection that is known now. Give it the members that the propagation is on."
	}
	return fmt.Sprintf("No object with the label %s = %s was found. Searched: %s. The import ID is the name of a propagation, as its label has it: check its "+
		"spelling, and that the provider's members holds all the members that it is on.", execution.PropagationLabel, name, strings.Join(searched, ", "))
}

// warnUnhealthy warns once per run that a member is not well.
func (f *fleet) warnUnhealthy(diags *diag.Diagnostics, name string, unhealthy propagation.Unhealthy) {
	f.warnUnread(diags, name, unhealthy.Reason+": "+unhealthy.Message)
}

// warnUnread warns once per run that a member could not be read.
func (f *fleet) warnUnread(diags *diag.Diagnostics, name, why string) {
	f.warnOnce(diags, "Member "+name+" is not well", fmt.Sprintf(
		"%s. Its works stay as they are until it can be read again; the other members go on.", why))
}

// warnUnreadObjects warns that single objects of a member could not be read.
func (f *fleet) warnUnreadObjects(diags *diag.Diagnostics, name string, failed map[string]error) {
	if len(failed) == 0 {
		return
	}
	first := slices.Min(slices.Collect(maps.Keys(failed)))
	f.warnOnce(diags, "Member "+name+" does not show all objects", fmt.Sprintf(
		"%s: %s. What could not be read counts as unchanged (%s).", first, failed[first], spelling.Count(len(failed), "object")))
}

// warnTaken warns that objects belong to another propagation now: one warning for all members.
func warnTaken(diags *diag.Diagnostics, taken map[string][]string) {
	if len(taken) == 0 {
		return
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(taken)) {
		slices.Sort(taken[name])
		lines = append(lines, name+": "+abbreviated(taken[name]))
	}
	diags.AddWarning("Objects were taken over", "Another state has taken these objects over, or another propagation has:\n\n  "+strings.Join(lines, "\n  ")+
		"\n\nThis one can neither change nor delete them: an apply is refused, and a destroy leaves them alone. Let one propagation have them: "+
		"take them out of the other, or destroy this one.")
}
