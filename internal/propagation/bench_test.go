package propagation

import (
	"fmt"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// application returns n templates (Deployments, Services and ConfigMaps in equal parts) and policies for them: half of
// the Deployments divided by weight, the rest duplicated, and three overrides, one of them for single objects.
func application(n int) (templates, policies string) {
	for i := range n {
		switch name := fmt.Sprintf("app-%04d", i); i % 3 {
		case 0:
			templates += fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, labels: {app: %[1]s, half: "%[2]d"}}
spec:
  replicas: 10
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      containers:
        - name: app
          image: registry.example.com/app:v1.0
          env: [{name: A, value: "1"}, {name: B, value: "2"}]
          ports: [{containerPort: 8080}]
          resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 256Mi}}
---
`, name, i/3%2)
		case 1:
			templates += fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata: {name: %[1]s}\nspec: {selector: {app: %[1]s}, ports: [{port: 80, targetPort: 8080}]}\n---\n", name)
		default:
			templates += fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {a: \"1\", b: \"2\"}\n---\n", name)
		}
	}
	policies = `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: divided}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {half: "0"}}}]
  placement:
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
          - {targetCluster: {labelSelector: {matchLabels: {tier: gold}}}, weight: 3}
          - {targetCluster: {}, weight: 1}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: duplicated}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: Service}, {apiVersion: v1, kind: ConfigMap}]
  placement: {clusterAffinity: {labelSelector: {matchLabels: {env: production}}}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: registry}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  overrideRules:
    - targetCluster: {labelSelector: {matchLabels: {tier: gold}}}
      overriders: {imageOverrider: [{component: Registry, operator: replace, value: mirror.example.com}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: labels}
spec:
  overrideRules:
    - overriders: {labelsOverrider: [{operator: add, value: {cluster: "{{ member.name }}"}}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: one}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: app-0000}]
  overrideRules:
    - targetCluster: {clusterNames: [member-00]}
      overriders: {plaintext: [{path: /spec/template/spec/nodeSelector, operator: add, value: {zone: a}}]}
`
	return templates, policies
}

func benchmarkMembers(n int) []Member {
	members := make([]Member, n)
	for i := range members {
		members[i].Cluster.Name = fmt.Sprintf("member-%02d", i)
		members[i].Cluster.Labels = map[string]string{"env": "production", "tier": []string{"gold", "silver"}[i%2]}
	}
	return members
}

// BenchmarkCompute goes the whole pure way: YAML text, policies, placement, overrides, and the JSON that the state holds.
func BenchmarkCompute(b *testing.B) {
	kinds, err := interpreter.New()
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []struct{ templates, members int }{{250, 20}, {500, 20}, {1000, 20}, {1000, 10}, {1000, 5}} {
		templates, policies := application(size.templates)
		members := benchmarkMembers(size.members)
		b.Run(fmt.Sprintf("templates=%d/members=%d", size.templates, size.members), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				in := Input{
					Members: members, Interpreter: kinds, Policies: &api.Policies{Namespace: "default"},
					Prior: Prior{Record: &Record{Members: map[string]*MemberRecord{}}},
				}
				objects, err := manifest.Decode(manifest.Source{Argument: "templates"}, templates)
				if err != nil {
					b.Fatal(err)
				}
				in.Templates = manifest.SetNamespace(objects, "default", nil)
				documents, err := manifest.Decode(manifest.Source{Argument: "policies"}, policies)
				if err != nil {
					b.Fatal(err)
				}
				for _, document := range documents {
					if err := in.Policies.Add(document.Object, document.Source.String()); err != nil {
						b.Fatal(err)
					}
				}
				out, problems := Compute(in)
				if out == nil {
					b.Fatal(problems[0])
				}
				planned, problems := Plan(out, members, nil, in.Prior, Settings{MaxMembersRemoved: 1})
				if len(problems) > 0 {
					b.Fatal(problems[0])
				}
				if _, err := EncodeWorks(planned.Works); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
