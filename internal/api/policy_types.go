// Package api holds Karmada's policy API (policy.karmada.io/v1alpha1) and the scheduler's view of a member cluster
// (cluster.karmada.io/v1alpha1) as plain Go values: strict decoding, defaulting and validation, with no network.
//
// The JSON field names are Karmada's, so that a policy written for Karmada decodes unchanged. The Karmada Go modules
// are not a dependency: these types mirror the public shape of the API as of Karmada 1.19.
package api

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PolicyGroup is the API group of all four policy kinds.
const PolicyGroup = "policy.karmada.io"

// PolicyAPIVersion is the only version of PolicyGroup that is read.
const PolicyAPIVersion = PolicyGroup + "/v1alpha1"

// The four policy kinds. A Cluster kind selects objects of any namespace and cluster-scoped objects.
const (
	KindPropagationPolicy        = "PropagationPolicy"
	KindClusterPropagationPolicy = "ClusterPropagationPolicy"
	KindOverridePolicy           = "OverridePolicy"
	KindClusterOverridePolicy    = "ClusterOverridePolicy"
)

// PropagationPolicy is a PropagationPolicy or, with kind ClusterPropagationPolicy, its cluster-scoped form.
type PropagationPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PropagationSpec `json:"spec"`
}

// ClusterScoped reports whether p is a ClusterPropagationPolicy.
func (p *PropagationPolicy) ClusterScoped() bool { return p.Kind == KindClusterPropagationPolicy }

// PropagationSpec says which objects go to which members, and how.
type PropagationSpec struct {
	ResourceSelectors           []ResourceSelector `json:"resourceSelectors"`
	Association                 bool               `json:"association,omitempty"`
	PropagateDeps               bool               `json:"propagateDeps,omitempty"`
	Placement                   Placement          `json:"placement,omitempty"`
	Priority                    *int32             `json:"priority,omitempty"`
	Preemption                  PreemptionBehavior `json:"preemption,omitempty"`
	DependentOverrides          []string           `json:"dependentOverrides,omitempty"`
	SchedulerName               string             `json:"schedulerName,omitempty"`
	Failover                    *FailoverBehavior  `json:"failover,omitempty"`
	ConflictResolution          ConflictResolution `json:"conflictResolution,omitempty"`
	ActivationPreference        string             `json:"activationPreference,omitempty"`
	Suspension                  *Suspension        `json:"suspension,omitempty"`
	PreserveResourcesOnDeletion *bool              `json:"preserveResourcesOnDeletion,omitempty"`
	SchedulePriority            *SchedulePriority  `json:"schedulePriority,omitempty"`
}

// Preserves reports whether objects stay on their members when they are removed here.
func (s *PropagationSpec) Preserves() bool {
	return s.PreserveResourcesOnDeletion != nil && *s.PreserveResourcesOnDeletion
}

// ResourceSelector selects templates. apiVersion and kind are matched exactly; an empty namespace or name matches all;
// labelSelector is ignored when name is set.
type ResourceSelector struct {
	APIVersion    string                `json:"apiVersion"`
	Kind          string                `json:"kind"`
	Namespace     string                `json:"namespace,omitempty"`
	Name          string                `json:"name,omitempty"`
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
}

// PreemptionBehavior is Always or Never.
type PreemptionBehavior string

// The values of PreemptionBehavior.
const (
	PreemptAlways PreemptionBehavior = "Always"
	PreemptNever  PreemptionBehavior = "Never"
)

// ConflictResolution says what happens when an object that is not ours already exists on a member.
type ConflictResolution string

// The values of ConflictResolution.
const (
	ConflictAbort     ConflictResolution = "Abort"
	ConflictOverwrite ConflictResolution = "Overwrite"
)

// Placement says which members are candidates and how replicas are divided among them.
type Placement struct {
	ClusterAffinity    *ClusterAffinity           `json:"clusterAffinity,omitempty"`
	ClusterAffinities  []ClusterAffinityTerm      `json:"clusterAffinities,omitempty"`
	ClusterTolerations []corev1.Toleration        `json:"clusterTolerations,omitempty"`
	SpreadConstraints  []SpreadConstraint         `json:"spreadConstraints,omitempty"`
	ReplicaScheduling  *ReplicaSchedulingStrategy `json:"replicaScheduling,omitempty"`
	WorkloadAffinity   *WorkloadAffinity          `json:"workloadAffinity,omitempty"`
}

// ClusterAffinity is a filter over members; all parts are ANDed.
type ClusterAffinity struct {
	LabelSelector   *metav1.LabelSelector `json:"labelSelector,omitempty"`
	FieldSelector   *FieldSelector        `json:"fieldSelector,omitempty"`
	ClusterNames    []string              `json:"clusterNames,omitempty"`
	ExcludeClusters []string              `json:"exclude,omitempty"`
}

// FieldSelector filters members by provider, region and zone.
type FieldSelector struct {
	MatchExpressions []corev1.NodeSelectorRequirement `json:"matchExpressions,omitempty"`
}

// ClusterAffinityTerm is one of several ordered groups of members.
type ClusterAffinityTerm struct {
	AffinityName       string `json:"affinityName"`
	ClusterAffinity    `json:",inline"`
	OverflowAffinities []OverflowAffinityTerm `json:"overflowAffinities,omitempty"`
}

// OverflowAffinityTerm is a further tier of members that takes what does not fit the term's own.
type OverflowAffinityTerm struct {
	AffinityName    string `json:"affinityName"`
	ClusterAffinity `json:",inline"`
}

