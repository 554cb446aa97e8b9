package execution_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

func TestApplyCreatesAndUpdates(t *testing.T) {
	b := newBench(t)
	all := objects(t, namespace+"\n---\n"+deployment)
	result := b.do(request(all...))
	wantStates(t, result, map[string]execution.State{"Namespace/shop": execution.StateApplied, "Deployment.apps/shop/web": execution.StateApplied})
	web := result.Outcomes[manifest.KeyOf(all[1])]
	if !web.Created || web.Live.GetUID() == "" {
		t.Errorf("got created %v and UID %q", web.Created, web.Live.GetUID())
	}
	if owner := execution.OwnerOf(web.Live); owner != (execution.Owner{Propagation: "p", Instance: "i"}) {
		t.Errorf("got %v, want our marks", owner)
	}
	if execution.Preexisting(web.Live) {
		t.Error("what we made counts as preexisting")
	}
	if labels := all[1].GetLabels(); len(labels) != 1 {
		t.Errorf("the manifest was changed: its labels are %v", labels)
	}

	b.patch(all[1], `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx:1.0"}]}}},"metadata":{"annotations":{"theirs":"kept"}}}`)
	b.restart()
	result = b.do(request(all...))
	web = result.Outcomes[manifest.KeyOf(all[1])]
	if web.Created {
		t.Error("an update counts as created")
	}
	if text := fmt.Sprint(web.Live.Object["spec"]); !strings.Contains(text, "nginx:1.27") {
		t.Errorf("drift was not repaired: %s", text)
	}
	if web.Live.GetAnnotations()["theirs"] != "kept" {
		t.Error("a field of somebody else went away")
	}
	for _, entry := range web.Live.GetManagedFields() {
		if entry.Manager == execution.FieldManager && entry.Operation != metav1.ManagedFieldsOperationApply {
			t.Errorf("got operation %s, want server-side apply", entry.Operation)
		}
	}
}

// What a member warns of reaches the user, once for all objects, unless values may be in its words.
func TestApplyNotesWarnings(t *testing.T) {
	b := newBench(t)
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: default}\nspec: {nodeSelector: {beta.kubernetes.io/os: linux}, containers: [{name: a, image: nginx}]}\n"
	req := request(objects(t, pod+"---\n"+pod+"---\n"+pod, "one", "two", "hidden")...)
	req.Objects[2].Sensitive = true
	result := b.do(req)
	if err := result.Err(); err != nil {
		t.Fatal(err)
	}
	if want := "warns of Pod/default/one, Pod/default/two: spec.nodeSelector[beta.kubernetes.io/os]: deprecated"; len(result.Notes) != 1 || !strings.Contains(result.Notes[0], want) {
		t.Errorf("notes %q, want one that says %q", result.Notes, want)
	}
}

