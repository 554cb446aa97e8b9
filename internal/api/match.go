package api

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// The keys a FieldSelector may name.
const (
	FieldProvider = "provider"
	FieldRegion   = "region"
	FieldZone     = "zone"
)

// Matches reports whether the member is selected: not excluded, and every part that is set matches. An affinity without
// parts, and a nil one, match every member. A selector that cannot be evaluated matches none, as in Karmada 1.19.
func (a *ClusterAffinity) Matches(c *Cluster) bool {
	switch {
	case a == nil:
		return true
	case slices.Contains(a.ExcludeClusters, c.Name):
		return false
	case a.LabelSelector != nil && !labelSelectorMatches(a.LabelSelector, c.Labels):
		return false
	case a.FieldSelector != nil && !a.FieldSelector.matches(c):
		return false
	}
	return len(a.ClusterNames) == 0 || slices.Contains(a.ClusterNames, c.Name)
}

// matches evaluates all expressions; those on zone against a list, the others like labels.
func (s *FieldSelector) matches(c *Cluster) bool {
	fields := labels.Set{}
	if c.Spec.Provider != "" {
		fields[FieldProvider] = c.Spec.Provider
	}
	if c.Spec.Region != "" {
		fields[FieldRegion] = c.Spec.Region
	}
	for _, e := range s.MatchExpressions {
		if e.Key == FieldZone {
			if !zonesMatch(e, c.Spec.Zones) {
				return false
			}
		} else if !fieldMatches(e, fields) {
			return false
		}
	}
	return true
}

// zonesMatch evaluates e on a member's zones: In needs any of them among the values, NotIn needs none.
func zonesMatch(e corev1.NodeSelectorRequirement, zones []string) bool {
	listed := func(zone string) bool { return slices.Contains(e.Values, zone) }
	switch e.Operator {
	case corev1.NodeSelectorOpIn:
		return slices.ContainsFunc(zones, listed)
	case corev1.NodeSelectorOpNotIn:
		return !slices.ContainsFunc(zones, listed)
	case corev1.NodeSelectorOpExists:
		return len(zones) > 0
	case corev1.NodeSelectorOpDoesNotExist:
		return len(zones) == 0
	}
	return false
}

var fieldOperators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn:           selection.In,
	corev1.NodeSelectorOpNotIn:        selection.NotIn,
	corev1.NodeSelectorOpExists:       selection.Exists,
	corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	corev1.NodeSelectorOpGt:           selection.GreaterThan,
	corev1.NodeSelectorOpLt:           selection.LessThan,
}

// fieldMatches evaluates e like a label requirement; an invalid requirement matches nothing.
func fieldMatches(e corev1.NodeSelectorRequirement, fields labels.Set) bool {
	r, err := labels.NewRequirement(e.Key, fieldOperators[e.Operator], e.Values)
	return err == nil && r.Matches(fields)
}

// Specificity ranks how precisely a selector names an object. It decides between policies of equal priority, and orders
// override policies.
type Specificity int

// The values of Specificity, as Karmada 1.19 ranks them.
const (
	NoMatch        Specificity = iota // the selector does not select the object
	MatchesAll                        // neither a name nor a label selector
	MatchesByLabel                    // a label selector, even an empty one
	MatchesByName                     // a name
)

// Specificity returns how precisely s selects obj. A label selector beside a name is ignored; one that cannot be evaluated
// matches nothing.
func (s *ResourceSelector) Specificity(obj *unstructured.Unstructured) Specificity {
	switch {
	case s.APIVersion != obj.GetAPIVersion() || s.Kind != obj.GetKind():
		return NoMatch
	case s.Namespace != "" && s.Namespace != obj.GetNamespace():
		return NoMatch
	case s.Name != "":
		if s.Name == obj.GetName() {
			return MatchesByName
		}
		return NoMatch
	case s.LabelSelector == nil:
		return MatchesAll
	case labelSelectorMatches(s.LabelSelector, obj.GetLabels()):
		return MatchesByLabel
	}
	return NoMatch
}

// MostSpecific returns the greatest specificity with which any of the selectors selects obj; NoMatch for an empty list.
func MostSpecific(selectors []ResourceSelector, obj *unstructured.Unstructured) Specificity {
	best := NoMatch
	for i := range selectors {
		best = max(best, selectors[i].Specificity(obj))
	}
	return best
}

// labelSelectorMatches reports whether s selects the labels; an invalid selector selects nothing. The usual selector, which
// has no expressions, is not compiled.
func labelSelectorMatches(s *metav1.LabelSelector, set labels.Set) bool {
	for key, value := range s.MatchLabels {
		if has, ok := set[key]; !ok || has != value {
			return false
		}
	}
	if len(s.MatchExpressions) == 0 {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	return err == nil && selector.Matches(set)
}
