package interpreter

import (
	"strconv"
	"testing"
)

func TestReflectStatus(t *testing.T) {
	tests := []struct{ name, kind, live, want string }{
		{"deployment", "apps/v1 Deployment",
			`metadata: {generation: 3, annotations: {resourcetemplate.karmada.io/generation: "2"}}, status: {observedGeneration: 3, replicas: 2, readyReplicas: 1, conditions: [{type: Available}], collisionCount: 4}`,
			`{generation: 3, resourceTemplateGeneration: 2, observedGeneration: 3, replicas: 2, readyReplicas: 1}`},
		{"deployment that does not name its template's generation", "apps/v1 Deployment", `metadata: {generation: 1}, status: {observedGeneration: 1}`,
			`{generation: 1, resourceTemplateGeneration: 0, observedGeneration: 1}`},
		{"stateful set", "apps/v1 StatefulSet", `metadata: {generation: 1}, status: {observedGeneration: 1, currentReplicas: 1, currentRevision: r}`,
			`{generation: 1, resourceTemplateGeneration: 0, currentReplicas: 1}`},
		{"daemon set", "apps/v1 DaemonSet", `metadata: {generation: 1}, status: {numberUnavailable: 1, observedGeneration: 1}`,
			`{generation: 1, resourceTemplateGeneration: 0, numberUnavailable: 1, observedGeneration: 1}`},
		{"job", "batch/v1 Job", `status: {active: 1, ready: 1, conditions: [{type: Complete}]}`, `{active: 1, conditions: [{type: Complete}]}`},
		{"load balancer", "v1 Service", `spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: []}, conditions: []}`, `{loadBalancer: {ingress: []}}`},
		{"other service", "v1 Service", `spec: {type: ClusterIP}, status: {loadBalancer: {}}`, `null`},
		{"disruption budget", "policy/v1 PodDisruptionBudget", `status: {currentHealthy: 1, observedGeneration: 1}`, `{currentHealthy: 1}`},
		{"autoscaler", "autoscaling/v2 HorizontalPodAutoscaler", `status: {currentReplicas: 1, lastScaleTime: x}`, `{currentReplicas: 1}`},
		{"any other kind", "example.com/v1 Widget", `status: {any: {thing: 1}}`, `{any: {thing: 1}}`},
		{"no status", "apps/v1 Deployment", `metadata: {generation: 3}`, `null`},
	}
	kinds := newInterpreter(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := kinds.ReflectStatus(object(t, tt.kind, tt.live))
			if err != nil {
				t.Fatal(err)
			}
			checkJSON(t, got, tt.want)
		})
	}

	_, err := kinds.ReflectStatus(object(t, "v1 ConfigMap", `metadata: {name: web}, status: 1`))
	checkError(t, err, "ConfigMap web", "status is a number, want an object")
	_, err = kinds.ReflectStatus(object(t, "apps/v1 Deployment", `metadata: {name: web, annotations: {resourcetemplate.karmada.io/generation: first}}, status: {}`))
	checkError(t, err, "Deployment web", templateGeneration, "first")
}

