package manifest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// policyGroup is the API group of Karmada's policies.
const policyGroup = "policy.karmada.io"

// Object is one decoded document. Objects are values: no function of this
// package changes one it was given, and results may share parts with inputs,
// so whoever wants to change an object makes a deep copy first.
type Object struct {
	*unstructured.Unstructured
	// Source is where the object was written.
	Source Source
	// Unknown holds the dotted paths of leaves whose values are not known yet;
	// they are left out of the content. The caller fills it.
	Unknown []string

	line locator // of a policy
}

// Line returns the line of a field of a policy, or of the nearest that was
// written around it, counted from 1 within the element of the argument; 0 is
// unknown. The field is a path such as spec.placement.clusterAffinities[0].
func (o Object) Line(field string) int {
	if o.line == nil {
		return 0
	}
	var steps []step
	for token, err := range pathTokens(field) {
		if err != nil || token.step.list && token.step.index < 0 {
			break
		}
		steps = append(steps, token.step)
	}
	return o.line(steps)
}

// Key names the object.
func (o Object) Key() Key { return KeyOf(o.Unstructured) }

// Split separates policies, which are the objects of API group
// policy.karmada.io, from templates. A policy kind of another group of
// Karmada's, such as karmada.io, is a policy with a mistake, not a template.
// The order of each is kept.
func Split(objects []Object) (templates, policies []Object) {
	for _, object := range objects {
		if isPolicy(object.GroupVersionKind()) {
			policies = append(policies, object)
		} else {
			templates = append(templates, object)
		}
	}
	return templates, policies
}

func isPolicy(gvk schema.GroupVersionKind) bool {
	if gvk.Group == policyGroup {
		return true
	}
	return strings.Contains(gvk.Group, "karmada") && (strings.HasSuffix(gvk.Kind, "PropagationPolicy") || strings.HasSuffix(gvk.Kind, "OverridePolicy"))
}

// Unique drops every object that an earlier one repeats with equal content. Two
// objects of one key that differ are an error that names both sources. Call it
// after SetNamespace, which completes the keys.
func Unique(objects []Object) ([]Object, error) {
	first := make(map[Key]Object, len(objects))
	unique := make([]Object, 0, len(objects))
	var errs []error
	for _, object := range objects {
		key := object.Key()
		known, seen := first[key]
		switch {
		case !seen:
			first[key] = object
			unique = append(unique, object)
		case !sameContent(known, object):
			errs = append(errs, &Error{
				Source: object.Source,
				Object: key.String(),
				Err:    fmt.Errorf("also given in %s with other content; keep one of the two, or name one differently", known.Source),
			})
		}
	}
	return unique, errors.Join(errs...)
}

func sameContent(a, b Object) bool {
	return reflect.DeepEqual(a.Object, b.Object) && reflect.DeepEqual(a.Unknown, b.Unknown)
}
