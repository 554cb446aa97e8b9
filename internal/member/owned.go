package member

import (
	"context"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// PropagationLabel is on every object that a propagation put on a member; its value is the propagation's name.
const PropagationLabel = "terraform-provider-multicluster/propagation"

// listKey names one list: a kind in a version, and a namespace.
type listKey struct {
	resource  schema.GroupVersionResource
	namespace string
}

// ownedList is a list that writes keep true.
type ownedList struct {
	mu      sync.Mutex
	objects map[manifest.Key]*unstructured.Unstructured
}

// Owned returns the objects of a kind that carry PropagationLabel, whatever its value; an empty namespace is all of them.
// It is one list in a run for all callers, kept true by the writes of this session. The objects are shared: they must not
// be changed. Where listing is not allowed, apierrors.IsForbidden holds for the error.
func (s *Session) Owned(ctx context.Context, gvk schema.GroupVersionKind, namespace string) (map[manifest.Key]*unstructured.Unstructured, error) {
	r, err := s.Mapping(ctx, gvk)
	if err != nil {
		return nil, err
	}
	list, err := s.owned.get(ctx, listKey{r.GroupVersionResource, namespace}, func(ctx context.Context) (*ownedList, error) {
		return s.listOwned(ctx, r, namespace)
	})
	if err != nil {
		return nil, err
	}
	list.mu.Lock()
	defer list.mu.Unlock()
	return maps.Clone(list.objects), nil
}

func (s *Session) listOwned(ctx context.Context, r Resource, namespace string) (*ownedList, error) {
	objects, err := s.List(ctx, r, namespace, ListOptions{LabelSelector: PropagationLabel})
	if err != nil {
		return nil, err
	}
	list := &ownedList{objects: make(map[manifest.Key]*unstructured.Unstructured, len(objects))}
	for _, obj := range objects {
		list.objects[manifest.KeyOf(obj)] = obj
	}
	return list, nil
}

// Invalidate drops the shared lists of a kind: the next call of Owned asks again.
func (s *Session) Invalidate(r Resource) {
	s.owned.forget(func(key listKey, _ **ownedList) bool { return key.resource.GroupResource() == r.GroupResource() })
}

// record puts what a write returned into the shared lists.
func (s *Session) record(r Resource, live *unstructured.Unstructured) {
	key := manifest.KeyOf(live)
	s.update(r, key.Namespace, func(objects map[manifest.Key]*unstructured.Unstructured) {
		if _, ours := live.GetLabels()[PropagationLabel]; ours {
			objects[key] = live
		} else {
			delete(objects, key)
		}
	})
}

// drop takes an object that is gone out of the shared lists.
func (s *Session) drop(r Resource, namespace, name string) {
	s.update(r, namespace, func(objects map[manifest.Key]*unstructured.Unstructured) {
		delete(objects, manifest.Key{Kind: r.Kind, Group: r.Group, Namespace: namespace, Name: name})
	})
}

// update changes the lists that hold objects of the kind in the namespace. A list under way may have missed the write, and
// one in another version shows the object differently: both are dropped.
func (s *Session) update(r Resource, namespace string, change func(map[manifest.Key]*unstructured.Unstructured)) {
	s.owned.forget(func(key listKey, list **ownedList) bool {
		if key.resource.GroupResource() != r.GroupResource() || (key.namespace != namespace && key.namespace != "") {
			return false
		}
		if list == nil || key.resource != r.GroupVersionResource {
			return true
		}
		(*list).mu.Lock()
		defer (*list).mu.Unlock()
		change((*list).objects)
		return false
	})
}
