package propagation

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

var definitionKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}

// defines reports whether the template is a CustomResourceDefinition.
func (b *binding) defines() bool { return b.object.GroupVersionKind().GroupKind() == definitionKind }

// serving returns the clusters as they will be once the definitions among the bindings are where they are placed: the kinds
// that they define are served there. Clusters whose kinds were not observed stay as they are.
func serving(clusters []*api.Cluster, definitions []*binding) []*api.Cluster {
	out := slices.Clone(clusters)
	for i, c := range clusters {
		if c.Status.APIEnablements == nil {
			continue
		}
		for _, b := range definitions {
			if _, placed := b.placement.Clusters[c.Name]; placed {
				c = with(c, definedBy(b.object))
			}
		}
		out[i] = c
	}
	return out
}

// with returns c as it is when it serves more kinds.
func with(c *api.Cluster, more []api.APIEnablement) *api.Cluster {
	changed := *c
	enablements := slices.Clone(c.Status.APIEnablements)
	for _, e := range more {
		at := slices.IndexFunc(enablements, func(known api.APIEnablement) bool { return known.GroupVersion == e.GroupVersion })
		if at < 0 {
			enablements = append(enablements, e)
			continue
		}
		enablements[at].Resources = slices.Concat(enablements[at].Resources, e.Resources)
	}
	changed.Status.APIEnablements = enablements
	return &changed
}

// definedBy returns the kind of a CustomResourceDefinition in each version that it serves.
func definedBy(definition *unstructured.Unstructured) []api.APIEnablement {
	text := func(from map[string]any, at ...string) string {
		value, _, _ := unstructured.NestedString(from, at...) // what is not there is empty, and selects nothing
		return value
	}
	spec := definition.Object
	kind := api.APIResource{
		Name: text(spec, "spec", "names", "plural"), Kind: text(spec, "spec", "names", "kind"),
		Namespaced: text(spec, "spec", "scope") != "Cluster",
	}
	var served []api.APIEnablement
	versions, _, _ := unstructured.NestedFieldNoCopy(spec, "spec", "versions")
	elements, _ := versions.([]any)
	for _, element := range elements {
		version, _ := element.(map[string]any)
		if serves, ok := version["served"].(bool); ok && serves {
			gv := schema.GroupVersion{Group: text(spec, "spec", "group"), Version: text(version, "name")}
			served = append(served, api.APIEnablement{GroupVersion: gv.String(), Resources: []api.APIResource{kind}})
		}
	}
	return served
}
