package interpreter

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

var completionsPath = path("spec.completions")

var batchKinds = table{
	of("batch/v1", "Job"): {
		podSpec:      podTemplate,
		replicasPath: path("spec.parallelism"),
		replicas:     jobReplicas,
		dependencies: podDependencies(podTemplate),
		retain:       retainJob,
		reflect:      pick("active", "succeeded", "failed", "conditions", "startTime", "completionTime"),
		aggregate:    aggregateJob,
	},
	of("batch/v1", "CronJob"): {
		podSpec:      path("spec.jobTemplate.spec.template.spec"),
		dependencies: podDependencies(path("spec.jobTemplate.spec.template.spec")),
		aggregate:    aggregateCronJob,
	},
}

// jobReplicas counts the Pods that run at a time: no more than have to complete.
func jobReplicas(f *fields) int64 {
	parallelism := f.number("spec", "parallelism")
	if f.value(completionsPath...) == nil {
		return parallelism
	}
	completions := f.number(completionsPath...)
	if completions < 0 && f.err == nil {
		f.err = fmt.Errorf("spec.completions: a number of completions is not negative, and this is %d", completions)
	}
	return min(parallelism, completions)
}

// retainJob keeps the labels by which the member's controller knows the Pods of the Job; they are immutable.
func retainJob(to, from *fields) {
	for _, labels := range [][]string{path("spec.selector.matchLabels"), path("spec.template.metadata.labels")} {
		if from.value(labels...) != nil {
			to.copy(from, labels...)
		}
	}
}

// aggregateJob sums up the Pods. The whole has failed when one member has, and is complete when all are; then its status
// does not change any more. It starts with the first member and completes with the last.
func aggregateJob(template *fields, members []member) map[string]any {
	if template.condition("Complete") == "True" || template.condition("Failed") == "True" {
		return template.object("status")
	}
	status := sum(members, "active", "succeeded", "failed")
	if conditions := jobConditions(members); conditions != nil {
		status["conditions"] = conditions
	}
	if start := template.value("status", "startTime"); start != nil {
		status["startTime"] = start
	} else if starts := times(members, "startTime"); len(starts) > 0 && len(starts) == len(members) {
		status["startTime"] = timestamp(slices.MinFunc(starts, time.Time.Compare))
	}
	if ends := times(members, "completionTime"); len(ends) > 0 && len(ends) == len(members) {
		status["completionTime"] = timestamp(slices.MaxFunc(ends, time.Time.Compare))
	}
	return status
}

func jobConditions(members []member) []any {
	var conditions []any
	if failed := with(members, "Failed"); len(failed) > 0 {
		conditions = append(conditions, jobCondition("Failed", "JobFailed", "the Job failed on "+names(failed), failed))
	}
	complete := with(members, "Complete")
	if len(complete) == 0 || len(complete) < len(members) {
		return conditions
	}
	conditions = append(conditions, jobCondition("Complete", "Completed", "the Job completed on every member", complete))
	if met := with(members, "SuccessCriteriaMet"); len(met) == len(members) {
		conditions = append(conditions, jobCondition("SuccessCriteriaMet", "CompletionsReached", "every member has met the success criteria", met))
	}
	return conditions
}

// jobCondition is true since the last of its members said so.
func jobCondition(conditionType, reason, message string, members []member) map[string]any {
	condition := map[string]any{"type": conditionType, "status": "True", "reason": reason, "message": message}
	var since time.Time
	for _, m := range members {
		for _, c := range m.objects("status", "conditions") {
			text, _ := c["lastTransitionTime"].(string)
			if t := m.time(text, "conditions.lastTransitionTime"); c["type"] == conditionType && t.After(since) {
				since = t
			}
		}
	}
	if !since.IsZero() {
		condition["lastTransitionTime"] = timestamp(since)
	}
	return condition
}

// with returns the members on which the condition is true.
func with(members []member, conditionType string) []member {
	var matching []member
	for _, m := range members {
		if m.condition(conditionType) == "True" {
			matching = append(matching, m)
		}
	}
	return matching
}

func names(members []member) string {
	all := make([]string, len(members))
	for i, m := range members {
		all[i] = m.name
	}
	return strings.Join(all, ", ")
}

func aggregateCronJob(_ *fields, members []member) map[string]any {
	status := map[string]any{}
	var active []any
	for _, m := range members {
		active = append(active, m.list("status", "active")...)
	}
	if active != nil {
		status["active"] = active
	}
	for _, name := range []string{"lastScheduleTime", "lastSuccessfulTime"} {
		if all := times(members, name); len(all) > 0 {
			status[name] = timestamp(slices.MaxFunc(all, time.Time.Compare))
		}
	}
	return status
}
