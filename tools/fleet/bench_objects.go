package main

import (
	"fmt"
	"strings"
)

const benchConfiguration = `terraform {
  required_providers {
    multicluster = { source = "` + providerSource + `" }
  }
}

variable "kubeconfig" {
  type = string
}

locals {
  names = ["kube02", "kube03", "kube04"]
}

provider "multicluster" {
  members = { for name in local.names : name => { kubeconfig_path = var.kubeconfig, context = name } }
}

resource "multicluster_member" "fleet" {
  for_each = toset(local.names)
  name     = each.key
}

resource "multicluster_propagation" "bench" {
  name      = "bench"
  members   = values(multicluster_member.fleet)
  templates = [file("objects.yaml")]
  policies = [<<-EOT
    apiVersion: policy.karmada.io/v1alpha1
    kind: PropagationPolicy
    metadata: {name: bench, namespace: default}
    spec:
      resourceSelectors:
        - {apiVersion: v1, kind: ConfigMap}
        - {apiVersion: apps/v1, kind: Deployment}
        - {apiVersion: v1, kind: Service}
      placement:
        clusterAffinity: {clusterNames: [kube02, kube03, kube04]}
  EOT
  ]
}
`

// benchObjects returns 33 ConfigMaps of 1 KB, 33 Deployments and 33 Services as YAML.
func benchObjects(tag string) string {
	const object = `---
apiVersion: v1
kind: ConfigMap
metadata:
  name: app-%[1]s
  namespace: default
  labels: {app.kubernetes.io/name: app-%[1]s, app.kubernetes.io/part-of: bench}
data:
  settings: %[2]s
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-%[1]s
  namespace: default
  labels: {app.kubernetes.io/name: app-%[1]s, app.kubernetes.io/part-of: bench}
spec:
  replicas: 1
  selector:
    matchLabels: {app.kubernetes.io/name: app-%[1]s}
  template:
    metadata:
      labels: {app.kubernetes.io/name: app-%[1]s, app.kubernetes.io/part-of: bench}
    spec:
      containers:
        - name: app
          image: registry.example.com/app:%[3]s
          args: [--config=/etc/app/settings]
          env:
            - {name: LOG_LEVEL, value: info}
          ports:
            - {name: http, containerPort: 8080}
          resources:
            requests: {cpu: 100m, memory: 128Mi}
            limits: {memory: 256Mi}
          readinessProbe:
            httpGet: {path: /healthz, port: http}
          volumeMounts:
            - {name: settings, mountPath: /etc/app, readOnly: true}
      volumes:
        - name: settings
          configMap: {name: app-%[1]s}
---
apiVersion: v1
kind: Service
metadata:
  name: app-%[1]s
  namespace: default
  labels: {app.kubernetes.io/name: app-%[1]s, app.kubernetes.io/part-of: bench}
spec:
  selector: {app.kubernetes.io/name: app-%[1]s}
  ports:
    - {name: http, port: 80, targetPort: http}
`
	var all strings.Builder
	for i := 1; i <= 33; i++ {
		number := fmt.Sprintf("%02d", i)
		fmt.Fprintf(&all, object, number, strings.Repeat("settings"+number, 102), tag)
	}
	return all.String()
}
