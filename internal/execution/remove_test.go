package execution_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// released fails the test unless live has lost our marks and our ownership, and nothing else.
func released(t *testing.T, before, live *unstructured.Unstructured) {
	t.Helper()
	if live == nil {
		t.Fatal("the object is gone")
	}
	if owner := execution.OwnerOf(live); owner != (execution.Owner{}) || execution.Preexisting(live) {
		t.Errorf("got %v and preexisting %v, want no mark", owner, execution.Preexisting(live))
	}
	for _, entry := range live.GetManagedFields() {
		if entry.Manager == execution.FieldManager && entry.Operation == metav1.ManagedFieldsOperationApply {
			t.Error("fields are still ours")
		}
	}
	content := func(obj *unstructured.Unstructured) string {
		c := obj.DeepCopy().Object
		delete(c, "metadata")
		delete(c, "status")
		return fmt.Sprint(c)
	}
	if got, want := content(live), content(before); got != want {
		t.Errorf("the content changed from\n%s to\n%s", want, got)
	}
}

func TestRemove(t *testing.T) {
	b := newBench(t)
	ours := objects(t, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: plain, namespace: default}, data: {a: b}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: orphan, namespace: default, labels: {x: y}}, data: {a: b}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: policy, namespace: default, annotations: {helm.sh/resource-policy: keep}}, data: {a: b}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: default}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}}
