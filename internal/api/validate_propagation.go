package api

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// noValue keeps structures and secrets out of error texts.
var noValue = field.OmitValueType{}

// Validate reports what the admission webhook of Karmada 1.19 rejects in a policy that has its defaults. The field paths
// and types of the errors are Karmada's, the surprising ones included; the texts are not.
func (p *PropagationPolicy) Validate() field.ErrorList {
	path := field.NewPath("spec")
	errs := validatePlacement(&p.Spec.Placement, path.Child("placement"))
	errs = append(errs, validateFailover(&p.Spec, path)...)
	errs = append(errs, validatePreemption(&p.Spec, path.Child("resourceSelectors"))...)
	errs = append(errs, validateSuspension(p.Spec.Suspension, path.Child("suspension"))...)
	if !p.ClusterScoped() {
		errs = append(errs, validateSelectorNamespaces(p.Spec.ResourceSelectors, p.Namespace, path.Child("resourceSelectors"))...)
	}
	return errs
}

func validatePlacement(placement *Placement, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if placement.ClusterAffinity != nil && len(placement.ClusterAffinities) > 0 {
		errs = append(errs, field.Invalid(path, noValue, "clusterAffinity and clusterAffinities exclude each other: keep one"))
	}
	errs = append(errs, validateAffinity(placement.ClusterAffinity, path.Child("clusterAffinity"))...)
	errs = append(errs, validateAffinityTerms(placement, path.Child("clusterAffinities"))...)
	errs = append(errs, validateSpreadConstraints(placement.SpreadConstraints, path.Child("spreadConstraints"))...)
	errs = append(errs, validateTolerations(placement.ClusterTolerations, path.Child("clusterTolerations"))...)
	errs = append(errs, validateWorkloadAffinity(placement.WorkloadAffinity, path.Child("workloadAffinity"))...)
	return errs
}

// validateAffinity checks the field selector and reports its first bad expression only.
func validateAffinity(affinity *ClusterAffinity, path *field.Path) field.ErrorList {
	if affinity == nil || affinity.FieldSelector == nil {
		return nil
	}
	path = path.Child("fieldSelector")
	for i, e := range affinity.FieldSelector.MatchExpressions {
		switch e.Key {
		case FieldProvider, FieldRegion, FieldZone:
		default:
			return field.ErrorList{field.Invalid(path, e.Key, fmt.Sprintf("matchExpressions[%d]: the key must be provider, region or zone: select by labels with labelSelector", i))}
		}
		switch e.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		default:
			return field.ErrorList{field.Invalid(path, e.Operator, fmt.Sprintf("matchExpressions[%d]: the operator must be In or NotIn", i))}
		}
	}
	return nil
}

func validateAffinityTerms(placement *Placement, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := sets.New[string]()
	for i := range placement.ClusterAffinities {
		term, at := &placement.ClusterAffinities[i], path.Index(i)
		errs = append(errs, validateLabelKey(term.AffinityName, at)...)
		if names.Has(term.AffinityName) {
			errs = append(errs, field.Invalid(path, term.AffinityName, "is the affinityName of several groups: give each its own"))
		}
		names.Insert(term.AffinityName)
		errs = append(errs, validateAffinity(&term.ClusterAffinity, at)...)
		if len(term.OverflowAffinities) > 0 {
			errs = append(errs, validateOverflow(term, placement.ReplicaScheduling, at.Child("overflowAffinities"))...)
		}
	}
	return errs
}

