package testfleet_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

func TestRequestsCountsWhatCameFromOutside(t *testing.T) {
	fleet := testfleet.Shared(t)
	m := fleet.Member("east")
	start := time.Now()
	for _, client := range []*kubernetes.Clientset{viaProxy(t, fleet, "east"), kubernetes.NewForConfigOrDie(m.Config())} {
		maps := client.CoreV1().ConfigMaps("default")
		created, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "c-"}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := maps.Get(t.Context(), created.Name, metav1.GetOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := maps.Get(t.Context(), "missing", metav1.GetOptions{}); err == nil {
			t.Fatal("there should be no such object")
		}
	}

	requests, err := m.Requests(start)
	if err != nil {
		t.Fatal(err)
	}
	// The second client's requests are not counted.
	want := map[string]int{"create": 1, "get": 4}
	if got := testfleet.ByVerb(requests); !maps.Equal(got, want) {
		t.Errorf("ByVerb = %v, want %v", got, want)
	}
	last := requests[len(requests)-1]
	if last.User != "admin" || last.Code != 404 || !strings.HasPrefix(last.URI, "/api/v1/namespaces/default/configmaps/missing?") {
		t.Errorf("last request: %+v", last)
	}
	if later, err := m.Requests(time.Now()); err != nil || len(later) != 0 {
		t.Errorf("from now on: %v, %v; want none", later, err)
	}
}
