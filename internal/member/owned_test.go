package member_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

var deleteNow = metav1.DeleteOptions{}

func configMapKey(name string) manifest.Key {
	return manifest.Key{Kind: "ConfigMap", Namespace: "default", Name: name}
}

// ours returns a ConfigMap with our label.
func ours(t *testing.T, name, value string) string {
	t.Helper()
	return fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: default, labels: {terraform-provider-multicluster/propagation: p}}, data: {k: "%s"}}`, name, value)
}

func TestOwnedIsOneListThatWritesKeepTrue(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	var sent recorder
	s := open(t, m, byToken(m), member.Options{WrapTransport: sent.wrap})
	apply(t, s, object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: default}}"))
	apply(t, s, object(t, "%s", ours(t, "a", "1")))
	sent.take()

	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			if owned, err := s.Owned(t.Context(), configMaps, "default"); err != nil || len(owned) != 1 || owned[configMapKey("a")] == nil {
				t.Errorf("got %v and %v, want one object", owned, err)
			}
		})
	}
	callers.Wait()
	if got, want := sent.take(), []string{"GET /api/v1/namespaces/default/configmaps"}; !slices.Equal(got, want) {
		t.Errorf("got requests %v, want %v", got, want)
	}

	apply(t, s, object(t, "%s", ours(t, "a", "2")))
	apply(t, s, object(t, "%s", ours(t, "b", "1")))
	owned, err := s.Owned(t.Context(), configMaps, "default")
	if err != nil || len(owned) != 2 {
		t.Fatalf("after writes: got %v and %v, want two objects", owned, err)
	}
	if data := owned[configMapKey("a")].Object["data"]; fmt.Sprint(data) != "map[k:2]" {
		t.Errorf("got data %v, want what was written", data)
	}
	resource, err := s.Mapping(t.Context(), configMaps)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := s.Delete(t.Context(), resource, owned[configMapKey("b")]); left != nil || err != nil {
		t.Errorf("delete: got %v and %v, want it gone at once", left, err)
	}
	if _, err := s.MergePatch(t.Context(), resource, "default", "a", []byte(`{"metadata":{"labels":null}}`), "test"); err != nil {
		t.Error(err)
	}
	if owned, err := s.Owned(t.Context(), configMaps, "default"); err != nil || len(owned) != 0 {
		t.Errorf("after the delete and the loss of the label: got %v and %v, want none", owned, err)
	}
	for _, request := range sent.take() {
		if request == "GET /api/v1/namespaces/default/configmaps" {
			t.Error("a write cost another list")
		}
	}
	s.Invalidate(resource)
	if _, err := s.Owned(t.Context(), configMaps, "default"); err != nil {
		t.Error(err)
	}
	if got := sent.take(); len(got) != 1 {
		t.Errorf("after Invalidate: got requests %v, want one list", got)
	}
}

func TestOwnedReadsAllPages(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	client := clients(t, m)
	const count = 501
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := w; i < count; i += 8 {
				cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%d", i), Labels: map[string]string{member.PropagationLabel: "p"}}}
				if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), cm, metav1.CreateOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	var sent recorder
	s := open(t, m, byToken(m), member.Options{WrapTransport: sent.wrap})
	owned, err := s.Owned(t.Context(), configMaps, "default")
	if err != nil || len(owned) != count {
		t.Errorf("got %d objects and %v, want %d", len(owned), err, count)
	}
	if all, err := s.Owned(t.Context(), configMaps, ""); err != nil || len(all) != count {
		t.Errorf("in all namespaces: got %d objects and %v, want %d", len(all), err, count)
	}
	if got := sent.take(); len(got) != 2+2+2 {
		t.Errorf("got %d requests, want a discovery and two pages twice: %v", len(got), got)
	}
}

func TestOwnedWithoutRights(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	stranger := byToken(m)
	stranger.Token = m.StrangerToken
	_, err := open(t, m, stranger, member.Options{}).Owned(t.Context(), configMaps, "default")
	if !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want it to be told as forbidden", err)
	}
	wantError(t, err, "member kube02: list configmaps default: ")
}

func TestWritesSayWhatHappened(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := open(t, m, byToken(m), member.Options{})
	resource, err := s.Mapping(t.Context(), configMaps)
	if err != nil {
		t.Fatal(err)
	}
	live := apply(t, s, object(t, "%s", ours(t, "a", "1")))
	if _, err := s.Get(t.Context(), resource, "default", "b"); !member.IsGone(err) {
		t.Errorf("got %v, want it to be told as gone", err)
	}
	for what, change := range map[string]func(*unstructured.Unstructured){
		"another UID":      func(seen *unstructured.Unstructured) { seen.SetUID("another") },
		"an older version": func(seen *unstructured.Unstructured) { seen.SetResourceVersion("1") },
	} {
		seen := live.DeepCopy()
		change(seen)
		if _, err := s.Delete(t.Context(), resource, seen); !apierrors.IsConflict(err) {
			t.Errorf("%s: got %v, want a conflict", what, err)
		}
	}
	elsewhere := live.DeepCopy()
	elsewhere.SetName("b")
	if _, err := s.Delete(t.Context(), resource, elsewhere); !member.IsGone(err) {
		t.Errorf("another name: got %v, want it to be told as gone", err)
	}
	var request *member.RequestError
	_, _, err = s.Apply(t.Context(), resource, object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}, dat: {}}"), member.ApplyOptions{FieldManager: "test"})
	if !member.IsMalformed(err) || !errors.As(err, &request) || request.Unconfirmed {
		t.Errorf("an unknown field: got %v, want a refusal", err)
	}
	endpoints, err := s.Mapping(t.Context(), configMaps.GroupVersion().WithKind("Endpoints"))
	if err != nil {
		t.Fatal(err)
	}
	_, warnings, err := s.Apply(t.Context(), endpoints, object(t, "{apiVersion: v1, kind: Endpoints, metadata: {name: e, namespace: default}}"),
		member.ApplyOptions{FieldManager: "test", DryRun: true})
	if err != nil || !strings.Contains(strings.Join(warnings, "\n"), "deprecated") {
		t.Errorf("got warnings %q and %v, want one about a deprecation", warnings, err)
	}
	if _, err := s.Get(t.Context(), endpoints, "default", "e"); !member.IsGone(err) {
		t.Errorf("after a dry run: got %v, want it to be told as gone", err)
	}
}

// Kinds whose names are not those of DNS take whatever may be a part of a path.
func TestNamesThatURLsEscape(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := open(t, m, byToken(m), member.Options{})
	role := object(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: "a b?c#d;e,f:é", namespace: default}}`)
	live := apply(t, s, role)
	resource, err := s.Mapping(t.Context(), role.GroupVersionKind())
	if err != nil {
		t.Fatal(err)
	}
	if live.GetName() != role.GetName() {
		t.Errorf("got the name %q, want %q", live.GetName(), role.GetName())
	}
	if _, err := s.Get(t.Context(), resource, "default", role.GetName()); err != nil {
		t.Error(err)
	}
	if left, err := s.Delete(t.Context(), resource, live); left != nil || err != nil {
		t.Errorf("delete: got %v and %v, want it gone at once", left, err)
	}
}
