package provider

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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

// claims says which propagation of one run plans which objects.
type claims map[place]claimant

// claim notes what a propagation plans in place of what it planned before: member -> keys. It returns what others plan too:
// they keep their claim.
func (c claims) claim(by claimant, planned map[string][]string) map[claimant]map[string][]string {
	maps.DeleteFunc(c, func(_ place, holder claimant) bool { return holder.same(by) })
	contested := map[claimant]map[string][]string{}
	for member, keys := range planned {
		for _, key := range keys {
			holder, held := c[place{member, key}]
			if !held {
				c[place{member, key}] = by
				continue
			}
			if contested[holder] == nil {
				contested[holder] = map[string][]string{}
			}
			contested[holder][member] = append(contested[holder][member], key)
		}
	}
	return contested
}

// checkClaims reports objects that another propagation of this configuration plans too. Only one of them could have them.
func (r *propagationResource) checkClaims(plan propagationModel, rendered *rendering, diags *diag.Diagnostics) {
	if plan.Name.IsUnknown() {
		return
	}
	var planned map[string][]string
	if rendered != nil {
		planned = rendered.planned.Holds()
	}
	by := claimant{plan.Name.ValueString(), plan.ID.ValueString()}
	contested := r.fleet.claim(by, planned)
	for _, holder := range slices.SortedFunc(maps.Keys(contested), func(a, b claimant) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.instance, b.instance))
	}) {
		diags.AddAttributeError(path.Root("templates"), "Objects are in two propagations", contestedDetail(by.name, holder.name, contested[holder]))
	}
}

// contestedDetail explains what to do about objects that two propagations plan.
func contestedDetail(name, other string, objects map[string][]string) string {
	both := fmt.Sprintf("Propagation %s and this one, %s, both bring", other, name)
	advice := "Take them out of the templates of one, or let the policies place them on different members"
	if name == other {
		both = fmt.Sprintf("Another propagation named %s and this one both bring", name)
		advice = "Remove one of the two resources, or give it other objects and a name of its own"
	}
	return fmt.Sprintf("%s the same objects:\n\n%s\n\nAn object on a member belongs to one propagation. %s.", both, objectLines(objects), advice)
}

// objectLines lists objects, one member a line.
func objectLines(objects map[string][]string) string {
	var lines []string
	for _, member := range slices.Sorted(maps.Keys(objects)) {
		slices.Sort(objects[member])
		lines = append(lines, "  "+member+": "+abbreviated(objects[member]))
	}
	return strings.Join(lines, "\n")
}
