package execution_test

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
)

// TestErrorsSayWhatToDo: the server's answers, in words that name the field and the way out.
func TestErrorsSayWhatToDo(t *testing.T) {
	b := newBench(t)
	b.do(request(objects(t, widgetDefinition+`
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: vap}, spec: {matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]}, validations: [{expression: "object.metadata.name != 'bad'", message: "bad name"}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: vap}, spec: {policyName: vap, validationActions: [Deny]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w}, webhooks: [{
  name: w.example.com, sideEffects: None, admissionReviewVersions: [v1], timeoutSeconds: 1, clientConfig: {url: "https://127.0.0.1:1/x"},
  rules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [podtemplates]}]}]}`)...))
	for name, test := range map[string]struct {
		before, now string
		reason      execution.Reason
		field       string
		want        []string
	}{
		"unknown field": {
			now:    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: default}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, imagee: x}]}}}}",
			reason: execution.ReasonMalformed, field: `spec.template.spec.containers[name="c"].imagee`,
			want: []string{`containers[name="c"].imagee: the kind has no such field`, "check the spelling"},
		},
		"wrong type": {
			now:    "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}, data: {port: 8080}}",
			reason: execution.ReasonMalformed, field: "data.port",
			want: []string{"data.port: want a string, found a number; quote it"},
		},
		"item given twice": { // an override can do that
			now:    "{apiVersion: v1, kind: Pod, metadata: {name: d, namespace: default}, spec: {containers: [{name: c, image: x, env: [{name: A}, {name: A}]}]}}",
			reason: execution.ReasonMalformed, field: `spec.containers[name="c"].env`,
			want: []string{`spec.containers[name="c"].env: [name="A"] is given twice; remove one`},
		},
		"value given twice": {
			now:    "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: twice}, spec: {policyName: p, validationActions: [Deny, Deny]}}",
			reason: execution.ReasonMalformed, field: "spec.validationActions",
			want: []string{"spec.validationActions: a value is given twice; remove one"},
		},
		"item without its key": {
			now:    "{apiVersion: v1, kind: Pod, metadata: {name: d, namespace: default}, spec: {containers: [{image: x}]}}",
			reason: execution.ReasonInvalid, field: "spec.containers[0].name",
			want: []string{"spec.containers[0].name: Required value"},
		},
		"out of range": {
			now:    "{apiVersion: v1, kind: Service, metadata: {name: d, namespace: default}, spec: {ports: [{port: 99999}]}}",
			reason: execution.ReasonInvalid, field: "spec.ports[0].port",
		},
		"immutable field": {
			before: "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s, namespace: default}, spec: {serviceName: a, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}}",
			now:    "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s, namespace: default}, spec: {serviceName: b, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}}",
			reason: execution.ReasonImmutable, field: "spec",
			want: []string{"updates to statefulset spec", "give the object another name", "deleting it ends its Pods, unless kubectl delete --cascade=orphan"},
		},
		"large immutable field": {
			before: "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: default}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: a}]}}}}",
			now:    "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: default}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: b}]}}}}",
			reason: execution.ReasonImmutable, field: "spec.template",
			want: []string{"Job.batch/default/j: spec.template: Invalid value: field is immutable; the field cannot change in place", "apply again; deleting it ends its Pods"},
		},
		"immutable claim": {
			before: "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: default}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}",
			now:    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: default}, spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}}",
			reason: execution.ReasonImmutable, field: "spec",
			want: []string{"spec is immutable after creation", "restore the field, or give the claim another name"},
		},
		"immutable role": {
			before: "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r, namespace: default}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}}",
			now:    "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r, namespace: default}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}}",
			reason: execution.ReasonImmutable, field: "roleRef",
		},
		"immutable and invalid": {
			before: "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default}, spec: {ports: [{port: 80}]}}",
			now:    "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default}, spec: {clusterIP: 10.0.0.77, ports: [{port: 70000}]}}",
			reason: execution.ReasonInvalid,
		},
		"invalid value": {
			now:    "{apiVersion: example.io/v1, kind: Widget, metadata: {name: w, namespace: default}, spec: {size: 9}}",
			reason: execution.ReasonInvalid, field: "spec.size",
			want: []string{"spec.size: Invalid value: 9", "less than or equal to 5"},
		},
		"a field that is wrong in more than one check": {
			now:    "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default, labels: {a: b c}}}",
			reason: execution.ReasonInvalid, field: "metadata.labels",
			want: []string{"metadata.labels: Invalid value"},
		},
		"namespace missing": {
			now:    "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: nowhere}}",
			reason: execution.ReasonNamespaceMissing,
			want:   []string{"ConfigMap/nowhere/c: namespace nowhere does not exist; add a Namespace to templates"},
		},
		"policy": {
			now:    "{apiVersion: v1, kind: ConfigMap, metadata: {name: bad, namespace: default}}",
			reason: execution.ReasonInvalid,
			want:   []string{"ValidatingAdmissionPolicy 'vap'", "bad name"},
		},
		"webhook": {
			now:    "{apiVersion: v1, kind: PodTemplate, metadata: {name: t, namespace: default}, template: {spec: {containers: [{name: c, image: x}]}}}",
			reason: execution.ReasonDenied,
			want:   []string{`failed calling webhook "w.example.com"`, "look at what serves the webhook w.example.com"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b.restart()
			if test.before != "" {
				b.do(request(objects(t, "%s", test.before)...))
			}
			req := request(objects(t, "%s", test.now)...)
			var err error
			for range 20 { // admission policies take effect after a moment
				if err = execution.Apply(within(t, 20*time.Second), b.session, req).Err(); err != nil {
					break
				}
				time.Sleep(200 * time.Millisecond)
			}
			e := objectError(t, err)
			if e.Reason != test.reason || e.Member != "kube02" || e.Key != req.Objects[0].Key {
				t.Errorf("got %s, %s, %s: %v; want %s", e.Reason, e.Member, e.Key, err, test.reason)
			}
			if test.field != "" && !slices.Contains(e.Fields, test.field) {
				t.Errorf("got fields %q, want %q among them", e.Fields, test.field)
			}
			if unique := slices.Compact(slices.Sorted(slices.Values(e.Fields))); len(unique) != len(e.Fields) {
				t.Errorf("got fields %q, want each once", e.Fields)
			}
			for _, part := range test.want {
				wantError(t, err, part)
			}
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 800 {
				t.Errorf("the error is not one short line: %v", err)
			}
		})
	}
}

