package scheduler

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// list returns a resource list from names and quantities in turn.
func list(pairs ...string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		out[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return out
}

func TestCapacity(t *testing.T) {
	models := []api.ResourceModel{
		{Grade: 0, Ranges: []api.ResourceModelRange{{Name: "cpu", Min: resource.MustParse("0")}, {Name: "memory", Min: resource.MustParse("0")}}},
		{Grade: 1, Ranges: []api.ResourceModelRange{{Name: "cpu", Min: resource.MustParse("2")}, {Name: "memory", Min: resource.MustParse("4Gi")}}},
	}
	counts := []api.AllocatableModeling{{Grade: 0, Count: 7}, {Grade: 1, Count: 3}}
	need := func(pairs ...string) *Requirements { return &Requirements{ResourceRequest: list(pairs...)} }
	tests := map[string]struct {
		summary *api.ResourceSummary
		models  []api.ResourceModel
		need    *Requirements
		want    int64
	}{
		"nothing observed":         {nil, nil, nil, 0},
		"no free pods":             {&api.ResourceSummary{Allocatable: list("pods", "10"), Allocated: list("pods", "10")}, nil, nil, 0},
		"pods not counted":         {&api.ResourceSummary{Allocatable: list("cpu", "10")}, nil, need("cpu", "1"), 0},
		"no requirements":          {&api.ResourceSummary{Allocatable: list("pods", "10"), Allocated: list("pods", "3"), Allocating: list("pods", "2")}, nil, nil, 5},
		"no requests":              {&api.ResourceSummary{Allocatable: list("pods", "10")}, nil, need(), 10},
		"the scarcest resource":    {&api.ResourceSummary{Allocatable: list("pods", "110", "cpu", "10", "memory", "10Gi")}, nil, need("cpu", "1", "memory", "4Gi"), 2},
		"what others use":          {&api.ResourceSummary{Allocatable: list("pods", "110", "cpu", "10"), Allocated: list("cpu", "3"), Allocating: list("cpu", "1500m")}, nil, need("cpu", "500m"), 11},
		"nothing left":             {&api.ResourceSummary{Allocatable: list("pods", "110", "cpu", "1"), Allocated: list("cpu", "2")}, nil, need("cpu", "1m"), 0},
		"a resource nobody has":    {&api.ResourceSummary{Allocatable: list("pods", "110", "cpu", "1")}, nil, need("nvidia.com/gpu", "1"), 0},
		"a request of nothing":     {&api.ResourceSummary{Allocatable: list("pods", "110", "cpu", "2")}, nil, need("nvidia.com/gpu", "0", "cpu", "1"), 2},
		"requests round up":        {&api.ResourceSummary{Allocatable: list("pods", "110", "memory", "3")}, nil, need("memory", "1500m"), 1},
		"beyond 32 bits":           {&api.ResourceSummary{Allocatable: list("pods", "5G", "cpu", "4G")}, nil, need("cpu", "1"), 4e9},
		"more than anybody needs":  {&api.ResourceSummary{Allocatable: list("pods", "9E")}, nil, nil, 1 << 40},
		"pods are fewer":           {&api.ResourceSummary{Allocatable: list("pods", "3", "cpu", "100")}, nil, need("cpu", "1"), 3},
		"nodes by grade":           {&api.ResourceSummary{Allocatable: list("pods", "110"), AllocatableModelings: counts}, models, need("cpu", "1"), 6},
		"nodes, two resources":     {&api.ResourceSummary{Allocatable: list("pods", "110"), AllocatableModelings: counts}, models, need("cpu", "500m", "memory", "3Gi"), 3},
		"nodes without the kind":   {&api.ResourceSummary{Allocatable: list("pods", "110"), AllocatableModelings: counts}, models, need("nvidia.com/gpu", "1"), 0},
		"nodes hold 110 pods each": {&api.ResourceSummary{Allocatable: list("pods", "5000"), AllocatableModelings: counts}, models, need(), 1100},
		"counts without models":    {&api.ResourceSummary{Allocatable: list("pods", "110", "cpu", "9"), AllocatableModelings: counts}, nil, need("cpu", "1"), 9},
		"models without counts":    {&api.ResourceSummary{Allocatable: list("pods", "110", "cpu", "9")}, models, need("cpu", "1"), 9},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := &api.Cluster{Spec: api.ClusterSpec{ResourceModels: tt.models}, Status: api.ClusterStatus{ResourceSummary: tt.summary}}
			if got := capacity(c, tt.need); got != tt.want {
				t.Errorf("capacity() = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestShortOf(t *testing.T) {
	need := func(pairs ...string) *Requirements { return &Requirements{ResourceRequest: list(pairs...)} }
	for name, tt := range map[string]struct {
		allocatable corev1.ResourceList
		need        *Requirements
		want        string
	}{
		"no requirements":       {list("pods", "10", "cpu", "1"), nil, "pods"},
		"few pods":              {list("pods", "3", "cpu", "100"), need("cpu", "1"), "pods"},
		"the scarcest resource": {list("pods", "110", "cpu", "10", "memory", "10Gi"), need("cpu", "1", "memory", "4Gi"), "memory"},
		"two alike":             {list("pods", "110", "cpu", "2", "memory", "2Gi"), need("cpu", "1", "memory", "1Gi"), "cpu"},
		"a resource not there":  {list("pods", "110", "cpu", "2"), need("nvidia.com/gpu", "1", "cpu", "1"), "nvidia.com/gpu"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &api.Cluster{Status: api.ClusterStatus{ResourceSummary: &api.ResourceSummary{Allocatable: tt.allocatable}}}
			if got := shortOf(c, tt.need); got != tt.want {
				t.Errorf("short of %q, want %q", got, tt.want)
			}
		})
	}
}
