package manifest

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// HelmHook returns at which moments Helm would run the object, such as
// "pre-install,pre-upgrade", by its annotation helm.sh/hook. It returns nothing
// for an object that is part of the release itself.
func HelmHook(obj *unstructured.Unstructured) string {
	return obj.GetAnnotations()["helm.sh/hook"]
}

// HelmKeeps reports whether the object stays where it is when it is removed, by
// its annotation helm.sh/resource-policy.
func HelmKeeps(obj *unstructured.Unstructured) bool {
	return obj.GetAnnotations()["helm.sh/resource-policy"] == "keep"
}
