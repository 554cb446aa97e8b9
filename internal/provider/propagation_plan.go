package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// rendering is what a configuration, a prior state and a prior private state come to. It is computed by the same function
// at plan and again at apply.
type rendering struct {
	members    []propagation.Member
	kinds      *interpreter.Interpreter
	prior      propagation.Prior
	planned    *propagation.Planned
	placements types.Map
	works      types.Map
}

// ModifyPlan is the scheduler: it plans placements and works. It takes no value from the network or the clock.
func (r *propagationResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer gatherWarnings(&resp.Diagnostics)
	var config, plan, state propagationModel
	creating, destroying := req.State.Raw.IsNull(), req.Plan.Raw.IsNull()
	if !creating {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.warnRetired(ctx, state, &resp.Diagnostics)
	}
	if destroying {
		moves := r.planRemoval(ctx, state, req.Private, &resp.Diagnostics)
		resp.Diagnostics.Append(writeMoves(ctx, resp.Private, moves)...)
		return
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.ID = types.StringUnknown()
	if !creating {
		plan.ID = state.ID
		r.fleet.hold(state.ID.ValueString(), plan.Name.ValueString())
	}

	rendered, unknown, diags := r.render(ctx, config, plan, state, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	moves := r.checkClaims(plan, rendered, &resp.Diagnostics)
	wanted := plannedObjects{Name: plan.Name.ValueString(), Objects: map[string][]string{}}
	if rendered == nil {
		plan.Placements, plan.Works = types.MapUnknown(types.StringType), types.MapUnknown(types.StringType)
		wanted.Unknown = true
		warnUnknown(&resp.Diagnostics, unknown)
	} else {
		plan.Placements, plan.Works = rendered.placements, rendered.works
		wanted.Away = slices.Sorted(maps.Keys(rendered.planned.Frozen))
		for name, objects := range rendered.planned.Objects {
			wanted.Objects[name] = slices.Sorted(maps.Keys(objects))
		}
		r.checkConnections(rendered, &resp.Diagnostics)
		r.checkDistinct(ctx, rendered, &resp.Diagnostics)
		warnHeld(rendered.planned, &resp.Diagnostics)
	}
	if !creating {
		resp.Diagnostics.Append(writeMoves(ctx, resp.Private, moves)...)
	} else {
		resp.Diagnostics.Append(writePlanned(ctx, resp.Private, wanted)...)
		if rendered != nil && !resp.Diagnostics.HasError() {
			r.warnCreation(ctx, plan, rendered, &resp.Diagnostics)
		}
	}
	if rendered != nil && !resp.Diagnostics.HasError() {
		r.warnForeign(ctx, plan, rendered, &resp.Diagnostics)
		r.warnDependencies(ctx, rendered, &resp.Diagnostics)
		r.warnScalers(ctx, rendered, &resp.Diagnostics)
		r.validate(ctx, plan, rendered, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// render computes what the configuration wants, given what was there. It returns nil and the names of the inputs that are
// not known yet when they keep it from that.
func (r *propagationResource) render(
	ctx context.Context, config, plan, state propagationModel, private privateReader,
) (*rendering, []string, diag.Diagnostics) {
	in, diags := readInputs(ctx, config, r.fleet.defaultPolicies)
	if diags.HasError() {
		return nil, nil, diags
	}
	if len(in.unknown) > 0 {
		return nil, in.unknown, diags
	}
	prior, moreDiags := readPrior(ctx, state, private)
	diags.Append(moreDiags...)
	if diags.HasError() {
		return nil, nil, diags
	}
	planned, moreDiags := in.compute(plan, history{prior: prior, retired: r.fleet.retired(), rebalance: rebalances(plan, state)})
	diags.Append(moreDiags...)
	if diags.HasError() {
		return nil, nil, diags
	}
	rendered := &rendering{members: in.members, kinds: in.kinds, prior: prior, planned: planned}
	var err error
	if rendered.placements, err = placementsValue(planned.Placements); err != nil {
		diags.AddError("Placements cannot be written", sentence(err.Error()))
	}
	if rendered.works, err = worksValue(planned.Works, planned.Unknown); err != nil {
		diags.AddError("Works cannot be written", sentence(err.Error()))
	}
	return rendered, nil, diags
}

// planRemoval says which objects a destroy leaves on their members. It returns those that another propagation takes over.
func (r *propagationResource) planRemoval(ctx context.Context, state propagationModel, private privateReader, diags *diag.Diagnostics) objectKeys {
	prior, moreDiags := readPrior(ctx, state, private)
	diags.Append(moreDiags...)
	if diags.HasError() {
		return nil
	}
	retired := r.fleet.retired()
	if note := propagation.Staying(prior, nil, func(name string) bool { return retired[name] }); note != nil {
		addProblems(diags, []*propagation.Problem{note})
	}
	var removes []place
	for name := range prior.Works {
		removes = append(removes, deletions(name, propagation.RemoveAll(prior, name, nil, state.DeletionPolicy.ValueString() == deletionOrphan))...)
	}
	return r.fleet.claim(claimant{state.Name.ValueString(), state.ID.ValueString()}, intent{removes: removes}).departing
}

func planSettings(plan propagationModel) propagation.Settings {
	settings := propagation.Settings{MaxMembersRemoved: defaultMaxMembersRemoved}
	if !plan.MaxMembersRemoved.IsNull() {
		settings.MaxMembersRemoved = plan.MaxMembersRemoved.ValueInt64()
	}
	if !plan.SecretsRevision.IsNull() {
		revision := plan.SecretsRevision.ValueInt64()
		settings.SecretsRevision = &revision
	}
	return settings
}

// warnUnknown says which inputs keep the plan from showing the works, and how to have them shown.
func warnUnknown(diags *diag.Diagnostics, unknown []string) {
	diags.AddWarning("Works are known after apply", fmt.Sprintf(
		"Not known yet: %s. Placements and works are computed during apply, once these values are known. %s", strings.Join(unknown, ", "), knownSooner(unknown)))
}

// knownSooner says how the placements would be known in the plan, though the given inputs are not. Those are whole arguments
// or elements, such as templates[0], or fields of objects, such as templates[0].spec.replicas.
func knownSooner(unknown []string) string {
	fields := slices.DeleteFunc(slices.Clone(unknown), func(input string) bool { return !strings.Contains(input, "].") })
	if len(fields) == 0 {
		return "Values that are not known inside an object (rather than in YAML text), or in a member's variables, would leave the placements known."
	}
	return fmt.Sprintf("Where objects go, and in how many replicas, depends on %s: to see it in the plan, give it a value that is known before anything is "+
		"created (a variable or a local in place of an attribute of a new resource), or leave the field out where the object needs none.",
		strings.Join(fields, ", "))
}

// warnHeld says which changes wait for members that are frozen: one warning for all of them.
func warnHeld(planned *propagation.Planned, diags *diag.Diagnostics) {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(planned.Held)) {
		if keys := planned.Held[name]; len(keys) > 0 {
			lines = append(lines, fmt.Sprintf("%s (%s): %s", name, planned.Frozen[name], abbreviated(keys)))
		}
	}
	if len(lines) == 0 {
		return
	}
	diags.AddWarning("Changes are held back", "These members cannot be written to now, so their works stay as they are; the others go on. "+
		"The first plan that finds the member well shows the changes again.\n\n"+strings.Join(lines, "\n"))
}
