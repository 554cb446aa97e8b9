package manifest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/scheme" //nolint:depguard // It registers the API types and knows no cluster.

	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

// builtinTypes holds the Go type of every kind that Kubernetes itself serves
// and that has metadata, all versions included.
var builtinTypes = sync.OnceValue(func() map[schema.GroupVersionKind]reflect.Type {
	types := map[schema.GroupVersionKind]reflect.Type{
		apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"): reflect.TypeFor[apiextensionsv1.CustomResourceDefinition](),
	}
	objectMeta := reflect.TypeFor[metav1.ObjectMeta]()
	for gvk, t := range scheme.Scheme.AllKnownTypes() {
		if field, ok := t.FieldByName("ObjectMeta"); ok && field.Type == objectMeta {
			types[gvk] = t
		}
	}
	return types
})

// builtinKinds holds the kinds of builtinTypes without their versions.
var builtinKinds = sync.OnceValue(func() map[schema.GroupKind]bool {
	kinds := map[schema.GroupKind]bool{}
	for gvk := range builtinTypes() {
		kinds[gvk.GroupKind()] = true
	}
	return kinds
})

// checkKind returns an error for a kind that a group of the API itself does not
// have, where it is one that the group has but for a slip of the fingers, or one
// of another such group. Other kinds pass: a cluster may be newer, or older, than
// this library.
func checkKind(kind schema.GroupKind) error {
	if builtinKinds()[kind] {
		return nil
	}
	var names []string
	for known := range builtinKinds() {
		if known.Group == kind.Group {
			names = append(names, known.Kind)
		}
	}
	if meant := spelling.Slip(kind.Kind, names); meant != "" {
		return fmt.Errorf("no kind of this API; did you mean %s?", meant)
	}
	if versions := builtinVersions(kind.Kind); len(names) > 0 && len(versions) > 0 {
		return fmt.Errorf("no kind of this API; write apiVersion: %s", strings.Join(versions, " or "))
	}
	return nil
}

// builtinVersions returns the API versions that have a kind, each the newest
// stable one of its group, or the newest where no group has a stable one.
func builtinVersions(kind string) []string {
	newest := map[string]string{} // group -> version
	best := ""
	for gvk := range builtinTypes() {
		if gvk.Kind != kind {
			continue
		}
		if version.CompareKubeAwareVersionStrings(gvk.Version, newest[gvk.Group]) > 0 {
			newest[gvk.Group] = gvk.Version
		}
		if version.CompareKubeAwareVersionStrings(gvk.Version, best) > 0 {
			best = gvk.Version
		}
	}
	var versions []string
	for group, v := range newest {
		if isStable(v) || !isStable(best) {
			versions = append(versions, schema.GroupVersion{Group: group, Version: v}.String())
		}
	}
	slices.Sort(versions)
	return versions
}

// isStable reports whether a version is neither alpha nor beta, as v1.
func isStable(v string) bool {
	return !strings.Contains(v, "alpha") && !strings.Contains(v, "beta")
}
