package interpreter

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

var scalingKinds = table{
	of("autoscaling/v1", "HorizontalPodAutoscaler"): {scales: autoscalerTarget},
	of("autoscaling/v2", "HorizontalPodAutoscaler"): {
		scales:    autoscalerTarget,
		reflect:   pick("currentReplicas", "desiredReplicas"),
		aggregate: sumOf("currentReplicas", "desiredReplicas"),
	},
	of("policy/v1", "PodDisruptionBudget"): {
		healthy:   disruptionBudgetHealthy,
		reflect:   pick("disruptionsAllowed", "expectedPods", "desiredHealthy", "currentHealthy", "disruptedPods"),
		aggregate: aggregateDisruptionBudget,
	},
}

// ScaleTarget returns the object whose number of replicas an autoscaler sets, in the autoscaler's namespace, and false for
// what is no autoscaler or names no target.
func (i *Interpreter) ScaleTarget(obj *unstructured.Unstructured) (Reference, bool) {
	scales := i.kindOf(obj).scales
	if scales == nil {
		return Reference{}, false
	}
	target := scales(fieldsOf(obj))
	return target, target.Kind != "" && target.Name != ""
}

func autoscalerTarget(f *fields) Reference {
	target := func(field string) string { return f.text("spec", "scaleTargetRef", field) }
	return Reference{APIVersion: target("apiVersion"), Kind: target("kind"), Namespace: f.text("metadata", "namespace"), Name: target("name")}
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
