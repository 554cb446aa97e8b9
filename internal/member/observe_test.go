package member_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

func TestObserve(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	client := clients(t, m)
	if _, err := client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	const node = `{"status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}, "conditions": [{"type": "Ready", "status": "True"}]}}`
	if _, err := client.CoreV1().Nodes().Patch(t.Context(), "n1", types.MergePatchType, []byte(node), metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	for name, nodeName := range map[string]string{"running": "n1", "waiting": ""} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: nodeName, Containers: []corev1.Container{{
			Name: "c", Image: "x", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("500m")}},
		}}}}
		if _, err := client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}

	models := []api.ResourceModel{{Grade: 0, Ranges: []api.ResourceModelRange{{Name: "cpu"}}}, {Grade: 1, Ranges: []api.ResourceModelRange{{Name: "cpu", Min: resource.MustParse("3")}}}}
	status, err := open(t, m, byToken(m), member.Options{}).Observe(t.Context(), models)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(status.KubernetesVersion, "v1.") {
		t.Errorf("got version %q", status.KubernetesVersion)
	}
	if s := status.NodeSummary; s == nil || s.TotalNum != 1 || s.ReadyNum != 1 {
		t.Errorf("got nodes %+v, want one that is ready", s)
	}
	for what, amount := range map[string]resource.Quantity{
		"4":    status.ResourceSummary.Allocatable["cpu"],
		"500m": status.ResourceSummary.Allocated["cpu"],
		"1":    status.ResourceSummary.Allocating["pods"],
	} {
		if amount.String() != what {
			t.Errorf("got %s, want %s", amount.String(), what)
		}
	}
	if got := status.ResourceSummary.AllocatableModelings; !slices.Equal(got, []api.AllocatableModeling{{Grade: 0}, {Grade: 1, Count: 1}}) {
		t.Errorf("got grades %v, want the node, of which 3.5 CPUs are free, in grade 1", got)
	}
	apps := slices.IndexFunc(status.APIEnablements, func(e api.APIEnablement) bool { return e.GroupVersion == "apps/v1" })
	if apps < 0 || !slices.Contains(status.APIEnablements[apps].Resources, api.APIResource{Name: "deployments", Kind: "Deployment", Namespaced: true}) {
		t.Errorf("got %v, want namespaced deployments in apps/v1", status.APIEnablements)
	}
}

// TestObserveWithoutRights: what may not be seen is not taken for nothing.
func TestObserveWithoutRights(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	stranger := byToken(m)
	stranger.Token = m.StrangerToken
	status, err := open(t, m, stranger, member.Options{}).Observe(t.Context(), nil)
	if !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want it to be told as forbidden", err)
	}
	if status.KubernetesVersion == "" || len(status.APIEnablements) == 0 || status.NodeSummary != nil || status.ResourceSummary != nil {
		t.Errorf("got %+v, want version and kinds only", status)
	}
}
