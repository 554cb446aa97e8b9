// Package execution carries works out on one member: it applies objects, reads them back, waits for them, removes and
// releases them. Each verb is a function that takes plain values and returns a result per object: an error of one object
// is part of the result and stops no other, and what was done stays known when the context ends.
package execution

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// FieldManager is the field manager of everything that is applied.
const FieldManager = "terraform-provider-multicluster"

// What marks an object on a member as part of a propagation.
const (
	// PropagationLabel holds the name of the propagation.
	PropagationLabel = member.PropagationLabel

	// InstanceAnnotation holds the random id of the propagation's state. Only objects of one's own instance are changed or
	// deleted.
	InstanceAnnotation = "terraform-provider-multicluster/instance"

	// PreexistingAnnotation is "true" on objects that were there before us and must stay when they are removed.
	PreexistingAnnotation = "terraform-provider-multicluster/preexisting"

	// SensitiveAnnotation is "true" on objects, other than Secrets, of which values must not be shown: an import, which knows
	// nothing else of them, hides them whole.
	SensitiveAnnotation = "terraform-provider-multicluster/sensitive"
)

// Owner says whose an object is. The zero value is an object without our marks.
type Owner struct {
	Propagation string
	Instance    string
}

// OwnerOf returns whose a live object is.
func OwnerOf(live *unstructured.Unstructured) Owner {
	return Owner{Propagation: live.GetLabels()[PropagationLabel], Instance: live.GetAnnotations()[InstanceAnnotation]}
}

// String returns the owner as errors name it.
func (o Owner) String() string {
	switch {
	case o.Propagation == "" && o.Instance == "":
		return "no propagation"
	case o.Instance == "":
		return "propagation " + o.Propagation + " without an instance"
	default:
		return "propagation " + o.Propagation + ", instance " + o.Instance
	}
}

// Preexisting reports whether a live object was there before us.
func Preexisting(live *unstructured.Unstructured) bool {
	return live.GetAnnotations()[PreexistingAnnotation] == "true"
}

// Sensitive reports whether nothing of a live object may be shown but what identifies it. The content of a Secret is hidden in
// any case.
func Sensitive(live *unstructured.Unstructured) bool {
	return live.GetAnnotations()[SensitiveAnnotation] == "true"
}

// AppliedAt returns when we last applied an object, by its managedFields; the zero time if we never did.
func AppliedAt(live *unstructured.Unstructured) time.Time {
	for _, entry := range live.GetManagedFields() {
		if isOurs(entry) && entry.Time != nil {
			return entry.Time.Time
		}
	}
	return time.Time{}
}

// kept reports whether a live object stays when it is removed.
func kept(live *unstructured.Unstructured) bool {
	return Preexisting(live) || manifest.HelmKeeps(live)
}

// marks are what an object is marked with.
type marks struct {
	Owner
	preexisting bool
	sensitive   bool
}

// marks returns what the object is marked with.
func (a *application) marks(p *pending) marks {
	return marks{
		Owner:       Owner{a.req.Propagation, a.req.Instance},
		preexisting: p.preexisting,
		sensitive:   p.Sensitive && p.Key.GroupKind() != secretKind,
	}
}

// stamp returns a copy of manifest with our marks.
func stamp(manifest *unstructured.Unstructured, with marks) *unstructured.Unstructured {
	stamped := manifest.DeepCopy()
	labels := stamped.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[PropagationLabel] = with.Propagation
	stamped.SetLabels(labels)

	annotations := stamped.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[InstanceAnnotation] = with.Instance
	if with.preexisting {
		annotations[PreexistingAnnotation] = "true"
	}
	if with.sensitive {
		annotations[SensitiveAnnotation] = "true"
	}
	stamped.SetAnnotations(annotations)
	return stamped
}

// unmark takes our marks off, and the maps that held nothing else.
func unmark(obj *unstructured.Unstructured) {
	for _, mark := range [][]string{
		{"metadata", "labels", PropagationLabel},
		{"metadata", "annotations", InstanceAnnotation},
		{"metadata", "annotations", PreexistingAnnotation},
		{"metadata", "annotations", SensitiveAnnotation},
	} {
		unstructured.RemoveNestedField(obj.Object, mark...)
		if rest, found, _ := unstructured.NestedMap(obj.Object, mark[:2]...); found && len(rest) == 0 {
			unstructured.RemoveNestedField(obj.Object, mark[:2]...)
		}
	}
}
