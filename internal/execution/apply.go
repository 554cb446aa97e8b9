package execution

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// writesAtOnce is how many objects are sent at a time by default.
const writesAtOnce = 8

// ApplyRequest says what a member is to hold and what not.
type ApplyRequest struct {
	// Propagation and Instance mark every object that is applied.
	Propagation string
	Instance    string

	Objects []ApplyObject
	Remove  []RemoveObject

	// Adopt takes objects over that carry the propagation's name and another instance, as a create does after a lost state.
	Adopt bool

	// Parallel is how many objects are sent at a time; 0 is 8.
	Parallel int
}

// ApplyObject is one object to apply.
type ApplyObject struct {
	Key manifest.Key

	// Manifest is what is owned of the object, without our marks. It is not changed.
	Manifest *unstructured.Unstructured

	// Initial is what is sent in its place where the object is not there: with the fields of Left, which from then on are
	// neither sent nor owned. Nil: they are the same.
	Initial *unstructured.Unstructured
	Left    []manifest.Pattern

	// Conflict says what happens when the object exists and is not ours.
	Conflict api.ConflictResolution

	// Ours says that the object is known from before: when it has lost our marks, it gets them again.
	Ours bool

	// Sensitive keeps the object's values out of errors. Those of a Secret always are.
	Sensitive bool
}

// content returns what is sent, given what is there.
func (o ApplyObject) content(live *unstructured.Unstructured) *unstructured.Unstructured {
	if live == nil && o.Initial != nil {
		return o.Initial
	}
	return o.Manifest
}

func (o ApplyObject) sensitive() bool { return o.Sensitive || o.Key.GroupKind() == secretKind }

// RemoveObject is one object to remove.
type RemoveObject struct {
	Key        manifest.Key
	APIVersion string

	// Orphan leaves the object on the member, without our marks.
	Orphan bool
}

// Apply brings a member to what req says, by server-side apply, and returns what became of each object.
//
// First it looks what is there, and refuses objects that belong to somebody else. Then it applies
// CustomResourceDefinitions and Namespaces and waits until they can be used, then the other objects, then it removes:
// custom resources before their definitions, Namespaces last, each awaited until it is really gone or ctx ends. What is
// being deleted has to be gone before it can be applied; nothing waits for that but what needs it. Faults that pass are met
// with patience; a member that does not answer at all is given up for all objects at once.
func Apply(ctx context.Context, session *member.Session, req ApplyRequest) Result {
	a := newApplication(session, req)
	seen := a.look(ctx)
	leaving, ready := a.divide(a.admit(seen))
	var departures sync.WaitGroup
	departures.Go(func() { a.applyAll(ctx, leaving) })
	a.applyAll(ctx, ready)
	departures.Wait()
	a.remove(ctx, seen)
	a.noteStaying()
	a.noteUnmarked()
	a.noteWarnings()
	slices.Sort(a.result.Notes)
	return a.result
}

// application is the work of one Apply.
type application struct {
	session     *member.Session
	req         ApplyRequest
	definitions map[schema.GroupKind]manifest.Key // the kinds that the request's own definitions bring

	mu      sync.Mutex
	result  Result
	staying []string // objects that were there before us, and stay
}

// pending is an object that may be applied.
type pending struct {
	ApplyObject
	live        *unstructured.Unstructured // nil when it is not there
	preexisting bool
}

func newApplication(session *member.Session, req ApplyRequest) *application {
	if req.Parallel == 0 {
		req.Parallel = writesAtOnce
	}
	a := &application{
		session:     session,
		req:         req,
		definitions: map[schema.GroupKind]manifest.Key{},
		result:      Result{Member: session.Name(), Outcomes: map[manifest.Key]Outcome{}},
	}
	for _, object := range req.Objects {
		if object.Key.GroupKind() == definitionKind {
			a.definitions[definedKind(object.Manifest)] = object.Key
		}
	}
	return a
}

// definedKind returns the kind that a CustomResourceDefinition brings.
func definedKind(definition *unstructured.Unstructured) schema.GroupKind {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	return schema.GroupKind{Group: group, Kind: kind}
}

// look reads everything that the request names.
func (a *application) look(ctx context.Context) ReadResult {
	refs := make([]Ref, 0, len(a.req.Objects)+len(a.req.Remove))
	for _, object := range a.req.Objects {
		refs = append(refs, Ref{object.Key, object.Manifest.GetAPIVersion()})
	}
	for _, object := range a.req.Remove {
		refs = append(refs, Ref{object.Key, object.APIVersion})
	}
	return Read(ctx, a.session, ReadRequest{Objects: refs})
}

