package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// history is what was there before: nothing for a create and a preview.
type history struct {
	prior     propagation.Prior
	retired   map[string]bool
	rebalance bool
}

// compute places the templates and renders what each member gets. It is the one way from arguments to placements: plan,
// apply, the preview and the functions all go it.
func (in *inputs) compute(arguments propagationModel, before history) (*propagation.Planned, diag.Diagnostics) {
	var diags diag.Diagnostics
	computed, problems := propagation.Compute(propagation.Input{
		Templates:          in.templates,
		Policies:           in.policies,
		Members:            slices.DeleteFunc(slices.Clone(in.members), func(m propagation.Member) bool { return before.retired[m.Name()] }),
		Retired:            before.retired,
		Prior:              before.prior,
		Rebalance:          before.rebalance,
		KeepGroup:          arguments.Failback.ValueString() == failbackNever,
		IgnoreUnmatched:    arguments.Unmatched.ValueString() == unmatchedIgnore,
		Shared:             in.shared,
		Interpreter:        in.kinds,
		SensitiveTemplates: in.sensitive,
		SensitivePaths:     in.masked,
		IgnoreFields:       in.ignored,
	})
	addProblems(&diags, problems)
	if diags.HasError() {
		return nil, diags
	}
	planned, problems := propagation.Plan(computed, in.members, before.retired, before.prior, planSettings(arguments))
	addProblems(&diags, problems)
	return planned, diags
}

// rebalances reports whether a plan divides replicas afresh: when rebalance_trigger is set and is not what it was.
func rebalances(plan, state propagationModel) bool {
	return !plan.RebalanceTrigger.IsNull() && !plan.RebalanceTrigger.Equal(state.RebalanceTrigger)
}

// unknownArguments returns the arguments that placements or works depend on, beside the write-only ones, and that are not
// known yet.
func (m propagationModel) unknownArguments() []string {
	var unknown []string
	for _, argument := range []struct {
		name  string
		value attr.Value
	}{
		{"namespace", m.Namespace}, {"conflict_resolution", m.ConflictResolution}, {"suspension", m.Suspension},
		{"unmatched", m.Unmatched}, {"sensitive_paths", m.SensitivePaths}, {"secrets_revision", m.SecretsRevision},
		{"ignore_fields", m.IgnoreFields}, {"interpreters", m.Interpreters}, {"helm_hooks", m.HelmHooks},
		{"rebalance_trigger", m.RebalanceTrigger}, {"failback", m.Failback}, {"max_members_removed", m.MaxMembersRemoved},
	} {
		if !fullyKnown(argument.value) {
			unknown = append(unknown, argument.name)
		}
	}
	return unknown
}
