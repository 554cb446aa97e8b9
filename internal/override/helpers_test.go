package override

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// unindent removes the tabs with which YAML is indented inside Go code.
func unindent(text string) string { return strings.ReplaceAll(text, "\t", "") }

// object reads a template from YAML.
func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(unindent(text)))
	if err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return obj
}

// policyFrom reads an override policy from YAML.
func policyFrom(t testing.TB, text string) *api.OverridePolicy {
	t.Helper()
	p := &api.OverridePolicy{}
	if err := yaml.UnmarshalStrict([]byte(unindent(text)), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// member returns a cluster of the given name and region.
func member(name, region string) *api.Cluster {
	return &api.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"env": "production"}},
		Spec:       api.ClusterSpec{Region: region},
	}
}

// deployment returns a Deployment of ordinary size.
func deployment(t testing.TB, name string) *unstructured.Unstructured {
	t.Helper()
	return object(t, `
		apiVersion: apps/v1
		kind: Deployment
		metadata:
		  name: `+name+`
		  namespace: default
		  labels: {app: `+name+`, tier: web}
		spec:
		  replicas: 3
		  selector: {matchLabels: {app: `+name+`}}
		  template:
		    metadata: {labels: {app: `+name+`, tier: web}}
		    spec:
		      serviceAccountName: app
		      initContainers:
		      - {name: migrate, image: "quay.io/team/migrate:v1.4.2", command: [/bin/migrate]}
		      containers:
		      - name: app
		        image: quay.io/team/app:v1.4.2
		        args: [serve, --port=8080]
		        env: [{name: MODE, value: production}]
		        ports: [{name: http, containerPort: 8080}]
		        resources: {requests: {cpu: 250m, memory: 256Mi}, limits: {memory: 512Mi}}
		        readinessProbe: {httpGet: {path: /ready, port: http}, periodSeconds: 5}
		        volumeMounts: [{name: config, mountPath: /etc/app}]
		      - {name: proxy, image: "quay.io/team/proxy:v2", ports: [{containerPort: 9090}]}
		      volumes: [{name: config, configMap: {name: app}}]`)
}

// compileAndApply applies the policies to obj.
func compileAndApply(obj *unstructured.Unstructured, target Target, policies []*api.OverridePolicy) (*unstructured.Unstructured, []Applied, error) {
	set, err := Compile(policies)
	if err != nil {
		return nil, nil, err
	}
	return set.Apply(obj, target)
}

// mustApply applies the policies and fails the test on an error.
func mustApply(t *testing.T, obj *unstructured.Unstructured, target Target, policies ...*api.OverridePolicy) *unstructured.Unstructured {
	t.Helper()
	got, _, err := compileAndApply(obj, target, policies)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// overridden applies one rule, given as YAML flow, to obj for the member kube03.
func overridden(t *testing.T, obj *unstructured.Unstructured, overriders string) (*unstructured.Unstructured, []string, error) {
	t.Helper()
	return overriddenFor(t, obj, Target{Cluster: member("kube03", "shanghai")}, overriders)
}

// overriddenFor applies one rule, given as YAML flow, to obj. It returns the object and the notes.
func overriddenFor(t *testing.T, obj *unstructured.Unstructured, target Target, overriders string) (*unstructured.Unstructured, []string, error) {
	t.Helper()
	before := obj.DeepCopy()
	got, applied, err := compileAndApply(obj, target, []*api.OverridePolicy{policyFrom(t, `
		kind: ClusterOverridePolicy
		metadata: {name: p}
		spec:
		  overrideRules:
		  - overriders: `+overriders)})
	if !reflect.DeepEqual(obj, before) {
		t.Errorf("the template changed to %v", obj.Object)
	}
	var notes []string
	for _, a := range applied {
		notes = append(notes, a.Notes...)
	}
	return got, notes, err
}

// wantError checks that err is an *Error at path whose text holds all of the parts.
func wantError(t *testing.T, err error, path string, parts ...string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want an *Error", err, err)
	}
	if e.Path != path {
		t.Errorf("error at %q, want %q: %v", e.Path, path, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not hold %q", err, part)
		}
	}
}
