package execution

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// lastingKinds hold what others made: they are not deleted unless it is certain that we made them.
var lastingKinds = []schema.GroupKind{namespaceKind, definitionKind, claimKind}

// claim decides whether the object may be applied over what is there, and whether that was there before us. live is nil
// when nothing is there.
func (a *application) claim(object ApplyObject, live *unstructured.Unstructured) (preexisting bool, err error) {
	if live == nil {
		return false, nil
	}
	owner, overwrite := OwnerOf(live), object.Conflict == api.ConflictOverwrite
	kind := object.Key.GroupKind()
	switch {
	case a.ours(owner): // also under the name that the propagation had before
		return Preexisting(live), nil
	case owner.Propagation == a.req.Propagation && (a.req.Adopt || (owner.Instance == "" && object.Ours)):
		return Preexisting(live), nil
	case owner.Propagation == a.req.Propagation && object.Ours:
		return false, a.refuse(object, ReasonTaken, "it was taken over by another state: on the member it belongs to "+owner.String(),
			"keep the propagation in one state only, and give the other another name")
	case owner.Propagation == a.req.Propagation:
		return false, a.refuse(object, ReasonTaken, "another propagation of this name holds it: on the member it belongs to "+owner.String(),
			"keep the propagation in one state only, or give one of the two another name")
	case owner != Owner{} && overwrite: // a sibling's object is as new as it was to the sibling
		return Preexisting(live), nil
	case owner != Owner{}:
		return false, a.refuse(object, ReasonTaken, "it belongs to "+owner.String(), takenAdvice(kind))
	case object.Ours: // whoever took our marks off a lasting object may have done so to keep it
		return slices.Contains(lastingKinds, kind), nil
	case kind == namespaceKind || overwrite:
		return true, nil
	default:
		return false, a.refuse(object, ReasonUnmanaged, "it already exists on the member and is not managed by this propagation",
			`set conflict_resolution = "Overwrite" to take it over, or give it another name`)
	}
}

// ours reports whether the owner is the request's instance. An object without an instance is nobody's.
func (a *application) ours(owner Owner) bool {
	return owner.Instance != "" && owner.Instance == a.req.Instance
}

func takenAdvice(kind schema.GroupKind) string {
	if kind == namespaceKind {
		return "put the Namespace into one propagation only"
	}
	return `put the object into one propagation only, or set conflict_resolution = "Overwrite" to take it over`
}

func (a *application) refuse(object ApplyObject, reason Reason, text, advice string) error {
	return &ObjectError{Member: a.session.Name(), Key: object.Key, Reason: reason, Text: text, Advice: advice}
}
