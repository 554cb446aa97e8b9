package propagation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Staying notes the objects that a plan shows as removed and that stay on their members all the same, without our marks. It
// returns nil when there are none. Members to skip are those that nothing is planned for.
func Staying(prior Prior, after Works, skip func(member string) bool) *Problem {
	members := map[string][]string{} // by object
	for _, name := range prior.Works.members() {
		if skip(name) {
			continue
		}
		for _, key := range prior.Works[name].keys() {
			if _, stays := after[name][key]; !stays && prior.Placements[key].Preserve {
				members[key] = append(members[key], name)
			}
		}
	}
	if len(members) == 0 {
		return nil
	}
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(members)) {
		lines = append(lines, fmt.Sprintf("%s on %s", key, list(members[key])))
	}
	return &Problem{Note: true, Argument: "templates", Summary: "Objects stay on their members", Detail: fmt.Sprintf(
		"The plan shows these objects as removed, and they stay where they are, without the label of this propagation, because their policy has "+
			"preserveResourcesOnDeletion or they have the annotation helm.sh/resource-policy: keep.\n\n  %s\n\nTo have them deleted, apply without "+
			"that first, and remove them then.", strings.Join(lines, "\n  "))}
}