---
{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: default}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: overwritten, namespace: default}, data: {a: b}}`)
	b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: overwritten, namespace: default}, data: {theirs: c}}")
	req := request(ours...)
	req.Objects[5].Conflict = api.ConflictOverwrite
	before := b.do(req)
	stranger := b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: stranger, namespace: default, labels: {terraform-provider-multicluster/propagation: q}, annotations: {terraform-provider-multicluster/instance: j}}}")
	stripped := b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: stripped, namespace: default}}")
	gone := objects(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: gone, namespace: default}}\n---\n{apiVersion: example.org/v1, kind: Gizmo, metadata: {name: g, namespace: default}}")

	rm := removal(slices.Concat(ours, []*unstructured.Unstructured{stranger, stripped}, gone)...)
	rm.Remove[1].Orphan = true
	rm.Remove[4].APIVersion = "autoscaling/v2beta2" // in which it was made, and which is served no longer
	b.restart()
	result := b.do(rm)
	wantStates(t, result, map[string]execution.State{
		"ConfigMap/default/plain":                       execution.StateRemoved,
		"ConfigMap/default/orphan":                      execution.StateReleased,
		"ConfigMap/default/policy":                      execution.StateReleased,
		"ConfigMap/default/overwritten":                 execution.StateReleased,
		"Deployment.apps/default/d":                     execution.StateRemoved,
		"HorizontalPodAutoscaler.autoscaling/default/h": execution.StateRemoved,
		"ConfigMap/default/stranger":                    execution.StateForeign,
		"ConfigMap/default/stripped":                    execution.StateForeign,
		"ConfigMap/default/gone":                        execution.StateRemoved,
		"Gizmo.example.org/default/g":                   execution.StateRemoved,
	})
	if owner := result.Outcomes[manifest.KeyOf(stranger)].Owner; owner != (execution.Owner{Propagation: "q", Instance: "j"}) {
		t.Errorf("got owner %v", owner)
	}
	notes := strings.Join(result.Notes, "\n")
	if !strings.Contains(notes, "off ConfigMap/default/stripped, so nothing was deleted there") || strings.Contains(notes, "stranger") {
		t.Errorf("got notes %q", notes)
	}
	for _, i := range []int{0, 3, 4} {
		if b.live(ours[i]) != nil {
			t.Errorf("%s is still there", manifest.KeyOf(ours[i]))
		}
	}
	for _, i := range []int{1, 2, 5} {
		released(t, before.Outcomes[manifest.KeyOf(ours[i])].Live, b.live(ours[i]))
	}
	if b.live(stranger) == nil || b.live(stripped) == nil {
		t.Error("an object of somebody else is gone")
	}
}

// TestReleaseAgainstOtherWriters: somebody who writes at the same time neither loses nor prevents it.
func TestReleaseAgainstOtherWriters(t *testing.T) {
	b := newBench(t)
	obj := objects(t, configMap)[0]
	b.do(request(obj))
	b.patch(obj, `{"data":{"theirs":"1"}}`) // the session's list shows an older version now
	rm := removal(obj)
	rm.Remove[0].Orphan = true
	wantStates(t, b.do(rm), map[string]execution.State{"ConfigMap/default/settings": execution.StateReleased})
	if data := fmt.Sprint(b.live(obj).Object["data"]); data != "map[color:red theirs:1]" {
		t.Errorf("got data %s", data)
	}
}

// TestRemoveOfObjectThatWasReplaced: who has the same name and is another object is left alone.
func TestRemoveOfObjectThatWasReplaced(t *testing.T) {
	b := newBench(t)
	obj := objects(t, configMap)[0]
	b.do(request(obj))
	if err := b.resource(obj).Delete(t.Context(), obj.GetName(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.have("%s", configMap)
	wantStates(t, b.do(removal(obj)), map[string]execution.State{"ConfigMap/default/settings": execution.StateForeign})
	if b.live(obj) == nil {
		t.Error("the other object is gone")
	}
}

// TestReplacementKeepsObjects: the new instance is created before the old one is removed.
func TestReplacementKeepsObjects(t *testing.T) {
	b := newBench(t)
	obj := objects(t, configMap)[0]
	b.do(request(obj))
	next := request(obj)
	next.Instance, next.Adopt = "j", true
	b.do(next)
	b.restart()
	wantStates(t, b.do(removal(obj)), map[string]execution.State{"ConfigMap/default/settings": execution.StateForeign})
	if b.live(obj) == nil {
		t.Error("the object of the new instance is gone")
	}
}

// TestRemoveThatDoesNotEnd: the error says what the object waits for, and its state stays known.
func TestRemoveThatDoesNotEnd(t *testing.T) {
	b := newBench(t)
	all := objects(t, namespace+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop, finalizers: [example.com/nobody]}}\n---\n"+configMap)
	b.do(request(all...))
	defer func() {
		b.patch(all[1], `{"metadata":{"finalizers":null}}`)
	}()
	result := execution.Apply(within(t, 5*time.Second), b.session, removal(all...))
	wantStates(t, result, map[string]execution.State{
		"ConfigMap/shop/c":           execution.StateFailed,
		"Namespace/shop":             execution.StateNotSent,
		"ConfigMap/default/settings": execution.StateRemoved,
	})
	e := objectError(t, result.Err())
	if e.Reason != execution.ReasonStuck {
		t.Errorf("got %s", e.Reason)
	}
	wantError(t, e, "ConfigMap/shop/c: it is still there, deleted at 20")
	wantError(t, e, "waiting for example.com/nobody")
	if live := b.live(all[0]); live.GetDeletionTimestamp() != nil {
		t.Error("the Namespace was deleted although an object in it is not gone")
	}
}

// TestStuckNamespace: what the Namespace itself says about what remains is in the error.
func TestStuckNamespace(t *testing.T) {
	b := newBench(t)
	shop := objects(t, namespace)[0]
	b.do(request(shop))
	held := b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: shop, finalizers: [example.com/nobody], ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: x}]}}")
	defer b.patch(held, `{"metadata":{"finalizers":null}}`)
	result := execution.Apply(within(t, 12*time.Second), b.session, removal(shop))
	wantStates(t, result, map[string]execution.State{"Namespace/shop": execution.StateFailed})
	wantError(t, result.Err(), "waiting for kubernetes")
	wantError(t, result.Err(), "example.com/nobody in 1 resource instances")
}

func TestRemoveNamespace(t *testing.T) {
	for name, test := range map[string]struct {
		before, within string
		want           execution.State
		note           string
	}{
		"empty":                           {want: execution.StateRemoved},
		"that was there before":           {before: namespace, want: execution.StateReleased, note: "Namespace/shop was there before this propagation took it over, so it stays"},
		"with an object of somebody else": {within: "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: shop}}", want: execution.StateReleased, note: "it still holds ConfigMap/shop/theirs"},
		"with a claim of a workload":      {within: "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-db-0, namespace: shop}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}", want: execution.StateReleased, note: "PersistentVolumeClaim/shop/data-db-0"},
		"with an object of another propagation": {
			within: "{apiVersion: v1, kind: Secret, metadata: {name: theirs, namespace: shop, labels: {terraform-provider-multicluster/propagation: q}}}",
			want:   execution.StateReleased, note: "Secret/shop/theirs",
		},
		"with what the cluster makes": {within: "{apiVersion: v1, kind: Event, metadata: {name: e, namespace: shop}, involvedObject: {namespace: shop}}", want: execution.StateRemoved},
		"with what belongs to others": {within: "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: x}]}}", want: execution.StateRemoved},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if test.before != "" {
				b.have("%s", test.before)
			}
			all := objects(t, namespace+"\n---\n"+deployment)
			b.do(request(all...))
			eventuallyHasReplicas(b, all[1]) // so that Pods and ReplicaSets are there too
			if test.within != "" {
				b.have("%s", test.within)
			}
			result := b.do(removal(all...))
			if got := result.Outcomes[manifest.KeyOf(all[0])].State; got != test.want {
				t.Errorf("got %s, want %s; notes: %q", got, test.want, result.Notes)
			}
			if there := b.live(all[0]) != nil; there != (test.want == execution.StateReleased) {
				t.Errorf("the Namespace is there: %v", there)
			}
			if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, test.note) || (test.note == "") != (notes == "") {
				t.Errorf("got notes %q, want %q", notes, test.note)
			}
		})
	}
}

func eventuallyHasReplicas(b *bench, deployment *unstructured.Unstructured) {
	b.Helper()
	for range 100 {
		if n, _, _ := unstructured.NestedInt64(b.live(deployment).Object, "status", "replicas"); n > 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.Fatal("the Deployment made no Pods")
}

// TestRemoveDefinition: a definition takes every object of its kind along, also those that are not ours.
func TestRemoveDefinition(t *testing.T) {
	b := newBench(t)
	all := objects(t, widgetDefinition+"\n---\n{apiVersion: example.io/v1, kind: Widget, metadata: {name: ours, namespace: default}}")
	b.do(request(all...))
	theirs := b.have("{apiVersion: example.io/v1, kind: Widget, metadata: {name: theirs, namespace: default}}")
	result := b.do(removal(all...))
	wantStates(t, result, map[string]execution.State{
		"CustomResourceDefinition.apiextensions.k8s.io/widgets.example.io": execution.StateReleased,
		"Widget.example.io/default/ours":                                   execution.StateRemoved,
	})
	if b.live(theirs) == nil {
		t.Error("an object of somebody else is gone")
	}
	if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, "Widget.example.io/default/theirs") {
		t.Errorf("got notes %q", notes)
	}
}

// A member that is lost while something on it goes away is given up as at any other time.
func TestMemberLostDuringADeparture(t *testing.T) {
	b := newBench(t)
	held := objects(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: default, finalizers: [example.com/nobody]}}")[0]
	b.do(request(held))
	defer b.patch(held, `{"metadata":{"finalizers":null}}`)
	done := make(chan execution.Result, 1)
	go func() { done <- execution.Apply(within(t, time.Minute), b.session, removal(held)) }()
	for b.live(held).GetDeletionTimestamp() == nil {
		time.Sleep(50 * time.Millisecond)
	}
	b.member.Cut()
	began := time.Now()
	result := <-done
	if waited := time.Since(began); waited > 30*time.Second {
		t.Errorf("it is given up after %v", waited)
	}
	if err := b.member.Restore(); err != nil {
		t.Fatal(err)
	}
	wantStates(t, result, map[string]execution.State{"ConfigMap/default/held": execution.StateUnconfirmed})
	wantError(t, result.Err(), "member kube02 gives no answer")
	wantError(t, result.Err(), "whether it took ConfigMap/default/held is not known")
}

func TestRemoveFromLostMember(t *testing.T) {
	b := newBench(t)
	all := objects(t, configMap+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: default}}")
	b.do(request(all...))
	b.restart()
	b.member.Cut()
	result := execution.Apply(within(t, 20*time.Second), b.session, removal(all...))
	wantStates(t, result, map[string]execution.State{"ConfigMap/default/settings": execution.StateNotSent, "ConfigMap/default/b": execution.StateNotSent})
	wantError(t, result.Err(), "member kube02 gives no answer")
	if err := b.member.Restore(); err != nil {
		t.Fatal(err)
	}
}
