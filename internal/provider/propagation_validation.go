package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// Values of validation.
const (
	validationSchema = "schema"
	validationServer = "server"
)

// validationTimeout bounds what a plan asks of one member to see whether it would take the changes.
const validationTimeout = time.Minute

// asksServers reports whether the members are asked at plan whether they would take the objects.
func (m propagationModel) asksServers() bool { return m.Validation.ValueString() == validationServer }

// validate asks every member whether it would take what the plan sends it, where the configuration wants that. It gives
// diagnostics and no value. What the member will never take is an error; what may be different by the time of the apply,
// such as a Namespace that another resource brings, is a warning. A member that does not answer is passed over.
func (r *propagationResource) validate(ctx context.Context, plan propagationModel, rendered *rendering, diags *diag.Diagnostics) {
	if !plan.asksServers() {
		return
	}
	changes := map[string]propagation.Change{}
	for name := range rendered.planned.Works {
		if change := propagation.Changes(rendered.prior, rendered.planned, name, false, false); len(change.Apply) > 0 {
			changes[name] = change
		}
	}
	objections := ask(ctx, r.fleet, changes, validationTimeout, func(ctx context.Context, session *member.Session, change propagation.Change) map[manifest.Key]error {
		return dryRun(ctx, session, plan, change)
	})
	var final, passing []string
	for _, name := range slices.Sorted(maps.Keys(objections)) {
		for _, err := range sortedByKey(objections[name]) {
			var refused *execution.ObjectError
			if errors.As(err, &refused) && refused.Final() {
				final = append(final, err.Error())
			} else {
				passing = append(passing, err.Error())
			}
		}
	}
	if len(final) > 0 {
		diags.AddAttributeError(path.Root("templates"), "Members would refuse objects", strings.Join(final, "\n\n"))
	}
	if len(passing) > 0 {
		diags.AddAttributeWarning(path.Root("templates"), "Members would refuse objects now", fmt.Sprintf(
			"If nothing else changes before the apply, these will fail:\n\n%s", strings.Join(passing, "\n\n")))
	}
}

// dryRun returns what one member says against the objects of a change.
func dryRun(ctx context.Context, session *member.Session, plan propagationModel, change propagation.Change) map[manifest.Key]error {
	instance := plan.ID.ValueString()
	if instance == "" {
		instance = newInstance()
	}
	request, err := applyRequest(application{name: plan.Name.ValueString(), instance: instance, adopt: plan.ID.IsUnknown()}, change)
	if err != nil {
		return nil
	}
	return execution.DryRun(ctx, session, request)
}

// sortedByKey returns the errors in the order of their objects.
func sortedByKey(found map[manifest.Key]error) []error {
	keys := slices.SortedFunc(maps.Keys(found), func(a, b manifest.Key) int { return strings.Compare(a.String(), b.String()) })
	errs := make([]error, len(keys))
	for i, key := range keys {
		errs[i] = found[key]
	}
	return errs
}