// validateOverflow checks the further tiers of one group.
func validateOverflow(term *ClusterAffinityTerm, scheduling *ReplicaSchedulingStrategy, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !scheduling.fillsByCapacity() {
		errs = append(errs, field.Invalid(path, noValue, "needs a division by capacity: Divided with Aggregated, or with Weighted and dynamicWeight"))
	}
	if term.isEmpty() {
		errs = append(errs, field.Invalid(path, noValue, "the group selects every member itself, so nothing can overflow: limit the group first"))
	}
	names := sets.New(term.AffinityName)
	for i := range term.OverflowAffinities {
		tier, at := &term.OverflowAffinities[i], path.Index(i)
		errs = append(errs, validateLabelKey(tier.AffinityName, at.Child("affinityName"))...)
		if names.Has(tier.AffinityName) {
			errs = append(errs, field.Invalid(at.Child("affinityName"), tier.AffinityName, "is already the name of the group or of another of its tiers: give each its own"))
		}
		names.Insert(tier.AffinityName)
		errs = append(errs, validateAffinity(&tier.ClusterAffinity, at)...)
	}
	return errs
}

// fillsByCapacity reports whether replicas are divided by what members can take, which is what overflow needs.
func (s *ReplicaSchedulingStrategy) fillsByCapacity() bool {
	if s == nil || s.ReplicaSchedulingType != Divided {
		return false
	}
	switch s.ReplicaDivisionPreference {
	case Aggregated:
		return true
	case Weighted:
		return s.WeightPreference != nil && s.WeightPreference.DynamicWeight != ""
	}
	return false
}

// isEmpty reports whether no part of the affinity is set.
func (a *ClusterAffinity) isEmpty() bool {
	return a.LabelSelector == nil && a.FieldSelector == nil && len(a.ClusterNames) == 0 && len(a.ExcludeClusters) == 0
}

func validateSpreadConstraints(constraints []SpreadConstraint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	uses := map[SpreadFieldValue]int{}
	for i, c := range constraints {
		errs = append(errs, validateSpreadConstraint(c, path.Index(i))...)
		if c.SpreadByField == "" {
			continue
		}
		uses[c.SpreadByField]++
		if uses[c.SpreadByField] == 2 {
			errs = append(errs, field.Invalid(path, c.SpreadByField, "is constrained more than once: merge the constraints"))
		}
	}
	if len(uses) > 0 && uses[SpreadByCluster] == 0 {
		errs = append(errs, field.Invalid(path, noValue, "needs a constraint with spreadByField: cluster beside the others, to say how many members are wanted"))
	}
	return errs
}

func validateSpreadConstraint(c SpreadConstraint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.SpreadByField != "" && c.SpreadByLabel != "" {
		errs = append(errs, field.Invalid(path, noValue, "spreadByField and spreadByLabel exclude each other: keep spreadByField"))
	}
	if c.MinGroups < 0 {
		errs = append(errs, field.Invalid(path, c.MinGroups, "minGroups must not be negative"))
	}
	if c.MaxGroups < 0 {
		errs = append(errs, field.Invalid(path, c.MaxGroups, "maxGroups must not be negative: leave it out for no limit"))
	}
	if c.MaxGroups > 0 && c.MaxGroups < c.MinGroups {
		errs = append(errs, field.Invalid(path, c.MaxGroups, fmt.Sprintf("maxGroups must not be less than minGroups, which is %d", c.MinGroups)))
	}
	return errs
}

// validateTolerations refuses the numeric operators of newer Kubernetes versions, which Karmada does not evaluate.
func validateTolerations(tolerations []corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range tolerations {
		if t.Operator == corev1.TolerationOpLt || t.Operator == corev1.TolerationOpGt {
			errs = append(errs, field.NotSupported(path.Index(i).Child("operator"), t.Operator, tolerationOperators))
		}
	}
	return errs
}

func validateWorkloadAffinity(affinity *WorkloadAffinity, path *field.Path) field.ErrorList {
	if affinity == nil {
		return nil
	}
	var errs field.ErrorList
	with, without := affinity.Affinity, affinity.AntiAffinity
	if with != nil {
		errs = append(errs, validateLabelKey(with.GroupByLabelKey, path.Child("affinity", "groupByLabelKey"))...)
	}
	if without != nil {
		errs = append(errs, validateLabelKey(without.GroupByLabelKey, path.Child("antiAffinity", "groupByLabelKey"))...)
	}
	if with != nil && without != nil && with.GroupByLabelKey == without.GroupByLabelKey {
		errs = append(errs, field.Invalid(path, with.GroupByLabelKey, "affinity and antiAffinity contradict each other when they group by the same label"))
	}
	return errs
}

