package scheduler

import (
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// memberGroup is the members that share a provider, region or zone, as indices into the candidates, the best first.
type memberGroup struct {
	name    string
	members []int
	weight  int64 // how desirable the group is
}

// groupsOf returns the groups of the field that a member belongs to, each once.
func groupsOf(c *api.Cluster, field api.SpreadFieldValue) []string {
	var name string
	switch field {
	case api.SpreadByZone:
		return slices.Compact(slices.Sorted(slices.Values(c.Spec.Zones)))
	case api.SpreadByProvider:
		name = c.Spec.Provider
	case api.SpreadByRegion:
		name = c.Spec.Region
	}
	if name == "" {
		return nil
	}
	return []string{name}
}

// groupBy returns the groups of the field among the candidates that are within.
func groupBy(candidates []candidate, within []bool, field api.SpreadFieldValue) []memberGroup {
	var groups []memberGroup
	at := map[string]int{}
	for i := range candidates {
		if !within[i] {
			continue
		}
		for _, name := range groupsOf(candidates[i].cluster, field) {
			g, ok := at[name]
			if !ok {
				g = len(groups)
				at[name] = g
				groups = append(groups, memberGroup{name: name})
			}
			groups[g].members = append(groups[g].members, i)
		}
	}
	return groups
}

func groupNames(groups []memberGroup) []string {
	out := make([]string, len(groups))
	for i := range groups {
		out[i] = groups[i].name
	}
	slices.Sort(out)
	return out
}

// groupWeight scores a group as Karmada scores regions. What can be held counts a thousandfold: for duplicated replicas
// the number of members that can hold them all, else the share of replicas that falls to the group if the least number
// of groups is used. Members that hold the object already add to it. With static weights it is their sum.
func groupWeight(r *Request, s strategy, candidates []candidate, g *memberGroup, groups, members bounds) int64 {
	switch s {
	case duplicated:
		return duplicatedWeight(r, candidates, g)
	case staticWeight:
		var weight int64
		for _, i := range g.members {
			weight += candidates[i].weight
		}
		return weight
	default:
		return dividedWeight(r, candidates, g, groups, members)
	}
}

func duplicatedWeight(r *Request, candidates []candidate, g *memberGroup) int64 {
	var score, count int64
	for _, i := range g.members {
		if candidates[i].available() >= r.Replicas {
			score += candidates[i].score()
			count++
		}
	}
	if count == 0 {
		return 0
	}
	return count*1000 + score/count
}

func dividedWeight(r *Request, candidates []candidate, g *memberGroup, groups, members bounds) int64 {
	least := int64(max(groups.min, 1))
	share := (r.Replicas + least - 1) / least
	wanted := int64(max(members.min, groups.min))
	var held, score, count int64
	for _, i := range g.members {
		held += candidates[i].available()
		score += candidates[i].score()
		count++
		if count >= wanted && held >= share {
			break
		}
	}
	return min(held, share)*1000 + score/count
}
