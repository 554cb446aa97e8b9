package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// probeModel is the probe attribute.
type probeModel struct {
	Timeout  types.String `tfsdk:"timeout"`
	Confirm  types.String `tfsdk:"confirm"`
	Interval types.String `tfsdk:"interval"`
}

// memberPin is the private state of multicluster_member: which cluster answered under this name, and for which generation.
type memberPin struct {
	api.Identity

	Generation int64 `json:"generation"`
}

const pinKey = "pin"

// Read probes the member and writes what is wrong with it, if anything, into unhealthy.
func (r *memberResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state memberModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	name := state.Name.ValueString()
	if r.fleet == nil || r.fleet.reach(name) != reachKnown {
		return
	}
	before, diags := readUnhealthy(ctx, name, state.Unhealthy)
	resp.Diagnostics.Append(diags...)
	settings, diags := readProbe(ctx, state.Probe)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}

	health, err := r.fleet.session(name).Probe(ctx, settings)
	if err != nil { // the run was cancelled: nothing is known
		resp.Diagnostics.AddError("Member "+name+" was not probed", sentence(err.Error()))
		return
	}
	if health.Healthy() {
		health = r.pin(ctx, req, resp, name, state.generation(), health)
	}
	after := before.Observe(health.Reason, health.Message, time.Now())
	if !after.Healthy() {
		r.fleet.warnUnhealthy(&resp.Diagnostics, name, after)
	}
	state.Unhealthy = stringMapValue(after.Map())
	if state.EffectiveTaints.IsNull() { // right after an import
		state.EffectiveTaints = effectiveTaintsValue(nil)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// pin remembers the identity of the cluster that answers under this name, and returns IdentityChanged as health when it
// is another one than before in the same generation.
func (r *memberResource) pin(
	ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse, name string, generation int64, health member.Health,
) member.Health {
	identity, err := r.fleet.session(name).Identity(ctx)
	if err != nil {
		return health
	}
	var pinned memberPin
	raw, diags := req.Private.GetKey(ctx, pinKey)
	resp.Diagnostics.Append(diags...)
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &pinned); err != nil {
			resp.Diagnostics.AddError("Private state of a member cannot be read", fmt.Sprintf("Member %s: %s.", name, err))
			return health
		}
	}
	now := memberPin{identity, generation}
	if pinned.Known() && generation <= max(pinned.Generation, 1) {
		if !pinned.Same(identity) {
			return identityChanged(identity, pinned.Identity, pinned.Generation)
		}
		now.Identity = identity.Or(pinned.Identity)
	}
	if now == pinned {
		return health
	}
	if raw, err = json.Marshal(now); err != nil {
		resp.Diagnostics.AddError("Private state of a member cannot be written", fmt.Sprintf("Member %s: %s.", name, err))
		return health
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, pinKey, raw)...)
	return health
}

// identityChanged is the health of a member under whose name another cluster answers.
func identityChanged(now, before api.Identity, generation int64) member.Health {
	return member.Health{Reason: api.ReasonIdentityChanged, Message: fmt.Sprintf(
		"another cluster answers: its identity is %s, until now it was %s; if that is meant, because the cluster was replaced or the connection led to a wrong one before, "+
			"set generation = %d on the member, else mend its connection", now, before, max(generation, 1)+1)}
}

// readProbe returns the probe settings; absent ones are left to the member package.
func readProbe(ctx context.Context, value types.Object) (member.ProbeSettings, diag.Diagnostics) {
	var settings member.ProbeSettings
	if value.IsNull() || value.IsUnknown() {
		return settings, nil
	}
	var model probeModel
	diags := value.As(ctx, &model, objectAsOptions)
	for _, d := range []struct {
		from types.String
		to   *time.Duration
	}{{model.Timeout, &settings.Timeout}, {model.Confirm, &settings.Confirm}, {model.Interval, &settings.Interval}} {
		if d.from.ValueString() == "" {
			continue
		}
		parsed, err := time.ParseDuration(d.from.ValueString())
		if err != nil {
			diags.AddAttributeError(path.Root("probe"), "Duration cannot be read", err.Error())
			continue
		}
		*d.to = parsed
	}
	return settings, diags
}
