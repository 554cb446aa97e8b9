package interpreter

import "testing"

func TestHealth(t *testing.T) {
	const deployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 3}, status: `
	const statefulSet = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {generation: 2}, spec: {replicas: 3, updateStrategy: {rollingUpdate: {partition: 1}}}, status: `
	const replicaSet = `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {generation: 2}, spec: {replicas: 3}, status: `
	const daemonSet = `{apiVersion: apps/v1, kind: DaemonSet, metadata: {generation: 2}, status: `
	const flink = `{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, status: `
	const notebook = `{apiVersion: kubeflow.org/v1, kind: Notebook, status: `
	const rayJob = `{apiVersion: ray.io/v1, kind: RayJob, status: `
	tests := []struct {
		object string
		want   Health
	}{
		{deployment + `{observedGeneration: 2, updatedReplicas: 3, availableReplicas: 3}}`, Healthy},
		{deployment + `{observedGeneration: 1, updatedReplicas: 3, availableReplicas: 3}}`, Unhealthy},
		{deployment + `{observedGeneration: 2, updatedReplicas: 2, availableReplicas: 3}}`, Unhealthy},
		{deployment + `{observedGeneration: 2, updatedReplicas: 3, availableReplicas: 2}}`, Unhealthy},
		{deployment + `{observedGeneration: 2, updatedReplicas: 4, availableReplicas: 3}}`, Unhealthy},
		{deployment + `{}}`, Unhealthy},
		{deployment + `broken}`, Unknown},
		{deployment + `{observedGeneration: 2, updatedReplicas: many}}`, Unknown},
		{`{apiVersion: apps/v1, kind: Deployment, spec: {}, status: {}}`, Healthy},

		{statefulSet + `{observedGeneration: 2, updatedReplicas: 2, availableReplicas: 3}}`, Healthy},
		{statefulSet + `{observedGeneration: 2, updatedReplicas: 1, availableReplicas: 3}}`, Unhealthy},
		{statefulSet + `{observedGeneration: 2, updatedReplicas: 2, availableReplicas: 2}}`, Unhealthy},
		{statefulSet + `{observedGeneration: 1, updatedReplicas: 3, availableReplicas: 3}}`, Unhealthy},
		{`{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 3}, status: {updatedReplicas: 2, availableReplicas: 3}}`, Unhealthy},
		{`{apiVersion: apps/v1, kind: StatefulSet, spec: {replicas: 3}, status: {updatedReplicas: 4, availableReplicas: 3}}`, Unhealthy},

		{replicaSet + `{observedGeneration: 2, availableReplicas: 3}}`, Healthy},
		{replicaSet + `{observedGeneration: 2, availableReplicas: 2}}`, Unhealthy},
		{replicaSet + `{observedGeneration: 1, availableReplicas: 3}}`, Unhealthy},

		{daemonSet + `{observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2}}`, Healthy},
		{daemonSet + `{observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2}}`, Unhealthy},
		{daemonSet + `{observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1}}`, Unhealthy},
		{daemonSet + `{observedGeneration: 1}}`, Unhealthy},

		{`{apiVersion: v1, kind: Pod, status: {phase: Succeeded}}`, Healthy},
		{`{apiVersion: v1, kind: Pod, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}`, Healthy},
		{`{apiVersion: v1, kind: Pod, status: {phase: Running, conditions: [{type: Ready, status: "False"}]}}`, Unhealthy},
		{`{apiVersion: v1, kind: Pod, status: {phase: Pending, conditions: [{type: Ready, status: "True"}]}}`, Unhealthy},
		{`{apiVersion: v1, kind: Pod, spec: broken, status: {phase: Succeeded}}`, Unknown},

		{`{apiVersion: v1, kind: Service, spec: {type: ClusterIP}}`, Healthy},
		{`{apiVersion: v1, kind: Service, spec: {}}`, Healthy},
		{`{apiVersion: v1, kind: Service, spec: {type: LoadBalancer}}`, Unhealthy},
		{`{apiVersion: v1, kind: Service, spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{}, {ip: 1.2.3.4}]}}}`, Healthy},
		{`{apiVersion: v1, kind: Service, spec: broken}`, Unknown},
		{`{apiVersion: networking.k8s.io/v1, kind: Ingress, status: {loadBalancer: {ingress: [{hostname: lb}]}}}`, Healthy},
		{`{apiVersion: networking.k8s.io/v1, kind: Ingress, status: {loadBalancer: {ingress: [{}]}}}`, Unhealthy},
		{`{apiVersion: v1, kind: PersistentVolumeClaim, status: {phase: Bound}}`, Healthy},
		{`{apiVersion: v1, kind: PersistentVolumeClaim}`, Unhealthy},
		{`{apiVersion: policy/v1, kind: PodDisruptionBudget, status: {currentHealthy: 1, desiredHealthy: 1}}`, Healthy},
		{`{apiVersion: policy/v1, kind: PodDisruptionBudget, status: {currentHealthy: 1, desiredHealthy: 2}}`, Unhealthy},

		{`{apiVersion: batch/v1, kind: Job, status: {failed: 1, conditions: [{type: Failed, status: "True"}]}}`, Healthy},
		{`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: broken}`, Healthy},
		{`{apiVersion: v1, kind: ConfigMap}`, Healthy},
		{`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}`, Healthy},
		{`{apiVersion: extensions/v1beta1, kind: Deployment, spec: {replicas: 3}}`, Healthy},

		{`{apiVersion: argoproj.io/v1alpha1, kind: Workflow, status: {phase: Running}}`, Healthy},
		{`{apiVersion: argoproj.io/v1alpha1, kind: Workflow, status: {phase: Error}}`, Unhealthy},
		{`{apiVersion: argoproj.io/v1alpha1, kind: Workflow}`, Unhealthy},
		{`{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, status: {conditions: [{type: Ready, status: "True"}]}}`, Healthy},
		{`{apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, status: {conditions: [{type: Ready, status: "False"}]}}`, Unhealthy},
		{`{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization}`, Unhealthy},
		{`{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, metadata: {generation: 1}, spec: {replicas: 1}, status: {observedGeneration: 1, updatedReplicas: 1, availableReplicas: 1}}`, Healthy},
		{`{apiVersion: apps.kruise.io/v1alpha1, kind: BroadcastJob, status: {desired: 2, active: 1}}`, Healthy},
		{`{apiVersion: apps.kruise.io/v1alpha1, kind: BroadcastJob, status: {desired: 2, active: 1, failed: 1}}`, Unhealthy},
		{`{apiVersion: apps.kruise.io/v1alpha1, kind: BroadcastJob, status: {desired: 2}}`, Unhealthy},
		{`{apiVersion: apps.kruise.io/v1alpha1, kind: SidecarSet, status: {matchedPods: 2, updatedPods: 2}}`, Healthy},
		{`{apiVersion: apps.kruise.io/v1alpha1, kind: SidecarSet, status: {matchedPods: 2, updatedPods: 1}}`, Unhealthy},
		{`{apiVersion: kyverno.io/v1, kind: ClusterPolicy, status: {ready: true}}`, Healthy},
		{`{apiVersion: kyverno.io/v1, kind: ClusterPolicy, status: {ready: false, conditions: [{type: Ready, status: "True"}]}}`, Unhealthy},
		{`{apiVersion: kyverno.io/v1, kind: Policy, status: {conditions: [{type: Ready, status: "True"}]}}`, Healthy},
		{`{apiVersion: kyverno.io/v1, kind: Policy, status: {ready: sure}}`, Unknown},
		{`{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, status: {state: {phase: Running}}}`, Healthy},
		{`{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, status: {state: {phase: Failed}}}`, Unhealthy},
		{flink + `{jobStatus: {state: RUNNING}}}`, Healthy},
		{flink + `{jobStatus: {state: CREATED}}}`, Unhealthy},
		{flink + `{jobStatus: {state: CREATED}, error: no such image}}`, Healthy},
		{flink + `{jobStatus: {state: RECONCILING}, jobManagerDeploymentStatus: ERROR}}`, Healthy},
		{flink + `{}}`, Unhealthy},
		{flink + `{error: bad spec}}`, Healthy},
		{notebook + `{containerState: {waiting: {}}}}`, Healthy},
		{notebook + `{containerState: {terminated: {exitCode: 0}}}}`, Healthy},
		{notebook + `{containerState: {terminated: {exitCode: 137, reason: OOMKilled}}}}`, Unhealthy},
		{notebook + `{}}`, Unhealthy},
		{`{apiVersion: kubeflow.org/v1, kind: PyTorchJob, status: {conditions: [{type: Running, status: "True"}]}}`, Healthy},
		{`{apiVersion: kubeflow.org/v1, kind: TFJob, status: {conditions: [{type: Failed, status: "True"}]}}`, Unhealthy},
		{`{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, status: {conditions: []}}`, Unhealthy},
		{`{apiVersion: ray.io/v1, kind: RayCluster, status: {state: ready}}`, Healthy},
		{`{apiVersion: ray.io/v1, kind: RayCluster, status: {state: suspended}}`, Unhealthy},
		{rayJob + `{jobDeploymentStatus: Running}}`, Healthy},
		{rayJob + `{jobDeploymentStatus: Complete, jobStatus: SUCCEEDED}}`, Healthy},
		{rayJob + `{jobDeploymentStatus: Complete, jobStatus: FAILED}}`, Unhealthy},
		{rayJob + `{jobDeploymentStatus: Initializing}}`, Unhealthy},
		{`{apiVersion: ray.io/v1, kind: RayService, status: {conditions: [{type: Ready, status: "True"}]}}`, Healthy},
		{`{apiVersion: sparkoperator.k8s.io/v1beta2, kind: SparkApplication, status: {applicationState: {state: RUNNING}}}`, Healthy},
		{`{apiVersion: sparkoperator.k8s.io/v1beta2, kind: SparkApplication, status: {applicationState: {state: FAILED}}}`, Unhealthy},
	}
	kinds := newInterpreter(t)
	for _, tt := range tests {
		if got := kinds.Health(parse(t, tt.object)); got != tt.want {
			t.Errorf("got %s, want %s: %s", got, tt.want, tt.object)
		}
	}
	if got := kinds.Health(nil); got != Unknown {
		t.Errorf("an object that is not there is %s", got)
	}
}
