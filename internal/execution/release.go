package execution

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// releaseAttempts bounds how often a release starts again because somebody else changed the object meanwhile.
const releaseAttempts = 5

// release takes our marks and our ownership of fields off an object. Its content stays: nothing is applied, for applying
// less would remove the rest.
func (a *application) release(ctx context.Context, resource member.Resource, key manifest.Key, live *unstructured.Unstructured) Outcome {
	var err error
	for range releaseAttempts {
		if err = a.strip(ctx, resource, live); !apierrors.IsConflict(err) {
			break
		}
		var seen *unstructured.Unstructured
		if seen, err = a.session.Get(ctx, resource, key.Namespace, key.Name); err != nil {
			break
		}
		if owner := OwnerOf(seen); !a.ours(owner) {
			return Outcome{State: StateForeign, Owner: owner}
		}
		live = seen
	}
	switch {
	case err == nil:
		return Outcome{State: StateReleased}
	case member.IsGone(err):
		return Outcome{State: StateRemoved}
	default:
		return Outcome{State: stateAfter(err), Err: explain(key, key.GroupKind() == secretKind, err)}
	}
}

// strip patches our marks and managed fields away, if the object is still as in live.
func (a *application) strip(ctx context.Context, resource member.Resource, live *unstructured.Unstructured) error {
	managers := slices.DeleteFunc(live.GetManagedFields(), isOurs)
	if len(managers) == 0 {
		managers = []metav1.ManagedFieldsEntry{{}} // an empty entry clears the list, an empty list leaves it
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid":             live.GetUID(),
		"resourceVersion": live.GetResourceVersion(),
		"labels":          map[string]any{PropagationLabel: nil},
		"annotations":     map[string]any{InstanceAnnotation: nil, PreexistingAnnotation: nil},
		"managedFields":   managers,
	}})
	if err != nil {
		return errors.Join(errors.New("encode the release"), err)
	}
	_, err = a.session.MergePatch(ctx, resource, live.GetNamespace(), live.GetName(), patch, FieldManager)
	return err
}

// isOurs reports whether the entry holds what we applied.
func isOurs(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == FieldManager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == ""
}