func TestErrorsOfUserWithoutRights(t *testing.T) {
	b := newBench(t)
	b.session = b.open(b.member.StrangerToken)
	result := execution.Apply(within(t, 20*time.Second), b.session, request(objects(t, configMap)...))
	wantStates(t, result, map[string]execution.State{"ConfigMap/default/settings": execution.StateNotSent})
	wantError(t, result.Err(), `User "stranger" cannot get resource "configmaps"`)

	b.grant("get", "list")
	b.session = b.open(b.member.StrangerToken)
	result = execution.Apply(within(t, 20*time.Second), b.session, request(objects(t, configMap)...))
	wantStates(t, result, map[string]execution.State{"ConfigMap/default/settings": execution.StateFailed})
	if e := objectError(t, result.Err()); e.Reason != execution.ReasonForbidden || e.Advice != "allow the connection's user to patch configmaps in namespace default" {
		t.Errorf("got %s: %v", e.Reason, e)
	}
}

// grant allows the stranger the verbs on ConfigMaps in the namespace default.
func (b *bench) grant(verbs ...string) {
	b.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "stranger"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: verbs}}}
	if _, err := b.client.RbacV1().Roles("default").Create(b.Context(), role, metav1.CreateOptions{}); err != nil {
		b.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "stranger"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "stranger"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: "stranger"}},
	}
	if _, err := b.client.RbacV1().RoleBindings("default").Create(b.Context(), binding, metav1.CreateOptions{}); err != nil {
		b.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // until the authorizer has seen it
}

