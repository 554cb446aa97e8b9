package propagation

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// waiting returns the keys of a member's suspended objects that would be created or changed, sorted.
func (f *flattener) waiting(member string, works map[string]*Work) ([]string, error) {
	var keys []string
	for key, work := range works {
		if !work.Suspended || work.Unknown {
			continue
		}
		prior, had := f.prior.Works[member][key]
		fields, err := f.fields(member, key, work, prior)
		if err != nil {
			return nil, fmt.Errorf("%s on member %s: %w", key, member, err)
		}
		if !had || !reflect.DeepEqual(fields, prior) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// suspendedChanges notes the changes, by member, that a plan does not show because they are suspended. It returns nil when
// there are none.
func suspendedChanges(keys map[string][]string) *Problem {
	var lines []string
	for _, member := range slices.Sorted(maps.Keys(keys)) {
		if len(keys[member]) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", member, list(keys[member])))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return &Problem{Note: true, Argument: "templates", Summary: "Changes are suspended", Detail: fmt.Sprintf(
		"These objects are not as the templates have them, and stay as they are, because suspension, here or in their policy, keeps them from "+
			"being created and changed.\n\n  %s\n\nThe first plan without the suspension shows the changes.", strings.Join(lines, "\n  "))}
}
