package provider_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// disturb changes an object on kube03 as another client does.
func disturb(t *testing.T, fleet *testfleet.Fleet, apiVersion, kind, name, text string) {
	t.Helper()
	patch(t, fleet, "kube03", apiVersion, kind, name, text)
}

// remove deletes an object on kube03 as another client does.
func remove(t *testing.T, fleet *testfleet.Fleet, apiVersion, kind, name string) {
	t.Helper()
	if err := client(t, fleet, "kube03", apiVersion, kind, "default").Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

const password = `apiVersion: v1
kind: Secret
metadata:
  name: password
stringData:
  password: correct-horse
`

// What another client does to an object shows in the plan, on the member where it happened, and the next apply mends it.
func TestDriftIsShownAndRepaired(t *testing.T) {
	fleet := acceptance(t)
	s := twoObjects
	s.templates = append(s.templates, password)
	for _, test := range []struct {
		name   string
		drift  func(t *testing.T)
		shown  []string // in the plan
		repair func(t *testing.T) bool
	}{
		{
			"replicas", func(t *testing.T) { disturb(t, fleet, "apps/v1", "Deployment", "demoapp", `{"spec": {"replicas": 5}}`) },
			[]string{`~ "spec.replicas" = 5 -> 4`},
			func(t *testing.T) bool {
				return live(t, fleet, "kube03", "apps/v1", "Deployment", "default", "demoapp", "spec", "replicas") == int64(4)
			},
		},
		{
			"a field that was taken out", func(t *testing.T) { disturb(t, fleet, "v1", "ConfigMap", "settings", `{"data": {"greeting": null}}`) },
			[]string{`+ "data.greeting" = "hello"`},
			func(t *testing.T) bool {
				return live(t, fleet, "kube03", "v1", "ConfigMap", "default", "settings", "data", "greeting") == "hello"
			},
		},
		{
			"an object that was deleted", func(t *testing.T) { remove(t, fleet, "v1", "ConfigMap", "settings") },
			[]string{`+ "ConfigMap/default/settings" = {`},
			func(t *testing.T) bool { return exists(t, fleet, "kube03", "v1", "ConfigMap", "default", "settings") },
		},
		{
			"our label", func(t *testing.T) {
				disturb(t, fleet, "v1", "ConfigMap", "settings", `{"metadata": {"labels": {"terraform-provider-multicluster/propagation": null}}}`)
			},
			[]string{`- "(ownership)" = "not labelled"`},
			func(t *testing.T) bool {
				return live(t, fleet, "kube03", "v1", "ConfigMap", "default", "settings", "metadata", "labels", "terraform-provider-multicluster/propagation") == "app"
			},
		},
		{
			"both our marks", func(t *testing.T) {
				disturb(t, fleet, "v1", "ConfigMap", "settings", `{"metadata": {"labels": null, "annotations": null}}`)
			},
			[]string{`- "(ownership)" = "no propagation"`},
			func(t *testing.T) bool {
				return live(t, fleet, "kube03", "v1", "ConfigMap", "default", "settings", "metadata", "annotations", "terraform-provider-multicluster/instance") != nil
			},
		},
		{
			"the data of a Secret", func(t *testing.T) {
				disturb(t, fleet, "v1", "Secret", "password", `{"data": {"password": "c3RvbGVu"}}`)
			},
			[]string{`~ "data.password" = "(sensitive, changed on the member)" -> "(sensitive, rev 1)"`},
			func(t *testing.T) bool {
				return live(t, fleet, "kube03", "v1", "Secret", "default", "password", "data", "password") == "Y29ycmVjdC1ob3JzZQ=="
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			acceptance(t)
			w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
			w.apply()
			untouched := versions(t, fleet, "kube02")
			test.drift(t)
			says(t, w.must("plan", "-refresh-only", "-no-color"), app+" has changed", `"kube03" = jsonencode(`)
			plan := w.plan()
			says(t, changes(plan), append(test.shown, "will be updated in-place", `"kube03" = jsonencode(`)...)
			silent(t, changes(plan), `"kube02" = jsonencode(`)
			silent(t, plan, "c3RvbGVu", "stolen")
			w.apply()
			if !test.repair(t) {
				t.Error("the drift is still there")
			}
			w.settled()
			same(t, "resourceVersion on kube02", 1, untouched, versions(t, fleet, "kube02"))
		})
	}
}

// What others add to an object is theirs: it is neither shown nor taken away.
func TestFieldsOfOthersStay(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), twoObjects.files(t, fleet))
	w.apply()
	disturb(t, fleet, "v1", "ConfigMap", "settings", `{"data": {"theirs": "stays"}, "metadata": {"labels": {"team": "theirs"}, "annotations": {"note": "theirs"}}}`)
	disturb(t, fleet, "apps/v1", "Deployment", "demoapp", `{"spec": {"revisionHistoryLimit": 3, "template": {"metadata": {"annotations": {"restarted": "now"}}}}}`)
	w.settled()
	w.write(map[string]string{"templates-0.yaml": greeting("good day")})
	w.apply()
	w.settled()
	if theirs := live(t, fleet, "kube03", "v1", "ConfigMap", "default", "settings", "data", "theirs"); theirs != "stays" {
		t.Errorf("what another client added is now %v", theirs)
	}
}

