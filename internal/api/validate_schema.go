package api

import (
	"fmt"
	"slices"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxAffinityName is the greatest length of an affinityName, in bytes.
const maxAffinityName = 32

// ValidateSchema reports what the CRD schema of Karmada 1.19 and the rules for object metadata reject in a policy that has
// its defaults: missing names, unknown values of enumerations, numbers out of range. A required text that is empty counts as
// missing.
func (p *PropagationPolicy) ValidateSchema() field.ErrorList {
	spec, path := &p.Spec, field.NewPath("spec")
	errs := schemaOfMetadata(&p.ObjectMeta, !p.ClusterScoped())
	if len(spec.ResourceSelectors) == 0 {
		errs = append(errs, field.Required(path.Child("resourceSelectors"), "name at least one kind of object that the policy is for"))
	}
	errs = append(errs, schemaOfSelectors(spec.ResourceSelectors, path.Child("resourceSelectors"))...)
	errs = append(errs, schemaOfPlacement(&spec.Placement, path.Child("placement"))...)
	errs = append(errs, schemaOfFailover(spec.Failover, path.Child("failover"))...)
	errs = append(errs, enum(path.Child("preemption"), spec.Preemption, PreemptAlways, PreemptNever)...)
	errs = append(errs, enum(path.Child("conflictResolution"), spec.ConflictResolution, ConflictAbort, ConflictOverwrite)...)
	errs = append(errs, enum(path.Child("activationPreference"), spec.ActivationPreference, "Lazy")...)
	if s := spec.SchedulePriority; s != nil {
		path := path.Child("schedulePriority")
		errs = append(errs, requiredEnum(path.Child("priorityClassSource"), s.PriorityClassSource, "KubePriorityClass")...)
		errs = append(errs, required(path.Child("priorityClassName"), s.PriorityClassName)...)
	}
	return errs
}

// ValidateSchema is ValidateSchema of PropagationPolicy for override policies.
func (p *OverridePolicy) ValidateSchema() field.ErrorList {
	path := field.NewPath("spec")
	errs := schemaOfMetadata(&p.ObjectMeta, !p.ClusterScoped())
	errs = append(errs, schemaOfSelectors(p.Spec.ResourceSelectors, path.Child("resourceSelectors"))...)
	errs = append(errs, schemaOfOverriders(&p.Spec.Overriders, path.Child("overriders"))...)
	for i := range p.Spec.OverrideRules {
		errs = append(errs, schemaOfOverriders(&p.Spec.OverrideRules[i].Overriders, path.Child("overrideRules").Index(i).Child("overriders"))...)
	}
	return errs
}

func schemaOfMetadata(meta *metav1.ObjectMeta, namespaced bool) field.ErrorList {
	path := field.NewPath("metadata")
	if meta.Name == "" {
		return field.ErrorList{field.Required(path.Child("name"), "a policy is known by its name, and generateName gives it another one in each run")}
	}
	return apivalidation.ValidateObjectMeta(meta, namespaced, apivalidation.NameIsDNSSubdomain, path)
}

func schemaOfSelectors(selectors []ResourceSelector, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, s := range selectors {
		errs = append(errs, required(path.Index(i).Child("apiVersion"), s.APIVersion)...)
		errs = append(errs, required(path.Index(i).Child("kind"), s.Kind)...)
	}
	return errs
}

func schemaOfPlacement(placement *Placement, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range placement.ClusterAffinities {
		term, at := &placement.ClusterAffinities[i], path.Child("clusterAffinities").Index(i)
		errs = append(errs, schemaOfAffinityName(term.AffinityName, at)...)
		for j := range term.OverflowAffinities {
			errs = append(errs, schemaOfAffinityName(term.OverflowAffinities[j].AffinityName, at.Child("overflowAffinities").Index(j))...)
		}
	}
	for i, c := range placement.SpreadConstraints {
		at := path.Child("spreadConstraints").Index(i)
		errs = append(errs, enum(at.Child("spreadByField"), c.SpreadByField, SpreadByCluster, SpreadByRegion, SpreadByZone, SpreadByProvider)...)
	}
	errs = append(errs, schemaOfScheduling(placement.ReplicaScheduling, path.Child("replicaScheduling"))...)
	if a := placement.WorkloadAffinity; a != nil && a.Affinity != nil {
		errs = append(errs, required(path.Child("workloadAffinity", "affinity", "groupByLabelKey"), a.Affinity.GroupByLabelKey)...)
	}
	if a := placement.WorkloadAffinity; a != nil && a.AntiAffinity != nil {
		errs = append(errs, required(path.Child("workloadAffinity", "antiAffinity", "groupByLabelKey"), a.AntiAffinity.GroupByLabelKey)...)
	}
	return errs
}

func schemaOfAffinityName(name string, path *field.Path) field.ErrorList {
	path = path.Child("affinityName")
	if len(name) > maxAffinityName {
		return field.ErrorList{field.TooLong(path, name, maxAffinityName)}
	}
	return required(path, name)
}

func schemaOfScheduling(s *ReplicaSchedulingStrategy, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := enum(path.Child("replicaSchedulingType"), s.ReplicaSchedulingType, Duplicated, Divided)
	errs = append(errs, enum(path.Child("replicaDivisionPreference"), s.ReplicaDivisionPreference, Aggregated, Weighted)...)
	if s.WeightPreference == nil {
		return errs
	}
	path = path.Child("weightPreference")
	errs = append(errs, enum(path.Child("dynamicWeight"), s.WeightPreference.DynamicWeight, DynamicWeightByAvailableReplicas)...)
	for i, w := range s.WeightPreference.StaticWeightList {
		if w.Weight < 1 {
			errs = append(errs, field.Invalid(path.Child("staticWeightList").Index(i).Child("weight"), w.Weight, "must be at least 1: leave out members that are to get nothing"))
		}
	}
	return errs
}

func schemaOfFailover(f *FailoverBehavior, path *field.Path) field.ErrorList {
	if f == nil {
		return nil
	}
	var errs field.ErrorList
	if f.Application != nil {
		path := path.Child("application")
		errs = append(errs, enum(path.Child("purgeMode"), f.Application.PurgeMode, PurgeDirectly, PurgeGracefully, PurgeNever)...)
		errs = append(errs, schemaOfState(f.Application.StatePreservation, path.Child("statePreservation"))...)
	}
	if f.Cluster != nil {
		path := path.Child("cluster")
		errs = append(errs, enum(path.Child("purgeMode"), f.Cluster.PurgeMode, PurgeDirectly, PurgeGracefully)...)
		errs = append(errs, schemaOfState(f.Cluster.StatePreservation, path.Child("statePreservation"))...)
	}
	return errs
}

func schemaOfState(state *StatePreservation, path *field.Path) field.ErrorList {
	if state == nil {
		return nil
	}
	path = path.Child("rules")
	if state.Rules == nil {
		return field.ErrorList{field.Required(path, "")}
	}
	var errs field.ErrorList
	for i, rule := range state.Rules {
		errs = append(errs, required(path.Index(i).Child("aliasLabelName"), rule.AliasLabelName)...)
		errs = append(errs, required(path.Index(i).Child("jsonPath"), rule.JSONPath)...)
	}
	return errs
}

func schemaOfOverriders(o *Overriders, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, plaintext := range o.Plaintext {
		errs = append(errs, schemaOfOperator(plaintext.Operator, path.Child("plaintext").Index(i))...)
	}
	for i, image := range o.ImageOverrider {
		at := path.Child("imageOverrider").Index(i)
		errs = append(errs, requiredEnum(at.Child("component"), image.Component, ImageRegistry, ImageRepository, ImageTag)...)
		errs = append(errs, schemaOfOperator(image.Operator, at)...)
	}
	errs = append(errs, schemaOfCommands(o.CommandOverrider, path.Child("commandOverrider"))...)
	errs = append(errs, schemaOfCommands(o.ArgsOverrider, path.Child("argsOverrider"))...)
	errs = append(errs, schemaOfLabels(o.LabelsOverrider, path.Child("labelsOverrider"))...)
	errs = append(errs, schemaOfLabels(o.AnnotationsOverrider, path.Child("annotationsOverrider"))...)
	for i, f := range o.FieldOverrider {
		at := path.Child("fieldOverrider").Index(i)
		for j, op := range f.JSON {
			errs = append(errs, schemaOfOperator(op.Operator, at.Child("json").Index(j))...)
		}
		for j, op := range f.YAML {
			errs = append(errs, schemaOfOperator(op.Operator, at.Child("yaml").Index(j))...)
		}
	}
	return errs
}

func schemaOfCommands(overriders []CommandArgsOverrider, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, o := range overriders {
		errs = append(errs, required(path.Index(i).Child("containerName"), o.ContainerName)...)
		errs = append(errs, requiredEnum(path.Index(i).Child("operator"), o.Operator, OverriderOpAdd, OverriderOpRemove)...)
	}
	return errs
}

func schemaOfLabels(overriders []LabelAnnotationOverrider, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, o := range overriders {
		errs = append(errs, schemaOfOperator(o.Operator, path.Index(i))...)
		if o.Value == nil {
			errs = append(errs, field.Required(path.Index(i).Child("value"), "name the keys to change"))
		}
	}
	return errs
}

func schemaOfOperator(operator OverriderOperator, path *field.Path) field.ErrorList {
	return requiredEnum(path.Child("operator"), operator, OverriderOpAdd, OverriderOpRemove, OverriderOpReplace)
}

// required reports an empty value.
func required(path *field.Path, value string) field.ErrorList {
	if value != "" {
		return nil
	}
	return field.ErrorList{field.Required(path, "")}
}

// enum reports a value that is neither empty nor allowed.
func enum[T ~string](path *field.Path, value T, allowed ...T) field.ErrorList {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, allowed)}
}

// requiredEnum reports a value that is not allowed, the empty one included.
func requiredEnum[T ~string](path *field.Path, value T, allowed ...T) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(path, fmt.Sprintf("supported values: %v", allowed))}
	}
	return enum(path, value, allowed...)
}
