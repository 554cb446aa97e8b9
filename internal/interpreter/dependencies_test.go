package interpreter

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

func TestDependencies(t *testing.T) {
	const everything = `{
		serviceAccountName: runner,
		imagePullSecrets: [{name: pull}, {}],
		initContainers: [{envFrom: [{configMapRef: {name: init-env}}, {secretRef: {name: init-secret}}]}],
		containers: [{
			envFrom: [{configMapRef: {name: env}}, {secretRef: {name: env}}, {secretRef: {name: ""}}],
			env: [{name: A}, {name: B, valueFrom: {configMapKeyRef: {name: key}}}, {name: C, valueFrom: {secretKeyRef: {name: key}}}, {name: D, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}],
		ephemeralContainers: [{envFrom: [{configMapRef: {name: debug}}]}],
		volumes: [
			{name: a, configMap: {name: files}},
			{name: b, secret: {secretName: files}},
			{name: c, projected: {sources: [{configMap: {name: projected}}, {secret: {name: projected}}, {serviceAccountToken: {path: t}}]}},
			{name: d, persistentVolumeClaim: {claimName: data}},
			{name: e, azureFile: {secretName: azure}},
			{name: f, cephfs: {secretRef: {name: ceph}}},
			{name: g, cinder: {secretRef: {name: cinder}}},
			{name: h, flexVolume: {secretRef: {name: flex}}},
			{name: i, rbd: {secretRef: {name: rbd}}},
			{name: j, scaleIO: {secretRef: {name: scaleio}}},
			{name: k, iscsi: {secretRef: {name: iscsi}}},
			{name: l, storageos: {secretRef: {name: storageos}}},
			{name: m, csi: {nodePublishSecretRef: {name: csi}}},
			{name: o, csi: {driver: d}},
			{name: p, emptyDir: {}}]}`
	const all = "ConfigMap/debug ConfigMap/env ConfigMap/files ConfigMap/init-env ConfigMap/key ConfigMap/projected " +
		"PersistentVolumeClaim/data " +
		"Secret/azure Secret/ceph Secret/cinder Secret/csi Secret/env Secret/files Secret/flex Secret/init-secret Secret/iscsi " +
		"Secret/key Secret/projected Secret/pull Secret/rbd Secret/scaleio Secret/storageos " +
		"ServiceAccount/runner"
	const template = `spec: {template: {spec: ` + everything + `}}}`
	const one = `{spec: {serviceAccountName: runner}}`

	tests := []struct{ name, object, want string }{
		{"deployment", `{apiVersion: apps/v1, kind: Deployment, ` + template, all},
		{"replica set", `{apiVersion: apps/v1, kind: ReplicaSet, ` + template, all},
		{"stateful set", `{apiVersion: apps/v1, kind: StatefulSet, ` + template, all},
		{"daemon set", `{apiVersion: apps/v1, kind: DaemonSet, ` + template, all},
		{"job", `{apiVersion: batch/v1, kind: Job, ` + template, all},
		{"pod", `{apiVersion: v1, kind: Pod, spec: ` + everything + `}`, all},
		{"cron job", `{apiVersion: batch/v1, kind: CronJob, spec: {jobTemplate: {` + template + `}}`, all},
		{"the default account is everywhere", `{apiVersion: v1, kind: Pod, spec: {serviceAccountName: default}}`, ""},
		{"a stateful set makes its own claims", `{apiVersion: apps/v1, kind: StatefulSet, spec: {volumeClaimTemplates: [{metadata: {name: data}}],
			template: {spec: {volumes: [{name: a, persistentVolumeClaim: {claimName: data}}, {name: b, persistentVolumeClaim: {claimName: shared}}]}}}}`, "PersistentVolumeClaim/shared"},
		{"ingress", `{apiVersion: networking.k8s.io/v1, kind: Ingress, spec: {tls: [{secretName: b}, {secretName: a}]}}`, "Secret/b Secret/a"},
		{"autoscaler", `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {scaleTargetRef: {name: web}}}`, ""},
		{"service", `{apiVersion: v1, kind: Service, spec: {}}`, ""},
		{"workflow", `{apiVersion: argoproj.io/v1alpha1, kind: Workflow, spec: {serviceAccountName: runner, executor: {serviceAccountName: reporter},
			volumes: [{name: a, configMap: {name: files}}]}}`, "ConfigMap/files ServiceAccount/reporter ServiceAccount/runner"},
		{"clone set", `{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, spec: {template: ` + one + `}}`, "ServiceAccount/runner"},
		{"advanced cron job", `{apiVersion: apps.kruise.io/v1alpha1, kind: AdvancedCronJob, spec: {template: {broadcastJobTemplate: {spec: {template: ` + one + `}}}}}`, "ServiceAccount/runner"},
		{"training job", `{apiVersion: kubeflow.org/v1, kind: PyTorchJob, spec: {pytorchReplicaSpecs: {Master: {template: ` + one + `}, Worker: {template: {spec: {serviceAccountName: worker}}}}}}`, "ServiceAccount/runner ServiceAccount/worker"},
	}
	kinds := newInterpreter(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			obj := parse(t, tt.object)
			obj.SetNamespace("shop")
			refs, err := kinds.Dependencies(obj)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, ref := range refs {
				if ref.APIVersion != "v1" || ref.Namespace != "shop" {
					t.Errorf("%+v is not in the object's namespace", ref)
				}
				got = append(got, ref.Kind+"/"+ref.Name)
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("got  %s\nwant %s", text, tt.want)
			}
		})
	}
}

