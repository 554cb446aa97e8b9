package api

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

// Mismatch is the first part of an affinity that a member does not meet.
type Mismatch struct {
	Requirement string // such as "label env=prod" or "not in clusterNames"
	Has         string // what the member has in its place, where there is such a thing; "none" for nothing
}

// Mismatch returns why Matches is false for the member. It is the zero value if Matches is true.
func (a *ClusterAffinity) Mismatch(c *Cluster) Mismatch {
	if a.Matches(c) {
		return Mismatch{}
	}
	if slices.Contains(a.ExcludeClusters, c.Name) {
		return Mismatch{Requirement: "in exclude"}
	}
	if m := labelMismatch(a.LabelSelector, c.Labels); m.Requirement != "" {
		return m
	}
	if m := a.FieldSelector.mismatch(c); m.Requirement != "" {
		return m
	}
	return Mismatch{Requirement: "not in clusterNames"}
}

func labelMismatch(s *metav1.LabelSelector, set labels.Set) Mismatch {
	if s == nil {
		return Mismatch{}
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return Mismatch{Requirement: "labelSelector cannot be evaluated: " + err.Error()}
	}
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		if !r.Matches(set) {
			return Mismatch{Requirement: "label " + r.String(), Has: labelOf(set, r.Key())}
		}
	}
	return Mismatch{}
}

// labelOf returns the value of a label; of one that is not there, the label whose key is probably misspelt.
func labelOf(set labels.Set, key string) string {
	if value, ok := set[key]; ok {
		return orNone(value)
	}
	if near := spelling.Nearest(key, slices.Collect(maps.Keys(set))); near != "" {
		return near + "=" + set[near]
	}
	return orNone("")
}

func (s *FieldSelector) mismatch(c *Cluster) Mismatch {
	if s == nil {
		return Mismatch{}
	}
	has := map[string]string{FieldProvider: c.Spec.Provider, FieldRegion: c.Spec.Region, FieldZone: strings.Join(c.Spec.Zones, "/")}
	for _, e := range s.MatchExpressions {
		one := FieldSelector{MatchExpressions: []corev1.NodeSelectorRequirement{e}}
		if !one.matches(c) {
			r, err := labels.NewRequirement(e.Key, fieldOperators[e.Operator], e.Values)
			if err != nil {
				return Mismatch{Requirement: "fieldSelector cannot be evaluated: " + err.Error()}
			}
			return Mismatch{Requirement: r.String(), Has: orNone(has[e.Key])}
		}
	}
	return Mismatch{}
}

func orNone(value string) string {
	if value == "" {
		return "none"
	}
	return value
}
