package execution_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// refs names the objects.
func refs(objects ...*unstructured.Unstructured) []execution.Ref {
	var all []execution.Ref
	for _, obj := range objects {
		all = append(all, execution.Ref{Key: manifest.KeyOf(obj), APIVersion: obj.GetAPIVersion()})
	}
	return all
}

func TestRead(t *testing.T) {
	b := newBench(t)
	ours := objects(t, configMap+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: stripped, namespace: default}}\n---\n"+
		"{apiVersion: v1, kind: Service, metadata: {name: stray, namespace: default}, spec: {ports: [{port: 80}]}}\n---\n"+
		"{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: default}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}}")
	b.do(request(ours...))
	b.patch(ours[1], `{"metadata":{"labels":null}}`)
	b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: foreign, namespace: default, labels: {terraform-provider-multicluster/propagation: q}, annotations: {terraform-provider-multicluster/instance: j}}}")
	asked := refs(slices.Concat(ours[:2], ours[3:], objects(t, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: foreign, namespace: default}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: deleted, namespace: default}}
---
{apiVersion: example.org/v1, kind: Gizmo, metadata: {name: g, namespace: default}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: nowhere}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: odd, namespace: default}}`))...)
	asked[len(asked)-1].APIVersion = "a/b/c"
	asked[2].APIVersion = "autoscaling/v2beta2" // of which the member serves a later version only
	b.restart()
	got := execution.Read(t.Context(), b.session, execution.ReadRequest{
		Objects: asked, Instance: "i", Scopes: []execution.Scope{
			{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Service"}, Namespace: "default"},
			{GVK: schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Gizmo"}, Namespace: "default"},
		},
	})
	for _, test := range []struct {
		what      string
		got, want []string
	}{
		{"live", sortedKeys(got.Live), []string{"ConfigMap/default/foreign", "ConfigMap/default/settings", "ConfigMap/default/stripped", "HorizontalPodAutoscaler.autoscaling/default/h"}},
		{"gone", sortedKeys(got.Gone), []string{"ConfigMap/default/deleted", "ConfigMap/nowhere/c", "Gizmo.example.org/default/g"}},
		{"failed", sortedKeys(got.Failed), []string{"ConfigMap/default/odd"}},
		{"foreign", sortedKeys(got.Foreign), []string{"ConfigMap/default/foreign"}},
		{"strays", sortedKeys(got.Strays), []string{"Service/default/stray"}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%s: got %v, want %v", test.what, test.got, test.want)
		}
	}
	if version := got.Live[asked[2].Key].GetAPIVersion(); version != "autoscaling/v2" {
		t.Errorf("got version %s, want the one that is served", version)
	}
	if owner := got.Foreign[asked[3].Key]; owner != (execution.Owner{Propagation: "q", Instance: "j"}) {
		t.Errorf("got owner %v", owner)
	}
}

// TestReadStrippedObjects: an object that lost its marks is there, and is not ours.
func TestReadStrippedObjects(t *testing.T) {
	b := newBench(t)
	obj := objects(t, configMap)[0]
	b.do(request(obj))
	b.patch(obj, `{"metadata":{"labels":null,"annotations":null}}`)
	b.restart()
	got := execution.Read(t.Context(), b.session, execution.ReadRequest{Objects: refs(obj), Instance: "i"})
	key := manifest.KeyOf(obj)
	if owner, foreign := got.Foreign[key]; got.Live[key] == nil || !foreign || owner != (execution.Owner{}) {
		t.Errorf("got %+v, want it live and nobody's", got)
	}
}

// TestReadOfMemberThatIsAway: nothing is gone because nobody answers.
func TestReadOfMemberThatIsAway(t *testing.T) {
	for name, lose := range map[string]func(*testfleet.Member) error{
		"cut off":    func(m *testfleet.Member) error { m.Cut(); return nil },
		"black hole": (*testfleet.Member).BlackHole,
	} {
		for _, met := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, met before %v", name, met), func(t *testing.T) {
				b := newBench(t)
				all := objects(t, namespace+"\n---\n"+deployment+"\n---\n"+configMap+"\n---\n"+widget)
				if met {
					b.do(request(all[2]))
				}
				if err := lose(b.member); err != nil {
					t.Fatal(err)
				}
				got := execution.Read(within(t, 4*time.Second), b.session, execution.ReadRequest{Objects: refs(all[0], all[1], all[3]), Instance: "i"})
				if len(got.Failed) != 3 || len(got.Gone) != 0 || len(got.Live) != 0 {
					t.Errorf("got %+v, want everything unknown", got)
				}
				if err := b.member.Restore(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func TestReadWithoutRights(t *testing.T) {
	b := newBench(t)
	all := objects(t, configMap+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: gone, namespace: default}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}}")
	b.do(request(all[0], all[2]))
	b.grant("get")
	b.session = b.open(b.member.StrangerToken)
	got := execution.Read(t.Context(), b.session, execution.ReadRequest{Objects: refs(all...), Instance: "i"})
	if got.Live[manifest.KeyOf(all[0])] == nil || !got.Gone[manifest.KeyOf(all[1])] || len(got.Foreign) != 0 {
		t.Errorf("got %+v, want each object by its own get", got)
	}
	if err := got.Failed[manifest.KeyOf(all[2])]; !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want it to be told as forbidden", err)
	}
}

// TestRequestEconomy: what an unchanged propagation of 99 objects costs, and what making it costs.
func TestRequestEconomy(t *testing.T) {
	b := newBench(t)
	var text []string
	for i := range 33 {
		text = append(text,
			fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: shop}, data: {k: v}}", i),
			fmt.Sprintf("{apiVersion: v1, kind: Service, metadata: {name: s%d, namespace: shop}, spec: {ports: [{port: 80}]}}", i),
			fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: d%d, namespace: shop}, spec: {replicas: 0, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}}", i))
	}
	all := objects(t, "%s", namespace+"\n---\n"+strings.Join(text, "\n---\n"))
	b.take()
	began := time.Now()
	b.do(request(all...))
	created := b.take()
	t.Logf("create: %d requests in %v", len(created), time.Since(began).Round(time.Millisecond))
	if len(created) > 2+2+100 { // discovery, the Namespace's list and get, and the objects
		t.Errorf("a create cost %d requests", len(created))
	}

	b.restart()
	began = time.Now()
	health, err := b.session.Probe(t.Context(), member.ProbeSettings{})
	if err != nil || !health.Healthy() {
		t.Fatalf("got %+v and %v", health, err)
	}
	got := execution.Read(t.Context(), b.session, execution.ReadRequest{Objects: refs(all[1:]...), Instance: "i"})
	read := b.take()
	t.Logf("read: %d requests in %v", len(read), time.Since(began).Round(time.Millisecond))
	if len(got.Live) != 99 || len(got.Foreign) != 0 {
		t.Errorf("got %d objects, %d of them foreign, want 99 of ours", len(got.Live), len(got.Foreign))
	}
	slices.Sort(read)
	want := []string{
		"GET /api", "GET /api/v1/namespaces/kube-system", "GET /api/v1/namespaces/shop/configmaps", "GET /api/v1/namespaces/shop/services",
		"GET /apis", "GET /apis/apps/v1/namespaces/shop/deployments", "GET /readyz",
	}
	if !slices.Equal(read, want) {
		t.Errorf("got requests %v, want %v", read, want)
	}
	execution.Read(t.Context(), b.session, execution.ReadRequest{Objects: refs(all[1:]...), Instance: "another"})
	if again := b.take(); len(again) != 0 {
		t.Errorf("another reader cost %v", again)
	}

	b.do(request(all[1])) // one object that changed
	if one := b.take(); len(one) != 1 {
		t.Errorf("one change cost %v, want one request", one)
	}
	began = time.Now()
	b.do(removal(all...))
	t.Logf("remove: %d requests in %v", len(b.take()), time.Since(began).Round(time.Millisecond))
}
