package manifest

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Key names one object of one cluster. It holds no API version: v1beta1 and v1
// of the same object are the same object. Namespace is empty for cluster-scoped
// objects, Group is empty for the core API group.
type Key struct {
	Kind      string
	Group     string
	Namespace string
	Name      string
}

// KeyOf returns the key of obj. A document without a namespace gives a key
// without one; SetNamespace fills it before keys are compared.
func KeyOf(obj *unstructured.Unstructured) Key {
	gvk := obj.GroupVersionKind()
	return Key{Kind: gvk.Kind, Group: gvk.Group, Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// ParseKey reads what String writes. It returns an error when the text is not
// Kind[.group]/[namespace/]name with a non-empty kind and name.
func ParseKey(text string) (Key, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 2 && len(parts) != 3 {
		return Key{}, fmt.Errorf("object key %q: want Kind.group/namespace/name or Kind.group/name", text)
	}
	for _, part := range parts {
		if part == "" {
			return Key{}, fmt.Errorf("object key %q: a part between slashes is empty; want Kind.group/namespace/name or Kind.group/name", text)
		}
	}
	kind, group, dotted := strings.Cut(parts[0], ".")
	if kind == "" || (dotted && group == "") {
		return Key{}, fmt.Errorf("object key %q: %q is not a kind; want Kind or Kind.group", text, parts[0])
	}
	key := Key{Kind: kind, Group: group, Name: parts[len(parts)-1]}
	if len(parts) == 3 {
		key.Namespace = parts[1]
	}
	return key, nil
}

// String returns the key as Kind.group/namespace/name, without the group for
// the core group and without the namespace for cluster-scoped objects:
// Deployment.apps/default/web, Service/default/web, Namespace/web.
func (k Key) String() string {
	text := k.Kind
	if k.Group != "" {
		text += "." + k.Group
	}
	if k.Namespace != "" {
		text += "/" + k.Namespace
	}
	return text + "/" + k.Name
}

// GroupKind returns the kind and group of the key.
func (k Key) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: k.Group, Kind: k.Kind}
}
