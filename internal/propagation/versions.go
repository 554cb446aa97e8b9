package propagation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// definition is what a CustomResourceDefinition says of its kind.
type definition struct {
	key    string
	served []string // API versions
}

// unservedVersions returns a problem for each object in a version that the definition of its kind, which the same members
// get, does not serve.
func unservedVersions(works map[string]map[string]*Work) []*Problem {
	members := map[string][]string{} // by what is wrong there
	for member, objects := range works {
		defined := definitions(objects)
		for key, work := range objects {
			if work.Object == nil || work.Suspended {
				continue
			}
			d, ok := defined[work.Object.GroupVersionKind().GroupKind()]
			if version := work.Object.GetAPIVersion(); ok && !slices.Contains(d.served, version) {
				wrong := fmt.Sprintf("%s has apiVersion %s, and %s serves the kind in %s only.", key, version, d.key, list(d.served))
				members[wrong] = append(members[wrong], member)
			}
		}
	}
	var problems []*Problem
	for _, wrong := range slices.Sorted(maps.Keys(members)) {
		slices.Sort(members[wrong])
		problems = append(problems, &Problem{Argument: "templates", Summary: "Version is not served", Detail: fmt.Sprintf(
			"%s Use a version that is served, or serve this one. On %s.", wrong, list(members[wrong]))})
	}
	return problems
}

// definitions returns, by kind, the definitions among the works of one member that say which versions they serve.
func definitions(objects map[string]*Work) map[schema.GroupKind]definition {
	found := map[schema.GroupKind]definition{}
	for key, work := range objects {
		if work.Object == nil || work.Suspended || work.Object.GroupVersionKind().GroupKind() != definitionKind {
			continue
		}
		for _, served := range definedBy(work.Object) {
			group, _, _ := strings.Cut(served.GroupVersion, "/")
			kind := schema.GroupKind{Group: group, Kind: served.Resources[0].Kind}
			found[kind] = definition{key, append(found[kind].served, served.GroupVersion)}
		}
	}
	return found
}
