package propagation

import (
	"fmt"
	"strings"
	"testing"
)

const allServices = `apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec:
  resourceSelectors: [{apiVersion: v1, kind: Service}]
  placement: {}
`

func TestLostFieldsAreToldOnce(t *testing.T) {
	documents := []string{allServices}
	for i := range 7 {
		documents = append(documents, fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata: {name: s%d, finalizers: [a/b]}\nspec: {clusterIP: 10.0.0.%d, ports: [{port: 80}]}\n", i, i))
	}
	documents = append(documents, "apiVersion: v1\nkind: Service\nmetadata: {name: exported, uid: u}\nspec: {clusterIP: 10.0.1.0, ports: [{port: 80}]}\n")
	_, problems := Compute(input(t, named("a", "b"), documents...))
	var details []string
	for _, p := range problems {
		if p.Summary == "Fields are not sent" && p.Note {
			details = append(details, p.Detail)
		}
	}
	if len(details) != 1 {
		t.Fatalf("got %d notes, want one: %v", len(details), problems)
	}
	for _, want := range []string{"Service/default/s0: metadata.finalizers, spec.clusterIP\n", "and 2 more"} {
		if !strings.Contains(details[0], want) {
			t.Errorf("the note lacks %q:\n%s", want, details[0])
		}
	}
	if strings.Contains(details[0], "exported") {
		t.Errorf("what a cluster exported is taken as it comes:\n%s", details[0])
	}
}

func TestOverrideOfALostField(t *testing.T) {
	const owner = `apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: owner}
spec:
  resourceSelectors: [{apiVersion: v1, kind: Service}]
  overrideRules:
    - targetCluster: {clusterNames: [b]}
      overriders:
        plaintext: [{path: /spec/clusterIP, operator: add, value: 10.0.0.9}]
`
	_, problems := Compute(input(t, named("a", "b"), allServices, owner, "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n"))
	if len(problems) != 1 || !strings.Contains(problems[0].Detail, "Service/default/web: spec.clusterIP") {
		t.Errorf("got %v, want the address of the override", problems)
	}
}
