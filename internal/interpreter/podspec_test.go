package interpreter

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestPodSpecPath(t *testing.T) {
	template := []string{"spec", "template", "spec"}
	tests := []struct {
		apiVersion, kind string
		want             []string
	}{
		{"v1", "Pod", []string{"spec"}},
		{"v1", "ReplicationController", template},
		{"apps/v1", "Deployment", template},
		{"apps/v1", "ReplicaSet", template},
		{"apps/v1", "StatefulSet", template},
		{"apps/v1", "DaemonSet", template},
		{"batch/v1", "Job", template},
		{"batch/v1", "CronJob", []string{"spec", "jobTemplate", "spec", "template", "spec"}},
		{"batch.volcano.sh/v1alpha1", "Job", nil},
		{"apps/v1beta1", "Deployment", nil},
		{"v1", "Service", nil},
	}
	for _, tt := range tests {
		t.Run(tt.apiVersion+"/"+tt.kind, func(t *testing.T) {
			got, ok := PodSpecPath(schema.FromAPIVersionAndKind(tt.apiVersion, tt.kind))
			if ok != (tt.want != nil) || !slices.Equal(got, tt.want) {
				t.Errorf("got %v, %v, want %v", got, ok, tt.want)
			}
		})
	}
}

func TestPodSpecPathIsACopy(t *testing.T) {
	pod := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	first, _ := PodSpecPath(pod)
	first[0] = "changed"
	if second, _ := PodSpecPath(pod); second[0] != "spec" {
		t.Errorf("a caller could change the table: got %v", second)
	}
}
