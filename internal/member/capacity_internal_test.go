package member

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// decode reads a JSON document.
func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// requests returns a container that asks for resources, such as cpu=1,memory=1Gi.
func requests(list string) string {
	var pairs []string
	for _, item := range strings.Split(list, ",") {
		name, amount, _ := strings.Cut(item, "=")
		pairs = append(pairs, fmt.Sprintf("%q: %q", name, amount))
	}
	return `{"resources": {"requests": {` + strings.Join(pairs, ", ") + `}}}`
}

func onePod(nodeName, phase, containers, initContainers, overhead string) string {
	if overhead == "" {
		overhead = "{}"
	}
	return fmt.Sprintf(`{"spec": {"nodeName": %q, "containers": [%s], "initContainers": [%s], "overhead": %s}, "status": {"phase": %q}}`,
		nodeName, containers, initContainers, overhead, phase)
}

func TestRequestOfPod(t *testing.T) {
	for name, test := range map[string]struct {
		pod  string
		want amounts
	}{
		"sum of containers":         {onePod("", "", requests("cpu=100m,memory=1Ki")+","+requests("cpu=1"), "", ""), amounts{"cpu": 1100, "memory": 1024, "pods": 1}},
		"largest init container":    {onePod("", "", requests("cpu=100m,memory=1Ki"), requests("cpu=2")+","+requests("cpu=1,memory=1"), ""), amounts{"cpu": 2000, "memory": 1024, "pods": 1}},
		"overhead comes on top":     {onePod("", "", requests("cpu=1"), requests("cpu=2"), `{"cpu": "1"}`), amounts{"cpu": 3000, "pods": 1}},
		"requests are rounded up":   {onePod("", "", requests("cpu=100u,memory=1500m")+","+requests("cpu=100u"), "", ""), amounts{"cpu": 2, "memory": 2, "pods": 1}},
		"scalar resources":          {onePod("", "", requests("nvidia.com/gpu=1,hugepages-2Mi=4Mi,attachable-volumes-x=2,ephemeral-storage=1"), "", ""), amounts{"nvidia.com/gpu": 1, "hugepages-2Mi": 4 << 20, "attachable-volumes-x": 2, "ephemeral-storage": 1, "pods": 1}},
		"others are not counted":    {onePod("", "", requests("storage=1Gi,bogus=3"), "", ""), amounts{"pods": 1}},
		"nothing is asked for":      {onePod("", "", "{}", "", ""), amounts{"pods": 1}},
		"what init containers need": {onePod("", "", "{}", requests("nvidia.com/gpu=1"), ""), amounts{"nvidia.com/gpu": 1, "pods": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := decode[pod](t, test.pod).request(); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func oneNode(name, cpu, memory, pods string) string {
	return fmt.Sprintf(`{"metadata": {"name": %q}, "status": {"allocatable": {"cpu": %q, "memory": %q, "pods": %q}}}`, name, cpu, memory, pods)
}

// grades are the first three of Karmada's default models.
var grades = []api.ResourceModel{
	model(2, "2", "16Gi"), model(0, "0", "0"), model(1, "1", "4Gi"), // in no order
}

func model(grade uint, cpu, memory string) api.ResourceModel {
	return api.ResourceModel{Grade: grade, Ranges: []api.ResourceModelRange{
		{Name: corev1.ResourceCPU, Min: resource.MustParse(cpu)}, {Name: corev1.ResourceMemory, Min: resource.MustParse(memory)},
	}}
}

func TestSummarizeResources(t *testing.T) {
	fleet := decode[[]node](t, "["+strings.Join([]string{
		oneNode("small", "1500m", "8Gi", "10"),
		oneNode("full", "64", "256Gi", "1"),
		oneNode("large", "4", "32Gi", "110"),
		oneNode("lopsided", "8", "1Gi", "110"),
	}, ",")+"]")
	load := decode[[]pod](t, "["+strings.Join([]string{
		onePod("small", "Running", requests("cpu=500m,memory=1Gi"), "", ""),
		onePod("full", "Running", requests("cpu=1"), "", ""),
		onePod("large", "Running", requests("cpu=3,memory=1Gi"), "", ""),
		onePod("large", "Succeeded", requests("cpu=4"), "", ""),
		onePod("large", "Failed", requests("cpu=4"), "", ""),
		onePod("", "Pending", requests("cpu=7,memory=2Gi"), "", ""),
		onePod("elsewhere", "Running", requests("cpu=1"), "", ""),
	}, ",")+"]")
	got := summarizeResources(fleet, load, grades)
	for _, test := range []struct {
		what string
		got  corev1.ResourceList
		want map[corev1.ResourceName]string
	}{
		{"allocatable", got.Allocatable, map[corev1.ResourceName]string{"cpu": "77500m", "memory": "297Gi", "pods": "231"}},
		{"allocating", got.Allocating, map[corev1.ResourceName]string{"cpu": "7", "memory": "2Gi", "pods": "1"}},
		{"allocated", got.Allocated, map[corev1.ResourceName]string{"cpu": "5500m", "memory": "2Gi", "pods": "4"}},
	} {
		if len(test.got) != len(test.want) {
			t.Errorf("%s: got %v, want %v", test.what, test.got, test.want)
		}
		for name, want := range test.want {
			if amount := test.got[name]; amount.String() != want {
				t.Errorf("%s of %s: got %s, want %s", name, test.what, amount.String(), want)
			}
		}
	}
	// small has 1 CPU and 7 GiB free: grade 1. full takes no Pod. large has 1 CPU and 31 GiB: grade 1. lopsided: grade 0.
	want := []api.AllocatableModeling{{Grade: 0, Count: 1}, {Grade: 1, Count: 2}, {Grade: 2, Count: 0}}
	if !reflect.DeepEqual(got.AllocatableModelings, want) {
		t.Errorf("got grades %v, want %v", got.AllocatableModelings, want)
	}
	if without := summarizeResources(fleet, load, nil).AllocatableModelings; without != nil {
		t.Errorf("without models: got %v, want none", without)
	}
}
