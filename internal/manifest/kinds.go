package manifest

import (
	"reflect"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme" //nolint:depguard // It registers the API types and knows no cluster.
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