// TestApplyClaims says over what an object may be applied.
func TestApplyClaims(t *testing.T) {
	const (
		none      = ""
		ours      = "labels: {terraform-provider-multicluster/propagation: p}, annotations: {terraform-provider-multicluster/instance: i}"
		kept      = `labels: {terraform-provider-multicluster/propagation: p}, annotations: {terraform-provider-multicluster/instance: i, terraform-provider-multicluster/preexisting: "true"}`
		renamed   = "labels: {terraform-provider-multicluster/propagation: before}, annotations: {terraform-provider-multicluster/instance: i}"
		taken     = "labels: {terraform-provider-multicluster/propagation: p}, annotations: {terraform-provider-multicluster/instance: j}"
		labelOnly = "labels: {terraform-provider-multicluster/propagation: p}"
		other     = "labels: {terraform-provider-multicluster/propagation: q}, annotations: {terraform-provider-multicluster/instance: j}"
	)
	b := newBench(t)
	cases := map[string]struct {
		kind, marks            string
		ours, overwrite, adopt bool
		preexisting            bool
		want                   string // part of the error; empty for none
	}{
		"ours":                             {kind: "ConfigMap", marks: ours},
		"ours, preexisting":                {kind: "ConfigMap", marks: kept, preexisting: true},
		"ours under an earlier name":       {kind: "ConfigMap", marks: renamed},
		"without marks":                    {kind: "ConfigMap", marks: none, want: "already exists on the member and is not managed by this propagation"},
		"without marks, overwrite":         {kind: "ConfigMap", marks: none, overwrite: true, preexisting: true},
		"without marks, known":             {kind: "ConfigMap", marks: none, ours: true},
		"claim without marks, known":       {kind: "PersistentVolumeClaim", marks: none, ours: true, preexisting: true},
		"namespace without marks":          {kind: "Namespace", marks: none, preexisting: true},
		"namespace without marks, known":   {kind: "Namespace", marks: none, ours: true, preexisting: true},
		"namespace of another propagation": {kind: "Namespace", marks: other, want: "it belongs to propagation q, instance j; put the Namespace into one propagation only"},
		"another state":                    {kind: "ConfigMap", marks: taken, ours: true, want: "it was taken over by another state: on the member it belongs to propagation p, instance j"},
		"another state, overwrite":         {kind: "ConfigMap", marks: taken, overwrite: true, want: "another propagation of this name holds it"},
		"another state, adopted":           {kind: "ConfigMap", marks: taken, adopt: true},
		"label without instance":           {kind: "ConfigMap", marks: labelOnly, want: "propagation p without an instance"},
		"label without instance, known":    {kind: "ConfigMap", marks: labelOnly, ours: true},
		"label without instance, adopted":  {kind: "ConfigMap", marks: labelOnly, adopt: true},
		"another propagation":              {kind: "ConfigMap", marks: other, want: "it belongs to propagation q, instance j"},
		"another propagation, adopting":    {kind: "ConfigMap", marks: other, adopt: true, ours: true, want: "it belongs to propagation q"},
		"another propagation, overwrite":   {kind: "ConfigMap", marks: other, overwrite: true},
		"service account of somebody else": {kind: "ServiceAccount", marks: none, want: "already exists"},
	}
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		test := cases[name]
		t.Run(name, func(t *testing.T) {
			in := "namespace: default, "
			if test.kind == "Namespace" {
				in = ""
			}
			spec := ""
			if test.kind == "PersistentVolumeClaim" {
				spec = ", spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}"
			}
			b.have("{apiVersion: v1, kind: %s, metadata: {name: o%d, %s%s}%s}", test.kind, i, in, test.marks, spec)
			req := request(objects(t, "{apiVersion: v1, kind: %s, metadata: {name: o%d, %slabels: {new: content}}}", test.kind, i, in)...)
			req.Adopt, req.Objects[0].Ours = test.adopt, test.ours
			if test.overwrite {
				req.Objects[0].Conflict = api.ConflictOverwrite
			}
			b.restart()
			result := execution.Apply(within(t, 20*time.Second), b.session, req)
			live := b.live(req.Objects[0].Manifest)
			if test.want != "" {
				wantError(t, result.Err(), "member kube02: "+req.Objects[0].Key.String()+": ")
				wantError(t, result.Err(), test.want)
				if result.Outcomes[req.Objects[0].Key].State != execution.StateNotSent || live.GetLabels()["new"] != "" {
					t.Errorf("got %v, want nothing sent", states(result))
				}
				return
			}
			if err := result.Err(); err != nil {
				t.Fatal(err)
			}
			if owner := execution.OwnerOf(live); owner != (execution.Owner{Propagation: "p", Instance: "i"}) || live.GetLabels()["new"] != "content" {
				t.Errorf("got %v, want it to be ours", owner)
			}
			b.do(req) // the mark is kept on later applies
			if got := execution.Preexisting(b.live(req.Objects[0].Manifest)); got != test.preexisting {
				t.Errorf("got preexisting %v, want %v", got, test.preexisting)
			}
		})
	}
}

