package provider

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// defaultTimeout bounds a create, update or delete as a whole.
const defaultTimeout = 10 * time.Minute

// Create applies what is planned to all members.
func (r *propagationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer gatherWarnings(&resp.Diagnostics)
	var config, plan propagationModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	left, replacing := r.fleet.takeOver(plan.Name.ValueString())
	if !replacing {
		left.instance = newInstance()
	}
	plan.ID = types.StringValue(left.instance)
	done, placements := r.create(ctx, config, plan, left, replacing)
	resp.Diagnostics.Append(done.diags...)
	if done.diags.HasError() {
		if len(done.works) == 0 {
			return // there is nothing to keep
		}
		resp.Diagnostics.AddWarning("Propagation is created in part", "What was applied is in the state. Terraform marks a resource whose creation failed as "+
			"tainted; here that replaces nothing: apply again and only what is missing is added, or run `terraform untaint` first.")
	}
	r.store(&plan, placements, done, &resp.Diagnostics)
	resp.Diagnostics.Append(writeRecord(ctx, resp.Private, done.record)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// create applies a new propagation over what a replaced one left in place, if there was one. When nothing can be applied,
// that is still there.
func (r *propagationResource) create(
	ctx context.Context, config, plan propagationModel, left handover, replacing bool,
) (*applied, map[string]propagation.Placement) {
	rendered, diags := r.renderPlanned(ctx, config, plan, propagationModel{}, nil)
	if diags.HasError() {
		return &applied{works: left.prior.Works, record: left.prior.Record, diags: diags}, left.prior.Placements
	}
	if replacing {
		rendered.prior = left.prior
	}
	done := r.apply(ctx, application{
		rendered: rendered, name: plan.Name.ValueString(), instance: left.instance,
		adopt: plan.adopts(), orphan: plan.DeletionPolicy.ValueString() == deletionOrphan, asked: plan.asksServers(),
		all: true, // a replacement loses the private state of the one it replaces, which is built again from the answers
	})
	done.diags = append(diags, done.diags...)
	return done, rendered.planned.Placements
}

// Update sends the members what differs from what they hold.
func (r *propagationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer gatherWarnings(&resp.Diagnostics)
	var config, plan, state propagationModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	rendered, diags := r.renderPlanned(ctx, config, plan, state, req.Private)
	resp.Diagnostics.Append(diags...)
	moves, diags := readMoves(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	done := r.apply(ctx, application{
		rendered: rendered, name: plan.Name.ValueString(), instance: plan.ID.ValueString(),
		orphan: plan.DeletionPolicy.ValueString() == deletionOrphan, asked: plan.asksServers(),
		all:   !plan.Name.Equal(state.Name), // the label changes
		moves: moves,
	})
	resp.Diagnostics.Append(done.diags...)
	r.store(&plan, rendered.planned.Placements, done, &resp.Diagnostics)
	resp.Diagnostics.Append(writeRecord(ctx, resp.Private, done.record)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// renderPlanned renders again at apply, and makes sure that it comes to what was planned: nothing else is ever sent.
func (r *propagationResource) renderPlanned(
	ctx context.Context, config, plan, state propagationModel, private privateReader,
) (*rendering, diag.Diagnostics) {
	rendered, unknown, diags := r.render(ctx, config, plan, state, private)
	switch {
	case diags.HasError():
	case rendered == nil:
		diags.AddError("Values are not known at apply", "Still not known: "+strings.Join(unknown, ", ")+". Nothing was sent.")
	case !plan.Works.IsUnknown() && fullyKnown(plan.Works) && !plan.Works.Equal(rendered.works):
		diags.AddAttributeError(path.Root("works"), "Rendering differs from the plan",
			"The templates, policies or members now come to other works than those planned, so nothing was sent. Plan again. "+
				"If this happens every time, a value differs on each evaluation: for masked content set secrets_revision.")
	}
	return rendered, diags
}

// store puts what the members hold into the model that becomes the state.
func (r *propagationResource) store(
	plan *propagationModel, placements map[string]propagation.Placement, done *applied, diags *diag.Diagnostics,
) {
	var err error
	if plan.Works, err = worksValue(done.works, nil); err != nil {
		diags.AddError("Works cannot be written", sentence(err.Error()))
	}
	if plan.Placements, err = placementsValue(placements); err != nil {
		diags.AddError("Placements cannot be written", sentence(err.Error()))
	}
}

// application is one apply of a propagation.
type application struct {
	rendered *rendering
	name     string // of the propagation
	instance string
	adopt    bool // objects of another instance may be taken over
	orphan   bool // removed objects stay on the member
	all      bool // every object is sent, also those that are as they should be
	asked    bool // the plan has asked the members whether they would take the objects
	destroy  bool // everything is removed, by a destroy and not by a replacement
	moves    objectKeys
}

// again returns what a user does to go on after a failure.
func (a application) again() string {
	if a.destroy {
		return "destroy again"
	}
	return "apply again"
}

// applied is what became of an application.
type applied struct {
	works  propagation.Works
	record *propagation.Record
	diags  diag.Diagnostics
}

// apply sends each member what it lacks, all members in parallel. One member's failure does not stop the others.
func (r *propagationResource) apply(ctx context.Context, a application) *applied {
	prior, planned := a.rendered.prior, a.rendered.planned
	done := &applied{works: propagation.Works{}, record: prior.Record.Clone()}
	done.record.ForgetEmpty(prior.Works)
	changes := map[string]propagation.Change{}
	for _, name := range memberNames(prior.Works, planned.Works) {
		if r.fleet.reach(name) == reachRetired {
			delete(done.record.Members, name)
			continue
		}
		done.works[name] = prior.Works[name]
		changes[name] = propagation.Changes(prior, planned, name, a.orphan, a.all)
	}
	r.send(ctx, a, changes, prior.Works, planned.Works, done)
	maps.DeleteFunc(done.works, func(_ string, objects propagation.Objects) bool { return len(objects) == 0 })
	if err := planned.Withhold(done.works, done.record); err != nil {
		done.diags.AddError("State cannot be written", sentence(err.Error()))
	}
	return done
}

// send sends every member its change, all in parallel: one that is slow or away holds up no other. What a member holds after
// it is settled in done, with the errors and warnings of each member in the order of their names.
func (r *propagationResource) send(
	ctx context.Context, a application, changes map[string]propagation.Change, before, after propagation.Works, done *applied,
) {
	var mu sync.Mutex
	var group sync.WaitGroup
	var arrivals sync.WaitGroup // members that get something, until they have said which cluster they are
	identities := propagation.NewIdentities(done.record.Clone(), after)
	salts := propagation.NewSalts()
	said := map[string]diag.Diagnostics{}
	maps.DeleteFunc(changes, func(_ string, change propagation.Change) bool { return change.Empty() })
	for name := range changes {
		if len(after[name]) > 0 {
			arrivals.Add(1)
		}
	}
	admit := func(name string) diag.Diagnostics {
		if len(after[name]) > 0 {
			defer arrivals.Done()
		} else {
			arrivals.Wait() // what leaves a member may be meant to stay on its cluster, under another name
		}
		return r.admit(ctx, a, name, before[name], identities)
	}
	for name, change := range changes {
		group.Go(func() {
			if diags := admit(name); diags.HasError() {
				mu.Lock()
				defer mu.Unlock()
				said[name] = diags
				return
			}
			results, diags := r.applyMember(ctx, name, a, change)
			mu.Lock()
			defer mu.Unlock()
			record := done.record.Member(name)
			record.Identity = identities.Admitted(name)
			if held, err := propagation.Settle(before[name], after[name], change, results, record, salts); err != nil {
				diags.AddError("State cannot be written", sentence(err.Error()))
			} else {
				done.works[name] = held
			}
			said[name] = diags
		})
	}
	group.Wait()
	for _, name := range slices.Sorted(maps.Keys(said)) {
		done.diags.Append(said[name]...)
	}
}

// admit says why a member must not be written to, if so: nothing leads to it, or not to the cluster it should be.
func (r *propagationResource) admit(
	ctx context.Context, a application, name string, before propagation.Objects, identities *propagation.Identities,
) (diags diag.Diagnostics) {
	if r.fleet.reach(name) != reachKnown {
		diags.AddError(summaryAbsent, r.fleet.absentDetail(name, heldOn(before)))
		return diags
	}
	identity, err := r.fleet.session(name).Identity(ctx)
	if err != nil {
		diags.AddError("Member "+name+" cannot be written to", memberFailure(ctx, name, err, a.again()))
		return diags
	}
	if problem := identities.Admit(name, identity); problem != "" {
		diags.AddError("Member "+name+" is not the cluster it should be", problem)
	}
	return diags
}

// memberFailure explains an error that stopped all work on a member.
func memberFailure(ctx context.Context, name string, err error, again string) string {
	why := err.Error()
	if !errors.Is(err, context.Canceled) {
		health := member.HealthOf(err)
		why = health.Reason + ": " + health.Message
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		why += "; timeouts on the propagation says how long this may take"
	}
	return fmt.Sprintf("%s Nothing was sent to member %s, and what it holds is unchanged in the state. When it is well, %s. If its cluster is gone for good, "+
		"set %s = { retired = true } in the provider's members first.", sentence(why), name, again, name)
}

func memberNames(works ...propagation.Works) []string {
	names := map[string]bool{}
	for _, w := range works {
		for name := range w {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// newInstance returns a random identity for the objects of a new propagation.
func newInstance() string {
	raw := make([]byte, 8)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the process instead
	return hex.EncodeToString(raw)
}
