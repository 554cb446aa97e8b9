package execution

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"golang.org/x/sync/errgroup"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

const (
	// readsAtOnce is how many requests a read has under way at most.
	readsAtOnce = 16

	// manyMissing is from how many objects on, of a kind and namespace, that the shared list does not hold, one list of
	// names is cheaper than a get for each: at a first apply all of them are missing.
	manyMissing = 8
)

// Ref names an object and the version to read it in. Where the member serves the kind in other versions only, the one it
// prefers is read.
type Ref struct {
	Key        manifest.Key
	APIVersion string
}

// Scope is a kind and a namespace; the namespace is empty for cluster-scoped kinds.
type Scope struct {
	GVK       schema.GroupVersionKind
	Namespace string
}

// ReadRequest says what to read.
type ReadRequest struct {
	Objects []Ref

	// Instance is the instance whose objects are not foreign. Empty takes none for foreign.
	Instance string

	// Scopes are searched for strays: objects of Instance that are not among Objects.
	Scopes []Scope
}

// ReadResult tells of each object of a request one of three things: it is in Live, in Gone or in Failed.
type ReadResult struct {
	// Live objects are shared with other readers and must not be changed.
	Live map[manifest.Key]*unstructured.Unstructured

	// Gone objects are certainly not there: the member says so of the object, of its kind or of its namespace.
	Gone map[manifest.Key]bool

	// Failed objects are neither: nothing is known of them.
	Failed map[manifest.Key]error

	// Foreign holds, of the live objects, those that are not of the request's instance, and whose they are.
	Foreign map[manifest.Key]Owner

	// Strays are the other objects of the request's instance in the request's scopes.
	Strays map[manifest.Key]*unstructured.Unstructured
}

// Read returns what the member has of the given objects: one shared list per kind and namespace, and a get for each object
// that is not in its list, for it may have lost our label. It changes nothing.
func Read(ctx context.Context, session *member.Session, req ReadRequest) ReadResult {
	r := &reader{session: session, result: ReadResult{
		Live:    map[manifest.Key]*unstructured.Unstructured{},
		Gone:    map[manifest.Key]bool{},
		Failed:  map[manifest.Key]error{},
		Foreign: map[manifest.Key]Owner{},
		Strays:  map[manifest.Key]*unstructured.Unstructured{},
	}}
	var namespaces, others []Ref
	for _, ref := range req.Objects {
		if ref.Key.GroupKind() == namespaceKind {
			namespaces = append(namespaces, ref)
		} else {
			others = append(others, ref)
		}
	}
	r.read(ctx, namespaces)
	r.read(ctx, slices.DeleteFunc(others, r.inGoneNamespace))
	if req.Instance != "" {
		r.markForeign(req.Instance)
		r.findStrays(ctx, req)
	}
	return r.result
}

// reader gathers the result of one Read.
type reader struct {
	session *member.Session
	mu      sync.Mutex
	result  ReadResult
}

// inGoneNamespace reports whether the namespace of ref was read and is gone; then so is the object.
func (r *reader) inGoneNamespace(ref Ref) bool {
	if ref.Key.Namespace == "" || !r.result.Gone[manifest.Key{Kind: namespaceKind.Kind, Name: ref.Key.Namespace}] {
		return false
	}
	r.result.Gone[ref.Key] = true
	return true
}