func TestApplyDefinitionAndItsObjectsAtOnce(t *testing.T) {
	b := newBench(t)
	all := objects(t, widget+"\n---\n"+widgetDefinition+"\n---\n"+namespace)
	result := b.do(request(all...))
	if len(result.Outcomes) != 3 || b.live(all[0]) == nil {
		t.Errorf("got %v", states(result))
	}
	b.do(removal(all...))
	deleted := slices.DeleteFunc(b.take(), func(sent string) bool { return !strings.HasPrefix(sent, "DELETE") })
	deleted = slices.Compact(deleted) // one that the cluster changed meanwhile is looked at again
	want := []string{
		"DELETE /apis/example.io/v1/namespaces/shop/widgets/w",
		"DELETE /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.io",
		"DELETE /api/v1/namespaces/shop",
	}
	if !slices.Equal(deleted, want) {
		t.Errorf("got %v, want %v", deleted, want)
	}
	if b.live(all[1]) != nil || b.live(all[2]) != nil {
		t.Error("not everything is gone")
	}
}

// TestApplyUnservedKind: one object that cannot be sent stops no other.
func TestApplyUnservedKind(t *testing.T) {
	b := newBench(t)
	all := objects(t, configMap+`
---
{apiVersion: example.org/v1, kind: Gizmo, metadata: {name: g, namespace: default}}
---
{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: d, namespace: default}}`)
	result := execution.Apply(within(t, 20*time.Second), b.session, request(all...))
	wantStates(t, result, map[string]execution.State{
		"ConfigMap/default/settings":  execution.StateApplied,
		"Gizmo.example.org/default/g": execution.StateNotSent,
		"Deployment.apps/default/d":   execution.StateNotSent,
	})
	wantError(t, result.Err(), "Gizmo.example.org/default/g: member kube02 serves no kind Gizmo")
	wantError(t, result.Err(), "add its CustomResourceDefinition to templates")
	wantError(t, result.Err(), "it serves it in apps/v1; use a version that is served")
}

func TestApplyInTheWrongScope(t *testing.T) {
	b := newBench(t)
	all := objects(t, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: one, namespace: default}}
