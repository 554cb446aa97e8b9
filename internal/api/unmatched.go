package api

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Unmatched returns why s, which names an object, selects none of the objects, with those that may be meant: the ones of its
// kind. It returns "" when s selects one, and when it names none.
func (s *ResourceSelector) Unmatched(objects []*unstructured.Unstructured) string {
	if s.Name == "" {
		return ""
	}
	var same []string
	for _, obj := range objects {
		if s.Specificity(obj) != NoMatch {
			return ""
		}
		if obj.GetKind() == s.Kind {
			same = append(same, obj.GetAPIVersion()+" "+inNamespace(obj.GetNamespace(), obj.GetName()))
		}
	}
	text := fmt.Sprintf("no template is the %s %s %s", s.APIVersion, s.Kind, inNamespace(s.Namespace, s.Name))
	if len(same) == 0 {
		return text + "; there is none of that kind"
	}
	slices.Sort(same)
	const most = 5
	if len(same) > most {
		same = append(same[:most], fmt.Sprintf("and %d more", len(same)-most))
	}
	return text + "; of that kind there are " + strings.Join(same, ", ")
}

// inNamespace returns a name with its namespace, if it has one.
func inNamespace(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
