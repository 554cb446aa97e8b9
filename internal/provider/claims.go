package provider

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// claimant is a propagation that plans objects. One that is created has no instance yet.
type claimant struct{ name, instance string }

// same reports whether a plan of c and one of other may be of one resource. A replacement is planned twice: as what it is, then
// as what is created in its place, which has the same name and no instance. Nothing is created twice in one run.
func (c claimant) same(other claimant) bool {
	if (c.instance == "") != (other.instance == "") {
		return c.name == other.name
	}
	return c.instance != "" && c.instance == other.instance
}

// place is an object on a member.
type place struct{ member, key string }

// objectKeys are objects by member: member -> keys.
type objectKeys map[string][]string

func (o objectKeys) add(p place) { o[p.member] = append(o[p.member], p.key) }

// intent is what a plan makes of objects: those that it brings, with whether it takes them over from others, and those that it
// removes.
type intent struct {
	brings  map[place]bool
	removes []place
}

// encounter is what a plan has in common with those of other propagations: objects that others bring too, objects that it brings
// and that others, planned before it, remove, and objects that it removes and that others take over.
type encounter struct {
	contested, arriving map[claimant]objectKeys
	departing           objectKeys
}

// claims says what the propagations of one run plan for which objects.
type claims struct {
	brought map[place]claim
	removed map[place]claimant
}

// claim is that of the propagation that brings an object.
type claim struct {
	by        claimant
	takesOver bool
}

func newClaims() *claims { return &claims{brought: map[place]claim{}, removed: map[place]claimant{}} }

// claim notes what a propagation plans in place of what it planned before. Of what others bring too, they keep their claim.
func (c *claims) claim(by claimant, in intent) encounter {
	maps.DeleteFunc(c.brought, func(_ place, holder claim) bool { return holder.by.same(by) })
	maps.DeleteFunc(c.removed, func(_ place, holder claimant) bool { return holder.same(by) })
	met := encounter{contested: map[claimant]objectKeys{}, arriving: map[claimant]objectKeys{}, departing: c.departing(by, in.removes)}
	for at, takesOver := range in.brings {
		if holder, held := c.brought[at]; held {
			addTo(met.contested, holder.by, at)
			continue
		}
		c.brought[at] = claim{by, takesOver}
		if remover, removed := c.removed[at]; removed && takesOver {
			addTo(met.arriving, remover, at)
		}
	}
	for _, at := range in.removes {
		c.removed[at] = by
	}
	return met
}

// departing returns those of the objects that another propagation takes over.
func (c *claims) departing(by claimant, removes []place) objectKeys {
	moved := objectKeys{}
	for _, at := range removes {
		if holder, held := c.brought[at]; held && holder.takesOver && !holder.by.same(by) {
			moved.add(at)
		}
	}
	return moved
}

func addTo(all map[claimant]objectKeys, by claimant, at place) {
	if all[by] == nil {
		all[by] = objectKeys{}
	}
	all[by].add(at)
}

// checkClaims reports objects that another propagation of this configuration plans too, for only one of them could have them, and
// warns of those that may be deleted there before they are taken over here. It returns the objects that are taken over there.
func (r *propagationResource) checkClaims(plan propagationModel, rendered *rendering, diags *diag.Diagnostics) objectKeys {
	if plan.Name.IsUnknown() {
		return nil
	}
	by := claimant{plan.Name.ValueString(), plan.ID.ValueString()}
	met := r.fleet.claim(by, intentOf(rendered, plan.DeletionPolicy.ValueString() == deletionOrphan))
	for _, holder := range claimants(met.contested) {
		diags.AddAttributeError(path.Root("templates"), "Objects are in two propagations", contestedDetail(by.name, holder.name, met.contested[holder]))
	}
	for _, remover := range claimants(met.arriving) {
		diags.AddAttributeWarning(path.Root("templates"), "Objects move between propagations", fmt.Sprintf(
			"Propagation %[1]s removes these, and this one takes them over in the same apply:\n\n%[2]s\n\nIf %[1]s is changed before this one is begun, it deletes "+
				"them, with what they hold, and they are created anew here. So that they are taken over in place, give the resource of %[1]s depends_on with this one.",
			remover.name, objectLines(met.arriving[remover])))
	}
	return met.departing
}

// claimants returns the propagations in the order of their names.
func claimants(all map[claimant]objectKeys) []claimant {
	return slices.SortedFunc(maps.Keys(all), func(a, b claimant) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.instance, b.instance))
	})
}

// intentOf returns what a plan makes of objects. Where nothing is rendered, nothing is known of it.
func intentOf(rendered *rendering, orphan bool) intent {
	in := intent{brings: map[place]bool{}}
	if rendered == nil {
		return in
	}
	for name, keys := range rendered.planned.Holds() {
		for _, key := range keys {
			work := rendered.planned.Objects[name][key]
			in.brings[place{name, key}] = work != nil && work.Conflict == api.ConflictOverwrite
		}
	}
	for name := range rendered.prior.Works {
		in.removes = append(in.removes, deletions(name, propagation.Changes(rendered.prior, rendered.planned, name, orphan, false))...)
	}
	return in
}

// deletions returns what a change deletes on a member.
func deletions(name string, change propagation.Change) []place {
	var deleted []place
	for _, removal := range change.Remove {
		if !removal.Orphan {
			deleted = append(deleted, place{name, removal.Key})
		}
	}
	return deleted
}

// contestedDetail explains what to do about objects that two propagations plan.
func contestedDetail(name, other string, objects objectKeys) string {
	both := fmt.Sprintf("Propagation %s and this one, %s, both bring", other, name)
	advice := "Take them out of the templates of one, or let the policies place them on different members"
	if name == other {
		both = fmt.Sprintf("Another propagation named %s and this one both bring", name)
		advice = "Remove one of the two resources, or give it other objects and a name of its own"
	}
	return fmt.Sprintf("%s the same objects:\n\n%s\n\nAn object on a member belongs to one propagation. %s.", both, objectLines(objects), advice)
}

// objectLines lists objects, one member a line.
func objectLines(objects objectKeys) string {
	var lines []string
	for _, member := range slices.Sorted(maps.Keys(objects)) {
		slices.Sort(objects[member])
		lines = append(lines, "  "+member+": "+abbreviated(objects[member]))
	}
	return strings.Join(lines, "\n")
}
