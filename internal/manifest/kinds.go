package manifest

import (
	"fmt"
	"reflect"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
// have, where it is one that the group has but for a slip of the fingers. Other
// kinds pass: a cluster may be newer, or older, than this library.
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
	return nil
}
