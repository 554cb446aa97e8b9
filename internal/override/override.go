// Package override makes the copy of a template that one member receives: images, commands, labels, annotations and any
// other field, changed as Karmada's OverridePolicy and ClusterOverridePolicy say (semantics of Karmada 1.19).
//
// Policies are compiled once and applied to many (template, member) pairs. Everything is a pure function of its
// arguments: no input is changed, and a Set may be used by several goroutines at a time.
package override

import (
	"cmp"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Target is the member an object is made for, with the values that override texts may refer to.
type Target struct {
	Cluster *api.Cluster
	// Variables are the member's own values, for {{ member.variables["key"] }}.
	Variables map[string]string
	// UnknownVariables holds the keys whose values are not known yet; it wins over Variables.
	UnknownVariables map[string]bool
	// AllVariablesUnknown says that not even the keys are known.
	AllVariablesUnknown bool
}

// Applied records one rule that applied to an object on a member, in the order of application.
type Applied struct {
	Policy PolicyRef
	// Rule is the index in spec.overrideRules, or -1 for the deprecated single-rule form.
	Rule int
	// Overriders are those that changed the object, such as imageOverrider[0].
	Overriders []string
	// Notes say what the user probably did not intend; the object is right all the same.
	Notes []string
	// Misses are the overriders that found nothing in the object to change.
	Misses []Miss
}

// Miss is an overrider for something that the object does not have. Karmada 1.19 does nothing then, and a policy for many
// objects may mean it so.
type Miss struct {
	Overrider string // such as argsOverrider[0]
	Text      string // what the object lacks, as the end of a sentence about it
}

// String names the policy, the rule and its overriders, as in "OverridePolicy default/demoapp,
// overrideRules[0].overriders.plaintext[1]".
func (a Applied) String() string {
	return Location{Policy: a.Policy, Rule: a.Rule, Overrider: strings.Join(a.Overriders, " and ")}.String()
}

// Apply returns obj as the target receives it, and the rules that applied. Cluster-scoped policies come first, then those
// of the object's namespace; within each tier the least specific selector first and then by name, so that the most
// specific policy has the last word. Which policies of a tier apply is decided before the first of them does.
//
// obj is not changed. The result shares with it whatever no rule changed, all of it when no rule applies, so both are to
// be treated as read-only. The error is an *UnknownError when a variable is not known yet, else an *Error.
func (s *Set) Apply(obj *unstructured.Unstructured, target Target) (*unstructured.Unstructured, []Applied, error) {
	e := &edit{template: obj, obj: obj, target: &target}
	if err := e.applyAll(selecting(s.cluster, obj)); err != nil {
		return nil, nil, err
	}
	if namespace := e.obj.GetNamespace(); namespace != "" {
		if err := e.applyAll(selecting(s.namespaced[namespace], e.obj)); err != nil {
			return nil, nil, err
		}
	}
	return e.obj, e.applied, nil
}

// selecting returns those of the policies, which are sorted by name, that select obj: least specific first.
func selecting(policies []*policy, obj *unstructured.Unstructured) []*policy {
	type ranked struct {
		*policy
		rank api.Specificity
	}
	var found []ranked
	for _, p := range policies {
		if rank := p.specificity(obj); rank != api.NoMatch {
			found = append(found, ranked{p, rank})
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	out := make([]*policy, len(found))
	for i, f := range found {
		out[i] = f.policy
	}
	return out
}
