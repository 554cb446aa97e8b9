package interpreter

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Requirements is what one replica needs.
type Requirements struct {
	// ResourceRequest holds the positive requests of one Pod.
	ResourceRequest corev1.ResourceList `json:"resourceRequest,omitempty"`
	// NodeClaim limits the nodes; nil when any will do.
	NodeClaim *NodeClaim `json:"nodeClaim,omitempty"`
}

// NodeClaim says which nodes a replica may run on.
type NodeClaim struct {
	HardNodeAffinity *corev1.NodeSelector `json:"hardNodeAffinity,omitempty"`
	NodeSelector     map[string]string    `json:"nodeSelector,omitempty"`
	Tolerations      []corev1.Toleration  `json:"tolerations,omitempty"`
}

// podRequirements returns what a Pod needs, as Karmada 1.19 counts it: the sum over its containers or what the largest
// init container needs, whichever is more, plus the overhead. It returns nil when a Pod needs nothing in particular.
func podRequirements(pod *corev1.PodSpec) *Requirements {
	if pod == nil {
		return nil
	}
	requests := amounts{}
	for _, container := range pod.Containers {
		requests.add(containerRequests(container))
	}
	for _, container := range pod.InitContainers {
		requests.raise(containerRequests(container))
	}
	requests.add(pod.Overhead)

	requirements := Requirements{ResourceRequest: requests.list(), NodeClaim: nodeClaim(pod)}
	if requirements.ResourceRequest == nil && requirements.NodeClaim == nil {
		return nil
	}
	return &requirements
}

// containerRequests returns the requests of a container; where there is none, the limit takes its place as it does in
// the API server.
func containerRequests(container corev1.Container) corev1.ResourceList {
	requests := maps.Clone(container.Resources.Limits)
	if requests == nil {
		return container.Resources.Requests
	}
	maps.Copy(requests, container.Resources.Requests)
	return requests
}

func nodeClaim(pod *corev1.PodSpec) *NodeClaim {
	claim := NodeClaim{NodeSelector: pod.NodeSelector, Tolerations: pod.Tolerations}
	if pod.Affinity != nil && pod.Affinity.NodeAffinity != nil {
		claim.HardNodeAffinity = pod.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	if len(claim.NodeSelector) == 0 && len(claim.Tolerations) == 0 && claim.HardNodeAffinity == nil {
		return nil
	}
	return &claim
}

// amounts counts resources in whole units, CPU in thousandths. Each quantity is rounded up before it is counted.
type amounts map[corev1.ResourceName]int64

func (a amounts) add(list corev1.ResourceList) {
	for name, quantity := range list {
		a[name] += units(name, quantity)
	}
}

func (a amounts) raise(list corev1.ResourceList) {
	for name, quantity := range list {
		a[name] = max(a[name], units(name, quantity))
	}
}

// list returns the positive amounts of the resources by which nodes are chosen, nil when there is none.
func (a amounts) list() corev1.ResourceList {
	var list corev1.ResourceList
	for name, n := range a {
		if n <= 0 || !schedulable(name) {
			continue
		}
		if list == nil {
			list = corev1.ResourceList{}
		}
		list[name] = quantity(name, n)
	}
	return list
}

func units(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

func quantity(name corev1.ResourceName, n int64) resource.Quantity {
	switch name {
	case corev1.ResourceCPU:
		return *resource.NewMilliQuantity(n, resource.DecimalSI)
	case corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return *resource.NewQuantity(n, resource.BinarySI)
	default:
		return *resource.NewQuantity(n, resource.DecimalSI)
	}
}

// schedulable reports whether nodes are chosen by a resource: the standard ones, and those that a device plugin, a
// volume driver or the kernel's huge pages bring. Other names are ignored, as in Karmada.
func schedulable(name corev1.ResourceName) bool {
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, corev1.ResourcePods:
		return true
	default:
		return strings.Contains(string(name), "/") ||
			strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) ||
			strings.HasPrefix(string(name), corev1.ResourceAttachableVolumesPrefix)
	}
}
