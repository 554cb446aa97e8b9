package interpreter

// podTemplate is where most workloads have their pod spec.
var podTemplate = path("spec.template.spec")

// What the workloads of apps/v1 count, in replicas; a DaemonSet counts nodes.
var (
	deploymentCounters  = []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"}
	replicaSetCounters  = []string{"replicas", "readyReplicas", "availableReplicas"}
	statefulSetCounters = []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "currentReplicas"}
	daemonSetCounters   = []string{
		"currentNumberScheduled", "desiredNumberScheduled", "updatedNumberScheduled",
		"numberAvailable", "numberUnavailable", "numberReady", "numberMisscheduled",
	}
)

var appsKinds = table{
	of("apps/v1", "Deployment"): {
		podSpec:      podTemplate,
		replicasPath: path("spec.replicas"),
		replicas:     count(0, path("spec.replicas")),
		healthy:      deploymentHealthy,
		dependencies: podDependencies(podTemplate),
		retain:       retainReplicas,
		reflect:      reflectCounters(append(deploymentCounters, "observedGeneration")...),
		aggregate:    sumCounters(deploymentCounters...),
	},
	of("apps/v1", "ReplicaSet"): {
		podSpec:      podTemplate,
		replicasPath: path("spec.replicas"),
		replicas:     count(0, path("spec.replicas")),
		healthy:      replicaSetHealthy,
		dependencies: podDependencies(podTemplate),
		reflect:      reflectCounters(append(replicaSetCounters, "observedGeneration")...),
		aggregate:    sumCounters(replicaSetCounters...),
	},
	of("apps/v1", "StatefulSet"): {
		podSpec:      podTemplate,
		replicasPath: path("spec.replicas"),
		replicas:     count(0, path("spec.replicas")),
		healthy:      statefulSetHealthy,
		dependencies: statefulSetDependencies,
		// As in Karmada 1.19, without the observed generation.
		reflect:   reflectCounters(statefulSetCounters...),
		aggregate: sumCounters(statefulSetCounters...),
	},
	of("apps/v1", "DaemonSet"): {
		podSpec:      podTemplate,
		healthy:      daemonSetHealthy,
		dependencies: podDependencies(podTemplate),
		reflect:      reflectCounters(append(daemonSetCounters, "observedGeneration")...),
		aggregate:    sumCounters(daemonSetCounters...),
	},
}

func deploymentHealthy(f *fields) bool {
	updated := f.number("status", "updatedReplicas")
	return observed(f) && updated >= f.number("spec", "replicas") && f.number("status", "availableReplicas") >= updated
}

func replicaSetHealthy(f *fields) bool {
	return observed(f) && f.number("status", "availableReplicas") >= f.number("spec", "replicas")
}

// statefulSetHealthy is the rule of a Deployment; the replicas below the partition of a rolling update need not be
// updated.
func statefulSetHealthy(f *fields) bool {
	replicas, updated, available := f.number("spec", "replicas"), f.number("status", "updatedReplicas"), f.number("status", "availableReplicas")
	partition := f.number("spec", "updateStrategy", "rollingUpdate", "partition")
	return observed(f) && updated >= replicas-partition && available >= max(replicas, updated)
}

func daemonSetHealthy(f *fields) bool {
	updated := f.number("status", "updatedNumberScheduled")
	return observed(f) && updated >= f.number("status", "desiredNumberScheduled") && f.number("status", "numberAvailable") >= updated
}
