package testfleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
)

const (
	// cleanTimeout bounds how long deleted objects may take to go.
	cleanTimeout = 2 * time.Minute
	// finalizerPatience is how long an object may wait for its finalizers before they are removed.
	finalizerPatience = 5 * time.Second
)

// objectID names one object of a cluster. Objects of the same name made later have another UID.
type objectID struct {
	resource        schema.GroupVersionResource
	namespace, name string
	uid             types.UID
}

func (id objectID) String() string {
	return strings.TrimPrefix(fmt.Sprintf("%s %s/%s", id.resource.GroupResource(), id.namespace, id.name), "/")
}

// Clean brings the member back to how it was after its start: running, reachable, and without anything that
// was created since, so that one fleet serves many tests. Objects that it had from the start and that were
// deleted or changed stay so.
func (m *Member) Clean(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cleanTimeout)
	defer cancel()
	if err := m.revive(ctx); err != nil {
		return err
	}
	began := time.Now()
	err := poll(ctx, func() error {
		left, err := m.created(ctx)
		if err != nil || len(left) == 0 {
			return err
		}
		if err := m.deleteAll(ctx, left, time.Since(began) > finalizerPatience); err != nil {
			return err
		}
		return fmt.Errorf("%d objects are left, one is %s", len(left), left[0])
	})
	if err != nil {
		return fmt.Errorf("clean member %s: %w", m.Name, err)
	}
	return nil
}

// revive ends whatever a test did to the member.
func (m *Member) revive(ctx context.Context) error {
	if m.apiserver.running() {
		if err := m.Thaw(); err != nil {
			return err
		}
	}
	if m.kubelets.running() {
		if err := m.ThawNodes(); err != nil {
			return err
		}
	}
	return m.Start(ctx)
}

// created lists what the cluster holds beyond what it had at its start.
func (m *Member) created(ctx context.Context) ([]objectID, error) {
	now, err := m.list(ctx)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(now, func(id objectID, _ bool) bool { return m.baseline[id] })
	return slices.Collect(maps.Keys(now)), nil
}

// list returns every object that a test can have created. What the control plane makes for itself is
// left out.
func (m *Member) list(ctx context.Context) (map[objectID]bool, error) {
	resources, err := m.deletableResources()
	if err != nil {
		return nil, err
	}
	client, err := metadata.NewForConfig(m.test)
	if err != nil {
		return nil, err
	}
	found := make(map[objectID]bool)
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, resource := range resources {
		group.Go(func() error {
			list, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
			if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
				return nil // The CRD has just gone.
			}
			if err != nil {
				return fmt.Errorf("list %s: %w", resource.GroupResource(), err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, item := range list.Items {
				id := objectID{resource, item.Namespace, item.Name, item.UID}
				if !ownedByControlPlane(id) {
					found[id] = true
				}
			}
			return nil
		})
	}
	return found, group.Wait()
}

// deletableResources are the kinds whose objects can be listed and deleted. Groups whose discovery fails,
// like that of a CRD on its way out, are left out.
func (m *Member) deletableResources() ([]schema.GroupVersionResource, error) {
	client, err := discovery.NewDiscoveryClientForConfig(m.test)
	if err != nil {
		return nil, err
	}
	lists, err := client.ServerPreferredResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, err
	}
	lists = discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "delete"}}, lists)
	byResource, err := discovery.GroupVersionResources(lists)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(byResource, func(r schema.GroupVersionResource, _ struct{}) bool {
		return ignoredResources[r.GroupResource()]
	})
	return slices.Collect(maps.Keys(byResource)), nil
}

// ignoredResources are made by the control plane all the time and matter to no test.
var ignoredResources = map[schema.GroupResource]bool{
	{Resource: "events"}:                                              true,
	{Group: "events.k8s.io", Resource: "events"}:                      true,
	{Group: "coordination.k8s.io", Resource: "leases"}:                true,
	{Group: "apiregistration.k8s.io", Resource: "apiservices"}:        true,
	{Resource: "endpoints"}:                                           true,
	{Group: "discovery.k8s.io", Resource: "endpointslices"}:           true,
	{Group: "networking.k8s.io", Resource: "ipaddresses"}:             true,
	{Group: "internal.apiserver.k8s.io", Resource: "storageversions"}: true,
}

// ownedByControlPlane tells whether controllers make the object in a cluster that nobody uses.
func ownedByControlPlane(id objectID) bool {
	switch id.resource.Resource {
	case "namespaces":
		return id.name == "default" || strings.HasPrefix(id.name, "kube-")
	case "serviceaccounts":
		return id.name == "default" || id.namespace == "kube-system"
	case "configmaps":
		return id.name == "kube-root-ca.crt" || strings.HasPrefix(id.namespace, "kube-")
	default:
		return strings.HasPrefix(id.namespace, "kube-")
	}
}

// deleteAll asks for the deletion of all objects, and by force of those whose finalizers nobody serves.
func (m *Member) deleteAll(ctx context.Context, ids []objectID, force bool) error {
	client, err := metadata.NewForConfig(m.test)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, id := range ids {
		group.Go(func() error {
			return ignoreGone(deleteOne(ctx, client.Resource(id.resource).Namespace(id.namespace), id, force))
		})
	}
	return group.Wait()
}

func deleteOne(ctx context.Context, client metadata.ResourceInterface, id objectID, force bool) error {
	background, now := metav1.DeletePropagationBackground, int64(0)
	err := client.Delete(ctx, id.name, metav1.DeleteOptions{
		Preconditions:      &metav1.Preconditions{UID: &id.uid},
		PropagationPolicy:  &background,
		GracePeriodSeconds: &now,
	})
	if !force || ignoreGone(err) != nil {
		return err
	}
	_, err = client.Patch(ctx, id.name, types.MergePatchType,
		[]byte(`{"metadata": {"finalizers": null}}`), metav1.PatchOptions{})
	return err
}

// ignoreGone drops the errors of an object that went in between, or was made anew.
func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// Clean cleans every member of the fleet.
func (f *Fleet) Clean(ctx context.Context) error {
	errs := make([]error, len(f.Members))
	var group sync.WaitGroup
	for i, m := range f.Members {
		group.Go(func() { errs[i] = m.Clean(ctx) })
	}
	group.Wait()
	return errors.Join(errs...)
}
