package interpreter

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Interpreter knows the built-in kinds of Kubernetes, the third-party kinds that Karmada 1.19 bundles, and the kinds
// that the user declared. It does not change once made and may be used from several goroutines.
type Interpreter struct {
	kinds    table
	declared map[schema.GroupVersionKind]bool
}

// table maps each kind to what is known of it; group and version count.
type table map[schema.GroupVersionKind]kind

// kind is what is known of one kind. A nil field means that there is nothing to know.
type kind struct {
	podSpec      []string                          // where the pod spec lies, which says what a replica requires
	replicasPath []string                          // the field that Revise sets
	replicas     func(*fields) int64               // counts the replicas; nil: the kind is not divided
	healthy      func(*fields) bool                // nil: healthy once applied
	dependencies func(*fields) []Reference         // what propagateDeps takes along
	scales       func(*fields) Reference           // whose replicas it sets; nil: it is no autoscaler
	retain       func(desired, live *fields)       // changes desired, which is a copy
	reflect      func(live *fields) map[string]any // nil: the whole status
	aggregate    func(template *fields, members []member) map[string]any
}

// builtin is what is known without the user's help.
var builtin = merge(coreKinds, appsKinds, batchKinds, networkingKinds, scalingKinds, thirdPartyKinds)

func merge(tables ...table) table {
	all := table{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

// New returns an Interpreter that knows the declared kinds too. What an extension says of a kind that is known already
// wins over what is known. It returns an error that names the extension and what to do when one is incomplete,
// contradicts itself or declares a kind a second time.
func New(extensions ...Extension) (*Interpreter, error) {
	kinds := maps.Clone(builtin)
	declared := map[schema.GroupVersionKind]bool{}
	for i, extension := range extensions {
		gvk, err := extension.groupVersionKind()
		if err != nil {
			return nil, fmt.Errorf("interpreters[%d]: %w", i, err)
		}
		if declared[gvk] {
			return nil, fmt.Errorf("interpreters[%d]: %s %s is declared twice; keep one entry for it", i, extension.APIVersion, extension.Kind)
		}
		declared[gvk] = true
		if kinds[gvk], err = extension.extend(kinds[gvk]); err != nil {
			return nil, fmt.Errorf("interpreters[%d], %s %s: %w", i, extension.APIVersion, extension.Kind, err)
		}
	}
	return &Interpreter{kinds: kinds, declared: declared}, nil
}

func (i *Interpreter) kindOf(obj *unstructured.Unstructured) kind {
	return i.kinds[obj.GroupVersionKind()]
}

// PodSpecPath returns the path of the pod spec inside an object of the given kind, and false for a kind that has none or
// of which nothing is known. Group and version count, not only the kind: a Job of another group is another kind. The
// caller owns the returned slice.
func PodSpecPath(gvk schema.GroupVersionKind) ([]string, bool) {
	path := builtin[gvk].podSpec
	return slices.Clone(path), path != nil
}

// path splits a dotted path into its segments.
func path(dotted string) []string {
	return strings.Split(dotted, ".")
}

// of names a kind in a table.
func of(apiVersion, kind string) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

// failed adds the object to an error about it.
func failed(obj *unstructured.Unstructured, err error) error {
	name := obj.GetName()
	if namespace := obj.GetNamespace(); namespace != "" {
		name = namespace + "/" + name
	}
	return fmt.Errorf("%s %s: %w", obj.GetKind(), name, err)
}
