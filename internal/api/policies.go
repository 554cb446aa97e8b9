package api

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Policies collects the policies of one run, decoded, defaulted and valid. The zero value is ready for use.
type Policies struct {
	// Namespace is given to namespaced policies that name none; empty means DefaultNamespace.
	Namespace string

	// ConflictResolution is given to propagation policies that name none; empty means ConflictAbort.
	ConflictResolution ConflictResolution

	// Suspension is given to propagation policies that name none.
	Suspension *Suspension

	// Propagation and Override hold the policies in the order they were added, namespaced and cluster-scoped kinds together.
	Propagation []*PropagationPolicy
	Override    []*OverridePolicy

	// Notes are remarks for the user that stop nothing; each names its source, policy and field path.
	Notes []string

	added map[string]addedPolicy
}

// addedPolicy remembers where a policy came from, so that a second one of its name can be judged.
type addedPolicy struct {
	policy
	source string
}

// policy is what the four kinds have in common.
type policy interface {
	metav1.Object
	GetObjectKind() schema.ObjectKind
	ClusterScoped() bool
	SetDefaults()
	ValidateSchema() field.ErrorList
	Validate() field.ErrorList
	ValidateIgnored() field.ErrorList
}

// PolicyError lists everything that is wrong with one policy document.
type PolicyError struct {
	Source string          // where the document was written, such as "policies[1], document 2"
	Policy string          // kind and name as far as they are known, such as "PropagationPolicy default/web"
	Errs   field.ErrorList // never empty

	// Line returns the line of a field, or 0 where it is not known. It may be nil.
	Line func(field string) int
}

// Error returns one line that names the document and the policy, then one line for each error.
func (e *PolicyError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s is not valid:", e.Source, e.Policy)
	for _, err := range e.Errs {
		text.WriteString("\n  ")
		if e.Line != nil && e.Line(err.Field) > 0 {
			fmt.Fprintf(&text, "line %d: ", e.Line(err.Field))
		}
		fmt.Fprintf(&text, "%s: %s", err.Field, Explain(err))
	}
	return text.String()
}

// Unwrap returns the errors by field.
func (e *PolicyError) Unwrap() []error {
	errs := make([]error, len(e.Errs))
	for i, err := range e.Errs {
		errs[i] = err
	}
	return errs
}

// Add decodes one document of JSON values (numbers as int64 or float64), gives it the defaults of Karmada 1.19, validates
// it and keeps it. Decoding is strict: unknown fields and values of the wrong type are errors, all of them at once.
// Source says in messages where the document was written, for example "policies[1], document 2".
//
// A second policy of the same kind, namespace and name counts once when its content is the same, and is an error
// otherwise. Errors about the content of a document are a *PolicyError. A document that is refused leaves p as it was.
func (p *Policies) Add(doc map[string]any, source string) error {
	added, errs := decodePolicy(doc)
	if len(errs) > 0 {
		return &PolicyError{Source: source, Policy: describeDocument(doc), Errs: errs}
	}
	notes := p.normalise(added)
	added.SetDefaults()
	name := PolicyName(added)
	errs = slices.Concat(added.ValidateSchema(), added.Validate(), added.ValidateIgnored())
	if len(errs) > 0 {
		return &PolicyError{Source: source, Policy: name, Errs: errs}
	}
	if first, ok := p.added[name]; ok {
		if reflect.DeepEqual(first.policy, added) {
			return nil
		}
		return fmt.Errorf("%s: %s is already given by %s with other content: rename or remove one of them", source, name, first.source)
	}
	p.keep(added, source)
	for _, note := range notes {
		p.Notes = append(p.Notes, fmt.Sprintf("%s: %s: %s", source, name, note))
	}
	return nil
}

// normalise gives a policy what p has for those that say nothing, and the present names to values that were renamed. It
// returns what the user should know of that.
func (p *Policies) normalise(added policy) []string {
	var notes []string
	switch {
	case added.ClusterScoped() && added.GetNamespace() != "":
		notes = append(notes, fmt.Sprintf("metadata.namespace: %q is ignored because the kind is cluster-scoped: name the namespace in each selector to stay within it", added.GetNamespace()))
		added.SetNamespace("")
	case !added.ClusterScoped() && added.GetNamespace() == "":
		added.SetNamespace(p.Namespace)
	}
	switch added := added.(type) {
	case *PropagationPolicy:
		setDefault(&added.Spec.ConflictResolution, p.ConflictResolution)
		setDefault(&added.Spec.Suspension, p.Suspension)
		notes = append(notes, added.renamePurgeModes()...)
		notes = append(notes, added.ineffective()...)
		notes = append(notes, outranked(added.Spec.ResourceSelectors)...)
	case *OverridePolicy:
		notes = append(notes, outranked(added.Spec.ResourceSelectors)...)
	}
	return notes
}

// keep appends the policy to the list of its type.
func (p *Policies) keep(added policy, source string) {
	switch added := added.(type) {
	case *PropagationPolicy:
		p.Propagation = append(p.Propagation, added)
	case *OverridePolicy:
		p.Override = append(p.Override, added)
	}
	if p.added == nil {
		p.added = map[string]addedPolicy{}
	}
	p.added[PolicyName(added)] = addedPolicy{added, source}
}

// PolicyName returns kind, namespace and name, which no two policies share, as in "PropagationPolicy default/web".
func PolicyName(p policy) string {
	return describeName(p.GetObjectKind().GroupVersionKind().Kind, p.GetNamespace(), p.GetName())
}

// describeDocument is PolicyName for a document that may be anything.
func describeDocument(doc map[string]any) string {
	kind, _ := doc["kind"].(string)
	metadata, _ := doc["metadata"].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	name, _ := metadata["name"].(string)
	if kind == "" {
		kind = "document without a kind"
	}
	return describeName(kind, namespace, name)
}

func describeName(kind, namespace, name string) string {
	switch {
	case name == "":
		return kind
	case namespace == "":
		return kind + " " + name
	}
	return kind + " " + namespace + "/" + name
}