func TestAggregateStatus(t *testing.T) {
	const none = `null`
	tests := []struct {
		name, kind, template string
		members              []string // statuses of the members a, b, c
		want                 string
	}{
		{"deployment: sums", "apps/v1 Deployment", `metadata: {generation: 2}, status: {observedGeneration: 1, replicas: 9, conditions: [kept]}`,
			[]string{`{replicas: 2, readyReplicas: 1, generation: 5, observedGeneration: 5, resourceTemplateGeneration: 2}`, `{replicas: 1, generation: 1, observedGeneration: 1, resourceTemplateGeneration: 2}`},
			`{observedGeneration: 2, replicas: 3, readyReplicas: 1, updatedReplicas: 0, availableReplicas: 0, unavailableReplicas: 0, conditions: [kept]}`},
		{"deployment: a member lags behind itself", "apps/v1 Deployment", `metadata: {generation: 2}, status: {observedGeneration: 1}`,
			[]string{`{generation: 5, observedGeneration: 4, resourceTemplateGeneration: 2}`},
			`{observedGeneration: 1, replicas: 0, readyReplicas: 0, updatedReplicas: 0, availableReplicas: 0, unavailableReplicas: 0}`},
		{"replica set: a member has an older template", "apps/v1 ReplicaSet", `metadata: {generation: 2}`,
			[]string{`{generation: 5, observedGeneration: 5, resourceTemplateGeneration: 1}`}, `{replicas: 0, readyReplicas: 0, availableReplicas: 0}`},
		{"replica set: a member is not collected", "apps/v1 ReplicaSet", ``, []string{`{replicas: 1}`, none}, `{replicas: 1, readyReplicas: 0, availableReplicas: 0}`},
		{"replica set: no member", "apps/v1 ReplicaSet", `metadata: {generation: 2}, status: {replicas: 3}`, nil,
			`{observedGeneration: 2, replicas: 0, readyReplicas: 0, availableReplicas: 0}`},

		{"load balancers", "v1 Service", `spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: 9.9.9.9}]}}`,
			[]string{
				`{loadBalancer: {ingress: [{ip: 1.1.1.2}, {ip: 1.1.1.1, ports: [{port: 81, protocol: TCP}, {port: 80, protocol: UDP}]}, {}]}}`,
				none,
				`{loadBalancer: {ingress: [{hostname: b}, {hostname: a}, {ip: 1.1.1.1, ipMode: VIP}, {ip: 1.1.1.1, ports: [{port: 80, protocol: UDP}, {port: 80, protocol: TCP, error: x}, {port: 80, protocol: TCP}]}]}}`,
			},
			`{loadBalancer: {ingress: [{hostname: a}, {hostname: b}, {}, {ip: 1.1.1.1, ipMode: VIP},
				{ip: 1.1.1.1, ports: [{port: 80, protocol: TCP}, {port: 80, protocol: TCP, error: x}, {port: 80, protocol: UDP}, {port: 81, protocol: TCP}]}, {ip: 1.1.1.2}]}}`},
		{"other service", "v1 Service", `status: {loadBalancer: {}}`, []string{`{loadBalancer: {ingress: [{ip: 1.1.1.1}]}}`}, `{loadBalancer: {}}`},
		{"ingress", "networking.k8s.io/v1 Ingress", ``, []string{`{loadBalancer: {ingress: [{ip: 1.1.1.1}]}}`, `{}`}, `{loadBalancer: {ingress: [{ip: 1.1.1.1}]}}`},
		{"ingress: no member", "networking.k8s.io/v1 Ingress", `status: {loadBalancer: {ingress: [{ip: 1.1.1.1}]}}`, nil, `{loadBalancer: {}}`},

		{"job: running", "batch/v1 Job", ``,
			[]string{`{active: 1, succeeded: 2, startTime: "2026-01-02T00:00:00Z"}`, `{active: 1, failed: 3, startTime: "2026-01-01T00:00:00Z"}`},
			`{active: 2, succeeded: 2, failed: 3, startTime: "2026-01-01T00:00:00Z"}`},
		{"job: one has not started", "batch/v1 Job", ``, []string{`{startTime: "2026-01-02T00:00:00Z"}`, `{}`}, `{active: 0, succeeded: 0, failed: 0}`},
		{"job: started before", "batch/v1 Job", `status: {startTime: "2025-01-01T00:00:00Z"}`, []string{`{startTime: "2026-01-02T00:00:00Z"}`},
			`{active: 0, succeeded: 0, failed: 0, startTime: "2025-01-01T00:00:00Z"}`},
		{"job: complete", "batch/v1 Job", ``,
			[]string{
				`{succeeded: 1, completionTime: "2026-01-02T00:00:00Z", conditions: [{type: SuccessCriteriaMet, status: "True"}, {type: Complete, status: "True", lastTransitionTime: "2026-01-02T00:00:00Z"}]}`,
				`{succeeded: 1, completionTime: "2026-01-01T00:00:00Z", conditions: [{type: SuccessCriteriaMet, status: "True"}, {type: Complete, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]}`,
			},
			`{active: 0, succeeded: 2, failed: 0, completionTime: "2026-01-02T00:00:00Z", conditions: [
				{type: Complete, status: "True", reason: Completed, message: the Job completed on every member, lastTransitionTime: "2026-01-02T00:00:00Z"},
				{type: SuccessCriteriaMet, status: "True", reason: CompletionsReached, message: every member has met the success criteria}]}`},
		{"job: one is complete", "batch/v1 Job", ``, []string{`{completionTime: "2026-01-02T00:00:00Z", conditions: [{type: Complete, status: "True"}]}`, none},
			`{active: 0, succeeded: 0, failed: 0}`},
		{"job: two have failed", "batch/v1 Job", ``,
			[]string{`{conditions: [{type: Failed, status: "True", reason: BackoffLimitExceeded}]}`, `{conditions: [{type: Failed, status: "False"}]}`, `{conditions: [{type: Failed, status: "True"}]}`},
			`{active: 0, succeeded: 0, failed: 0, conditions: [{type: Failed, status: "True", reason: JobFailed, message: "the Job failed on a, c"}]}`},
		{"job: over", "batch/v1 Job", `status: {succeeded: 1, conditions: [{type: Complete, status: "True"}]}`, []string{`{active: 5}`},
			`{succeeded: 1, conditions: [{type: Complete, status: "True"}]}`},

		{"cron job", "batch/v1 CronJob", `status: {lastScheduleTime: "2027-01-01T00:00:00Z"}`,
			[]string{`{active: [{name: x}], lastScheduleTime: "2026-01-01T00:00:00Z"}`, none, `{active: [{name: y}], lastScheduleTime: "2026-01-02T00:00:00+02:00"}`},
			`{active: [{name: x}, {name: y}], lastScheduleTime: "2026-01-01T22:00:00Z"}`},
		{"cron job: no member", "batch/v1 CronJob", ``, nil, `{}`},

		{"pod", "v1 Pod", ``,
			[]string{`{phase: Running, containerStatuses: [{name: app, ready: true, state: {running: {}}}], initContainerStatuses: [{name: init, ready: true, state: {terminated: {}}}]}`, `{phase: Succeeded}`},
			`{phase: Running, containerStatuses: [{ready: true, state: {running: {}}}], initContainerStatuses: [{ready: true, state: {terminated: {}}}]}`},
		{"pod: one is not collected", "v1 Pod", ``, []string{`{phase: Running}`, none}, `{phase: Pending}`},
		{"pod: one has failed", "v1 Pod", ``, []string{`{phase: Pending}`, `{phase: Failed}`}, `{phase: Failed}`},
		{"pod: no member", "v1 Pod", `status: {phase: Running}`, nil, `{phase: Running}`},

		{"claim", "v1 PersistentVolumeClaim", ``, []string{`{phase: Bound}`, none}, `{phase: Bound}`},
		{"claim: the last that is not bound", "v1 PersistentVolumeClaim", ``, []string{`{phase: Other}`, `{phase: Pending}`, `{phase: Bound}`}, `{phase: Pending}`},
		{"claim: lost", "v1 PersistentVolumeClaim", ``, []string{`{phase: Lost}`, `{phase: Pending}`}, `{phase: Lost}`},
		{"claim: no member", "v1 PersistentVolumeClaim", ``, nil, `{phase: Bound}`},
		{"volume", "v1 PersistentVolume", ``, []string{`{phase: Released}`, `{phase: Bound}`}, `{phase: Bound}`},
		{"volume: one is not collected", "v1 PersistentVolume", ``, []string{`{phase: Available}`, none}, `{phase: Pending}`},

		{"disruption budget", "policy/v1 PodDisruptionBudget", `status: {disruptedPods: {old: x}}`,
			[]string{`{currentHealthy: 1, desiredHealthy: 2, expectedPods: 3, disruptionsAllowed: 4, disruptedPods: {p: x}}`, `{currentHealthy: 1, disruptedPods: {p: z}}`},
			`{currentHealthy: 2, desiredHealthy: 2, expectedPods: 3, disruptionsAllowed: 4, disruptedPods: {a/p: x, b/p: z}}`},
		{"autoscaler", "autoscaling/v2 HorizontalPodAutoscaler", `status: {lastScaleTime: x}`, []string{`{currentReplicas: 1, desiredReplicas: 2}`, `{currentReplicas: 3}`},
			`{currentReplicas: 4, desiredReplicas: 2}`},
	}
	kinds := newInterpreter(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, supported, err := kinds.AggregateStatus(object(t, tt.kind, tt.template), memberStatuses(t, tt.members...))
			if err != nil || !supported {
				t.Fatalf("got %v, supported %v, error %v", got, supported, err)
			}
			checkJSON(t, got, tt.want)
		})
	}

	if _, supported, err := kinds.AggregateStatus(object(t, "v1 ConfigMap", ``), nil); supported || err != nil {
		t.Errorf("a ConfigMap has a sum: %v, %v", supported, err)
	}
}

