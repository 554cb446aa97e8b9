package execution_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// TestNamesAsTheServerTakesThem: a plan refuses no name that a real server takes, and takes none that it refuses but for those
// that releases disagree on.
func TestNamesAsTheServerTakesThem(t *testing.T) {
	b := newBench(t)
	kinds := []string{
		"v1 Namespace", "v1 Service", "v1 ConfigMap", "v1 LimitRange", "v1 PersistentVolume", "v1 PersistentVolumeClaim", "v1 Pod", "v1 PodTemplate",
		"v1 ReplicationController", "v1 ResourceQuota", "v1 Secret", "v1 ServiceAccount", "apps/v1 DaemonSet", "apps/v1 Deployment",
		"apps/v1 ReplicaSet", "apps/v1 StatefulSet", "autoscaling/v2 HorizontalPodAutoscaler", "batch/v1 CronJob", "batch/v1 Job",
		"networking.k8s.io/v1 Ingress", "networking.k8s.io/v1 IngressClass", "networking.k8s.io/v1 NetworkPolicy", "node.k8s.io/v1 RuntimeClass",
		"policy/v1 PodDisruptionBudget", "scheduling.k8s.io/v1 PriorityClass", "storage.k8s.io/v1 StorageClass", "coordination.k8s.io/v1 Lease",
		"storage.k8s.io/v1 VolumeAttributesClass", "discovery.k8s.io/v1 EndpointSlice", "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration",
		"admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration", "apiextensions.k8s.io/v1 CustomResourceDefinition",
		"rbac.authorization.k8s.io/v1 Role", "rbac.authorization.k8s.io/v1 RoleBinding", "rbac.authorization.k8s.io/v1 ClusterRole",
		"rbac.authorization.k8s.io/v1 ClusterRoleBinding",
	}
	names := []string{
		"app", "app-1", "1app", "a.b", "a..b", "App", "app_1", "App_1", "a:b", "-a", "a-", "a b", "ä", "a%b", "a.", "127.0.0.1",
		strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 253), strings.Repeat("a", 254), strings.Repeat("a.", 31) + "a",
	}
	for _, kind := range kinds {
		for _, name := range names {
			version, kind, _ := strings.Cut(kind, " ")
			obj := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": name, "namespace": "default"},
			}}
			if namespaced, _ := manifest.Namespaced(obj.GroupVersionKind()); !namespaced {
				obj.SetNamespace("")
			}
			_, err := b.resource(obj).Create(t.Context(), obj, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			switch here, refused := manifest.Check(obj, nil), refusesName(err); {
			case here != nil && !refused:
				t.Errorf("%s %q: the plan refuses it: %v, and the server says %v", kind, name, here, err)
			case here == nil && refused && !stricterNow(kind, name):
				t.Errorf("%s %q: the plan takes it, and the server refuses: %v", kind, name, err)
			}
		}
	}
}

// refusesName reports whether a server found fault with the name of an object.
func refusesName(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return false
	}
	return slices.ContainsFunc(status.Status().Details.Causes, func(cause metav1.StatusCause) bool { return cause.Field == "metadata.name" })
}

// stricterNow reports whether a name of a kind is taken by some releases, or by other rules than those of names alone.
func stricterNow(kind, name string) bool {
	switch kind {
	case "StatefulSet": // dots, and more than 63 letters, before 1.36
		return len(name) > 63 || strings.Contains(name, ".")
	case "Service":
		return name[0] >= '0' && name[0] <= '9'
	case "CronJob":
		return len(name) > 52
	case "CustomResourceDefinition":
		return true // plural and group in one
	}
	return false
}