// admit returns the objects that may be applied, and records why others may not: an object of which nothing is known is
// not sent.
func (a *application) admit(seen ReadResult) []*pending {
	var admitted []*pending
	for _, object := range a.req.Objects {
		p := &pending{ApplyObject: object, live: seen.Live[object.Key]}
		err := explain(object.Key, object.sensitive(), seen.Failed[object.Key])
		if err == nil {
			p.preexisting, err = a.claim(object, p.live)
		}
		if err != nil {
			a.set(object.Key, Outcome{State: StateNotSent, Err: err})
			continue
		}
		admitted = append(admitted, p)
	}
	return admitted
}

// divide returns the objects that are being deleted, with those that need them, and all others.
func (a *application) divide(admitted []*pending) (leaving, ready []*pending) {
	departing := map[manifest.Key]bool{}
	for _, p := range admitted {
		departing[p.Key] = p.live != nil && p.live.GetDeletionTimestamp() != nil
	}
	for _, p := range admitted {
		if departing[p.Key] || slices.ContainsFunc(a.needs(p.Key), func(need manifest.Key) bool { return departing[need] }) {
			leaving = append(leaving, p)
		} else {
			ready = append(ready, p)
		}
	}
	return leaving, ready
}

// applyAll applies objects stage by stage.
func (a *application) applyAll(ctx context.Context, objects []*pending) {
	for _, stage := range applyStages(objects) {
		a.each(stage, func(p *pending) { a.set(p.Key, a.apply(ctx, p)) })
	}
}

// each calls do with every object of a stage, a few at a time.
func (a *application) each(stage []*pending, do func(*pending)) {
	var group errgroup.Group
	group.SetLimit(a.req.Parallel)
	for _, p := range stage {
		group.Go(func() error { do(p); return nil })
	}
	_ = group.Wait() // errors are part of the result
}

// apply sends one object and waits until others can rely on it.
func (a *application) apply(ctx context.Context, p *pending) Outcome {
	if err := ctx.Err(); err != nil {
		return Outcome{State: StateNotSent, Err: err}
	}
	if by, blocked := a.blocked(p.Key); blocked {
		return Outcome{State: StateNotSent, Err: &BlockedError{a.session.Name(), p.Key, by}}
	}
	resource, err := a.mapping(ctx, p.Key, p.Manifest.GroupVersionKind())
	if err != nil {
		return Outcome{State: StateNotSent, Err: err}
	}
	outcome := a.send(ctx, resource, p)
	if outcome.State == StateApplied && outcome.Err == nil {
		outcome.Err = a.awaitUsable(ctx, resource, outcome.Live)
	}
	return outcome
}

// blocked returns the Namespace or the definition that the object needs, if it failed.
func (a *application) blocked(key manifest.Key) (by manifest.Key, blocked bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, need := range a.needs(key) {
		if a.result.Outcomes[need].Err != nil {
			return need, true
		}
	}
	return manifest.Key{}, false
}

// needs returns what has to be there before the object can be: its Namespace, and the definition of its kind if the request
// brings it.
func (a *application) needs(key manifest.Key) []manifest.Key {
	var keys []manifest.Key
	if key.Namespace != "" {
		keys = append(keys, manifest.Key{Kind: namespaceKind.Kind, Name: key.Namespace})
	}
	if definition, ok := a.definitions[key.GroupKind()]; ok {
		keys = append(keys, definition)
	}
	return keys
}

// mapping returns how the member serves the kind, and waits for one that the request itself brings.
func (a *application) mapping(ctx context.Context, key manifest.Key, gvk schema.GroupVersionKind) (member.Resource, error) {
	end := time.Now().Add(usableTimeout)
	for {
		resource, err := a.session.Mapping(ctx, gvk)
		if err == nil {
			return resource, checkScope(a.session.Name(), key, resource)
		}
		var none *member.NoMatchError
		if !errors.As(err, &none) {
			return resource, err
		}
		_, awaited := a.definitions[gvk.GroupKind()]
		if !awaited || time.Now().After(end) {
			return resource, &ObjectError{
				Member: a.session.Name(), Key: key, Reason: ReasonUnserved, Text: none.Error(), Advice: a.unservedAdvice(none), err: err,
			}
		}
		if err := sleep(ctx, pollInterval); err != nil {
			return resource, err
		}
	}
}

func (a *application) unservedAdvice(none *member.NoMatchError) string {
	if len(none.Served) > 0 {
		return "use a version that is served"
	}
	return "add its CustomResourceDefinition to templates, or place the object on other members"
}

func (a *application) set(key manifest.Key, outcome Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.result.Outcomes[key] = outcome
}
