package execution

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// leave gives up what we own of a live object among the fields that are left to others, if the object is still as in live, and
// returns it as it is then. The values of the fields stay, and an apply without them takes nothing away.
func (a *application) leave(
	ctx context.Context, resource member.Resource, p *pending, live *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	if len(p.Left) == 0 {
		return live, nil
	}
	managers, less, err := disown(live, p.Left)
	if err != nil {
		return live, &ObjectError{Member: a.session.Name(), Key: p.Key, Reason: ReasonInvalid, Text: err.Error()}
	}
	if !less {
		return live, nil
	}
	left, err := a.patchMetadata(ctx, resource, live, map[string]any{"managedFields": managers})
	if err != nil {
		return live, err
	}
	return left, nil
}

// ourMarks are ours whatever is left to others.
var ourMarks = fieldpath.NewSet(
	fieldpath.MakePathOrDie("metadata", "labels", PropagationLabel),
	fieldpath.MakePathOrDie("metadata", "annotations", InstanceAnnotation),
	fieldpath.MakePathOrDie("metadata", "annotations", PreexistingAnnotation),
	fieldpath.MakePathOrDie("metadata", "annotations", SensitiveAnnotation),
)

// disown returns the managed fields of a live object without our ownership of what the patterns name, and whether that is
// any less.
func disown(live *unstructured.Unstructured, patterns []manifest.Pattern) ([]metav1.ManagedFieldsEntry, bool, error) {
	managers, less := live.GetManagedFields(), false
	for i, entry := range managers {
		if !isOurs(entry) || entry.FieldsV1 == nil {
			continue
		}
		owned := fieldpath.NewSet()
		if err := owned.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			return nil, false, fmt.Errorf("managed fields of %s: %w", entry.Manager, err)
		}
		kept, err := manifest.Leave(live, owned, patterns...)
		if err != nil {
			return nil, false, err
		}
		kept = kept.Union(owned.Intersection(ourMarks))
		if kept.Equals(owned) {
			continue
		}
		text, err := kept.ToJSON()
		if err != nil {
			return nil, false, fmt.Errorf("managed fields of %s: %w", entry.Manager, err)
		}
		managers[i].FieldsV1, less = metav1.NewFieldsV1(string(text)), true
	}
	return managers, less, nil
}
