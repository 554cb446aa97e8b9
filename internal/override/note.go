package override

import (
	"fmt"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Note says what the user of a policy probably did not intend. Everything works all the same.
type Note struct {
	Policy PolicyRef
	// Path is the field of the policy, such as spec.resourceSelectors[0].
	Path string
	Text string
}

// String returns the note with the policy and path it is about.
func (n Note) String() string { return fmt.Sprintf("%s, %s: %s", n.Policy, n.Path, n.Text) }

// Notes returns what the policies alone give reason to say, in their order.
func (s *Set) Notes() []Note { return s.notes }

// selectorNotes notes selectors with both a name and a labelSelector.
func selectorNotes(p *policy) []Note {
	var notes []Note
	for i, sel := range p.selectors {
		if sel.Name != "" && sel.LabelSelector != nil {
			notes = append(notes, Note{p.ref, selectorPath(i), fmt.Sprintf("the name %q decides and labelSelector is ignored; remove one of them", sel.Name)})
		}
	}
	return notes
}

// Unmatched notes every selector with a name that none of the templates has, cluster-scoped policies first.
func (s *Set) Unmatched(templates []*unstructured.Unstructured) []Note {
	var notes []Note
	for _, p := range s.policies() {
		for i := range p.selectors {
			if sel := p.limited(p.selectors[i]); sel.Name != "" && !selectsAny(sel, templates) {
				notes = append(notes, Note{p.ref, selectorPath(i), unmatchedText(sel, templates)})
			}
		}
	}
	return notes
}

func selectorPath(i int) string { return fmt.Sprintf("spec.resourceSelectors[%d]", i) }

// limited returns sel with the namespace to which a namespaced policy is limited.
func (p *policy) limited(sel api.ResourceSelector) *api.ResourceSelector {
	if sel.Namespace == "" {
		sel.Namespace = p.ref.Namespace
	}
	return &sel
}

func selectsAny(sel *api.ResourceSelector, templates []*unstructured.Unstructured) bool {
	return slices.ContainsFunc(templates, func(t *unstructured.Unstructured) bool { return sel.Specificity(t) != api.NoMatch })
}

// unmatchedText names the templates of the selector's kind, one of which may be meant.
func unmatchedText(sel *api.ResourceSelector, templates []*unstructured.Unstructured) string {
	var same []string
	for _, t := range templates {
		if t.GetKind() == sel.Kind {
			same = append(same, t.GetAPIVersion()+" "+inNamespace(t.GetNamespace(), t.GetName()))
		}
	}
	text := fmt.Sprintf("no template is the %s %s %s", sel.APIVersion, sel.Kind, inNamespace(sel.Namespace, sel.Name))
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
