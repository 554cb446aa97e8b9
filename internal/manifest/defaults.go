package manifest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	jobKind = schema.GroupKind{Group: "batch", Kind: "Job"}

	// replicaKinds have spec.replicas, which the API server sets to 1.
	replicaKinds = map[schema.GroupKind]bool{
		{Group: "apps", Kind: "Deployment"}:       true,
		{Group: "apps", Kind: "ReplicaSet"}:       true,
		{Group: "apps", Kind: "StatefulSet"}:      true,
		{Group: "extensions", Kind: "Deployment"}: true,
		{Group: "extensions", Kind: "ReplicaSet"}: true,
	}
)

// SetDefaults returns the object with those defaults of the API server that
// placement depends on, and no others: one replica for a Deployment, ReplicaSet
// or StatefulSet; parallelism 1 for a Job, and completions 1 when the Job gives
// neither. The result shares unchanged parts with obj.
func SetDefaults(obj *unstructured.Unstructured) *unstructured.Unstructured {
	content := obj.Object
	switch kind := obj.GroupVersionKind().GroupKind(); {
	case replicaKinds[kind]:
		content = oneIfAbsent(content, "replicas")
	case kind == jobKind:
		if absent(content, "parallelism") {
			content = oneIfAbsent(content, "completions")
		}
		content = oneIfAbsent(content, "parallelism")
	}
	return &unstructured.Unstructured{Object: content}
}

func oneIfAbsent(content map[string]any, name string) map[string]any {
	if !absent(content, name) {
		return content
	}
	return withField(content, int64(1), "spec", name)
}

// absent reports whether a field of the spec is missing or null, which is the same.
func absent(content map[string]any, name string) bool {
	value, _ := field(content, "spec", name)
	return value == nil
}
