package override

import (
	"fmt"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// BenchmarkFleet overrides 1,000 templates for 20 members with a few rules each. One iteration is one whole plan.
func BenchmarkFleet(b *testing.B) {
	var templates []*unstructured.Unstructured
	for i := range 1000 {
		templates = append(templates, deployment(b, fmt.Sprintf("app-%d", i)))
	}
	var targets []Target
	for i := range 20 {
		targets = append(targets, Target{
			Cluster:   member(fmt.Sprintf("member-%d", i), fmt.Sprintf("region-%d", i%3)),
			Variables: map[string]string{"role": fmt.Sprintf("arn:aws:iam::%012d:role/app", i)},
		})
	}
	set, err := Compile([]*api.OverridePolicy{policyFrom(b, `
		kind: ClusterOverridePolicy
		metadata: {name: mirror}
		spec:
		  overrideRules:
		  - overriders:
		      imageOverrider: [{component: Registry, operator: replace, value: "{{ member.region }}.mirror.example.com"}]
		      labelsOverrider: [{operator: add, value: {member: "{{ member.name }}"}}]`), policyFrom(b, `
		kind: OverridePolicy
		metadata: {name: apps, namespace: default}
		spec:
		  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {tier: web}}}]
		  overrideRules:
		  - targetCluster: {fieldSelector: {matchExpressions: [{key: region, operator: In, values: [region-0, region-1]}]}}
		    overriders:
		      plaintext:
		      - {path: /spec/template/spec/nodeSelector, operator: add, value: {pool: web}}
		      - {path: /spec/template/spec/containers/0/env/-, operator: add, value: {name: ROLE, value: '{{ member.variables["role"] }}'}}
		      argsOverrider: [{containerName: app, operator: add, value: [--region, "{{ member.region }}"]}]`)})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, template := range templates {
			for _, target := range targets {
				if _, _, err := set.Apply(template, target); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
