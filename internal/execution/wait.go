package execution

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

const (
	// usableTimeout bounds the wait for a definition or a Namespace that was applied. API servers take a second or two.
	usableTimeout = time.Minute

	// pollInterval and longestInterval are the shortest and the longest pause between two looks at the same thing.
	pollInterval    = 250 * time.Millisecond
	longestInterval = 3 * time.Second
)

// awaitUsable waits until others can be created in a Namespace or by a definition. Other kinds are usable at once.
func (a *application) awaitUsable(ctx context.Context, resource member.Resource, live *unstructured.Unstructured) error {
	key := manifest.KeyOf(live)
	if stageOf(key) != stageFoundation {
		return nil
	}
	end := time.Now().Add(usableTimeout)
	for {
		usable, problem := usable(live)
		if usable {
			return nil
		}
		if time.Now().After(end) {
			return &ObjectError{Member: a.session.Name(), Key: key, Reason: ReasonStuck, Text: problem}
		}
		if err := sleep(ctx, pollInterval); err != nil {
			return err
		}
		seen, err := a.session.Get(ctx, resource, "", key.Name)
		if err != nil {
			return explain(key, false, err)
		}
		live = seen
	}
}

// usable reports whether the Namespace is active, or the definition established; if not, why.
func usable(live *unstructured.Unstructured) (bool, string) {
	if live.GroupVersionKind().GroupKind() == namespaceKind {
		phase, _, _ := unstructured.NestedString(live.Object, "status", "phase")
		return phase == "Active", fmt.Sprintf("the Namespace is not active but %q", phase)
	}
	problem := "the definition was not established in time"
	for _, c := range conditions(live) {
		switch {
		case c.kind == "Established" && c.status == "True":
			return true, ""
		case c.kind == "NamesAccepted" && c.status == "False":
			problem = "the names are not accepted: " + c.message
		}
	}
	return false, problem
}

// condition is one of an object's status.conditions.
type condition struct{ kind, status, reason, message string }

func conditions(live *unstructured.Unstructured) []condition {
	list, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	var all []condition
	for _, item := range list {
		fields, ok := item.(map[string]any)
		if !ok {
			continue
		}
		text := func(name string) string { value, _, _ := unstructured.NestedString(fields, name); return value }
		all = append(all, condition{text("type"), text("status"), text("reason"), text("message")})
	}
	return all
}

// awaitDeparture waits until the object that is being deleted is gone, and decides again over what is there then.
func (a *application) awaitDeparture(ctx context.Context, resource member.Resource, p *pending) error {
	leaving := map[manifest.Key]*departure{p.Key: {resource: resource, live: p.live, uid: p.live.GetUID()}}
	err := a.awaitGone(ctx, leaving)[p.Key]
	if stuck, ok := errors.AsType[*ObjectError](err); ok {
		stuck.Text = "it is being deleted, and has to be gone before it can be applied: " + stuck.Text
	}
	if err != nil {
		return err
	}
	p.live = leaving[p.Key].live
	p.preexisting, err = a.claim(p.ApplyObject, p.live)
	return err
}

// departure is an object that was deleted and may still be there.
type departure struct {
	resource member.Resource
	uid      types.UID
	live     *unstructured.Unstructured // as it was last seen; nil, or of another uid, when it is gone
	err      error                      // why it cannot be seen any more
}

func (d *departure) gone() bool { return d.live == nil || d.live.GetUID() != d.uid }

// awaitGone waits until the objects are gone: one list per kind and namespace, and a get for what is in none. For each it
// returns nil, or why it is still there when ctx ends, or why that cannot be known any more: a member that is lost, or does
// not take the credentials any longer, is not waited for.
func (a *application) awaitGone(ctx context.Context, leaving map[manifest.Key]*departure) map[manifest.Key]error {
	outcome := make(map[manifest.Key]error, len(leaving))
	for pause := pollInterval; ; pause = min(2*pause, longestInterval) {
		for key, d := range leaving {
			if d.err != nil || d.gone() {
				outcome[key] = d.err
			}
		}
		if len(outcome) == len(leaving) {
			return outcome
		}
		if sleep(ctx, pause) != nil {
			for key, d := range leaving {
				if d.err == nil && !d.gone() {
					outcome[key] = a.stuck(ctx, key, d.live)
				}
			}
			return outcome
		}
		a.lookAgain(ctx, leaving)
	}
}

// lookAgain updates what is known of the objects that were still there. When ctx ends meanwhile, that stays as it was.
func (a *application) lookAgain(ctx context.Context, leaving map[manifest.Key]*departure) {
	var refs []Ref
	for key, d := range leaving {
		if d.err == nil && !d.gone() {
			a.session.Invalidate(d.resource)
			refs = append(refs, Ref{key, d.resource.GroupVersion().String()})
		}
	}
	seen := Read(ctx, a.session, ReadRequest{Objects: refs})
	for _, ref := range refs {
		d := leaving[ref.Key]
		if live, there := seen.Live[ref.Key]; there {
			d.live = live
		} else if seen.Gone[ref.Key] {
			d.live = nil
		} else if ctx.Err() == nil {
			d.err = seen.Failed[ref.Key]
		}
	}
}

// stuck returns why a deleted object is still there.
func (a *application) stuck(ctx context.Context, key manifest.Key, live *unstructured.Unstructured) *ObjectError {
	text := "it is still there"
	if at := live.GetDeletionTimestamp(); at != nil {
		text += fmt.Sprintf(", deleted at %s", at.UTC().Format(time.RFC3339))
	}
	finalizers := live.GetFinalizers()
	inSpec, _, _ := unstructured.NestedStringSlice(live.Object, "spec", "finalizers") // of a Namespace
	if finalizers = append(slices.Clone(finalizers), inSpec...); len(finalizers) > 0 {
		text += ", waiting for " + strings.Join(finalizers, ", ")
	}
	for _, c := range conditions(live) {
		if c.status == "True" && c.message != "" && key.GroupKind() == namespaceKind {
			text += "; " + c.message
		}
	}
	return &ObjectError{
		Member: a.session.Name(), Key: key, Reason: ReasonStuck, Text: text, err: ctx.Err(),
		Advice: "look at what serves the finalizers",
	}
}

// sleep waits for d, or until ctx ends, whose error it returns.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