---
{apiVersion: example.io/v1, kind: Widget, metadata: {name: w}}
---
`+widgetDefinition)
	result := execution.Apply(within(t, 20*time.Second), b.session, request(all...))
	wantStates(t, result, map[string]execution.State{
		"ConfigMap/c":           execution.StateNotSent,
		"Namespace/default/one": execution.StateNotSent,
		"Widget.example.io/w":   execution.StateNotSent,
		"CustomResourceDefinition.apiextensions.k8s.io/widgets.example.io": execution.StateApplied,
	})
	wantError(t, result.Err(), "ConfigMap/c: objects of this kind live in a namespace, and this one names none; set metadata.namespace")
	wantError(t, result.Err(), "Namespace/default/one: objects of this kind live in no namespace")
	wantError(t, result.Err(), "Widget.example.io/w: objects of this kind live in a namespace")
}

// TestNothingBelongsToNobody: a request without an instance owns no object, least of all those without marks.
func TestNothingBelongsToNobody(t *testing.T) {
	b := newBench(t)
	theirs := b.have("%s", configMap)
	req := removal(theirs)
	req.Instance = ""
	wantStates(t, b.do(req), map[string]execution.State{"ConfigMap/default/settings": execution.StateForeign})
	apply := request(objects(t, configMap)...)
	apply.Instance = ""
	wantStates(t, execution.Apply(t.Context(), b.session, apply), map[string]execution.State{"ConfigMap/default/settings": execution.StateNotSent})
}

// TestApplyToLostMember: one wait and one error, however many objects there are.
func TestApplyToLostMember(t *testing.T) {
	for name, prepare := range map[string]func(*bench){
		"from the start":   func(*bench) {},
		"after it was met": func(b *bench) { b.do(request(objects(b.T, configMap)...)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			prepare(b)
			req := request()
			for i := range 60 {
				req.Objects = append(req.Objects, request(objects(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: n%d}}", i)...).Objects...)
			}
			b.member.Cut()
			began := time.Now()
			result := execution.Apply(within(t, time.Minute), b.session, req)
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v, want about the 2 s for which requests are repeated", took)
			}
			for key, outcome := range result.Outcomes {
				if outcome.State != execution.StateNotSent || outcome.Err == nil {
					t.Errorf("%s: got %v and %v", key, outcome.State, outcome.Err)
				}
			}
			if len(result.Outcomes) != 60 {
				t.Errorf("got %d outcomes, want 60", len(result.Outcomes))
			}
			if lines := strings.Count(result.Err().Error(), "\n") + 1; lines != 1 {
				t.Errorf("got %d errors, want one: %v", lines, result.Err())
			}
			wantError(t, result.Err(), "member kube02 gives no answer: dial tcp")
			wantError(t, result.Err(), "nothing was done for 60 objects")
			if err := b.member.Restore(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestApplyToMemberThatIsLostHalfway: what was confirmed stays known, and the next apply does the rest.
func TestApplyToMemberThatIsLostHalfway(t *testing.T) {
	b := newBench(t)
	req := request()
	for i := range 40 {
		req.Objects = append(req.Objects, request(objects(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: default}}", i)...).Objects...)
	}
	req.Parallel = 4
	var writes atomic.Int32
	b.before = func(req *http.Request) {
		if req.Method == http.MethodPatch && writes.Add(1) == 20 {
			if err := b.member.BlackHole(); err != nil {
				t.Error(err)
			}
		}
	}
	result := execution.Apply(within(t, 5*time.Second), b.session, req)
	counts := map[execution.State]int{}
	for key, outcome := range result.Outcomes {
		counts[outcome.State]++
		if (outcome.State == execution.StateApplied) != (outcome.Err == nil) {
			t.Errorf("%s: got %v and %v", key, outcome.State, outcome.Err)
		}
	}
	if counts[execution.StateApplied] < 16 || counts[execution.StateUnconfirmed] == 0 || counts[execution.StateNotSent] < 10 || len(result.Outcomes) != 40 {
		t.Errorf("got %v", counts)
	}
	wantError(t, result.Err(), "is not known")
	b.mu.Lock()
	b.before = nil
	b.mu.Unlock()
	if err := b.member.Restore(); err != nil {
		t.Fatal(err)
	}
	b.restart()
	b.do(req)
}

// TestCancelKeepsWhatSucceeded: Ctrl-C ends the waits at once and loses nothing.
func TestCancelKeepsWhatSucceeded(t *testing.T) {
	b := newBench(t)
	leaving := b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: leaving, namespace: default, finalizers: [example.com/nobody]}}")
	if err := b.resource(leaving).Delete(t.Context(), "leaving", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	defer b.patch(leaving, `{"metadata":{"finalizers":null}}`)
	req := request(objects(t, configMap+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: leaving, namespace: default}}")...)
	req.Objects[1].Conflict = api.ConflictOverwrite
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(3*time.Second, cancel)
	began := time.Now()
	result := execution.Apply(ctx, b.session, req)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %v, want the wait to end with the context", took)
	}
	wantStates(t, result, map[string]execution.State{"ConfigMap/default/settings": execution.StateApplied, "ConfigMap/default/leaving": execution.StateNotSent})
	if !errors.Is(result.Err(), context.Canceled) {
		t.Errorf("got %v, want it to tell of the cancelled run", result.Err())
	}
}

// TestApplyWaitsForWhatIsLeaving: an object that is being deleted takes what is applied to it along.
func TestApplyWaitsForWhatIsLeaving(t *testing.T) {
	b := newBench(t)
	leaving := b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: default, finalizers: [example.com/slow]}}")
	if err := b.resource(leaving).Delete(t.Context(), "settings", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(time.Second, func() { b.patch(leaving, `{"metadata":{"finalizers":null}}`) })
	req := request(objects(t, configMap)...)
	req.Objects[0].Conflict = api.ConflictOverwrite
	result := b.do(req)
	outcome := result.Outcomes[req.Objects[0].Key]
	if outcome.Live.GetUID() == leaving.GetUID() || !outcome.Created || execution.Preexisting(outcome.Live) {
		t.Errorf("got %+v, want a new object", outcome)
	}
}

// TestApplyBlocked: who needs a Namespace that failed is not sent, and the error is told once.
// What does not go away holds up what needs it, and nothing else.
func TestApplyPassesWhatDoesNotLeave(t *testing.T) {
	b := newBench(t)
	b.have(namespace)
	names := []string{"one", "two", "three", "four", "five", "six", "seven", "eight"} // as many as are sent at once
	texts := []string{namespace, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}", configMap}
	want := map[string]execution.State{
		"Namespace/shop": execution.StateNotSent, "ConfigMap/shop/c": execution.StateNotSent, "ConfigMap/default/settings": execution.StateApplied,
	}
	for _, name := range names {
		text := fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: default}}", name)
		held := b.have("%s", strings.Replace(text, "default}", "default, finalizers: [example.com/nobody]}", 1))
		defer b.patch(held, `{"metadata":{"finalizers":null}}`)
		if err := b.resource(held).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
		want["ConfigMap/default/"+name] = execution.StateNotSent
	}
	inside := b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: inside, namespace: shop, finalizers: [example.com/nobody]}}")
	defer b.patch(inside, `{"metadata":{"finalizers":null}}`)
	if err := b.client.CoreV1().Namespaces().Delete(t.Context(), "shop", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	req := request(objects(t, "%s", strings.Join(texts, "\n---\n"))...)
	for i := range req.Objects {
		req.Objects[i].Conflict = api.ConflictOverwrite
	}
	result := execution.Apply(within(t, 5*time.Second), b.session, req)
	wantStates(t, result, want)
	wantError(t, result.Err(), "Namespace/shop: it is being deleted, and has to be gone before it can be applied")
}

func TestApplyBlocked(t *testing.T) {
	b := newBench(t)
	b.have("{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {terraform-provider-multicluster/propagation: q}}}")
	all := objects(t, namespace+"\n---\n"+deployment+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}\n---\n"+configMap)
	result := execution.Apply(within(t, 20*time.Second), b.session, request(all...))
	wantStates(t, result, map[string]execution.State{
		"Namespace/shop":             execution.StateNotSent,
		"Deployment.apps/shop/web":   execution.StateNotSent,
		"ConfigMap/shop/c":           execution.StateNotSent,
		"ConfigMap/default/settings": execution.StateApplied,
	})
	wantError(t, result.Err(), "Namespace/shop is not there; nothing was done for ConfigMap/shop/c, Deployment.apps/shop/web")
	if lines := strings.Count(result.Err().Error(), "\n") + 1; lines != 2 {
		t.Errorf("got %d errors, want two: %v", lines, result.Err())
	}
}

// TestApplyOrder: what admission looks up comes before what it is looked up for, in one request.
func TestApplyOrder(t *testing.T) {
	b := newBench(t)
	all := objects(t, `
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop}, spec: {priorityClassName: high, containers: [{name: c, image: x}]}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w}, webhooks: [{
  name: w.example.com, sideEffects: None, admissionReviewVersions: [v1], timeoutSeconds: 1, clientConfig: {url: "https://127.0.0.1:1/x"},
  rules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}]}
