package interpreter

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// RetainReplicasLabel, with the value true on a workload, leaves the number of replicas to what is on the member, say
// a HorizontalPodAutoscaler.
const RetainReplicasLabel = "resourcetemplate.karmada.io/retain-replicas"

// Annotations of a live object that list, separated by commas, the labels and annotations that came from the template.
const (
	managedLabels      = "resourcetemplate.karmada.io/managed-labels"
	managedAnnotations = "resourcetemplate.karmada.io/managed-annotations"
)

// Retain returns a copy of desired that can replace the live object as a whole: with what the member has set on it,
// which is resourceVersion, finalizers, owners, foreign labels and annotations, and some fields by kind, as Karmada 1.19
// does. The error names the field that is missing or malformed.
func (i *Interpreter) Retain(desired, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	object := desired.DeepCopy()
	if object.Object == nil {
		object.Object = map[string]any{}
	}
	to, from := fieldsOf(object), fieldsOf(live)
	for _, name := range []string{"resourceVersion", "finalizers", "ownerReferences"} {
		to.copy(from, "metadata", name)
	}
	retainForeign(to, from, "labels", managedLabels)
	retainForeign(to, from, "annotations", managedAnnotations)
	if retain := i.kindOf(desired).retain; retain != nil {
		retain(to, from)
	}
	if to.err != nil {
		return nil, failed(desired, to.err)
	}
	if from.err != nil {
		return nil, failed(live, from.err)
	}
	return object, nil
}

// retainForeign keeps the labels or annotations of the live object, except those that came from an earlier template:
// these are gone if the present one does not have them.
func retainForeign(to, from *fields, field, managed string) {
	ours := strings.Split(from.text("metadata", "annotations", managed), ",")
	values := maps.Clone(from.object("metadata", field))
	maps.DeleteFunc(values, func(key string, _ any) bool { return slices.Contains(ours, key) })
	if len(values) == 0 {
		return
	}
	maps.Copy(values, to.object("metadata", field))
	to.set(values, "metadata", field)
}

func retainReplicas(to, from *fields) {
	if to.text("metadata", "labels", RetainReplicasLabel) != "true" {
		return
	}
	if from.value("spec", "replicas") == nil {
		from.reject(path("spec.replicas"), nil, "a whole number, which the label "+RetainReplicasLabel+" retains")
	}
	to.copy(from, "spec", "replicas")
}
