package scheduler

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

// errNoSelection is the error of constraints among which none can select members.
var errNoSelection = errors.New("spreadByLabel cannot select members: add a constraint by cluster, region, zone or provider")

// spread selects among the candidates, best first, those that satisfy the spread constraints. Without constraints it is
// all of them. Static weights are divided among the selected members, so only members that have a weight are selected.
//
// A cluster constraint bounds the number of members. Constraints by provider, region and zone bound the number of groups
// the members come from: groups are chosen from the widest kind to the narrowest, those of one kind as choose says, and
// from each at least its best member is taken. A member with several zones belongs to each of them.
func spread(r *Request, s strategy, candidates []candidate) ([]candidate, error) {
	constraints := r.Placement.SpreadConstraints
	if len(constraints) == 0 {
		return candidates, nil
	}
	if s == staticWeight {
		candidates = weighted(candidates)
	}
	members, byMembers := boundsOf(constraints, api.SpreadByCluster)
	if len(candidates) < members.min {
		return nil, &SpreadError{Field: api.SpreadByCluster, Wanted: members.min, Found: slices.Sorted(slices.Values(names(candidates)))}
	}
	var fields []api.SpreadFieldValue
	for _, field := range []api.SpreadFieldValue{api.SpreadByProvider, api.SpreadByRegion, api.SpreadByZone} {
		if _, ok := boundsOf(constraints, field); ok {
			fields = append(fields, field)
		}
	}
	switch {
	case len(fields) > 0:
		return spreadByGroups(r, s, candidates, fields, members)
	case byMembers:
		return spreadByMembers(r, s, candidates, members)
	}
	return nil, errNoSelection
}

// bounds is how many groups a constraint allows.
type bounds struct{ min, max int }

// boundsOf returns the bounds of the constraint by field, and whether there is one. An unset maximum is no limit.
func boundsOf(constraints []api.SpreadConstraint, field api.SpreadFieldValue) (bounds, bool) {
	for i := range constraints {
		if c := &constraints[i]; c.SpreadByField == field {
			b := bounds{min: c.MinGroups, max: c.MaxGroups}
			if b.max == 0 {
				b.max = math.MaxInt
			}
			return b, true
		}
	}
	return bounds{max: math.MaxInt}, false
}

// spreadByMembers takes the best candidates, as many as the bounds allow. If replicas are divided by capacity and those
// are too few for them, it takes others that can hold more in place of the last ones, as Karmada does.
func spreadByMembers(r *Request, s strategy, candidates []candidate, members bounds) ([]candidate, error) {
	n := min(len(candidates), members.max)
	taken, rest := slices.Clone(candidates[:n]), slices.Clone(candidates[n:])
	if !s.byCapacity() {
		return taken, nil
	}
	for i := n - 1; i >= 0 && room(taken) < r.Replicas; i-- {
		roomiest := -1
		for j := range rest {
			if rest[j].available() > taken[i].available() && (roomiest < 0 || rest[j].available() > rest[roomiest].available()) {
				roomiest = j
			}
		}
		if roomiest >= 0 {
			taken[i], rest[roomiest] = rest[roomiest], taken[i]
		}
	}
	if have := room(taken); have < r.Replicas {
		return nil, &SpreadError{
			Field: api.SpreadByCluster, Wanted: members.min, Found: slices.Sorted(slices.Values(names(candidates))),
			Detail: fmt.Sprintf("no %s, as many as maxGroups allows, can hold more than %d of %s", spelling.Count(n, "member"), have, spelling.Count(r.Replicas, "replica")),
		}
	}
	return taken, nil
}

// room returns how many replicas the candidates can hold in all.
func room(candidates []candidate) (total int64) {
	for i := range candidates {
		total += candidates[i].available()
	}
	return total
}

// spreadByGroups takes members from as many groups of each field as its constraint allows.
func spreadByGroups(r *Request, s strategy, candidates []candidate, fields []api.SpreadFieldValue, members bounds) ([]candidate, error) {
	within := make([]bool, len(candidates)) // what the groups chosen so far leave
	for i := range within {
		within[i] = true
	}
	var chosen []memberGroup
	for _, field := range fields {
		limits, _ := boundsOf(r.Placement.SpreadConstraints, field)
		groups := groupBy(candidates, within, field)
		if len(groups) < limits.min {
			return nil, &SpreadError{Field: field, Wanted: limits.min, Found: groupNames(groups)}
		}
		for i := range groups {
			groups[i].weight = groupWeight(r, s, candidates, &groups[i], limits, members)
		}
		picked := choose(groups, limits, members.min, chosen)
		if picked == nil {
			return nil, &SpreadError{
				Field: field, Wanted: limits.min, Found: groupNames(groups),
				Detail: fmt.Sprintf("no choice that the constraints allow has %s", spelling.Count(members.min, "member")),
			}
		}
		clear(within)
		for _, g := range picked {
			for _, i := range g.members {
				within[i] = true
			}
		}
		chosen = append(picked, chosen...)
	}
	return fill(candidates, within, chosen, members.max), nil
}

// fill takes the best member of each chosen group, then the best of what the groups hold until the limit is reached.
// No group stays empty for the sake of the limit.
func fill(candidates []candidate, within []bool, chosen []memberGroup, limit int) []candidate {
	var out []candidate
	taken := make([]bool, len(candidates))
	take := func(i int) {
		out = append(out, candidates[i])
		taken[i] = true
	}
	for _, g := range chosen {
		if slices.ContainsFunc(g.members, func(i int) bool { return taken[i] }) {
			continue
		}
		if best := slices.IndexFunc(g.members, func(i int) bool { return within[i] }); best >= 0 {
			take(g.members[best])
		}
	}
	for i := range candidates {
		if within[i] && !taken[i] && len(out) < limit {
			take(i)
		}
	}
	return out
}

// leftOut returns the candidates that are not selected, sorted. One that has no static weight is left out by the weights.
func leftOut(s strategy, candidates []candidate, selected []string) []string {
	if s == staticWeight {
		candidates = weighted(candidates)
	}
	others := slices.DeleteFunc(names(candidates), func(name string) bool { return slices.Contains(selected, name) })
	slices.Sort(others)
	return others
}

// mostGroupNames bounds how many groups a reason names.
const mostGroupNames = 5

// spreadReason says what the selected members are spread over, as in "spread over 2 regions (eu, us) and 3 members".
func spreadReason(constraints []api.SpreadConstraint, selected []candidate) string {
	within := make([]bool, len(selected))
	for i := range within {
		within[i] = true
	}
	var parts []string
	for _, field := range []api.SpreadFieldValue{api.SpreadByProvider, api.SpreadByRegion, api.SpreadByZone} {
		if _, ok := boundsOf(constraints, field); !ok {
			continue
		}
		groups := groupNames(groupBy(selected, within, field))
		part := spelling.Count(len(groups), string(field))
		if len(groups) <= mostGroupNames {
			part += " (" + strings.Join(groups, ", ") + ")"
		}
		parts = append(parts, part)
	}
	return "spread over " + strings.Join(append(parts, spelling.Count(len(selected), "member")), " and ")
}