---
`+namespace)
	b.do(request(all...))
	b.do(removal(all...)) // the webhook goes first, or nothing could be deleted
}

// TestSensitiveObjectsSaySo: whoever finds an object that was applied as sensitive knows that; Secrets are known by their kind.
func TestSensitiveObjectsSaySo(t *testing.T) {
	b := newBench(t)
	all := objects(t, configMap+"\n---\n{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, stringData: {a: b}}")
	req := request(all...)
	req.Objects[0].Sensitive, req.Objects[1].Sensitive = true, true
	applied := b.do(req).Outcomes[manifest.KeyOf(all[0])].Live
	if !execution.Sensitive(applied) || execution.Sensitive(b.live(all[1])) {
		t.Errorf("got annotations %v and %v", applied.GetAnnotations(), b.live(all[1]).GetAnnotations())
	}
	owned, err := execution.OwnedFields(applied)
	if err != nil {
		t.Fatal(err)
	}
	if len(owned.GetAnnotations()) > 0 {
		t.Errorf("our marks are among the fields of the template: %v", owned.GetAnnotations())
	}
	rm := removal(all[0])
	rm.Remove[0].Orphan = true
	wantStates(t, b.do(rm), map[string]execution.State{"ConfigMap/default/settings": execution.StateReleased})
	released(t, applied, b.live(all[0]))
}
