package execution

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// remove removes what the request wants gone, step by step.
func (a *application) remove(ctx context.Context, seen ReadResult) {
	objects := make(map[manifest.Key]RemoveObject, len(a.req.Remove))
	keys := make([]manifest.Key, 0, len(a.req.Remove))
	for _, object := range a.req.Remove {
		objects[object.Key] = object
		keys = append(keys, object.Key)
	}
	for _, step := range removalSteps(keys) {
		leaving := a.removeStep(ctx, step, objects, seen)
		for key, err := range a.awaitGone(ctx, leaving) {
			switch {
			case err == nil:
				a.set(key, Outcome{State: StateRemoved})
			case member.IsUnanswered(err):
				a.set(key, Outcome{State: StateUnconfirmed, Err: err})
			default:
				a.set(key, Outcome{State: StateFailed, Err: explain(key, false, err)})
			}
		}
	}
}

// removeStep removes the objects of one step and returns those that were deleted and may still be there.
func (a *application) removeStep(
	ctx context.Context, step []manifest.Key, objects map[manifest.Key]RemoveObject, seen ReadResult,
) map[manifest.Key]*departure {
	leaving := map[manifest.Key]*departure{}
	var group errgroup.Group
	group.SetLimit(a.req.Parallel)
	for _, key := range step {
		live, there := seen.Live[key]
		switch {
		case seen.Gone[key]:
			a.set(key, Outcome{State: StateRemoved})
			continue
		case !there:
			a.set(key, Outcome{State: StateNotSent, Err: seen.Failed[key]})
			continue
		}
		group.Go(func() error {
			outcome, left := a.removeOne(ctx, objects[key], live)
			if left == nil {
				a.set(key, outcome)
				return nil
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			leaving[key] = left
			return nil
		})
	}
	_ = group.Wait() // errors are part of the result
	return leaving
}

// removeOne releases or deletes one object, if it is ours. An object that was deleted and is still there is returned as
// departure in place of an outcome.
func (a *application) removeOne(ctx context.Context, object RemoveObject, live *unstructured.Unstructured) (Outcome, *departure) {
	key := object.Key
	if err := ctx.Err(); err != nil {
		return Outcome{State: StateNotSent, Err: err}, nil
	}
	if owner := OwnerOf(live); !a.ours(owner) {
		return Outcome{State: StateForeign, Owner: owner}, nil
	}
	if by, held := a.heldBack(key, live); held {
		return Outcome{State: StateNotSent, Err: &BlockedError{a.session.Name(), key, by}}, nil
	}
	resource, err := resolve(ctx, a.session, live.GroupVersionKind())
	if err != nil {
		return Outcome{State: StateNotSent, Err: err}, nil
	}
	release := object.Orphan || kept(live)
	if !object.Orphan && Preexisting(live) {
		a.stays(key)
	}
	if !release && live.GetDeletionTimestamp() != nil {
		return Outcome{}, &departure{resource: resource, uid: live.GetUID(), live: live}
	}
	if !release {
		reason, err := a.reasonToKeep(ctx, key, live)
		if err != nil {
			return Outcome{State: StateNotSent, Err: err}, nil
		}
		if release = reason != ""; release {
			a.note(fmt.Sprintf("member %s: %s was released and not deleted: %s", a.session.Name(), key, reason))
		}
	}
	if release {
		return a.release(ctx, resource, key, live), nil
	}
	return a.delete(ctx, resource, key, live)
}

// delete deletes the object if it is still ours: somebody may have taken it over since it was seen, in place and with the same
// UID, so it is deleted only as it was seen, and looked at again when it has changed.
func (a *application) delete(ctx context.Context, resource member.Resource, key manifest.Key, live *unstructured.Unstructured) (Outcome, *departure) {
	var left *unstructured.Unstructured
	var foreign *Owner
	err := a.amend(ctx, resource, live, func(live *unstructured.Unstructured) error {
		if owner := OwnerOf(live); !a.ours(owner) {
			foreign = &owner
			return nil
		}
		var err error
		left, err = a.session.Delete(ctx, resource, live)
		return err
	})
	switch {
	case foreign != nil:
		return Outcome{State: StateForeign, Owner: *foreign}, nil
	case member.IsGone(err):
		return Outcome{State: StateRemoved}, nil
	case err != nil:
		return Outcome{State: stateAfter(err), Err: explain(key, key.GroupKind() == secretKind, err)}, nil
	case left == nil:
		return Outcome{State: StateRemoved}, nil
	default:
		return Outcome{}, &departure{resource: resource, uid: left.GetUID(), live: left}
	}
}

// heldBack returns an object that was to be removed before this one and is not gone: the Namespace or the definition would
// take it along.
func (a *application) heldBack(key manifest.Key, live *unstructured.Unstructured) (manifest.Key, bool) {
	var within func(manifest.Key) bool
	switch key.GroupKind() {
	case namespaceKind:
		within = func(other manifest.Key) bool { return other.Namespace == key.Name }
	case definitionKind:
		kind := definedKind(live)
		within = func(other manifest.Key) bool { return other.GroupKind() == kind }
	default:
		return manifest.Key{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, object := range a.req.Remove {
		if within(object.Key) && a.result.Outcomes[object.Key].Err != nil {
			return object.Key, true
		}
	}
	return manifest.Key{}, false
}

// reasonToKeep returns why a Namespace or a definition must stay: what it still holds after its own objects were removed.
// When that cannot be seen it stays as well.
func (a *application) reasonToKeep(ctx context.Context, key manifest.Key, live *unstructured.Unstructured) (string, error) {
	var kinds []member.Resource
	var namespace string
	switch key.GroupKind() {
	case namespaceKind:
		served, unknown := a.session.Served(ctx)
		if served == nil {
			return "", unknown
		}
		if unknown != nil {
			return "what it holds cannot be seen: " + brief(unknown.Error()), nil
		}
		kinds, namespace = deletable(served), key.Name
	case definitionKind:
		resource, err := resolve(ctx, a.session, anyVersion(definedKind(live)))
		if isGone(err) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		kinds = []member.Resource{resource}
	default:
		return "", nil
	}
	held, err := a.contents(ctx, kinds, namespace)
	switch {
	case apierrors.IsForbidden(err):
		return "what it holds cannot be seen: " + brief(err.Error()), nil
	case err != nil:
		return "", err
	case len(held) > 0:
		return "it still holds " + enumerate(held), nil
	}
	return "", nil
}

// anyVersion returns the kind in a version that no member serves, which resolve replaces by the one it prefers.
func anyVersion(kind schema.GroupKind) schema.GroupVersionKind { return kind.WithVersion("any") }

// deletable returns the namespaced kinds that hold something: those that can be listed and deleted, each in one version.
func deletable(served []member.Resource) []member.Resource {
	var kinds []member.Resource
	for _, r := range served {
		if r.Namespaced && r.Preferred && r.Can("list") && r.Can("delete") {
			kinds = append(kinds, r)
		}
	}
	return kinds
}

// contents returns the objects of the kinds in the namespace that somebody made, leaving out what the cluster makes itself
// and what is about to go.
func (a *application) contents(ctx context.Context, kinds []member.Resource, namespace string) ([]string, error) {
	held := make([][]string, len(kinds))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readsAtOnce)
	for i, kind := range kinds {
		group.Go(func() error {
			objects, err := a.session.List(ctx, kind, namespace, member.ListOptions{MetadataOnly: true})
			if isGone(err) { // the kind went away, and its objects with it
				return nil
			}
			for _, object := range objects {
				if object.GetDeletionTimestamp() == nil && !madeByCluster(object) {
					held[i] = append(held[i], manifest.KeyOf(object).String())
				}
			}
			return err
		})
	}
	err := group.Wait()
	var all []string
	for _, keys := range held {
		all = append(all, keys...)
	}
	return all, err
}

// clusterMade are objects that clusters put into every Namespace by themselves.
var clusterMade = map[schema.GroupKind][]string{
	{Kind: "ServiceAccount"}: {"default", "builder", "deployer"},
	{Kind: "ConfigMap"}:      {"kube-root-ca.crt", "openshift-service-ca.crt", "istio-ca-root-cert"},
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}: {
		"system:deployers", "system:image-builders", "system:image-pullers",
	},
}

// clusterMadeKinds are kinds that follow from others, or say what happened.
var clusterMadeKinds = []schema.GroupKind{
	{Kind: "Event"},
	{Group: "events.k8s.io", Kind: "Event"},
	{Kind: "Endpoints"},
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"},
	{Group: "coordination.k8s.io", Kind: "Lease"},
}

// madeByCluster reports whether nobody would miss the object: it follows from others that are counted themselves, or the
// cluster makes it in every Namespace.
func madeByCluster(object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind().GroupKind()
	if len(object.GetOwnerReferences()) > 0 {
		return true
	}
	for _, made := range clusterMadeKinds {
		if kind == made {
			return true
		}
	}
	for _, name := range clusterMade[kind] {
		if object.GetName() == name {
			return true
		}
	}
	_, token := object.GetAnnotations()["kubernetes.io/service-account.name"]
	return kind == secretKind && token && strings.Contains(object.GetName(), "-token-")
}