// read lists the kinds and namespaces of refs, then gets what the lists do not hold.
func (r *reader) read(ctx context.Context, refs []Ref) {
	groups := map[Scope][]manifest.Key{}
	for _, ref := range refs {
		gv, err := schema.ParseGroupVersion(ref.APIVersion)
		if err != nil {
			r.result.Failed[ref.Key] = fmt.Errorf("%s: apiVersion %q: %w", ref.Key, ref.APIVersion, err)
			continue
		}
		scope := Scope{GVK: gv.WithKind(ref.Key.Kind), Namespace: ref.Key.Namespace}
		groups[scope] = append(groups[scope], ref.Key)
	}
	var lists, gets errgroup.Group
	lists.SetLimit(readsAtOnce)
	gets.SetLimit(readsAtOnce)
	var mu sync.Mutex
	var missing []func() error
	for scope, keys := range groups {
		lists.Go(func() error {
			resource, unlisted := r.list(ctx, scope, keys)
			if len(unlisted) >= manyMissing {
				unlisted = r.named(ctx, resource, scope.Namespace, unlisted)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, key := range unlisted {
				missing = append(missing, func() error { r.get(ctx, resource, key); return nil })
			}
			return nil
		})
	}
	_ = lists.Wait() // errors are part of the result
	for _, get := range missing {
		gets.Go(get)
	}
	_ = gets.Wait()
}

// list takes what it can of keys from the shared list and returns the others, with what to get them by.
func (r *reader) list(ctx context.Context, scope Scope, keys []manifest.Key) (member.Resource, []manifest.Key) {
	resource, err := resolve(ctx, r.session, scope.GVK)
	if err != nil {
		r.settle(keys, err)
		return resource, nil
	}
	if checkScope(r.session.Name(), keys[0], resource) != nil { // the keys share kind and namespace
		for _, key := range keys {
			r.settle([]manifest.Key{key}, checkScope(r.session.Name(), key, resource))
		}
		return resource, nil
	}
	owned, err := r.session.Owned(ctx, resource.GroupVersionKind(), scope.Namespace)
	if err != nil && !apierrors.IsForbidden(err) {
		r.settle(keys, err)
		return resource, nil
	}
	var unlisted []manifest.Key
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range keys {
		if live, ok := owned[key]; ok {
			r.result.Live[key] = live
		} else {
			unlisted = append(unlisted, key)
		}
	}
	return resource, unlisted
}

// named returns those of keys that the member has, by a list of names; the others are gone. Where the list is refused, it
// returns all of them.
func (r *reader) named(ctx context.Context, resource member.Resource, namespace string, keys []manifest.Key) []manifest.Key {
	objects, err := r.session.List(ctx, resource, namespace, member.ListOptions{MetadataOnly: true})
	if err != nil {
		return keys
	}
	there := make(map[string]bool, len(objects))
	for _, obj := range objects {
		there[obj.GetName()] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(keys, func(key manifest.Key) bool {
		if !there[key.Name] {
			r.result.Gone[key] = true
		}
		return !there[key.Name]
	})
}

// get reads one object.
func (r *reader) get(ctx context.Context, resource member.Resource, key manifest.Key) {
	live, err := r.session.Get(ctx, resource, key.Namespace, key.Name)
	if err != nil {
		r.settle([]manifest.Key{key}, err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Live[key] = live
}

// settle records what err says of the keys: gone, or unknown.
func (r *reader) settle(keys []manifest.Key, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range keys {
		if isGone(err) {
			r.result.Gone[key] = true
		} else {
			r.result.Failed[key] = err
		}
	}
}

// isGone reports whether err is proof that an object is not there.
func isGone(err error) bool {
	var none *member.NoMatchError
	return member.IsGone(err) || errors.As(err, &none)
}

// resolve returns how the member serves a kind that is to be read or removed: in the given version, else in the one it
// prefers. An object outlives the version it was made in.
func resolve(ctx context.Context, session *member.Session, gvk schema.GroupVersionKind) (member.Resource, error) {
	resource, err := session.Mapping(ctx, gvk)
	var none *member.NoMatchError
	if !errors.As(err, &none) || len(none.Served) == 0 {
		return resource, err
	}
	gv, err := schema.ParseGroupVersion(none.Served[0])
	if err != nil {
		return resource, err
	}
	return session.Mapping(ctx, gv.WithKind(gvk.Kind))
}

func (r *reader) markForeign(instance string) {
	for key, live := range r.result.Live {
		if owner := OwnerOf(live); owner.Instance != instance {
			r.result.Foreign[key] = owner
		}
	}
}

// findStrays looks through the scopes.
func (r *reader) findStrays(ctx context.Context, req ReadRequest) {
	asked := make(map[manifest.Key]bool, len(req.Objects))
	for _, ref := range req.Objects {
		asked[ref.Key] = true
	}
	var lists errgroup.Group
	lists.SetLimit(readsAtOnce)
	for _, scope := range req.Scopes {
		lists.Go(func() error {
			owned := r.owned(ctx, scope)
			r.mu.Lock()
			defer r.mu.Unlock()
			for key, live := range owned {
				if !asked[key] && OwnerOf(live).Instance == req.Instance {
					r.result.Strays[key] = live
				}
			}
			return nil
		})
	}
	_ = lists.Wait() // there are no errors
}

// owned returns the objects in scope that carry our label. A scope that cannot be listed holds none that is known: strays
// are found another time.
func (r *reader) owned(ctx context.Context, scope Scope) map[manifest.Key]*unstructured.Unstructured {
	resource, err := resolve(ctx, r.session, scope.GVK)
	if err != nil {
		return nil
	}
	owned, err := r.session.Owned(ctx, resource.GroupVersionKind(), scope.Namespace)
	if err != nil {
		return nil
	}
	return owned
}
