package interpreter

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Health is the judgement on an object as it is on a member.
type Health string

// The values of Health. Unknown is the health of an object that is not there or cannot be read.
const (
	Healthy   Health = "Healthy"
	Unhealthy Health = "Unhealthy"
	Unknown   Health = "Unknown"
)

// Health judges a live object by its status. A kind about which nothing is known is healthy as soon as it exists, as in
// Karmada 1.19, which judges Jobs so too. A nil object, and one whose spec or status is malformed, is Unknown.
func (i *Interpreter) Health(live *unstructured.Unstructured) Health {
	if live == nil {
		return Unknown
	}
	rule := i.kindOf(live).healthy
	if rule == nil {
		return Healthy
	}
	f := fieldsOf(live)
	f.object("spec")
	f.object("status")
	healthy := rule(f)
	switch {
	case f.err != nil:
		return Unknown
	case healthy:
		return Healthy
	default:
		return Unhealthy
	}
}

// observed reports whether the controller of the kind has seen the present spec.
func observed(f *fields) bool {
	return f.number("status", "observedGeneration") == f.number("metadata", "generation")
}

// ready is the rule that the object says so of itself.
func ready(f *fields) bool { return f.condition("Ready") == "True" }

// notFailed is the rule that there are conditions and none of them is Failed.
func notFailed(f *fields) bool {
	return len(f.objects("status", "conditions")) > 0 && f.condition("Failed") != "True"
}

// textIn is the rule that the string at path is one of the given.
func textIn(path []string, healthy ...string) func(*fields) bool {
	return func(f *fields) bool { return slices.Contains(healthy, f.text(path...)) }
}

// textNotIn is the rule that there is a string at path and that it is none of the given.
func textNotIn(path []string, unhealthy ...string) func(*fields) bool {
	return func(f *fields) bool {
		text := f.text(path...)
		return text != "" && !slices.Contains(unhealthy, text)
	}
}