// memberStatuses gives the members a, b, c and so on the statuses.
func memberStatuses(t *testing.T, statuses ...string) []MemberStatus {
	t.Helper()
	members := make([]MemberStatus, len(statuses))
	for i, status := range statuses {
		content, _ := parse(t, `{status: `+status+`}`).Object["status"].(map[string]any)
		members[i] = MemberStatus{Member: string(rune('a' + i)), Status: content}
	}
	return members
}

func TestAggregateStatusErrors(t *testing.T) {
	tests := []struct {
		name, kind, template, status string
		texts                        []string
	}{
		{"member", "apps/v1 Deployment", `metadata: {namespace: shop, name: web}`, `{replicas: many}`,
			[]string{"Deployment shop/web", "member b", "status.replicas is a string, want a whole number"}},
		{"template", "apps/v1 Deployment", `metadata: {name: web}, status: 1`, `{}`, []string{"Deployment web", "status is a number, want an object"}},
		{"time", "batch/v1 CronJob", `metadata: {name: web}`, `{lastScheduleTime: now}`, []string{"CronJob web", "member b", "lastScheduleTime is no time", strconv.Quote("now")}},
		{"load balancer", "networking.k8s.io/v1 Ingress", `metadata: {name: web}`, `{loadBalancer: {ingress: 1}}`, []string{"Ingress web", "member b", "status.loadBalancer is malformed"}},
		{"conditions", "batch/v1 Job", `metadata: {name: web}`, `{conditions: [1]}`, []string{"Job web", "member b", "status.conditions.0 is a number, want an object"}},
	}
	kinds := newInterpreter(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := kinds.AggregateStatus(object(t, tt.kind, tt.template), memberStatuses(t, `{}`, tt.status))
			checkError(t, err, tt.texts...)
		})
	}
}
