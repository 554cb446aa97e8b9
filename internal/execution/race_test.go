package execution_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
)

// meanwhile calls do right before the first request with the method is sent, as somebody who is a little quicker.
func (b *bench) meanwhile(method string, do func()) {
	var once sync.Once
	b.before = func(req *http.Request) {
		if req.Method == method {
			once.Do(do)
		}
	}
}

// remove deletes obj as somebody else.
func (b *bench) remove(obj *unstructured.Unstructured) {
	b.Helper()
	if err := b.resource(obj).Delete(b.Context(), obj.GetName(), metav1.DeleteOptions{}); err != nil {
		b.Fatal(err)
	}
}

// count returns how many of the requests that were sent have the method.
func count(sent []string, method string) int {
	n := 0
	for _, request := range sent {
		if strings.HasPrefix(request, method+" ") {
			n++
		}
	}
	return n
}

// TestApplyLooksAgain: between the look and the apply somebody else makes, takes, changes, replaces or deletes the object. Whose
// it is is decided anew, by the same rules.
func TestApplyLooksAgain(t *testing.T) {
	const (
		named = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: default}}"
		other = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: default, " +
			"labels: {terraform-provider-multicluster/propagation: q}, annotations: {terraform-provider-multicluster/instance: j}}}"
		taken = `{"metadata":{"labels":{"terraform-provider-multicluster/propagation":"q"},"annotations":{"terraform-provider-multicluster/instance":"j"}}}`
	)
	for name, test := range map[string]struct {
		before    bool // the object is ours already
		meanwhile func(b *bench)
		overwrite bool
		want      string // part of the error; empty for none
	}{
		"made by hand":                    {meanwhile: func(b *bench) { b.have(named) }, want: "already exists on the member and is not managed by this propagation"},
		"made by hand, overwrite":         {meanwhile: func(b *bench) { b.have(named) }, overwrite: true},
		"made by a propagation":           {meanwhile: func(b *bench) { b.have(other) }, want: "it belongs to propagation q, instance j"},
		"made by a propagation,overwrite": {meanwhile: func(b *bench) { b.have(other) }, overwrite: true},
		"taken over":                      {before: true, meanwhile: func(b *bench) { b.patch(objects(b.T, named)[0], taken) }, want: "it belongs to propagation q, instance j"},
		"changed":                         {before: true, meanwhile: func(b *bench) { b.patch(objects(b.T, named)[0], `{"data":{"theirs":"kept"}}`) }},
		"deleted":                         {before: true, meanwhile: func(b *bench) { b.remove(objects(b.T, named)[0]) }},
		"replaced": {before: true, meanwhile: func(b *bench) {
			b.remove(objects(b.T, named)[0])
			b.have(named)
		}, want: "already exists"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			req := request(objects(t, configMap)...)
			if test.before {
				b.do(request(objects(t, named)...))
				b.restart()
			}
			if test.overwrite {
				req.Objects[0].Conflict = api.ConflictOverwrite
			}
			b.take()
			b.meanwhile(http.MethodPatch, func() { test.meanwhile(b) })
			result := execution.Apply(within(t, 20*time.Second), b.session, req)
			live := b.live(req.Objects[0].Manifest)
			sent, _ := live.Object["data"].(map[string]any)
			if test.want != "" {
				wantError(t, result.Err(), test.want)
				if sent["color"] != nil {
					t.Errorf("got %v, want what the other one made", sent)
				}
				return
			}
			if err := result.Err(); err != nil {
				t.Fatal(err)
			}
			if owner := execution.OwnerOf(live); owner.Instance != "i" || sent["color"] != "red" {
				t.Errorf("got %v of %v, want ours", sent, owner)
			}
			if n := count(b.take(), http.MethodPatch); n != 2 {
				t.Errorf("it took %d applies, want the one that met a conflict and one more", n)
			}
		})
	}
}

// TestApplyGivesUp: an object that changes all the time is an error, and not an endless loop.
func TestApplyGivesUp(t *testing.T) {
	b := newBench(t)
	all := objects(t, configMap)
	b.do(request(all...))
	b.restart()
	b.before = func(req *http.Request) {
		if req.Method == http.MethodPatch {
			b.patch(all[0], `{"data":{"tick":"`+time.Now().String()+`"}}`)
		}
	}
	all[0].SetLabels(map[string]string{"new": "content"})
	result := execution.Apply(within(t, 20*time.Second), b.session, request(all...))
	wantError(t, result.Err(), "somebody else is changing it at the same time: apply again")
}

// TestApplyRace: of two propagations that bring one new object at the same time, one has it and the other is told whose it is.
func TestApplyRace(t *testing.T) {
	b := newBench(t)
	other := b.open(b.member.Token)
	var looked sync.WaitGroup
	looked.Add(2)
	var patches atomic.Int32
	b.before = func(req *http.Request) {
		if req.Method == http.MethodPatch && patches.Add(1) <= 2 { // both have looked, and seen nothing
			looked.Done()
			looked.Wait()
		}
	}
	first, second := request(objects(t, configMap)...), request(objects(t, configMap)...)
	second.Propagation, second.Instance = "q", "j"
	var results [2]execution.Result
	var group sync.WaitGroup
	group.Go(func() { results[0] = execution.Apply(within(t, 20*time.Second), b.session, first) })
	group.Go(func() { results[1] = execution.Apply(within(t, 20*time.Second), other, second) })
	group.Wait()
	owner, loser := "propagation p, instance i", results[1]
	if results[0].Err() != nil {
		owner, loser = "propagation q, instance j", results[0]
	}
	if live := execution.OwnerOf(b.live(first.Objects[0].Manifest)); live.String() != owner {
		t.Errorf("it belongs to %s, and the one without an error is %s", live, owner)
	}
	wantError(t, loser.Err(), "it belongs to "+owner)
}
