package interpreter

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Replicas is what the division of an object over members has to know.
type Replicas struct {
	Count        int64         // replicas that the object asks for
	Requirements *Requirements // what one replica needs; nil when it needs nothing in particular
}

// Workload reports whether there is something to divide, as Karmada 1.19 sees it: at least one replica, or none yet
// while it is known what one needs. A nil r is no workload.
func (r *Replicas) Workload() bool {
	return r != nil && (r.Count > 0 || r.Requirements != nil)
}

// Replicas returns the replicas of obj and nil when its kind has none, in which case members get the object as it is.
// For the built-in kinds an absent number reads as 0, as in Karmada, because the defaults of the API server are set
// before; for all others as 1. The error names the field when a number or the pod spec is malformed, or a number is none
// of replicas: those have 32 bits in the API.
func (i *Interpreter) Replicas(obj *unstructured.Unstructured) (*Replicas, error) {
	known := i.kindOf(obj)
	if known.replicas == nil {
		return nil, nil
	}
	f := fieldsOf(obj)
	count := known.replicas(f)
	var requirements *Requirements
	if known.podSpec != nil {
		requirements = podRequirements(decode[corev1.PodSpec](f, known.podSpec))
	}
	if f.err != nil {
		return nil, failed(obj, f.err)
	}
	if count < 0 || count > math.MaxInt32 {
		field := cmp.Or(strings.Join(known.replicasPath, "."), "replicas")
		return nil, failed(obj, fmt.Errorf("%s: want a number of replicas from 0 to %d, have %d", field, math.MaxInt32, count))
	}
	return &Replicas{Count: count, Requirements: requirements}, nil
}

// ReplicasPath returns the path of the field that holds the number of replicas of a kind, and false when the kind has
// no such field. The caller owns the returned slice.
func (i *Interpreter) ReplicasPath(gvk schema.GroupVersionKind) ([]string, bool) {
	path := i.kinds[gvk].replicasPath
	return slices.Clone(path), path != nil
}

// MissingReplicas returns the path that the user declared for the replicas of obj when obj has nothing there, and "" when
// it has, or when the user declared none.
func (i *Interpreter) MissingReplicas(obj *unstructured.Unstructured) string {
	path := i.kindOf(obj).replicasPath
	if path == nil || !i.declared[obj.GroupVersionKind()] || fieldsOf(obj).value(path...) != nil {
		return ""
	}
	return strings.Join(path, ".")
}

// Revise returns a copy of obj with n replicas, and false when its kind cannot be revised. A field that is absent stays
// absent, as in Karmada. The replicas of a batch/v1 Job are its parallelism.
func (i *Interpreter) Revise(obj *unstructured.Unstructured, n int64) (*unstructured.Unstructured, bool) {
	path := i.kindOf(obj).replicasPath
	if path == nil {
		return nil, false
	}
	return replaceNumber(obj, n, path), true
}

// Completions returns spec.completions of a batch/v1 Job. It returns false for a Job without it, which works off a
// queue, and for any other object.
func Completions(obj *unstructured.Unstructured) (int64, bool) {
	f := fieldsOf(obj)
	if obj.GroupVersionKind() != of("batch/v1", "Job") || f.value(completionsPath...) == nil {
		return 0, false
	}
	n := f.number(completionsPath...)
	return n, f.err == nil
}

// ReviseCompletions returns a copy of a Job with n completions; a Job without the field stays without.
func ReviseCompletions(job *unstructured.Unstructured, n int64) *unstructured.Unstructured {
	return replaceNumber(job, n, completionsPath)
}

// replaceNumber returns a copy of obj with n at path, if there is a value to replace.
func replaceNumber(obj *unstructured.Unstructured, n int64, path []string) *unstructured.Unstructured {
	revised := obj.DeepCopy()
	last := len(path) - 1
	if parent := fieldsOf(revised).object(path[:last]...); parent[path[last]] != nil {
		parent[path[last]] = n
	}
	return revised
}

// count reads the number of replicas at path; absent stands for the number that the kind then has.
func count(absent int64, path []string) func(*fields) int64 {
	return func(f *fields) int64 {
		if f.value(path...) == nil {
			return absent
		}
		return f.number(path...)
	}
}

func one(*fields) int64 { return 1 }