// A field that leaves the template leaves the members, and what others own of it stays.
func TestFieldThatLeavesTheTemplate(t *testing.T) {
	fleet := acceptance(t)
	s := twoObjects
	s.templates = []string{settings + "  farewell: goodbye\n"}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	w.write(map[string]string{"templates-0.yaml": settings})
	says(t, w.plan(), `- "data.farewell" = "goodbye"`)
	w.apply()
	w.settled()
	if farewell := live(t, fleet, "kube03", "v1", "ConfigMap", "default", "settings", "data", "farewell"); farewell != nil {
		t.Errorf("the field is still there: %v", farewell)
	}
}

// odd is what API servers store in another form than it is written in, or in no form at all.
const odd = `apiVersion: v1
kind: Namespace
metadata: {name: odd}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: odd, namespace: odd, labels: {}, annotations: {}}
spec:
  replicas: 0
  selector: {matchLabels: {app: odd}}
  strategy: {rollingUpdate: {maxUnavailable: "25%", maxSurge: 1}}
  template:
    metadata: {labels: {app: odd}, creationTimestamp: null}
    spec:
      nodeSelector: {}
      tolerations: []
      securityContext: {}
      containers:
        - name: app
          image: app:1
          command: []
          args: ["-v", "--level=1"]
          env:
            - {name: B, value: "2"}
            - {name: A, value: "1"}
            - {name: EMPTY, value: ""}
            - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
          ports: [{containerPort: 80}, {containerPort: 53, protocol: UDP}]
          resources:
            requests: {cpu: 1000m, memory: 1024Mi, ephemeral-storage: 1Gi}
            limits: {cpu: "1.50", memory: 1.5Gi}
          livenessProbe: {httpGet: {path: /, port: 80}}
          volumeMounts: [{name: scratch, mountPath: /scratch}]
        - name: bare
          image: bare:1
          env: []
          resources: {}
      volumes:
        - {name: scratch, emptyDir: {}}
        - {name: secret, secret: {secretName: odd, defaultMode: 0644}}
        - {name: config, configMap: {name: odd, optional: true, items: []}}
---
apiVersion: v1
kind: Service
metadata: {name: odd, namespace: odd}
spec:
  selector: {app: odd}
  ports: [{port: 80, targetPort: http, name: http}, {port: 81, targetPort: 8081, name: other}]
status: {loadBalancer: {}}
---
apiVersion: v1
kind: Secret
metadata: {name: odd, namespace: odd}
data: {a: YQ==}
stringData: {b: plain, c: ""}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: odd, namespace: odd}
data: {}
binaryData: {raw: AAEC}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: odd, namespace: odd}
imagePullSecrets: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: odd, namespace: odd}
rules:
  - {apiGroups: [""], resources: [configmaps], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: odd, namespace: odd}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: odd}
subjects: [{kind: ServiceAccount, name: odd, namespace: odd}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: odd, namespace: odd}
spec:
  rules:
    - http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: odd, port: {number: 80}}}}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: odd, namespace: odd}
spec:
  podSelector: {}
  ingress: [{}]
  egress: []
  policyTypes: [Ingress, Egress]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: odd, namespace: odd}
spec: {minAvailable: 50%, selector: {matchLabels: {app: odd}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: other, namespace: odd}
spec:
  minReplicas: 1
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: odd}
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: odd, namespace: odd}
spec:
  replicas: 0
  serviceName: odd
  selector: {matchLabels: {app: stateful}}
  template:
    metadata: {labels: {app: stateful}}
    spec: {containers: [{name: app, image: app:1}]}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1024Mi}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: odd, namespace: odd}
spec:
  selector: {matchLabels: {app: daemon}}
  updateStrategy: {rollingUpdate: {maxUnavailable: 1}}
  template:
    metadata: {labels: {app: daemon}}
    spec: {containers: [{name: app, image: app:1, securityContext: {privileged: false}}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: odd, namespace: odd}
spec:
  schedule: "*/5 * * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: app, image: app:1, resources: {limits: {cpu: 0.5}}}]}}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: odd, namespace: odd}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: app, image: app:1}]}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: odd, namespace: odd}
spec: {accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 1024Mi}}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: odd, namespace: odd}
spec: {hard: {requests.cpu: 1000m, pods: 10}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: odd, namespace: odd}
spec: {limits: [{type: Container, default: {cpu: 500m}}]}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: odd}
value: 1000
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              x-kubernetes-preserve-unknown-fields: true
              properties:
                size: {type: integer, default: 3}
                parts: {type: array, items: {type: object, properties: {name: {type: string}, count: {type: integer}}}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: odd, namespace: odd}
spec: {parts: [{name: a, count: 1}, {name: b}], empty: {}, none: [], port: 80, ratio: 0.5}
`

