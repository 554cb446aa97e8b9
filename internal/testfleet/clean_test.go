package testfleet_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

func TestCleanRemovesWhatATestMade(t *testing.T) {
	m := testfleet.Shared(t).Member("west")
	client := kubernetes.NewForConfigOrDie(m.Config())
	ctx := t.Context()
	object := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: object("shop")}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.AppsV1().Deployments("default").Create(ctx, deployment(2), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitReady(t, client, 2)
	held := &corev1.ConfigMap{ObjectMeta: object("held")}
	held.Finalizers = []string{"example.com/nobody-serves-this"}
	if _, err := client.CoreV1().ConfigMaps("shop").Create(ctx, held, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	createWidget(t, m)
	if err := m.Freeze(); err != nil {
		t.Fatal(err)
	}

	start := time.Now()
	if err := m.Clean(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("cleaned in %.1f s", time.Since(start).Seconds())

	if _, err := client.CoreV1().Namespaces().Get(ctx, "shop", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("namespace: %v, want not found", err)
	}
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil || len(pods.Items) != 0 {
		t.Errorf("%d Pods left, %v", len(pods.Items), err)
	}
	definitions, err := apiextensions.NewForConfigOrDie(m.Config()).ApiextensionsV1().CustomResourceDefinitions().List(ctx, metav1.ListOptions{})
	if err != nil || len(definitions.Items) != 0 {
		t.Errorf("%d CRDs left, %v", len(definitions.Items), err)
	}
	if _, err := client.CoreV1().Services("default").Get(ctx, "kubernetes", metav1.GetOptions{}); err != nil {
		t.Errorf("the cluster's own Service: %v", err)
	}
	if err := m.Clean(ctx); err != nil {
		t.Errorf("cleaning a clean member: %v", err)
	}
}

// createWidget adds a CRD and one object of it.
func createWidget(t *testing.T, m *testfleet.Member) {
	t.Helper()
	yes := true
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Widget", ListKind: "WidgetList", Plural: "widgets", Singular: "widget"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: &yes,
				}},
			}},
		},
	}
	definitions := apiextensions.NewForConfigOrDie(m.Config()).ApiextensionsV1().CustomResourceDefinitions()
	if _, err := definitions.Create(t.Context(), definition, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	widget := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "one"},
	}}
	widgets := dynamic.NewForConfigOrDie(m.Config()).Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"})
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		_, err := widgets.Namespace("default").Create(t.Context(), widget, metav1.CreateOptions{})
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
