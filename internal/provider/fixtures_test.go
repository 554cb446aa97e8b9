package provider_test

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: demoapp
  namespace: default
spec:
  replicas: 4
  selector:
    matchLabels:
      app: demoapp
  template:
    metadata:
      labels:
        app: demoapp
    spec:
      containers:
        - name: demoapp
          image: ikubernetes/demoapp:v1.0
`

const duplicatedPolicy = `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: demoapp
  namespace: default
spec:
  resourceSelectors:
    - apiVersion: apps/v1
      kind: Deployment
      name: demoapp
  placement:
    clusterAffinity:
      clusterNames: [kube02, kube03]
  propagateDeps: true
`

// client returns a client that goes straight to a member, past the proxy that tests cut.
func client(t *testing.T, fleet *testfleet.Fleet, name, apiVersion, kind, namespace string) dynamic.ResourceInterface {
	t.Helper()
	c, err := dynamic.NewForConfig(fleet.Member(name).Config())
	if err != nil {
		t.Fatal(err)
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		t.Fatal(err)
	}
	plural, _ := meta.UnsafeGuessKindToResource(gv.WithKind(kind))
	if namespace == "" {
		return c.Resource(plural)
	}
	return c.Resource(plural).Namespace(namespace)
}

// get returns an object of a member, or nil when it is not there.
func get(t *testing.T, fleet *testfleet.Fleet, member, apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	obj, err := client(t, fleet, member, apiVersion, kind, namespace).Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

func exists(t *testing.T, fleet *testfleet.Fleet, member, apiVersion, kind, namespace, name string) bool {
	t.Helper()
	return get(t, fleet, member, apiVersion, kind, namespace, name) != nil
}

// live returns a field of an object of a member.
func live(t *testing.T, fleet *testfleet.Fleet, member, apiVersion, kind, namespace, name string, at ...string) any {
	t.Helper()
	obj := get(t, fleet, member, apiVersion, kind, namespace, name)
	if obj == nil {
		t.Fatalf("member %s has no %s %s/%s", member, kind, namespace, name)
	}
	value, _, err := unstructured.NestedFieldCopy(obj.Object, at...)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
