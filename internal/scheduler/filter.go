package scheduler

import (
	"cmp"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// Filter is a condition that every candidate has to meet.
type Filter int

// The filters, in the order in which a member's reasons are listed.
const (
	FilterAffinity Filter = iota // the affinity of the placement or of the group that is tried
	FilterAPI                    // the member serves the kind
	FilterTaint                  // its taints are tolerated
	FilterSpread                 // it has the property that replicas are spread by
	FilterEviction               // the object is not being evicted from it
)

// Reason says why a member is no candidate. Detail is the part of the affinity, the kind that is not served, the taint, or the
// missing property. Has is what the member has in place of what the affinity wants, if there is such a thing.
type Reason struct {
	Filter Filter
	Detail string
	Has    string
}

// String returns the reason as the end of a sentence whose subject is one member or a number of members.
func (r Reason) String() string {
	switch r.Filter {
	case FilterAffinity:
		return "did not match the affinity: " + r.Detail
	case FilterAPI:
		return "did not serve " + r.Detail
	case FilterTaint:
		return "had untolerated taint {" + r.Detail + "}"
	case FilterSpread:
		return "had no " + r.Detail + " to spread by"
	default:
		return "had an open eviction of this object"
	}
}

func (r Reason) compare(other Reason) int {
	return cmp.Or(cmp.Compare(r.Filter, other.Filter), cmp.Compare(r.Detail, other.Detail), cmp.Compare(r.Has, other.Has))
}

// filter splits the members into candidates and rejected ones. Members being removed are neither. A member that holds
// the object already need not serve its kind nor have its taints tolerated: leaving is the business of evictions.
func filter(r *Request, group *group) (fitting []*api.Cluster, rejected map[string][]Reason) {
	for _, c := range r.Clusters {
		if c.DeletionTimestamp != nil {
			continue
		}
		if reasons := r.objections(c, group); len(reasons) == 0 {
			fitting = append(fitting, c)
		} else {
			if rejected == nil {
				rejected = map[string][]Reason{}
			}
			rejected[c.Name] = reasons
		}
	}
	return fitting, rejected
}

// objections returns all that is in the way of placing the object on c.
func (r *Request) objections(c *api.Cluster, group *group) (reasons []Reason) {
	if group.tier(c) == noTier {
		mismatch := group.primary.Mismatch(c)
		reasons = append(reasons, Reason{Filter: FilterAffinity, Detail: mismatch.Requirement, Has: mismatch.Has})
	}
	if _, placed := r.Previous.Clusters[c.Name]; !placed {
		if !serves(c, r.APIVersion, r.Kind) {
			reasons = append(reasons, Reason{Filter: FilterAPI, Detail: r.APIVersion + " " + r.Kind})
		}
		if taint := Untolerated(c.Spec.Taints, r.Placement.ClusterTolerations); taint != nil {
			reasons = append(reasons, Reason{Filter: FilterTaint, Detail: taint.ToString()})
		}
	}
	if property := missingProperty(c, r.Placement.SpreadConstraints); property != "" {
		reasons = append(reasons, Reason{Filter: FilterSpread, Detail: property})
	}
	if slices.Contains(r.Previous.Evicting, c.Name) {
		reasons = append(reasons, Reason{Filter: FilterEviction})
	}
	return reasons
}

// serves reports whether the member serves the kind. A member whose APIs were not observed yet (nil, not empty) is
// given the benefit of the doubt, so that placements can be planned before clusters exist.
func serves(c *api.Cluster, apiVersion, kind string) bool {
	if c.Status.APIEnablements == nil {
		return true
	}
	return slices.ContainsFunc(c.Status.APIEnablements, func(e api.APIEnablement) bool {
		return e.GroupVersion == apiVersion &&
			slices.ContainsFunc(e.Resources, func(resource api.APIResource) bool { return resource.Kind == kind })
	})
}

// missingProperty returns the first property the constraints spread by that the member lacks, or "".
func missingProperty(c *api.Cluster, constraints []api.SpreadConstraint) string {
	for i := range constraints {
		switch field := constraints[i].SpreadByField; field {
		case api.SpreadByProvider, api.SpreadByRegion, api.SpreadByZone:
			if len(groupsOf(c, field)) == 0 {
				return string(field)
			}
		}
	}
	return ""
}
