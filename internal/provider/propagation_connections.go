package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

const summaryAbsent = "Member without a connection"

// checkConnections reports the members that this plan has to do with and that the provider does not know.
func (r *propagationResource) checkConnections(rendered *rendering, diags *diag.Diagnostics) {
	names := map[string]bool{}
	for i := range rendered.members {
		names[rendered.members[i].Name()] = true
	}
	for name := range rendered.prior.Works {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if r.fleet.reach(name) == reachAbsent {
			diags.AddAttributeError(path.Root("members"), summaryAbsent, r.fleet.absentDetail(name, heldOn(rendered.prior.Works[name])))
		}
	}
}

// heldOn says in absentDetail that the state has objects on a member; "" when it has none.
func heldOn(objects propagation.Objects) string {
	if objects.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("and by the state it holds %s of this propagation", spelling.Count(objects.Len(), "object"))
}

// absentDetail explains what to do about a member that the provider does not know. What ties the state to the member, if
// anything does, has a safe way out; else its name is probably misspelt, or its connection still to come.
func (f *fleet) absentDetail(name, tie string) string {
	missing := fmt.Sprintf("The provider configuration has no connection for member %q", name)
	example := fmt.Sprintf("provider \"multicluster\" { members = { %s = { ... } } }", name)
	if tie != "" {
		return fmt.Sprintf("%s, %s. Add it: %s. To be rid of the member, keep its connection, take it out of the propagations and apply, so that its objects "+
			"are removed; then remove the connection. If the cluster is gone for good, or has got another name, set %s = { retired = true } there instead: "+
			"its objects are then forgotten, and stay wherever they are.", missing, tie, example, name)
	}
	if near := spelling.NearestNumbered(name, slices.Collect(maps.Keys(f.connections))); near != "" {
		return fmt.Sprintf("%s; did you mean %s? If not, add it: %s.", missing, near, example)
	}
	return fmt.Sprintf("%s. Add it: %s.", missing, example)
}

// warnRetired says which objects a plan forgets without removing them, because their members are retired. To Terraform that
// looks like any removal.
func (r *propagationResource) warnRetired(ctx context.Context, state propagationModel, diags *diag.Diagnostics) {
	encoded, moreDiags := stringMap(ctx, state.Works)
	diags.Append(moreDiags...)
	works, err := propagation.DecodeWorks(encoded)
	if err != nil {
		return // reading the prior state says so
	}
	var lines []string
	for name := range r.fleet.retired() {
		if n := works[name].Len(); n > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", name, spelling.Count(n, "object")))
		}
	}
	if len(lines) == 0 {
		return
	}
	slices.Sort(lines)
	diags.AddWarning("Objects stay on retired members", fmt.Sprintf("These members are retired, so nothing is removed from them. What the plan shows as removed "+
		"there is forgotten, and runs on if the cluster is still there:\n\n  %s\n\nIf the objects should go, give the connection in place of retired = true, and "+
		"take the member out of the propagation instead.", strings.Join(lines, "\n  ")))
}

// checkDistinct reports members that are one cluster. It asks only members that are well, and passes over those that do not
// answer: the apply asks again before it writes. Of those that are to lose everything it knows what they were.
func (r *propagationResource) checkDistinct(ctx context.Context, rendered *rendering, diags *diag.Diagnostics) {
	prior, planned := rendered.prior, rendered.planned
	written := maps.Clone(planned.Works)
	maps.DeleteFunc(written, func(name string, _ propagation.Objects) bool { return planned.Frozen[name] != "" })
	seen := ask(ctx, r.fleet, written, questionTimeout, func(ctx context.Context, session *member.Session, _ propagation.Objects) *api.Identity {
		if identity, err := session.Identity(ctx); err == nil {
			return &identity
		}
		return nil
	})
	others := prior.Record.Clone()
	others.ForgetEmpty(prior.Works)
	maps.DeleteFunc(others.Members, func(name string, _ *propagation.MemberRecord) bool {
		_, gets := planned.Works[name]
		return gets || r.fleet.reach(name) == reachRetired
	})
	identities := propagation.NewIdentities(others, planned.Works)
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if seen[name] == nil {
			continue
		}
		if problem := identities.Admit(name, *seen[name]); problem != "" {
			diags.AddAttributeError(path.Root("members"), "Members are one cluster", problem)
		}
	}
}
