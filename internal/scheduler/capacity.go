package scheduler

import (
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// podsPerNode is how many Pods a node of a resource model is taken to hold: the kubelet's default.
const podsPerNode = 110

// most is more replicas than any object has, and so few that those of all members can be summed up.
const most = 1 << 40

// capacity returns how many more replicas with the requirements a member can take, as Karmada's general estimator does.
// It is 0 for a member whose resources were not observed.
//
// Free Pods are a limit to every replica. Where nodes are counted by grade, the nodes of each grade are filled one by
// one, each with the grade's lower bounds; else the free resources are taken as if they were one node. It is never more
// than most.
func capacity(c *api.Cluster, need *Requirements) int64 {
	summary := c.Status.ResourceSummary
	if summary == nil {
		return 0
	}
	pods := min(freePods(summary), most)
	if pods <= 0 {
		return 0
	}
	if need == nil {
		return pods
	}
	if len(summary.AllocatableModelings) > 0 && len(c.Spec.ResourceModels) > 0 {
		return min(pods, fitOnModels(c.Spec.ResourceModels, summary.AllocatableModelings, need.ResourceRequest))
	}
	return min(pods, fitOnSummary(summary, need.ResourceRequest))
}

// shortages returns what is short on those of the members that were asked to take replicas.
func shortages(r *Request, members []candidate, asked map[string]int64) map[string]string {
	short := map[string]string{}
	for i := range members {
		m := &members[i]
		if _, ok := asked[m.name()]; !ok || m.held() || !m.observed() {
			continue
		}
		if resource := shortOf(m.cluster, r.Requirements); resource != "" {
			short[m.name()] = resource
		}
	}
	return short
}

// shortOf returns the resource that keeps a member from taking more replicas, or "" when no single one does.
func shortOf(c *api.Cluster, need *Requirements) string {
	fit := capacity(c, need)
	if fit == capacity(c, nil) {
		return string(corev1.ResourcePods)
	}
	for _, name := range slices.Sorted(maps.Keys(need.ResourceRequest)) {
		if alone := (corev1.ResourceList{name: need.ResourceRequest[name]}); capacity(c, &Requirements{ResourceRequest: alone}) == fit {
			return string(name)
		}
	}
	return ""
}

func freePods(s *api.ResourceSummary) int64 {
	return s.Allocatable.Pods().Value() - s.Allocated.Pods().Value() - s.Allocating.Pods().Value()
}

// fitOnSummary divides the free amount of each requested resource by the request.
func fitOnSummary(s *api.ResourceSummary, request corev1.ResourceList) int64 {
	fit := int64(math.MaxInt64)
	for name, need := range request {
		if need.Sign() <= 0 {
			continue
		}
		free, ok := s.Allocatable[name]
		if !ok {
			return 0
		}
		free.Sub(s.Allocated[name])
		free.Sub(s.Allocating[name])
		if free.Sign() <= 0 {
			return 0
		}
		fit = min(fit, units(name, free)/units(name, need))
	}
	return fit
}

// fitOnModels adds up what the nodes of every grade can take.
func fitOnModels(models []api.ResourceModel, counts []api.AllocatableModeling, request corev1.ResourceList) int64 {
	var fit int64
	for i := range models {
		at := slices.IndexFunc(counts, func(m api.AllocatableModeling) bool { return m.Grade == models[i].Grade })
		if at >= 0 && counts[at].Count > 0 {
			fit += int64(counts[at].Count) * fitOnNode(&models[i], request)
		}
	}
	return fit
}

// fitOnNode returns how many replicas a node takes that has just the lower bounds of the grade.
func fitOnNode(model *api.ResourceModel, request corev1.ResourceList) int64 {
	fit := int64(podsPerNode)
	for name, need := range request {
		if need.Sign() <= 0 {
			continue
		}
		at := slices.IndexFunc(model.Ranges, func(r api.ResourceModelRange) bool { return r.Name == name })
		if at < 0 {
			return 0
		}
		fit = min(fit, units(name, model.Ranges[at].Min)/units(name, need))
	}
	return fit
}

// units returns CPU in millicores and other resources in whole units, rounded up.
func units(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}
