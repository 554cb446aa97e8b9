package interpreter

import "testing"

func TestRetainMetadata(t *testing.T) {
	desired := `
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  finalizers: [desired]
  labels: {app: web}
  annotations: {a: new}
`
	live := `
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  uid: u
  resourceVersion: "7"
  finalizers: [live]
  ownerReferences: [{kind: Owner, name: o}]
  labels: {app: old, local: kept, removed: x}
  annotations: {a: old, local: kept, removed: x,
    resourcetemplate.karmada.io/managed-labels: "app,removed", resourcetemplate.karmada.io/managed-annotations: "a,removed,resourcetemplate.karmada.io/managed-labels,resourcetemplate.karmada.io/managed-annotations"}
`
	got, err := newInterpreter(t).Retain(parse(t, desired), parse(t, live))
	if err != nil {
		t.Fatal(err)
	}
	checkJSON(t, got, `
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  resourceVersion: "7"
  finalizers: [live]
  ownerReferences: [{kind: Owner, name: o}]
  labels: {app: web, local: kept}
  annotations: {a: new, local: kept}
`)

	emptied := `{apiVersion: v1, kind: ConfigMap, metadata: {name: web, labels: {old: x}, annotations: {resourcetemplate.karmada.io/managed-labels: "old"}}}`
	if got, err = newInterpreter(t).Retain(parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}`), parse(t, emptied)); err != nil {
		t.Fatal(err)
	}
	checkJSON(t, got, `{apiVersion: v1, kind: ConfigMap, metadata: {name: web, annotations: {resourcetemplate.karmada.io/managed-labels: "old"}}}`)

	bare := `{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}`
	if got, err = newInterpreter(t).Retain(parse(t, desired), parse(t, bare)); err != nil {
		t.Fatal(err)
	}
	checkJSON(t, got, `{apiVersion: v1, kind: ConfigMap, metadata: {name: web, labels: {app: web}, annotations: {a: new}}}`)
}

func TestRetainByKind(t *testing.T) {
	tests := []struct{ name, kind, desired, live, want string }{
		{"deployment with the label", "apps/v1 Deployment",
			`metadata: {labels: {resourcetemplate.karmada.io/retain-replicas: "true"}}, spec: {replicas: 1}`, `spec: {replicas: 7}`,
			`metadata: {labels: {resourcetemplate.karmada.io/retain-replicas: "true"}}, spec: {replicas: 7}`},
		{"deployment without", "apps/v1 Deployment", `spec: {replicas: 1}`, `spec: {replicas: 7}`, `spec: {replicas: 1}`},
		{"stateful set", "apps/v1 StatefulSet",
			`metadata: {labels: {resourcetemplate.karmada.io/retain-replicas: "true"}}, spec: {replicas: 1}`, `spec: {replicas: 7}`,
			`metadata: {labels: {resourcetemplate.karmada.io/retain-replicas: "true"}}, spec: {replicas: 1}`},
		{"pod", "v1 Pod",
			`spec: {serviceAccountName: x, volumes: [{name: a}], containers: [{name: app, image: new, volumeMounts: [{name: a}]}, {name: other}], initContainers: [{name: app}]}`,
			`spec: {nodeName: n, containers: [{name: app, image: old, volumeMounts: [{name: token}]}, {name: gone}]}`,
			`spec: {nodeName: n, containers: [{name: app, image: new, volumeMounts: [{name: token}]}, {name: other}], initContainers: [{name: app}]}`},
		{"service", "v1 Service", `spec: {type: NodePort}`, `spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], healthCheckNodePort: 30100}`,
			`spec: {type: NodePort, clusterIP: 10.0.0.1, healthCheckNodePort: 30100}`},
		{"service without", "v1 Service", `spec: {clusterIP: 10.1.1.1, healthCheckNodePort: 1}`, `spec: {clusterIP: "", healthCheckNodePort: 0}`,
			`spec: {clusterIP: 10.1.1.1, healthCheckNodePort: 1}`},
		{"service account", "v1 ServiceAccount", `secrets: [{name: a}]`, `secrets: [{name: token}, {name: a}], imagePullSecrets: [{name: pull}]`,
			`secrets: [{name: a}, {name: token}], imagePullSecrets: [{name: pull}]`},
		{"service account without", "v1 ServiceAccount", `secrets: []`, `imagePullSecrets: []`, ``},
		{"token", "v1 Secret", `type: kubernetes.io/service-account-token, data: {x: eA==}`, `data: {token: dG9r}`,
			`type: kubernetes.io/service-account-token, data: {token: dG9r}`},
		{"token not issued yet", "v1 Secret", `type: kubernetes.io/service-account-token, data: {x: eA==}`, ``,
			`type: kubernetes.io/service-account-token, data: {x: eA==}`},
		{"other secret", "v1 Secret", `type: Opaque, data: {x: eA==}`, `data: {token: dG9r}`, `type: Opaque, data: {x: eA==}`},
		{"claim", "v1 PersistentVolumeClaim", `spec: {}`, `spec: {volumeName: pv}`, `spec: {volumeName: pv}`},
		{"volume", "v1 PersistentVolume", `spec: {}`, `spec: {claimRef: {name: data}}`, `spec: {claimRef: {name: data}}`},
		{"job", "batch/v1 Job", `spec: {template: {metadata: {labels: {app: web}}}}`,
			`spec: {selector: {matchLabels: {uid: u}}, template: {metadata: {labels: {app: web, uid: u}}}}`,
			`spec: {selector: {matchLabels: {uid: u}}, template: {metadata: {labels: {app: web, uid: u}}}}`},
	}
	kinds := newInterpreter(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := kinds.Retain(object(t, tt.kind, tt.desired), object(t, tt.kind, tt.live))
			if err != nil {
				t.Fatal(err)
			}
			want, err := object(t, tt.kind, tt.want).MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			checkJSON(t, got, string(want))
		})
	}
}

func TestRetainErrors(t *testing.T) {
	labelled := `metadata: {name: web, labels: {resourcetemplate.karmada.io/retain-replicas: "true"}}, spec: {replicas: 1}`
	tests := []struct {
		name, kind, desired, live string
		texts                     []string
	}{
		{"no replicas to retain", "apps/v1 Deployment", labelled, `metadata: {name: web}`, []string{"Deployment web", "spec.replicas is missing", RetainReplicasLabel}},
		{"malformed live object", "v1 ServiceAccount", ``, `metadata: {name: web}, secrets: 1`, []string{"ServiceAccount web", "secrets is a number, want a list"}},
		{"malformed desired object", "v1 Pod", `metadata: {name: web}, spec: broken`, `spec: {nodeName: n}`, []string{"Pod web", "spec.nodeName"}},
	}
	kinds := newInterpreter(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := kinds.Retain(object(t, tt.kind, tt.desired), object(t, tt.kind, tt.live))
			checkError(t, err, tt.texts...)
		})
	}
}
