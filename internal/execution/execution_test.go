package execution_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

func TestMain(m *testing.M) {
	testfleet.Main(m, testfleet.Options{Members: []string{"kube02"}})
}

// bench is a member with a session, and a look at it past the session.
type bench struct {
	*testing.T
	member  *testfleet.Member
	session *member.Session
	requests
	direct *dynamic.DynamicClient
	client *kubernetes.Clientset
}

func newBench(t *testing.T) *bench {
	t.Helper()
	m := testfleet.Shared(t).Member("kube02")
	b := &bench{T: t, member: m}
	b.session = b.open(m.Token)
	var err error
	if b.direct, err = dynamic.NewForConfig(m.Config()); err != nil {
		t.Fatal(err)
	}
	if b.client, err = kubernetes.NewForConfig(m.Config()); err != nil {
		t.Fatal(err)
	}
	return b
}

// open opens another session, with the given token.
func (b *bench) open(token string) *member.Session {
	s := member.Open(b.member.Name, member.Connection{Host: b.member.Host, CA: string(b.member.CA), Token: token},
		member.Options{RetryFor: 2 * time.Second, WrapTransport: b.wrap})
	b.Cleanup(s.Close)
	return s
}

// restart gives the bench a session that knows nothing, as a new run has.
func (b *bench) restart() { b.session = b.open(b.member.Token) }

// requests notes what is sent, and may interfere.
type requests struct {
	mu     sync.Mutex
	sent   []string
	before func(*http.Request)
}

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		r.mu.Lock()
		r.sent = append(r.sent, req.Method+" "+req.URL.Path)
		before := r.before
		r.mu.Unlock()
		if before != nil {
			before(req)
		}
		return next.RoundTrip(req)
	})
}

func (r *requests) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := r.sent
	r.sent = nil
	return sent
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// objects reads YAML documents.
func objects(t *testing.T, format string, args ...any) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for _, document := range strings.Split(fmt.Sprintf(format, args...), "\n---\n") {
		text, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		obj := &unstructured.Unstructured{}
		if err := obj.UnmarshalJSON(text); err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		all = append(all, obj)
	}
	return all
}

// request asks for the objects as propagation p, instance i.
func request(objects ...*unstructured.Unstructured) execution.ApplyRequest {
	req := execution.ApplyRequest{Propagation: "p", Instance: "i"}
	for _, obj := range objects {
		req.Objects = append(req.Objects, execution.ApplyObject{Key: manifest.KeyOf(obj), Manifest: obj, Conflict: api.ConflictAbort})
	}
	return req
}

// removal asks for the objects to be removed, as propagation p, instance i.
func removal(objects ...*unstructured.Unstructured) execution.ApplyRequest {
	req := execution.ApplyRequest{Propagation: "p", Instance: "i"}
	for _, obj := range objects {
		req.Remove = append(req.Remove, execution.RemoveObject{Key: manifest.KeyOf(obj), APIVersion: obj.GetAPIVersion()})
	}
	return req
}

// do applies the request, and wants everything to be applied or removed.
func (b *bench) do(req execution.ApplyRequest) execution.Result {
	b.Helper()
	result := execution.Apply(within(b.T, time.Minute), b.session, req)
	if err := result.Err(); err != nil {
		b.Fatal(err)
	}
	return result
}

// have makes an object as somebody else.
func (b *bench) have(format string, args ...any) *unstructured.Unstructured {
	b.Helper()
	obj := objects(b.T, format, args...)[0]
	live, err := b.resource(obj).Create(b.Context(), obj, metav1.CreateOptions{FieldManager: "somebody"})
	if err != nil {
		b.Fatal(err)
	}
	return live
}

// resource is the direct way to objects like obj.
func (b *bench) resource(obj *unstructured.Unstructured) dynamic.ResourceInterface {
	b.Helper()
	r, err := b.session.Mapping(b.Context(), obj.GroupVersionKind())
	if err != nil {
		b.Fatal(err)
	}
	if obj.GetNamespace() != "" {
		return b.direct.Resource(r.GroupVersionResource).Namespace(obj.GetNamespace())
	}
	return b.direct.Resource(r.GroupVersionResource)
}

// live returns what is there of obj, or nil.
func (b *bench) live(obj *unstructured.Unstructured) *unstructured.Unstructured {
	b.Helper()
	live, err := b.resource(obj).Get(b.Context(), obj.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		b.Fatal(err)
	}
	return live
}

// patch changes obj as somebody else.
func (b *bench) patch(obj *unstructured.Unstructured, patch string) {
	b.Helper()
	if _, err := b.resource(obj).Patch(b.Context(), obj.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "somebody"}); err != nil {
		b.Fatal(err)
	}
}

// states returns the state of each object of a result.
func states(result execution.Result) map[string]execution.State {
	all := map[string]execution.State{}
	for key, outcome := range result.Outcomes {
		all[key.String()] = outcome.State
	}
	return all
}

func wantStates(t *testing.T, result execution.Result, want map[string]execution.State) {
	t.Helper()
	if got := states(result); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v; the error is: %v", got, want, result.Err())
	}
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got error %v, want one with %q", err, part)
	}
}

// within is a context that ends after d.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func objectError(t *testing.T, err error) *execution.ObjectError {
	t.Helper()
	var e *execution.ObjectError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an ObjectError", err)
	}
	return e
}

func sortedKeys[V any](m map[manifest.Key]V) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	return keys
}

const widgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.io}
spec:
  group: example.io
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, maximum: 5}}}}}}
`

const widget = "{apiVersion: example.io/v1, kind: Widget, metadata: {name: w, namespace: shop}, spec: {size: 1}}"

const namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.27", ports: [{containerPort: 80}]}]}
`

const configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: default}, data: {color: red}}"
