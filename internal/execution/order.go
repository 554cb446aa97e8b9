package execution

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

var (
	namespaceKind  = schema.GroupKind{Kind: "Namespace"}
	definitionKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	claimKind      = schema.GroupKind{Kind: "PersistentVolumeClaim"}
	secretKind     = schema.GroupKind{Kind: "Secret"}
)

// stage is a step of an apply: the objects of one are sent together, after those of the one before. A removal goes the
// other way.
type stage int

const (
	stageFoundation stage = iota // what others live in
	stageAdmission               // what admission looks up when others are created
	stageOrdinary
	stageGates // what admission asks about others: last, so that it stops nothing it comes with
	stageCount
)

// admissionKinds are consulted when a Pod, a claim or an Ingress is created, and refuse or default it when they are missing.
var admissionKinds = []schema.GroupKind{
	{Kind: "ServiceAccount"},
	{Kind: "LimitRange"},
	{Kind: "ResourceQuota"},
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"},
	{Group: "node.k8s.io", Kind: "RuntimeClass"},
	{Group: "storage.k8s.io", Kind: "StorageClass"},
	{Group: "networking.k8s.io", Kind: "IngressClass"},
}

func stageOf(key manifest.Key) stage {
	switch kind := key.GroupKind(); {
	case kind == namespaceKind, kind == definitionKind:
		return stageFoundation
	case slices.Contains(admissionKinds, kind):
		return stageAdmission
	case kind.Group == "admissionregistration.k8s.io":
		return stageGates
	default:
		return stageOrdinary
	}
}

// removalSteps returns the keys in the order in which they are removed: gates first, definitions after the objects of their
// kinds, and Namespaces last.
func removalSteps(keys []manifest.Key) [][]manifest.Key {
	steps := make([][]manifest.Key, stageCount+1)
	for _, key := range keys {
		step := stageCount - 1 - stageOf(key)
		if key.GroupKind() == namespaceKind {
			step = stageCount
		}
		steps[step] = append(steps[step], key)
	}
	return slices.DeleteFunc(steps, func(step []manifest.Key) bool { return len(step) == 0 })
}

// applyStages returns the objects in the order in which they are applied.
func applyStages(objects []*pending) [][]*pending {
	stages := make([][]*pending, stageCount)
	for _, object := range objects {
		at := stageOf(object.Key)
		stages[at] = append(stages[at], object)
	}
	return slices.DeleteFunc(stages, func(s []*pending) bool { return len(s) == 0 })
}
