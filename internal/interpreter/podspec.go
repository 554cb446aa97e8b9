package interpreter

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// podSpecPaths says where the pod spec of each built-in kind that runs Pods lies.
var podSpecPaths = map[schema.GroupVersionKind][]string{
	{Version: "v1", Kind: "Pod"}:                        {"spec"},
	{Version: "v1", Kind: "ReplicationController"}:      {"spec", "template", "spec"},
	{Group: "apps", Version: "v1", Kind: "Deployment"}:  {"spec", "template", "spec"},
	{Group: "apps", Version: "v1", Kind: "ReplicaSet"}:  {"spec", "template", "spec"},
	{Group: "apps", Version: "v1", Kind: "StatefulSet"}: {"spec", "template", "spec"},
	{Group: "apps", Version: "v1", Kind: "DaemonSet"}:   {"spec", "template", "spec"},
	{Group: "batch", Version: "v1", Kind: "Job"}:        {"spec", "template", "spec"},
	{Group: "batch", Version: "v1", Kind: "CronJob"}:    {"spec", "jobTemplate", "spec", "template", "spec"},
}

// PodSpecPath returns the path of the pod spec inside an object of the given kind, and false when the kind runs no
// Pods. Group and version are checked, not only the kind: a Job of another group is another kind. The caller owns the
// returned slice.
func PodSpecPath(gvk schema.GroupVersionKind) ([]string, bool) {
	path, ok := podSpecPaths[gvk]
	return append([]string(nil), path...), ok
}
