package interpreter

import corev1 "k8s.io/api/core/v1"

// thirdPartyKinds are the kinds of other projects for which Karmada 1.19 brings rules, as far as these are simple.
// Kinds that consist of several groups of Pods (Flink, Ray, Spark, Volcano and most of Kubeflow) are not divided: each
// member gets all of it. The rules hold for every version of Flux that is still served.
var thirdPartyKinds = merge(argoKinds, fluxKinds, kruiseKinds, kyvernoKinds, batchSystemKinds)

var argoKinds = table{
	of("argoproj.io/v1alpha1", "Workflow"): {
		replicasPath: path("spec.parallelism"),
		replicas:     count(1, path("spec.parallelism")),
		healthy:      textNotIn(path("status.phase"), "Error", "Failed"),
		dependencies: workflowDependencies,
	},
}

// workflowDependencies are those of its Pods: what their templates have in common lies where a Pod has it. What reports the
// results of a Pod may have an account of its own.
func workflowDependencies(f *fields) []Reference {
	refs := references{}
	if pod := decode[corev1.PodSpec](f, path("spec")); pod != nil {
		refs.addPod(pod)
	}
	refs.addAccount(f.text("spec", "executor", "serviceAccountName"))
	return refs.list(f.text("metadata", "namespace"))
}

var fluxKinds = table{
	of("helm.toolkit.fluxcd.io/v2", "HelmRelease"):           {healthy: ready},
	of("helm.toolkit.fluxcd.io/v2beta1", "HelmRelease"):      {healthy: ready},
	of("helm.toolkit.fluxcd.io/v2beta2", "HelmRelease"):      {healthy: ready},
	of("kustomize.toolkit.fluxcd.io/v1", "Kustomization"):    {healthy: ready},
	of("source.toolkit.fluxcd.io/v1", "Bucket"):              {healthy: ready},
	of("source.toolkit.fluxcd.io/v1", "GitRepository"):       {healthy: ready},
	of("source.toolkit.fluxcd.io/v1", "HelmChart"):           {healthy: ready},
	of("source.toolkit.fluxcd.io/v1", "HelmRepository"):      {healthy: ready},
	of("source.toolkit.fluxcd.io/v1", "OCIRepository"):       {healthy: ready},
	of("source.toolkit.fluxcd.io/v1beta2", "Bucket"):         {healthy: ready},
	of("source.toolkit.fluxcd.io/v1beta2", "HelmChart"):      {healthy: ready},
	of("source.toolkit.fluxcd.io/v1beta2", "HelmRepository"): {healthy: ready},
	of("source.toolkit.fluxcd.io/v1beta2", "OCIRepository"):  {healthy: ready},
}

var kruiseKinds = table{
	of("apps.kruise.io/v1alpha1", "CloneSet"): {
		podSpec:      podTemplate,
		replicasPath: path("spec.replicas"),
		replicas:     count(1, path("spec.replicas")),
		healthy:      deploymentHealthy,
		dependencies: statefulSetDependencies,
	},
	of("apps.kruise.io/v1beta1", "StatefulSet"): {
		podSpec:      podTemplate,
		replicasPath: path("spec.replicas"),
		replicas:     count(1, path("spec.replicas")),
		healthy:      statefulSetHealthy,
		dependencies: statefulSetDependencies,
	},
	of("apps.kruise.io/v1alpha1", "UnitedDeployment"): {
		replicasPath: path("spec.replicas"),
		replicas:     count(1, path("spec.replicas")),
		healthy:      deploymentHealthy,
	},
	of("apps.kruise.io/v1alpha1", "DaemonSet"): {
		podSpec:      podTemplate,
		healthy:      daemonSetHealthy,
		dependencies: podDependencies(podTemplate),
	},
	of("apps.kruise.io/v1alpha1", "BroadcastJob"): {
		podSpec:      podTemplate,
		replicasPath: path("spec.parallelism"),
		replicas:     count(1, path("spec.parallelism")),
		healthy:      broadcastJobHealthy,
		dependencies: podDependencies(podTemplate),
	},
	of("apps.kruise.io/v1alpha1", "AdvancedCronJob"): {
		dependencies: podDependencies(
			path("spec.template.jobTemplate.spec.template.spec"),
			path("spec.template.broadcastJobTemplate.spec.template.spec"),
		),
	},
	of("apps.kruise.io/v1alpha1", "SidecarSet"): {healthy: sidecarSetHealthy},
}