func TestDependenciesOfServiceImport(t *testing.T) {
	refs, err := newInterpreter(t).Dependencies(parse(t, `{apiVersion: multicluster.x-k8s.io/v1alpha1, kind: ServiceImport, metadata: {namespace: shop, name: web}}`))
	if err != nil {
		t.Fatal(err)
	}
	checkJSON(t, refs, `[
		{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, namespace: shop, labelSelector: {matchLabels: {kubernetes.io/service-name: derived-web}}},
		{apiVersion: v1, kind: Service, namespace: shop, name: derived-web}]`)
}

func TestOptionalDependencies(t *testing.T) {
	refs, err := newInterpreter(t).Dependencies(parse(t, `{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: web}, spec: {
		containers: [{
			envFrom: [{configMapRef: {name: a, optional: true}}, {secretRef: {name: a, optional: true}}, {secretRef: {name: b, optional: false}}],
			env: [{name: A, valueFrom: {configMapKeyRef: {name: b, key: k, optional: true}}}, {name: B, valueFrom: {secretKeyRef: {name: c, key: k, optional: true}}}]}],
		volumes: [
			{name: a, configMap: {name: a}},
			{name: b, secret: {secretName: d, optional: true}},
			{name: c, projected: {sources: [{configMap: {name: c, optional: true}}, {secret: {name: d, optional: true}}, {secret: {name: c}}]}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, ref := range refs {
		got[ref.Kind+"/"+ref.Name] = ref.Optional
	}
	want := map[string]bool{
		"ConfigMap/a": false, "ConfigMap/b": true, "ConfigMap/c": true,
		"Secret/a": true, "Secret/b": false, "Secret/c": false, "Secret/d": true,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDependenciesErrors(t *testing.T) {
	kinds := newInterpreter(t)
	refs, err := kinds.Dependencies(parse(t, `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {namespace: shop, name: web}, spec: {tls: [{hosts: [b]}, {secretName: a}]}}`))
	checkError(t, err, "Ingress shop/web", "spec.tls[0]: secretName names no object")
	if !errors.Is(err, ErrNameless) {
		t.Errorf("%v is not ErrNameless", err)
	}
	checkJSON(t, refs, `[{apiVersion: v1, kind: Secret, namespace: shop, name: a}]`)

	_, err = kinds.Dependencies(parse(t, `{apiVersion: batch/v1, kind: CronJob, metadata: {name: web}, spec: {jobTemplate: {spec: {template: {spec: {volumes: 1}}}}}}`))
	checkError(t, err, "CronJob web", "spec.jobTemplate.spec.template.spec is malformed", "PodSpec.volumes")
}
