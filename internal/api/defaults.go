package api

import "slices"

// The values Karmada 1.19 gives to fields that are not written.
const (
	DefaultNamespace          = "default" // of a namespaced policy
	defaultSchedulerName      = "default-scheduler"
	defaultTolerationSeconds  = int32(300) // before an application failover
	defaultGracePeriodSeconds = int32(600) // of a graceful application failover
)

// SetDefaults fills what is not written, in the order of Karmada 1.19: first the defaults of the CRD schema, then those of
// the admission webhook. Setting them again changes nothing.
//
// MaxGroups stays unset, and no tolerations are added.
func (p *PropagationPolicy) SetDefaults() {
	p.setSchemaDefaults()

	if !p.ClusterScoped() {
		setDefault(&p.Namespace, DefaultNamespace)
		setSelectorNamespaces(p.Spec.ResourceSelectors, p.Namespace)
	}
	for i := range p.Spec.Placement.SpreadConstraints {
		p.Spec.Placement.SpreadConstraints[i].setDefaults()
	}
	if selectsServiceImport(p.Spec.ResourceSelectors) {
		p.Spec.PropagateDeps = true
	}
	if s := p.Spec.Placement.ReplicaScheduling; s != nil && s.ReplicaSchedulingType == Divided {
		setDefault(&s.ReplicaDivisionPreference, Weighted)
	}
	if f := p.Spec.Failover; f != nil && f.Application != nil && f.Application.PurgeMode == PurgeGracefully && f.Application.GracePeriodSeconds == nil {
		f.Application.GracePeriodSeconds = new(defaultGracePeriodSeconds)
	}
}

func (p *PropagationPolicy) setSchemaDefaults() {
	spec := &p.Spec
	if spec.Priority == nil {
		spec.Priority = new(int32(0))
	}
	setDefault(&spec.Preemption, PreemptNever)
	setDefault(&spec.SchedulerName, defaultSchedulerName)
	setDefault(&spec.ConflictResolution, ConflictAbort)
	if s := spec.Placement.ReplicaScheduling; s != nil {
		setDefault(&s.ReplicaSchedulingType, Divided)
	}
	if spec.Failover == nil {
		return
	}
	if f := spec.Failover.Application; f != nil {
		setDefault(&f.PurgeMode, PurgeGracefully)
		if f.DecisionConditions.TolerationSeconds == nil {
			f.DecisionConditions.TolerationSeconds = new(defaultTolerationSeconds)
		}
	}
	if f := spec.Failover.Cluster; f != nil {
		setDefault(&f.PurgeMode, PurgeGracefully)
	}
}

func (c *SpreadConstraint) setDefaults() {
	if c.SpreadByLabel == "" {
		setDefault(&c.SpreadByField, SpreadByCluster)
	}
	setDefault(&c.MinGroups, 1)
}

// SetDefaults gives the selectors of an OverridePolicy its namespace, as Karmada 1.19 does; a ClusterOverridePolicy has no
// defaults.
func (p *OverridePolicy) SetDefaults() {
	if !p.ClusterScoped() {
		setDefault(&p.Namespace, DefaultNamespace)
		setSelectorNamespaces(p.Spec.ResourceSelectors, p.Namespace)
	}
}

func setSelectorNamespaces(selectors []ResourceSelector, namespace string) {
	for i := range selectors {
		setDefault(&selectors[i].Namespace, namespace)
	}
}

// selectsServiceImport reports whether a selector is for imported services, which are useless without what they refer to.
func selectsServiceImport(selectors []ResourceSelector) bool {
	return slices.ContainsFunc(selectors, func(s ResourceSelector) bool {
		return s.APIVersion == "multicluster.x-k8s.io/v1alpha1" && s.Kind == "ServiceImport"
	})
}

// setDefault sets a field that holds its zero value.
func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
