package member

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// pod is what a summary needs of a Pod.
type pod struct {
	Spec struct {
		NodeName       string              `json:"nodeName"`
		Containers     []container         `json:"containers"`
		InitContainers []container         `json:"initContainers"`
		Overhead       corev1.ResourceList `json:"overhead"`
	} `json:"spec"`
	Status struct {
		Phase corev1.PodPhase `json:"phase"`
	} `json:"status"`
}

type container struct {
	Resources struct {
		Requests corev1.ResourceList `json:"requests"`
	} `json:"resources"`
}

// finished reports whether the Pod has given its resources back.
func (p pod) finished() bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// amounts are sums of resources: cpu in millicores, everything else in units, each request rounded up as Karmada does.
type amounts map[corev1.ResourceName]int64

// request returns what the Pod asks for, as Karmada 1.19 counts it: the sum over containers, at least what each init
// container needs alone, plus the overhead, and one Pod.
func (p pod) request() amounts {
	total := amounts{}
	for _, c := range p.Spec.Containers {
		total.add(amountsOf(c.Resources.Requests))
	}
	for _, c := range p.Spec.InitContainers {
		for name, amount := range amountsOf(c.Resources.Requests) {
			total[name] = max(total[name], amount)
		}
	}
	total.add(amountsOf(p.Spec.Overhead))
	total[corev1.ResourcePods] = 1
	return total
}

// amountsOf returns the resources of list that are tracked.
func amountsOf(list corev1.ResourceList) amounts {
	a := make(amounts, len(list))
	for name, quantity := range list {
		switch {
		case name == corev1.ResourceCPU:
			a[name] = quantity.MilliValue()
		case tracked(name):
			a[name] = quantity.Value()
		}
	}
	return a
}

// tracked reports whether requests of the resource are summed: memory, ephemeral storage, and scalar resources, which are
// extended ones, huge pages and attachable volumes.
func tracked(name corev1.ResourceName) bool {
	return name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage || strings.Contains(string(name), "/") ||
		strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) || strings.HasPrefix(string(name), corev1.ResourceAttachableVolumesPrefix)
}

func (a amounts) add(b amounts) {
	for name, amount := range b {
		a[name] += amount
	}
}

// list returns the amounts above zero as quantities.
func (a amounts) list() corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, amount := range a {
		if amount > 0 {
			list[name] = quantity(name, amount)
		}
	}
	return list
}

func quantity(name corev1.ResourceName, amount int64) resource.Quantity {
	switch {
	case name == corev1.ResourceCPU:
		return *resource.NewMilliQuantity(amount, resource.DecimalSI)
	case name == corev1.ResourceMemory, name == corev1.ResourceEphemeralStorage, strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix):
		return *resource.NewQuantity(amount, resource.BinarySI)
	default:
		return *resource.NewQuantity(amount, resource.DecimalSI)
	}
}

// summarizeResources sums as Karmada 1.19 does: what all nodes offer, what Pods without a node wait for, and what Pods
// that run on one hold.
func summarizeResources(fleet []node, load []pod, models []api.ResourceModel) *api.ResourceSummary {
	allocatable := corev1.ResourceList{}
	for _, n := range fleet {
		for name, offered := range n.Status.Allocatable {
			sum := allocatable[name]
			sum.Add(offered)
			allocatable[name] = sum
		}
	}
	allocating, allocated, byNode := amounts{}, amounts{}, map[string]amounts{}
	for _, p := range load {
		request := p.request()
		switch {
		case p.Spec.NodeName == "":
			allocating.add(request)
		case !p.finished():
			allocated.add(request)
			if byNode[p.Spec.NodeName] == nil {
				byNode[p.Spec.NodeName] = amounts{}
			}
			byNode[p.Spec.NodeName].add(request)
		}
	}
	return &api.ResourceSummary{
		Allocatable:          allocatable,
		Allocating:           allocating.list(),
		Allocated:            allocated.list(),
		AllocatableModelings: countGrades(fleet, byNode, models),
	}
}

// countGrades counts the nodes by the grade of what they have free. A node without a free Pod slot is in no grade;
// Karmada stops counting at the first such node of a list without order, which no two runs need agree on.
func countGrades(fleet []node, byNode map[string]amounts, models []api.ResourceModel) []api.AllocatableModeling {
	models = slices.SortedFunc(slices.Values(models), func(a, b api.ResourceModel) int { return int(a.Grade) - int(b.Grade) })
	var counts []api.AllocatableModeling
	for _, model := range models {
		counts = append(counts, api.AllocatableModeling{Grade: model.Grade})
	}
	for _, n := range fleet {
		free, ok := free(n.Status.Allocatable, byNode[n.Metadata.Name])
		if ok && len(models) > 0 {
			counts[grade(free, models)].Count++
		}
	}
	return counts
}

// free returns what a node has left, and whether it takes another Pod.
func free(allocatable corev1.ResourceList, used amounts) (corev1.ResourceList, bool) {
	left := maps.Clone(allocatable)
	for name, amount := range used {
		if offered, ok := left[name]; ok {
			offered.Sub(quantity(name, amount))
			left[name] = offered
		}
	}
	slots := left[corev1.ResourcePods]
	return left, used == nil || slots.Value() > 0
}

// grade returns the index of the highest model of which every resource is free: the lowest, over the resources, of the
// last grade whose minimum is there.
func grade(free corev1.ResourceList, models []api.ResourceModel) int {
	lowest := len(models) - 1
	for _, wanted := range models[0].Ranges {
		available := free[wanted.Name]
		last := 0
		for i, model := range models {
			if least := minimum(model, wanted.Name); available.Cmp(least) >= 0 {
				last = i
			}
		}
		lowest = min(lowest, last)
	}
	return lowest
}

func minimum(model api.ResourceModel, name corev1.ResourceName) resource.Quantity {
	for _, r := range model.Ranges {
		if r.Name == name {
			return r.Min
		}
	}
	return resource.Quantity{}
}
