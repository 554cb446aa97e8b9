package api

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

// Unmatched returns why s, which names an object, selects none of the objects, with those that may be meant: the ones of its
// kind, or the kind that is meant. It returns "" when s selects one, and when it names none, unless its kind is no object's but
// for the spelling.
func (s *ResourceSelector) Unmatched(objects []*unstructured.Unstructured) string {
	var same []string
	meant := ""
	for _, obj := range objects {
		switch kind := obj.GetKind(); {
		case s.Specificity(obj) != NoMatch:
			return ""
		case kind == s.Kind:
			same = append(same, obj.GetAPIVersion()+" "+inNamespace(obj.GetNamespace(), obj.GetName()))
		case MeansKind(s.Kind, kind):
			meant = kind
		}
	}
	text := fmt.Sprintf("no template is the %s %s %s", s.APIVersion, s.Kind, inNamespace(s.Namespace, s.Name))
	switch {
	case len(same) == 0 && meant != "":
		return fmt.Sprintf("no template is of the kind %s; did you mean %s?", s.Kind, meant)
	case s.Name == "":
		return ""
	case len(same) == 0:
		return text + "; there is none of that kind"
	}
	slices.Sort(same)
	const most = 5
	if len(same) > most {
		same = append(same[:most], fmt.Sprintf("and %d more", len(same)-most))
	}
	return text + "; of that kind there are " + strings.Join(same, ", ")
}

// MeansKind reports whether a writer of name probably means the kind: it differs in case or by one slip of the fingers, or is the
// plural, as in deployments.
func MeansKind(name, kind string) bool {
	plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
	return strings.EqualFold(name, plural.Resource) || spelling.Slip(name, []string{kind}) != ""
}

// inNamespace returns a name with its namespace, if it has one.
func inNamespace(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
