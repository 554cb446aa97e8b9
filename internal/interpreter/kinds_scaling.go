package interpreter

var scalingKinds = table{
	of("autoscaling/v2", "HorizontalPodAutoscaler"): {
		reflect:   pick("currentReplicas", "desiredReplicas"),
		aggregate: sumOf("currentReplicas", "desiredReplicas"),
	},
	of("policy/v1", "PodDisruptionBudget"): {
		healthy:   disruptionBudgetHealthy,
		reflect:   pick("disruptionsAllowed", "expectedPods", "desiredHealthy", "currentHealthy", "disruptedPods"),
		aggregate: aggregateDisruptionBudget,
	},
}

func disruptionBudgetHealthy(f *fields) bool {
	return f.number("status", "currentHealthy") >= f.number("status", "desiredHealthy")
}

// aggregateDisruptionBudget sums up the Pods; a Pod that is being disrupted is named by its member too.
func aggregateDisruptionBudget(_ *fields, members []member) map[string]any {
	status := sum(members, "disruptionsAllowed", "expectedPods", "desiredHealthy", "currentHealthy")
	disrupted := map[string]any{}
	for _, m := range members {
		for pod, since := range m.object("status", "disruptedPods") {
			disrupted[m.name+"/"+pod] = since
		}
	}
	status["disruptedPods"] = disrupted
	return status
}
