package manifest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// clusterScoped holds the built-in kinds without a namespace: those whose API
// types say so in a comment (+genclient:nonNamespaced), and APIService.
var clusterScoped = map[schema.GroupKind]bool{
	{Kind: "ComponentStatus"}:  true,
	{Kind: "Namespace"}:        true,
	{Kind: "Node"}:             true,
	{Kind: "PersistentVolume"}: true,
	{Group: "admissionregistration.k8s.io", Kind: "MutatingAdmissionPolicy"}:          true,
	{Group: "admissionregistration.k8s.io", Kind: "MutatingAdmissionPolicyBinding"}:   true,
	{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"}:     true,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicy"}:        true,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicyBinding"}: true,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"}:   true,
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:                 true,
	{Group: "apiregistration.k8s.io", Kind: "APIService"}:                             true,
	{Group: "authentication.k8s.io", Kind: "SelfSubjectReview"}:                       true,
	{Group: "authentication.k8s.io", Kind: "TokenReview"}:                             true,
	{Group: "authorization.k8s.io", Kind: "SelfSubjectAccessReview"}:                  true,
	{Group: "authorization.k8s.io", Kind: "SelfSubjectRulesReview"}:                   true,
	{Group: "authorization.k8s.io", Kind: "SubjectAccessReview"}:                      true,
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}:                 true,
	{Group: "certificates.k8s.io", Kind: "ClusterTrustBundle"}:                        true,
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "FlowSchema"}:                       true,
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "PriorityLevelConfiguration"}:       true,
	{Group: "internal.apiserver.k8s.io", Kind: "StorageVersion"}:                      true,
	{Group: "networking.k8s.io", Kind: "IPAddress"}:                                   true,
	{Group: "networking.k8s.io", Kind: "IngressClass"}:                                true,
	{Group: "networking.k8s.io", Kind: "ServiceCIDR"}:                                 true,
	{Group: "node.k8s.io", Kind: "RuntimeClass"}:                                      true,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:                         true,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}:                  true,
	{Group: "resource.k8s.io", Kind: "DeviceClass"}:                                   true,
	{Group: "resource.k8s.io", Kind: "DeviceTaintRule"}:                               true,
	{Group: "resource.k8s.io", Kind: "ResourcePoolStatusRequest"}:                     true,
	{Group: "resource.k8s.io", Kind: "ResourceSlice"}:                                 true,
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:                               true,
	{Group: "storage.k8s.io", Kind: "CSIDriver"}:                                      true,
	{Group: "storage.k8s.io", Kind: "CSINode"}:                                        true,
	{Group: "storage.k8s.io", Kind: "StorageClass"}:                                   true,
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"}:                               true,
	{Group: "storage.k8s.io", Kind: "VolumeAttributesClass"}:                          true,
	{Group: "storagemigration.k8s.io", Kind: "StorageVersionMigration"}:               true,
}

// Namespaced reports whether objects of a built-in kind live in a namespace.
// The scope of a kind is the same in all its versions. known is false for kinds
// that Kubernetes itself does not have.
func Namespaced(gvk schema.GroupVersionKind) (namespaced, known bool) {
	kind := gvk.GroupKind()
	if clusterScoped[kind] {
		return false, true
	}
	known = builtinKinds()[kind]
	return known, known
}

// ScopeLookup tells whether objects of a kind live in a namespace, as far as
// the caller knows, for kinds that are neither built in nor defined among the
// objects at hand.
type ScopeLookup func(gvk schema.GroupVersionKind) (namespaced, known bool)

// SetNamespace returns the objects with the namespace filled in where an object
// of a namespaced kind names none, and removed where the kind is cluster-scoped,
// as the API server does. Custom resource definitions among the objects give
// the scope of their kinds, lookup (which may be nil) that of others; a kind
// that nobody knows is taken as namespaced.
func SetNamespace(objects []Object, namespace string, lookup ScopeLookup) []Object {
	defined := definedScopes(objects)
	result := make([]Object, len(objects))
	for i, object := range objects {
		want := object.GetNamespace()
		switch namespaced := isNamespaced(object.GroupVersionKind(), defined, lookup); {
		case !namespaced:
			want = ""
		case want == "":
			want = namespace
		}
		object.Unstructured = withNamespace(object.Unstructured, want)
		result[i] = object
	}
	return result
}

func isNamespaced(gvk schema.GroupVersionKind, defined map[schema.GroupKind]bool, lookup ScopeLookup) bool {
	if namespaced, known := Namespaced(gvk); known {
		return namespaced
	}
	if namespaced, known := defined[gvk.GroupKind()]; known {
		return namespaced
	}
	if lookup != nil {
		if namespaced, known := lookup(gvk); known {
			return namespaced
		}
	}
	return true
}

// definedScopes reads custom resource definitions: kind -> namespaced.
func definedScopes(objects []Object) map[schema.GroupKind]bool {
	scopes := map[schema.GroupKind]bool{}
	for _, object := range objects {
		if object.GroupVersionKind().GroupKind() != (schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}) {
			continue
		}
		group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(object.Object, "spec", "names", "kind")
		scope, _, _ := unstructured.NestedString(object.Object, "spec", "scope")
		scopes[schema.GroupKind{Group: group, Kind: kind}] = scope != "Cluster"
	}
	return scopes
}

func withNamespace(obj *unstructured.Unstructured, namespace string) *unstructured.Unstructured {
	if obj.GetNamespace() == namespace {
		return obj
	}
	changed := obj.Object
	if namespace == "" {
		changed = withoutField(changed, "metadata", "namespace")
	} else {
		changed = withField(changed, namespace, "metadata", "namespace")
	}
	return &unstructured.Unstructured{Object: changed}
}
