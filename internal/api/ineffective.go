package api

import "fmt"

// outranked returns a note for each label selector beside a name, which decides alone.
func outranked(selectors []ResourceSelector) []string {
	var notes []string
	for i := range selectors {
		if s := &selectors[i]; s.Name != "" && s.LabelSelector != nil {
			notes = append(notes, fmt.Sprintf("spec.resourceSelectors[%d].labelSelector: accepted, no effect here: the name %q decides; remove one of them", i, s.Name))
		}
	}
	return notes
}

// ineffective returns a note for each field that is accepted, as Karmada accepts it, and that changes nothing here.
func (p *PropagationPolicy) ineffective() []string {
	var notes []string
	note := func(applies bool, path, why string) {
		if applies {
			notes = append(notes, fmt.Sprintf("%s: accepted, no effect here: %s", path, why))
		}
	}
	spec := &p.Spec
	note(spec.Association, "spec.association", "Karmada does not use it either; propagateDeps lets dependencies follow")
	note(spec.Preemption == PreemptAlways, "spec.preemption", "every plan decides anew which policy wins, by priority")
	note(spec.SchedulerName != "" && spec.SchedulerName != defaultSchedulerName, "spec.schedulerName", "there is one scheduler, the plan")
	note(spec.Failover != nil, "spec.failover", "nothing moves by itself in this version; retire a member that is lost, or change the policy")
	note(spec.ActivationPreference != "", "spec.activationPreference", "a changed policy shows in the plan and waits for the apply")
	note(spec.SchedulePriority != nil, "spec.schedulePriority", "a plan places all objects at once, so none waits in a queue")
	note(spec.Placement.WorkloadAffinity != nil, "spec.placement.workloadAffinity", "Karmada does not follow it either, unless a feature gate is set")
	for i, c := range spec.Placement.SpreadConstraints {
		note(c.SpreadByLabel != "", fmt.Sprintf("spec.placement.spreadConstraints[%d].spreadByLabel", i),
			"Karmada does not implement it either: spread by field, or select by label with clusterAffinity")
	}
	return notes
}
