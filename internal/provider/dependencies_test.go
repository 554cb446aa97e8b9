package provider_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// create makes an object on a member as somebody else.
func create(t *testing.T, fleet *testfleet.Fleet, member string, content map[string]any) {
	t.Helper()
	obj := &unstructured.Unstructured{Object: content}
	if _, err := client(t, fleet, member, obj.GetAPIVersion(), obj.GetKind(), obj.GetNamespace()).Create(t.Context(), obj, metav1.CreateOptions{FieldManager: "somebody"}); err != nil {
		t.Fatal(err)
	}
}

// What objects with propagateDeps depend on and no template brings is looked for on the members, when these objects are about
// to be sent and at no other time.
func TestDependenciesOutsideTheTemplates(t *testing.T) {
	fleet := acceptance(t)
	password := map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "password", "namespace": "default"}}
	create(t, fleet, "kube02", password)
	s := setup{
		members: twoRegions,
		templates: []string{replaced(t, lab(t, "01-demoapp-deployment.yaml"), "image: ikubernetes/demoapp:v1.0",
			"image: ikubernetes/demoapp:v1.0\n          envFrom: [{secretRef: {name: password}}, {configMapRef: {name: settings}}, {configMapRef: {name: extra, optional: true}}]"), configMap("settings")},
		policies: []string{lab(t, "02-propagationpolicy.yaml")},
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	plan := w.plan()
	says(t, plan, "Warning: Dependencies are not there", "member kube03: Secret/default/password, which "+demoapp+" needs",
		`reason = "follows `+demoapp) // settings follows, though no policy selects it
	silent(t, plan, "member kube02:", "ConfigMap/default/extra")
	w.apply()
	began := time.Now()
	silent(t, w.plan(), "with "+app)
	requests, err := fleet.Member("kube03").Requests(began)
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range requests {
		if strings.Contains(request.URI, "/secrets") {
			t.Errorf("a plan without changes asks for Secrets: %s %s", request.Verb, request.URI)
		}
	}

	s.templates[0] = replaced(t, s.templates[0], "demoapp:v1.0", "demoapp:v1.1")
	w.write(s.files(t, fleet))
	says(t, w.plan(), "member kube03: Secret/default/password")
	create(t, fleet, "kube03", password)
	silent(t, w.plan(), "with "+app)
	if err := fleet.Member("kube03").Freeze(); err != nil {
		t.Fatal(err)
	}
	silent(t, w.plan("-refresh=false"), "Dependencies are not there") // and it ends
}

// What another propagation brings in the same apply is no dependency that is missing.
func TestDependenciesInAnotherPropagation(t *testing.T) {
	fleet := acceptance(t)
	s := setup{
		members: twoRegions, templates: []string{strings.ReplaceAll(configMap("settings"), "metadata: {", "metadata: {namespace: shop, ")},
		policies:  []string{everywhere("v1 ConfigMap", "v1 Namespace")},
		arguments: map[string]string{"depends_on": "[" + second + "]"},
		more:      another("name = \"base\"\n  templates = [file(\"base.yaml\")]\n  policies  = [file(\"policies-0.yaml\")]"),
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.write(map[string]string{"base.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"})
	silent(t, w.apply(), "with "+app, "with "+second)
	if !exists(t, fleet, "kube03", "v1", "ConfigMap", "shop", "settings") {
		t.Error("the ConfigMap is not there")
	}
	w.settled()
}

// An Ingress may leave the certificate to its controller.
func TestIngressWithoutASecretName(t *testing.T) {
	fleet := acceptance(t)
	s := setup{
		members: twoRegions,
		templates: []string{"apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\n" +
			"spec: {tls: [{hosts: [a.example.com]}], defaultBackend: {service: {name: web, port: {number: 80}}}}\n"},
		policies: []string{replaced(t, everywhere("networking.k8s.io/v1 Ingress"), "placement: {}", "placement: {}\n  propagateDeps: true")},
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	silent(t, w.apply(), "with "+app)
	w.settled()
}
