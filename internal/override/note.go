package override

import (
	"fmt"

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

// Unmatched notes every selector with a name that none of the templates has, cluster-scoped policies first.
func (s *Set) Unmatched(templates []*unstructured.Unstructured) []Note {
	var notes []Note
	for _, p := range s.policies() {
		for i := range p.selectors {
			if text := p.limited(p.selectors[i]).Unmatched(templates); text != "" {
				notes = append(notes, Note{p.ref, selectorPath(i), text})
			}
		}
	}
	return notes
}

// Lookalikes notes texts of overriders that nearly are references to the member, such as {{member.name}}.
func (s *Set) Lookalikes() []Note {
	var notes []Note
	for _, p := range s.policies() {
		notes = append(notes, p.notes...)
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
