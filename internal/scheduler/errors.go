package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

// FitError says that no member is a candidate. What is in the way of a member is never empty.
type FitError struct {
	Members  int                 // how many members there are
	Rejected map[string][]Reason // member -> all that is in the way; members being removed are missing
}

// Error counts members by the first thing that is in their way, and says what they have in place of what is wanted.
func (e *FitError) Error() string {
	if e.Members == 0 {
		return "0/0 members fit: there are no members"
	}
	members := map[Reason]map[string][]string{} // by what the members have
	for _, name := range slices.Sorted(maps.Keys(e.Rejected)) {
		reason := e.Rejected[name][0]
		has := reason.Has
		reason.Has = ""
		if members[reason] == nil {
			members[reason] = map[string][]string{}
		}
		members[reason][has] = append(members[reason][has], name)
	}
	parts := make([]string, 0, len(members)+1)
	for _, reason := range slices.SortedFunc(maps.Keys(members), Reason.compare) {
		count := 0
		for _, names := range members[reason] {
			count += len(names)
		}
		parts = append(parts, fmt.Sprintf("%d %s%s", count, reason, having(members[reason])))
	}
	if removed := e.Members - len(e.Rejected); removed > 0 {
		parts = append(parts, fmt.Sprintf("%d being removed", removed))
	}
	return fmt.Sprintf("0/%d members fit: %s", e.Members, strings.Join(parts, ", "))
}

// mostValues bounds how many different values are told.
const mostValues = 4

// having says what members have, as in " (kube02 has beijing, kube03 has shanghai)". Many members of one value are counted.
// It is empty where there is nothing to have, or too much.
func having(members map[string][]string) string {
	if len(members) > mostValues {
		return ""
	}
	var parts []string
	for _, has := range slices.Sorted(maps.Keys(members)) {
		switch names := members[has]; {
		case has == "":
		case len(names) == 1:
			parts = append(parts, names[0]+" has "+has)
		case len(names) == 2:
			parts = append(parts, strings.Join(names, " and ")+" have "+has)
		default:
			parts = append(parts, fmt.Sprintf("%d have %s", len(names), has))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// UnschedulableError says that the selected members cannot take all replicas.
type UnschedulableError struct {
	Replicas int64            // how many had to be placed
	Capacity map[string]int64 // how many of those each member can take

	// Short is the resource that keeps a member from taking more, such as cpu or pods, where that is known.
	Short map[string]string
}

// Error names the members that can take some, and what is short.
func (e *UnschedulableError) Error() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(e.Capacity)) {
		if n := e.Capacity[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
		}
	}
	text := fmt.Sprintf("%s to place, but the members can take %d", spelling.Count(e.Replicas, "replica"), sum(e.Capacity))
	switch {
	case len(parts) == 0:
		return text + e.shortage()
	case len(parts) < len(e.Capacity):
		parts = append(parts, "others none")
	}
	return text + ": " + strings.Join(parts, ", ") + e.shortage()
}

// shortage names what is short, with the members that are short of it.
func (e *UnschedulableError) shortage() string {
	members := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(e.Short)) {
		members[e.Short[name]] = append(members[e.Short[name]], name)
	}
	var parts []string
	for _, resource := range slices.Sorted(maps.Keys(members)) {
		parts = append(parts, fmt.Sprintf("%s on %s", resource, strings.Join(members[resource], ", ")))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (short of " + strings.Join(parts, "; ") + ")"
}

// SpreadError says that the candidates cannot satisfy the spread constraints.
type SpreadError struct {
	Field  api.SpreadFieldValue // what is to be spread by
	Wanted int                  // the least number of groups; for cluster, of members
	Found  []string             // the groups there are among the candidates
	Detail string               // what is in the way where there are enough
}

// Error says what was wanted and what there is.
func (e *SpreadError) Error() string {
	text := fmt.Sprintf("spread constraint by %s: ", e.Field)
	if e.Detail != "" {
		text += e.Detail
	} else {
		text += fmt.Sprintf("%d wanted, %d available", e.Wanted, len(e.Found))
	}
	if len(e.Found) > 0 {
		text += " (" + strings.Join(e.Found, ", ") + ")"
	}
	return text
}

// GroupsError says that none of the tried clusterAffinities terms can hold the object. It unwraps to the error of the
// first, which is the one the user wants most.
type GroupsError struct {
	Attempts []Attempt
}

// Error lists the groups with what is in the way of each.
func (e *GroupsError) Error() string {
	parts := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		parts[i] = fmt.Sprintf("%s: %v", a.Group, a.Err)
	}
	return "no group of clusterAffinities fits: " + strings.Join(parts, "; ")
}

// Unwrap returns the error of the first group tried.
func (e *GroupsError) Unwrap() error { return e.Attempts[0].Err }
