package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

// adopts reports whether a create may take over objects of another instance: unless it is known that it may not.
func (m propagationModel) adopts() bool { return !m.Adopt.Equal(types.BoolValue(false)) }

// sighting is what a member has of objects that carry the name of a new propagation.
type sighting struct {
	count   int
	applied time.Time // when one of them was last applied
	beyond  []string  // those that are not planned
}

// meeting is what one member has, of instances that this run's state holds and of others, or why the member is not well.
type meeting struct {
	ours, others sighting
	unwell       string
}

// add counts one more object.
func (s *sighting) add(key string, live *unstructured.Unstructured, planned bool) {
	s.count++
	if applied := execution.AppliedAt(live); applied.After(s.applied) {
		s.applied = applied
	}
	if !planned {
		s.beyond = append(s.beyond, key)
	}
}

// describe lists members, counts and times, one member a line.
func describe(seen map[string]sighting) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		fmt.Fprintf(&b, "\n  %s: %s, last applied %s", name, spelling.Count(seen[name].count, "object"), seen[name].applied.UTC().Format(time.RFC3339))
	}
	return b.String()
}

// warnCreation tells the user what a new propagation will meet on the members: one that is not well, or objects that carry its
// name already, which it takes over or refuses. It asks the members for nothing else, and no planned value comes from it.
func (r *propagationResource) warnCreation(ctx context.Context, plan propagationModel, rendered *rendering, diags *diag.Diagnostics) {
	name := plan.Name.ValueString()
	written := maps.Clone(rendered.planned.Objects)
	maps.DeleteFunc(written, func(on string, objects map[string]*propagation.Work) bool {
		return r.fleet.reach(on) != reachKnown || len(objects) == 0 || rendered.planned.Frozen[on] != ""
	})
	met := inParallel(written, func(on string, objects map[string]*propagation.Work) meeting { return r.meet(ctx, on, name, objects) })
	ours, others := map[string]sighting{}, map[string]sighting{}
	for _, on := range slices.Sorted(maps.Keys(met)) {
		if unwell := met[on].unwell; unwell != "" {
			r.fleet.warnOnce(diags, "Member "+on+" is not well", fmt.Sprintf(
				"%s. If it is still so at apply, the member gets nothing and the apply ends with an error; the other members are done.", unwell))
		}
		if met[on].ours.count > 0 {
			ours[on] = met[on].ours
		}
		if met[on].others.count > 0 {
			others[on] = met[on].others
		}
	}
	warnChange(name, ours, plan.adopts(), diags)
	warnAdoption(name, others, plan.adopts(), diags)
}

// warnChange says what becomes of objects that a propagation of this state holds under the name of a new one.
func warnChange(name string, ours map[string]sighting, adopt bool, diags *diag.Diagnostics) {
	if len(ours) == 0 {
		return
	}
	detail := fmt.Sprintf("Objects named for propagation %s belong to one that the state holds already:\n%s\n\nWhere this plan replaces that one they stay in "+
		"place, and nothing is made anew. Else two resources contend for them: give each a name of its own, or, if a resource was renamed, "+
		"add a moved block.", name, describe(ours))
	if !adopt {
		detail += " With adopt = false and create_before_destroy the apply refuses them."
	}
	diags.AddWarning("Objects change hands", detail)
}

// warnAdoption says that a new propagation takes over objects of an unknown state, or refuses them.
func warnAdoption(name string, others map[string]sighting, adopt bool, diags *diag.Diagnostics) {
	if len(others) == 0 {
		return
	}
	detail := fmt.Sprintf("Objects named for propagation %s are there already:\n%s\n\n", name, describe(others))
	if !adopt {
		diags.AddAttributeError(path.Root("adopt"), "Objects of this name exist",
			detail+"adopt = false refuses them. Choose another name, import the propagation, or allow adoption.")
		return
	}
	detail += "Where this run replaces the propagation they are its own, and stay in place. Else their state was lost, or still exists somewhere: this " +
		"propagation takes them over, and that state can then neither change nor delete them. Set adopt = false to refuse."
	if beyond := unplanned(others); len(beyond) > 0 {
		detail += fmt.Sprintf("\n\nOf these, the plan does not hold:\n\n%s\n\nIf their state was lost they stay on the members, and no state holds them. To have them "+
			"removed, import the propagation by its name before this apply: the plan then shows their removal.", objectLines(beyond))
	}
	diags.AddWarning("Objects will be adopted", detail)
}

// unplanned returns the objects that are not planned, by member.
func unplanned(seen map[string]sighting) map[string][]string {
	beyond := map[string][]string{}
	for name, s := range seen {
		if len(s.beyond) > 0 {
			beyond[name] = s.beyond
		}
	}
	return beyond
}

// meet returns which objects of one member carry the name of the propagation, among the kinds it plans, or why the member is not
// well.
func (r *propagationResource) meet(ctx context.Context, on, name string, works map[string]*propagation.Work) (m meeting) {
	session := r.fleet.session(on)
	health, err := session.Probe(ctx, member.ProbeSettings{})
	switch {
	case err != nil:
		m.unwell = err.Error()
	case !health.Healthy():
		m.unwell = health.Reason + ": " + health.Message
	default:
		ctx, cancel := context.WithTimeout(ctx, questionTimeout)
		defer cancel()
		m.ours, m.others = r.countOwned(ctx, session, name, works)
	}
	return m
}

// countOwned counts the objects of a member that carry the name of the propagation, among the kinds it plans: those of
// instances that this run's state holds, and those of others.
func (r *propagationResource) countOwned(
	ctx context.Context, session *member.Session, name string, works map[string]*propagation.Work,
) (ours, others sighting) {
	for key, live := range ownedAmong(ctx, session, works) {
		owner := execution.OwnerOf(live)
		if owner.Propagation != name {
			continue
		}
		if _, held := r.fleet.holds(owner.Instance); held {
			ours.add(key, live, works[key] != nil)
		} else {
			others.add(key, live, works[key] != nil)
		}
	}
	return ours, others
}

// ownedAmong returns the objects of a member that carry the mark of a propagation, by key, of the kinds of the works. A kind
// that cannot be listed may come with this very apply.
func ownedAmong(ctx context.Context, session *member.Session, works map[string]*propagation.Work) map[string]*unstructured.Unstructured {
	all := map[string]*unstructured.Unstructured{}
	for _, kind := range propagation.KindsOf(works) {
		owned, err := session.Owned(ctx, schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind), kind.Namespace)
		if err != nil {
			continue
		}
		for key, live := range owned {
			all[key.String()] = live
		}
	}
	return all
}