func validateFailover(spec *PropagationSpec, path *field.Path) field.ErrorList {
	if spec.Failover == nil {
		return nil
	}
	var errs field.ErrorList
	if application := spec.Failover.Application; application != nil {
		if !spec.PropagateDeps {
			errs = append(errs, field.Invalid(path.Child("propagateDeps"), false, "must be true with failover.application, so that what the application refers to moves with it"))
		}
		errs = append(errs, validateApplicationFailover(application, path.Child("failover", "application"))...)
	}
	if cluster := spec.Failover.Cluster; cluster != nil {
		errs = append(errs, validateStatePreservation(cluster.StatePreservation, path.Child("failover", "cluster", "statePreservation"))...)
	}
	return errs
}

func validateApplicationFailover(f *ApplicationFailoverBehavior, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if seconds := f.DecisionConditions.TolerationSeconds; seconds != nil && *seconds < 0 {
		errs = append(errs, field.Invalid(path.Child("decisionConditions", "tolerationSeconds"), *seconds, "must not be negative"))
	}
	grace := path.Child("gracePeriodSeconds")
	switch {
	case f.GracePeriodSeconds == nil && f.PurgeMode == PurgeGracefully:
		errs = append(errs, field.Invalid(grace, noValue, "is needed with purgeMode: Gracefully"))
	case f.GracePeriodSeconds != nil && f.PurgeMode != PurgeGracefully:
		errs = append(errs, field.Invalid(grace, *f.GracePeriodSeconds, "has an effect with purgeMode: Gracefully only"))
	}
	if f.GracePeriodSeconds != nil && *f.GracePeriodSeconds <= 0 {
		errs = append(errs, field.Invalid(grace, *f.GracePeriodSeconds, "must be at least 1: to remove the old copy at once, set purgeMode: Directly"))
	}
	return append(errs, validateStatePreservation(f.StatePreservation, path.Child("statePreservation"))...)
}

func validateStatePreservation(state *StatePreservation, path *field.Path) field.ErrorList {
	if state == nil {
		return nil
	}
	var errs field.ErrorList
	for i, rule := range state.Rules {
		errs = append(errs, validateLabelKey(rule.AliasLabelName, path.Child("rules").Index(i).Child("aliasLabelName"))...)
	}
	return errs
}

func validatePreemption(spec *PropagationSpec, path *field.Path) field.ErrorList {
	if spec.Preemption != PreemptAlways {
		return nil
	}
	var errs field.ErrorList
	for i, s := range spec.ResourceSelectors {
		if s.Name == "" {
			errs = append(errs, field.Invalid(path.Index(i).Child("name"), "", "is needed with preemption: Always, so that no policy takes over objects it does not name"))
		}
	}
	return errs
}

// validateSuspension names the field that makes the other one useless; Karmada names one that does not exist.
func validateSuspension(s *Suspension, path *field.Path) field.ErrorList {
	if s == nil || s.Dispatching == nil || !*s.Dispatching || s.DispatchingOnClusters == nil || len(s.DispatchingOnClusters.ClusterNames) == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("dispatching"), true, "suspends all members: drop it, or drop dispatchingOnClusters")}
}

// validateSelectorNamespaces checks that a namespaced policy stays in its namespace.
func validateSelectorNamespaces(selectors []ResourceSelector, namespace string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, s := range selectors {
		if s.Namespace != namespace {
			errs = append(errs, field.Invalid(path.Index(i).Child("namespace"), s.Namespace, fmt.Sprintf("must be the namespace of the policy, %q: use the Cluster kind to select in other namespaces", namespace)))
		}
	}
	return errs
}

// validateLabelKey returns one error for each rule of label keys that key breaks.
func validateLabelKey(key string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, text := range validation.IsQualifiedName(key) {
		errs = append(errs, field.Invalid(path, key, text))
	}
	return errs
}
