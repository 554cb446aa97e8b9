package member_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

const widgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.io}
spec:
  group: example.io
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

var widgets = schema.GroupVersionKind{Group: "example.io", Version: "v1", Kind: "Widget"}

func TestMapping(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	var sent recorder
	s := open(t, m, byToken(m), member.Options{WrapTransport: sent.wrap})
	for _, test := range []struct {
		gvk        schema.GroupVersionKind
		resource   string
		namespaced bool
	}{
		{deployments, "deployments", true},
		{configMaps, "configmaps", true},
		{schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "namespaces", false},
		{schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "HorizontalPodAutoscaler"}, "horizontalpodautoscalers", true},
	} {
		r, err := s.Mapping(t.Context(), test.gvk)
		if err != nil || r.Resource != test.resource || r.Namespaced != test.namespaced || r.GroupVersionKind() != test.gvk {
			t.Errorf("%v: got %+v and %v", test.gvk, r, err)
		}
	}
	for _, test := range []struct {
		gvk  schema.GroupVersionKind
		want string
	}{
		{schema.GroupVersionKind{Group: "apps", Version: "v1beta1", Kind: "Deployment"}, "member kube02 serves no kind Deployment in apiVersion apps/v1beta1: it serves it in apps/v1"},
		{schema.GroupVersionKind{Group: "autoscaling", Version: "v3", Kind: "HorizontalPodAutoscaler"}, "it serves it in autoscaling/v2, autoscaling/v1"},
		{schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deploiment"}, "check the spelling, or install its CustomResourceDefinition"},
		{widgets, "serves no kind Widget in apiVersion example.io/v1"},
	} {
		_, err := s.Mapping(t.Context(), test.gvk)
		var none *member.NoMatchError
		if !errors.As(err, &none) {
			t.Errorf("%v: got %v, want a NoMatchError", test.gvk, err)
		}
		wantError(t, err, test.want)
	}
	if got := sent.take(); len(got) != 2 {
		t.Errorf("got requests %v, want one discovery", got)
	}
}

// TestMappingFindsNewKinds: a kind that somebody else adds is found although the discovery is older.
func TestMappingFindsNewKinds(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := open(t, m, byToken(m), member.Options{})
	if _, err := s.Mapping(t.Context(), widgets); err == nil {
		t.Fatal("the kind is there already")
	}
	other := open(t, m, byToken(m), member.Options{})
	apply(t, other, object(t, widgetDefinition))
	eventually(t, "the new kind", func() bool { _, err := s.Mapping(t.Context(), widgets); return err == nil })
	eventually(t, "the new kind, by who wrote it", func() bool { _, err := other.Mapping(t.Context(), widgets); return err == nil })
}

// TestMappingOfGroupThatDoesNotAnswer: what is behind a broken APIService may be there; that is no NoMatch.
func TestMappingOfGroupThatDoesNotAnswer(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := open(t, m, byToken(m), member.Options{})
	apply(t, s, object(t, `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.broken.example.io}
spec: {group: broken.example.io, version: v1, groupPriorityMinimum: 100, versionPriority: 100, service: {namespace: default, name: nobody}, insecureSkipTLSVerify: true}
`))
	t.Cleanup(func() { // cleaning the fleet leaves APIServices alone
		client, err := dynamic.NewForConfig(m.Config())
		if err != nil {
			t.Fatal(err)
		}
		services := client.Resource(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"})
		if err := services.Delete(context.Background(), "v1.broken.example.io", deleteNow); err != nil {
			t.Error(err)
		}
	})
	gadgets := schema.GroupVersionKind{Group: "broken.example.io", Version: "v1", Kind: "Gadget"}
	var unknown *member.DiscoveryError
	eventually(t, "a DiscoveryError", func() bool {
		_, err := s.Mapping(t.Context(), gadgets)
		return errors.As(err, &unknown)
	})
	wantError(t, unknown, "look at the APIService v1.broken.example.io")
	if _, err := s.Mapping(t.Context(), deployments); err != nil {
		t.Errorf("another group: %v", err)
	}
	var none *member.NoMatchError
	if _, err := s.Mapping(t.Context(), widgets); !errors.As(err, &none) {
		t.Errorf("another group: got %v, want a NoMatchError", err)
	}
	served, err := s.Served(t.Context())
	if !errors.As(err, &unknown) || !slices.ContainsFunc(served, func(r member.Resource) bool { return r.Kind == "Deployment" }) {
		t.Errorf("got %d kinds and %v, want what is known and the error", len(served), err)
	}
	status, err := s.Observe(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := status.Conditions[0]; c.Type != member.ConditionCompleteAPIEnablements || c.Status != "False" || c.Reason != "Partial" {
		t.Errorf("got condition %+v", c)
	}
}

// TestMappingOfMemberThatIsAway: no answer is no NoMatch.
func TestMappingOfMemberThatIsAway(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	m.Cut()
	s := open(t, m, byToken(m), member.Options{RetryFor: 300 * time.Millisecond})
	_, err := s.Mapping(t.Context(), widgets)
	if !member.IsUnanswered(err) || member.IsGone(err) {
		t.Errorf("got %v, want no answer", err)
	}
	if err := m.Restore(); err != nil {
		t.Fatal(err)
	}
	var none *member.NoMatchError
	eventually(t, "the member to be asked again", func() bool { _, err := s.Mapping(t.Context(), widgets); return errors.As(err, &none) })
}

// TestKindThatGoesAway: a list of a kind whose definition was deleted says so, and not that something failed.
func TestKindThatGoesAway(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	s := open(t, m, byToken(m), member.Options{})
	apply(t, s, object(t, widgetDefinition))
	eventually(t, "the kind", func() bool { _, err := s.Owned(t.Context(), widgets, "default"); return err == nil })

	client, err := dynamic.NewForConfig(m.Config())
	if err != nil {
		t.Fatal(err)
	}
	definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	if err := definitions.Delete(t.Context(), "widgets.example.io", deleteNow); err != nil {
		t.Fatal(err)
	}
	var none *member.NoMatchError
	namespace := "a"
	eventually(t, "a NoMatchError", func() bool {
		namespace += "a" // another list each time
		_, err := s.Owned(t.Context(), widgets, namespace)
		return errors.As(err, &none)
	})
}

func TestServedKinds(t *testing.T) {
	m := testfleet.Shared(t).Member("kube02")
	served, err := open(t, m, byToken(m), member.Options{}).Served(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	preferred := map[schema.GroupKind]int{}
	for _, r := range served {
		if strings.Contains(r.Resource, "/") {
			t.Errorf("%v is a subresource", r)
		}
		if r.Preferred {
			preferred[r.GroupVersionKind().GroupKind()]++
		}
		if r.Resource == "deployments" && (!r.Namespaced || !r.Can("list") || r.Can("create") != true) {
			t.Errorf("got %+v", r)
		}
	}
	for kind, count := range preferred {
		if count != 1 {
			t.Errorf("%v is preferred in %d versions, want 1", kind, count)
		}
	}
}

func TestRetiredMemberIsNeverDialled(t *testing.T) {
	var sent recorder
	s := member.Open("kube02", member.Connection{Retired: true, Host: "https://127.0.0.1:1", Token: "t"}, member.Options{WrapTransport: sent.wrap})
	_, err := s.Mapping(context.Background(), deployments)
	if !errors.Is(err, member.ErrRetired) {
		t.Errorf("got %v, want %v", err, member.ErrRetired)
	}
	if got := sent.take(); len(got) != 0 {
		t.Errorf("got requests %v, want none", got)
	}
}
