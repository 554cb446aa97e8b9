package interpreter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Extension declares what is to be known of one more kind, usually of a custom resource.
type Extension struct {
	APIVersion string // group and version, as in a manifest
	Kind       string
	// ReplicasPath is the dotted path of the number of replicas, say spec.replicas; empty: the kind is not divided.
	ReplicasPath string
	// HealthyWhen says when an object is healthy; nil: as soon as it exists.
	HealthyWhen *HealthRule
}

// HealthRule says when an object is healthy: either when the condition Condition has the status Status, or when the
// value at Path is Equals. In both cases status.observedGeneration, where there is one, has to be up to date.
type HealthRule struct {
	Condition string // type of a condition in status.conditions
	Status    string // its status; empty stands for True
	Path      string // dotted path of a string, number or boolean, say status.phase
	Equals    string // the value as it is written in JSON, strings without quotes
}

func (e Extension) groupVersionKind() (schema.GroupVersionKind, error) {
	version, err := schema.ParseGroupVersion(e.APIVersion)
	if err != nil {
		return schema.GroupVersionKind{}, fmt.Errorf("api version %q: %w; write it as in a manifest, say example.com/v1", e.APIVersion, err)
	}
	if version.Version == "" || e.Kind == "" {
		return schema.GroupVersionKind{}, errors.New("api version and kind are required")
	}
	return version.WithKind(e.Kind), nil
}

// extend returns what is known with e taken into account.
func (e Extension) extend(known kind) (kind, error) {
	if e.ReplicasPath == "" && e.HealthyWhen == nil {
		return kind{}, errors.New("it says nothing: give a replicas path, a health rule or both")
	}
	if e.ReplicasPath != "" {
		path, err := parsePath(e.ReplicasPath)
		if err != nil {
			return kind{}, fmt.Errorf("replicas path %q: %w", e.ReplicasPath, err)
		}
		known.replicasPath, known.replicas = path, count(1, path)
	}
	if e.HealthyWhen != nil {
		rule, err := e.HealthyWhen.compile()
		if err != nil {
			return kind{}, fmt.Errorf("health rule: %w", err)
		}
		known.healthy = rule
	}
	return known, nil
}

func (r HealthRule) compile() (func(*fields) bool, error) {
	switch {
	case (r.Condition == "") == (r.Path == ""):
		return nil, errors.New("give either a condition or a path")
	case r.Condition != "" && r.Equals != "":
		return nil, errors.New("equals belongs to a path; a condition is compared by its status")
	case r.Path != "" && r.Status != "":
		return nil, errors.New("status belongs to a condition; a path is compared by equals")
	case r.Path != "" && r.Equals == "":
		return nil, fmt.Errorf("say what %s has to equal", r.Path)
	case r.Path != "":
		return r.compilePath()
	}
	want := r.Status
	if want == "" {
		want = "True"
	}
	return func(f *fields) bool { return current(f) && f.condition(r.Condition) == want }, nil
}

func (r HealthRule) compilePath() (func(*fields) bool, error) {
	path, err := parsePath(r.Path)
	if err != nil {
		return nil, fmt.Errorf("path %q: %w", r.Path, err)
	}
	return func(f *fields) bool {
		value := f.value(path...)
		switch value.(type) {
		case nil:
			return false
		case string, bool, int64, float64:
			return current(f) && fmt.Sprint(value) == r.Equals
		default:
			f.reject(path, value, "a string, number or boolean")
			return false
		}
	}, nil
}

// current reports whether the status is about the present spec, as far as it says so.
func current(f *fields) bool {
	return f.value("status", "observedGeneration") == nil || observed(f)
}

// parsePath splits a dotted path of field names; a dot in front is allowed, as CustomResourceDefinitions write it.
func parsePath(text string) ([]string, error) {
	segments := path(strings.TrimPrefix(text, "."))
	if strings.ContainsAny(text, "[]*/ ") || slices.Contains(segments, "") {
		return nil, errors.New("want field names separated by dots, say spec.replicas; items of lists cannot be addressed")
	}
	return segments, nil
}
