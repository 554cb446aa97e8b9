package api

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var (
	tolerationOperators = []corev1.TolerationOperator{"", corev1.TolerationOpExists, corev1.TolerationOpEqual}
	tolerationEffects   = []corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}
)

// ValidateIgnored reports what Karmada 1.19 accepts and then never acts on: selectors that cannot be evaluated and so select
// nothing, and tolerations that tolerate nothing. Here they are errors, because a plan that silently does less than was
// asked is worse.
func (p *PropagationPolicy) ValidateIgnored() field.ErrorList {
	path := field.NewPath("spec")
	errs := ignoredInSelectors(p.Spec.ResourceSelectors, path.Child("resourceSelectors"))

	placement, path := &p.Spec.Placement, path.Child("placement")
	errs = append(errs, ignoredInAffinity(placement.ClusterAffinity, path.Child("clusterAffinity"))...)
	for i := range placement.ClusterAffinities {
		term, at := &placement.ClusterAffinities[i], path.Child("clusterAffinities").Index(i)
		errs = append(errs, ignoredInAffinity(&term.ClusterAffinity, at)...)
		for j := range term.OverflowAffinities {
			errs = append(errs, ignoredInAffinity(&term.OverflowAffinities[j].ClusterAffinity, at.Child("overflowAffinities").Index(j))...)
		}
	}
	errs = append(errs, ignoredTolerations(placement.ClusterTolerations, path.Child("clusterTolerations"))...)
	if s := placement.ReplicaScheduling; s != nil && s.WeightPreference != nil {
		errs = append(errs, ignoredInWeights(s.WeightPreference.StaticWeightList, path.Child("replicaScheduling", "weightPreference", "staticWeightList"))...)
	}
	return errs
}

// ValidateIgnored reports what Karmada 1.19 accepts and then never acts on: selectors that cannot be evaluated, and a field
// overrider of the deprecated form of one rule beside overrideRules. The overriders of that form are validated like those of
// a rule.
func (p *OverridePolicy) ValidateIgnored() field.ErrorList {
	path := field.NewPath("spec")
	errs := ignoredInSelectors(p.Spec.ResourceSelectors, path.Child("resourceSelectors"))
	errs = append(errs, ignoredInAffinity(p.Spec.TargetCluster, path.Child("targetCluster"))...)
	errs = append(errs, validateOverriders(&p.Spec.Overriders, path.Child("overriders"))...)
	if len(p.Spec.OverrideRules) > 0 && len(p.Spec.Overriders.FieldOverrider) > 0 {
		errs = append(errs, field.Invalid(path.Child("overriders", "fieldOverrider"), noValue, singleRuleForm))
	}
	for i := range p.Spec.OverrideRules {
		errs = append(errs, ignoredInAffinity(p.Spec.OverrideRules[i].TargetCluster, path.Child("overrideRules").Index(i).Child("targetCluster"))...)
	}
	return errs
}

func ignoredInSelectors(selectors []ResourceSelector, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, s := range selectors {
		errs = append(errs, ignoredLabelSelector(s.LabelSelector, path.Index(i))...)
	}
	return errs
}

// ignoredInAffinity checks both selectors of an affinity, apart from the keys and operators of the field selector.
func ignoredInAffinity(affinity *ClusterAffinity, path *field.Path) field.ErrorList {
	if affinity == nil {
		return nil
	}
	errs := ignoredLabelSelector(affinity.LabelSelector, path)
	if affinity.FieldSelector == nil {
		return errs
	}
	for i, e := range affinity.FieldSelector.MatchExpressions {
		if len(e.Values) == 0 && (e.Operator == corev1.NodeSelectorOpIn || e.Operator == corev1.NodeSelectorOpNotIn) {
			errs = append(errs, field.Required(path.Child("fieldSelector", "matchExpressions").Index(i).Child("values"), "In and NotIn need at least one value"))
		}
	}
	return errs
}

func ignoredLabelSelector(selector *metav1.LabelSelector, path *field.Path) field.ErrorList {
	return metav1validation.ValidateLabelSelector(selector, metav1validation.LabelSelectorValidationOptions{}, path.Child("labelSelector"))
}

// ignoredInWeights checks the targets of static weights whole: Karmada does not validate their field selectors either.
func ignoredInWeights(weights []StaticClusterWeight, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range weights {
		target, at := &weights[i].TargetCluster, path.Index(i).Child("targetCluster")
		errs = append(errs, validateAffinity(target, at)...)
		errs = append(errs, ignoredInAffinity(target, at)...)
	}
	return errs
}

func ignoredTolerations(tolerations []corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range tolerations {
		switch t.Operator {
		case corev1.TolerationOpLt, corev1.TolerationOpGt: // the webhook reports them
		default:
			errs = append(errs, enum(path.Index(i).Child("operator"), t.Operator, tolerationOperators...)...)
		}
		errs = append(errs, enum(path.Index(i).Child("effect"), t.Effect, tolerationEffects...)...)
	}
	return errs
}