// oddPolicy sends all of odd to all members.
func oddPolicy() string {
	kinds := map[string]bool{}
	var selectors []string
	for _, document := range strings.Split(odd, "---\n") {
		lines := strings.SplitN(document, "\n", 3)
		selector := strings.TrimPrefix(lines[0], "apiVersion: ") + " " + strings.TrimPrefix(lines[1], "kind: ")
		if !kinds[selector] {
			kinds[selector] = true
			selectors = append(selectors, selector)
		}
	}
	return everywhere(selectors...)
}

// Whatever the API server makes of an object, a plan after the apply has nothing to do: not at once, not after a change of
// spelling that says the same, and not after an import.
func TestPlanAfterApplyIsEmpty(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		s := setup{members: twoRegions, templates: []string{odd}, policies: []string{oddPolicy()}}
		w := newWorkspace(t, cli, s.files(t, fleet))
		w.apply()
		w.settled()

		again := replaced(t, odd,
			"cpu: 1000m, memory: 1024Mi", `cpu: "1", memory: 1Gi`,
			"- {name: B, value: \"2\"}\n            - {name: A, value: \"1\"}", "- {name: A, value: \"1\"}\n            - {name: B, value: \"2\"}",
			"ports: [{containerPort: 80}", "ports: [{containerPort: 80, protocol: TCP}",
			"0644", "420",
			"stringData: {b: plain, c: \"\"}", "stringData: {b: plain, c: \"\", a: a}",
		)
		w.write(map[string]string{"templates-0.yaml": again})
		w.settled()
		w.destroy()
		if exists(t, fleet, "kube03", "v1", "Namespace", "", "odd") {
			t.Error("the Namespace is still there")
		}
	})
}

func TestImportOfOddObjectsIsEmpty(t *testing.T) {
	fleet := acceptance(t)
	s := setup{members: twoRegions, templates: []string{odd}, policies: []string{oddPolicy()}}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	w.must("state", "rm", app)
	w.must("import", "-no-color", app, "app")
	says(t, changes(w.plan()), "will be updated in-place", "~ placements")
	w.apply()
	w.settled()
}
