package execution

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// changeAttempts bounds how often a change starts again because somebody else changed the object meanwhile.
const changeAttempts = 5

// release takes our marks and our ownership of fields off an object. Its content stays: nothing is applied, for applying
// less would remove the rest.
func (a *application) release(ctx context.Context, resource member.Resource, key manifest.Key, live *unstructured.Unstructured) Outcome {
	var foreign *Owner
	err := a.amend(ctx, resource, live, func(live *unstructured.Unstructured) error {
		if owner := OwnerOf(live); !a.ours(owner) {
			foreign = &owner
			return nil
		}
		return a.strip(ctx, resource, live)
	})
	switch {
	case foreign != nil:
		return Outcome{State: StateForeign, Owner: *foreign}
	case err == nil:
		return Outcome{State: StateReleased}
	case member.IsGone(err):
		return Outcome{State: StateRemoved}
	default:
		return Outcome{State: stateAfter(err), Err: explain(key, key.GroupKind() == secretKind, err)}
	}
}

// amend calls change with an object, and again with what is there by then while somebody else is quicker.
func (a *application) amend(
	ctx context.Context, resource member.Resource, live *unstructured.Unstructured, change func(live *unstructured.Unstructured) error,
) error {
	var err error
	for range changeAttempts {
		if err = change(live); !apierrors.IsConflict(err) {
			return err
		}
		seen, getErr := a.session.Get(ctx, resource, live.GetNamespace(), live.GetName())
		if getErr != nil {
			return getErr
		}
		live = seen
	}
	return err
}

// strip patches our marks and managed fields away, if the object is still as in live.
func (a *application) strip(ctx context.Context, resource member.Resource, live *unstructured.Unstructured) error {
	managers := slices.DeleteFunc(live.GetManagedFields(), isOurs)
	if len(managers) == 0 {
		managers = []metav1.ManagedFieldsEntry{{}} // an empty entry clears the list, an empty list leaves it
	}
	_, err := a.patchMetadata(ctx, resource, live, map[string]any{
		"labels":        map[string]any{PropagationLabel: nil},
		"annotations":   map[string]any{InstanceAnnotation: nil, PreexistingAnnotation: nil, SensitiveAnnotation: nil},
		"managedFields": managers,
	})
	return err
}

// patchMetadata changes the metadata of an object, if the object is still as in live, and returns the object as it is then.
func (a *application) patchMetadata(
	ctx context.Context, resource member.Resource, live *unstructured.Unstructured, changes map[string]any,
) (*unstructured.Unstructured, error) {
	metadata := maps.Clone(changes)
	metadata["uid"], metadata["resourceVersion"] = live.GetUID(), live.GetResourceVersion()
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return nil, fmt.Errorf("encode the new metadata: %w", err)
	}
	return a.session.MergePatch(ctx, resource, live.GetNamespace(), live.GetName(), patch, FieldManager)
}

// isOurs reports whether the entry holds what we applied.
func isOurs(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == FieldManager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == ""
}