// SpreadFieldValue is the property of a member by which replicas are spread.
type SpreadFieldValue string

// The values of SpreadFieldValue.
const (
	SpreadByCluster  SpreadFieldValue = "cluster"
	SpreadByRegion   SpreadFieldValue = "region"
	SpreadByZone     SpreadFieldValue = "zone"
	SpreadByProvider SpreadFieldValue = "provider"
)

// SpreadConstraint bounds the number of groups. MaxGroups 0 means unset.
type SpreadConstraint struct {
	SpreadByField SpreadFieldValue `json:"spreadByField,omitempty"`
	SpreadByLabel string           `json:"spreadByLabel,omitempty"`
	MaxGroups     int              `json:"maxGroups,omitempty"`
	MinGroups     int              `json:"minGroups,omitempty"`
}

// ReplicaSchedulingType is Duplicated or Divided.
type ReplicaSchedulingType string

// The values of ReplicaSchedulingType.
const (
	Duplicated ReplicaSchedulingType = "Duplicated"
	Divided    ReplicaSchedulingType = "Divided"
)

// ReplicaDivisionPreference is Aggregated or Weighted.
type ReplicaDivisionPreference string

// The values of ReplicaDivisionPreference.
const (
	Aggregated ReplicaDivisionPreference = "Aggregated"
	Weighted   ReplicaDivisionPreference = "Weighted"
)

// ReplicaSchedulingStrategy says how replicas are divided. A nil strategy is Duplicated.
type ReplicaSchedulingStrategy struct {
	ReplicaSchedulingType     ReplicaSchedulingType     `json:"replicaSchedulingType,omitempty"`
	ReplicaDivisionPreference ReplicaDivisionPreference `json:"replicaDivisionPreference,omitempty"`
	WeightPreference          *ClusterPreferences       `json:"weightPreference,omitempty"`
}

// ClusterPreferences holds the weights of a Weighted division; DynamicWeight wins over the static list.
type ClusterPreferences struct {
	StaticWeightList []StaticClusterWeight `json:"staticWeightList,omitempty"`
	DynamicWeight    DynamicWeightFactor   `json:"dynamicWeight,omitempty"`
}

// DynamicWeightFactor is the observation from which weights are derived.
type DynamicWeightFactor string

// DynamicWeightByAvailableReplicas weighs members by the number of replicas they can still take.
const DynamicWeightByAvailableReplicas DynamicWeightFactor = "AvailableReplicas"

// StaticClusterWeight gives a weight of at least 1 to the members that match.
type StaticClusterWeight struct {
	TargetCluster ClusterAffinity `json:"targetCluster"`
	Weight        int64           `json:"weight"`
}

// WorkloadAffinity places workloads with, or away from, others that share a label value.
type WorkloadAffinity struct {
	Affinity     *WorkloadAffinityTerm `json:"affinity,omitempty"`
	AntiAffinity *WorkloadAffinityTerm `json:"antiAffinity,omitempty"`
}

// WorkloadAffinityTerm names the template label whose value is the group.
type WorkloadAffinityTerm struct {
	GroupByLabelKey string `json:"groupByLabelKey"`
}

// PurgeMode says what happens to the old copy after an eviction.
type PurgeMode string

// The values of PurgeMode.
const (
	PurgeDirectly   PurgeMode = "Directly"
	PurgeGracefully PurgeMode = "Gracefully"
	PurgeNever      PurgeMode = "Never"
)

// FailoverBehavior says when and how replicas leave an unhealthy application or cluster.
type FailoverBehavior struct {
	Application *ApplicationFailoverBehavior `json:"application,omitempty"`
	Cluster     *ClusterFailoverBehavior     `json:"cluster,omitempty"`
}

// ApplicationFailoverBehavior is the failover of an application that is unhealthy on a reachable member.
type ApplicationFailoverBehavior struct {
	DecisionConditions DecisionConditions `json:"decisionConditions"`
	PurgeMode          PurgeMode          `json:"purgeMode,omitempty"`
	GracePeriodSeconds *int32             `json:"gracePeriodSeconds,omitempty"`
	StatePreservation  *StatePreservation `json:"statePreservation,omitempty"`
}

// DecisionConditions delay an application failover, in seconds.
type DecisionConditions struct {
	TolerationSeconds *int32 `json:"tolerationSeconds,omitempty"`
}

// ClusterFailoverBehavior is the failover of a member as a whole.
type ClusterFailoverBehavior struct {
	PurgeMode         PurgeMode          `json:"purgeMode,omitempty"`
	StatePreservation *StatePreservation `json:"statePreservation,omitempty"`
}

// StatePreservation carries values of the old copy's status over to labels of the new one.
type StatePreservation struct {
	Rules []StatePreservationRule `json:"rules"`
}

// StatePreservationRule is one carried value; jsonPath is evaluated on .status.
type StatePreservationRule struct {
	AliasLabelName string `json:"aliasLabelName"`
	JSONPath       string `json:"jsonPath"`
}

// Suspension pauses the writing of works, for all members or for some.
type Suspension struct {
	Dispatching           *bool            `json:"dispatching,omitempty"`
	DispatchingOnClusters *SuspendClusters `json:"dispatchingOnClusters,omitempty"`
}

// SuspendClusters lists members by name.
type SuspendClusters struct {
	ClusterNames []string `json:"clusterNames,omitempty"`
}

// SchedulePriority is accepted and has no effect: there is no scheduling queue here.
type SchedulePriority struct {
	PriorityClassSource string `json:"priorityClassSource"`
	PriorityClassName   string `json:"priorityClassName"`
}
