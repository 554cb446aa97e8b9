package execution

import (
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// Find returns every object on a member that carries the name of the propagation, sorted by key, for an import: it lists
// all kinds, each in the version the member prefers. Kinds that could not be searched are in the error; what was found is
// returned all the same.
func Find(ctx context.Context, session *member.Session, propagation string) ([]*unstructured.Unstructured, error) {
	served, unknown := session.Served(ctx)
	if served == nil {
		return nil, unknown
	}
	var (
		lists errgroup.Group
		mu    sync.Mutex
		found = map[types.UID]*unstructured.Unstructured{} // an object may be served by more than one group
		errs  = []error{unknown}
	)
	lists.SetLimit(readsAtOnce)
	for _, resource := range searchable(served) {
		lists.Go(func() error {
			objects, err := session.List(ctx, resource, "", member.ListOptions{LabelSelector: PropagationLabel + "=" + propagation})
			mu.Lock()
			defer mu.Unlock()
			for _, object := range objects {
				if _, twice := found[object.GetUID()]; !twice {
					found[object.GetUID()] = object
				}
			}
			if err != nil {
				errs = append(errs, err)
			}
			return nil
		})
	}
	_ = lists.Wait() // errors are in errs
	var all []*unstructured.Unstructured
	for _, object := range found {
		all = append(all, object)
	}
	slices.SortFunc(all, func(a, b *unstructured.Unstructured) int { return compareKeys(manifest.KeyOf(a), manifest.KeyOf(b)) })
	return all, errors.Join(errs...)
}

// EveryScope returns every kind that a propagation's objects may be of, in all namespaces: where to look for strays when it is
// not known what was applied. The error is of a discovery that told nothing.
func EveryScope(ctx context.Context, session *member.Session) ([]Scope, error) {
	served, unknown := session.Served(ctx)
	if served == nil {
		return nil, unknown
	}
	var scopes []Scope
	for _, resource := range searchable(served) {
		scopes = append(scopes, Scope{GVK: resource.GroupVersionKind()})
	}
	return scopes, nil
}

// searchable returns the kinds that can be applied and listed, each in the version the member prefers.
func searchable(served []member.Resource) []member.Resource {
	var kinds []member.Resource
	for _, r := range served {
		if r.Preferred && r.Can("list") && r.Can("patch") && !slices.Contains(clusterMadeKinds, r.GroupVersionKind().GroupKind()) {
			kinds = append(kinds, r)
		}
	}
	return kinds
}