// What a namespace refuses whatever the content is can be told of a Secret too.
func TestErrorsOfNamespacesThatTakeNothing(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"full", "leaving"} {
		b.have("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", name)
	}
	b.have("{apiVersion: v1, kind: ResourceQuota, metadata: {name: small, namespace: full}, spec: {hard: {count/secrets: 0, count/services: 5}}}")
	held := b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: leaving, finalizers: [example.com/nobody]}}")
	defer b.patch(held, `{"metadata":{"finalizers":null}}`)
	if err := b.client.CoreV1().Namespaces().Delete(t.Context(), "leaving", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for namespace, want := range map[string]struct {
		reason execution.Reason
		text   string
	}{
		"full":    {execution.ReasonQuota, "Secret/full/s: exceeded quota: small, requested: count/secrets=1, used: count/secrets=0, limited: count/secrets=0; make room in the namespace, or raise the quota"},
		"leaving": {execution.ReasonStuck, "Secret/leaving/s: namespace leaving is being deleted and takes nothing new; wait until the namespace is gone"},
	} {
		secret := request(objects(t, "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: %s}, stringData: {k: v}}", namespace)...)
		var err error
		for range 50 { // until the quota is counted
			err = execution.Apply(within(t, 20*time.Second), b.session, secret).Err()
			if err != nil && strings.Contains(err.Error(), want.text) {
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
		if e := objectError(t, err); e.Reason != want.reason || !strings.Contains(err.Error(), want.text) {
			t.Errorf("got %s: %v; want %s: %s", e.Reason, err, want.reason, want.text)
		}
	}
}

// TestErrorsHoldNoSecret: whatever the server quotes.
func TestErrorsHoldNoSecret(t *testing.T) {
	b := newBench(t)
	const value = "hunter2-hunter2"
	encoded := base64.StdEncoding.EncodeToString([]byte(value))
	b.do(request(objects(t, "{apiVersion: v1, kind: Secret, metadata: {name: fixed, namespace: default}, immutable: true, stringData: {k: %s}}", value)...))
	cases := map[string]string{
		"not base64":      "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, data: {k: %s!}}",
		"number":          "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, data: {k: 48151623}}",
		"list":            "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, data: {k: [%s]}}",
		"text for a map":  "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, data: %s}",
		"wrong key":       `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, stringData: {"a b": %s}}`,
		"docker config":   "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: %s}}",
		"immutable":       "{apiVersion: v1, kind: Secret, metadata: {name: fixed, namespace: default}, immutable: true, stringData: {k: %s-new}}",
		"unknown field":   "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, dataa: {k: %s}}",
		"value as a name": "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, type: {%s: 1}}",
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			req := request(objects(t, "%s", strings.ReplaceAll(cases[name], "%s", value))...)
			result := execution.Apply(within(t, 20*time.Second), b.session, req)
			wantStates(t, result, map[string]execution.State{req.Objects[0].Key.String(): execution.StateFailed})
			e := objectError(t, result.Err())
			for text := error(e); text != nil; text = unwrap(text) {
				for _, secret := range []string{value, encoded, "48151623"} {
					if strings.Contains(text.Error(), secret) {
						t.Errorf("the error holds the secret: %v", text)
					}
				}
			}
			if e.Reason == execution.ReasonOther || e.Text == "" {
				t.Errorf("the error says nothing: %+v", e)
			}
		})
	}

	for containers, field := range map[string]string{
		"[{name: %s, nme: x}]":                                 "spec.containers[...].nme",
		"[{name: a, image: b, env: [{name: %s}, {name: %s}]}]": "spec.containers[...].env",
	} {
		containers = strings.ReplaceAll(containers, "%s", value)
		sensitive := request(objects(t, "{apiVersion: v1, kind: Pod, metadata: {name: c, namespace: default}, spec: {containers: %s}}", containers)...)
		sensitive.Objects[0].Sensitive = true
		err := execution.Apply(within(t, 20*time.Second), b.session, sensitive).Err()
		if e := objectError(t, err); strings.Contains(err.Error(), value) || !slices.Equal(e.Fields, []string{field}) {
			t.Errorf("of a sensitive object: got %v", err)
		}
	}
}

func unwrap(err error) error {
	u, ok := err.(interface{ Unwrap() error })
	if !ok {
		return nil
	}
	return u.Unwrap()
}