func broadcastJobHealthy(f *fields) bool {
	return f.number("status", "desired") > 0 && f.number("status", "failed") == 0 &&
		f.number("status", "succeeded")+f.number("status", "active") > 0
}

func sidecarSetHealthy(f *fields) bool {
	return f.number("status", "updatedPods") >= f.number("status", "matchedPods")
}

var kyvernoKinds = table{
	of("kyverno.io/v1", "ClusterPolicy"): {healthy: kyvernoHealthy},
	of("kyverno.io/v1", "Policy"):        {healthy: kyvernoHealthy},
}

// kyvernoHealthy goes by status.ready, which later versions replaced by a condition.
func kyvernoHealthy(f *fields) bool {
	if f.value("status", "ready") != nil {
		return f.truth("status", "ready")
	}
	return ready(f)
}

var batchSystemKinds = table{
	of("batch.volcano.sh/v1alpha1", "Job"): {
		healthy: textIn(path("status.state.phase"), "Pending", "Running", "Restarting", "Completing", "Completed",
			"Aborting", "Aborted", "Terminating", "Terminated"),
	},
	of("flink.apache.org/v1beta1", "FlinkDeployment"): {healthy: flinkHealthy},
	of("kubeflow.org/v1", "Notebook"): {
		podSpec:  podTemplate,
		replicas: one,
		healthy:  notebookHealthy,
	},
	of("kubeflow.org/v1", "PyTorchJob"): {
		healthy: notFailed,
		dependencies: podDependencies(
			path("spec.pytorchReplicaSpecs.Master.template.spec"),
			path("spec.pytorchReplicaSpecs.Worker.template.spec"),
		),
	},
	of("kubeflow.org/v1", "TFJob"): {
		healthy: notFailed,
		dependencies: podDependencies(
			path("spec.tfReplicaSpecs.PS.template.spec"),
			path("spec.tfReplicaSpecs.Worker.template.spec"),
			path("spec.tfReplicaSpecs.Chief.template.spec"),
			path("spec.tfReplicaSpecs.Master.template.spec"),
			path("spec.tfReplicaSpecs.Evaluator.template.spec"),
		),
	},
	of("kubeflow.org/v2beta1", "MPIJob"): {healthy: notFailed},
	of("ray.io/v1", "RayCluster"):        {healthy: textIn(path("status.state"), "ready")},
	of("ray.io/v1", "RayJob"):            {healthy: rayJobHealthy},
	of("ray.io/v1", "RayService"):        {healthy: ready},
	of("sparkoperator.k8s.io/v1beta2", "SparkApplication"): {
		healthy: textNotIn(path("status.applicationState.state"), "FAILED"),
	},
}

// flinkHealthy takes a job that is still starting for healthy only once an error is reported, which another member
// would report too.
func flinkHealthy(f *fields) bool {
	switch f.text("status", "jobStatus", "state") {
	case "":
		return f.value("status", "error") != nil
	case "CREATED", "INITIALIZING", "RECONCILING":
		return f.value("status", "error") != nil || f.text("status", "jobManagerDeploymentStatus") == "ERROR"
	default:
		return true
	}
}

// notebookHealthy reads the state of the one container: it runs or will, or has ended well.
func notebookHealthy(f *fields) bool {
	state := f.object("status", "containerState")
	if state["running"] != nil || state["waiting"] != nil {
		return true
	}
	return state["terminated"] != nil && f.number("status", "containerState", "terminated", "exitCode") == 0
}

func rayJobHealthy(f *fields) bool {
	switch f.text("status", "jobDeploymentStatus") {
	case "Running":
		return true
	case "Complete":
		return f.text("status", "jobStatus") == "SUCCEEDED"
	default:
		return false
	}
}
