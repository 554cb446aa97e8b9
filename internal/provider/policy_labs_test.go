package provider

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// deploymentNamed selects one Deployment.
func deploymentNamed(name string) hclList {
	return hclList{hclObject{"api_version": "apps/v1", "kind": "Deployment", "name": name}}
}

var everyDeployment = hclList{hclObject{"api_version": "apps/v1", "kind": "Deployment"}}

// membersNamed is an affinity by name.
func membersNamed(names ...any) hclObject { return hclObject{"cluster_names": hclList(names)} }

func weightOf(member string, weight int) hclObject {
	return hclObject{"target_cluster": membersNamed(member), "weight": weight}
}

// toRegistry is an override rule for one member.
func toRegistry(member, registry string) hclList {
	return hclList{hclObject{
		"target_cluster": membersNamed(member),
		"overriders":     hclObject{"image": hclList{hclObject{"component": "Registry", "operator": "replace", "value": registry}}},
	}}
}

func toleration(key string) hclObject {
	return hclObject{"key": key, "operator": "Exists", "effect": "NoExecute", "toleration_seconds": 60}
}

// labPolicies are the policies of the labs, written as attributes.
var labPolicies = []struct {
	file        string
	name        string
	constructor func() resource.Resource
	attributes  hclObject
}{
	{"02-propagationpolicy.yaml", "demoapp", newPropagationPolicyResource, hclObject{
		"name":               "demoapp",
		"namespace":          "default",
		"resource_selectors": deploymentNamed("demoapp"),
		"placement":          hclObject{"cluster_affinity": membersNamed("kube02", "kube03")},
		"propagate_deps":     true,
	}},
	{"03-overridepolicy.yaml", "demoapp", newOverridePolicyResource, hclObject{
		"name":               "demoapp",
		"namespace":          "default",
		"resource_selectors": deploymentNamed("demoapp"),
		"override_rules": hclList{hclObject{
			"target_cluster": membersNamed("kube03"),
			"overriders":     hclObject{"image": hclList{hclObject{"component": "Tag", "operator": "replace", "value": "v1.1"}}},
		}},
	}},
	{"04-propagationpolicy-ha.yaml", "demoapp-ha", newPropagationPolicyResource, hclObject{
		"name":               "demoapp-ha",
		"namespace":          "default",
		"resource_selectors": deploymentNamed("demoapp"),
		"placement": hclObject{
			"replica_scheduling": hclObject{"replica_scheduling_type": "Duplicated"},
			"spread_constraints": hclList{
				hclObject{"spread_by_field": "region", "min_groups": 2, "max_groups": 2},
				hclObject{"spread_by_field": "cluster", "min_groups": 2, "max_groups": 2},
			},
		},
		"propagate_deps": true,
	}},
	{"06-propagationpolicy-failover.yaml", "demoapp-failover", newPropagationPolicyResource, hclObject{
		"name":      "demoapp-failover",
		"namespace": "default",
		"failover": hclObject{"application": hclObject{
			"decision_conditions": hclObject{"toleration_seconds": 60}, "grace_period_seconds": 120, "purge_mode": "Graciously",
		}},
		"resource_selectors": deploymentNamed("demoapp"),
		"placement": hclObject{
			"cluster_tolerations": hclList{toleration("cluster.karmada.io/not-ready"), toleration("cluster.karmada.io/unreachable")},
			"replica_scheduling": hclObject{
				"replica_scheduling_type": "Divided", "replica_division_preference": "Weighted",
				"weight_preference": hclObject{"static_weight_list": hclList{weightOf("kube02", 3), weightOf("kube03", 1)}},
			},
		},
		"propagate_deps": true,
	}},
	{"order-service.yaml", "order-service", newPropagationPolicyResource, hclObject{
		"name":               "order-service",
		"resource_selectors": deploymentNamed("order-service"),
		"placement": hclObject{
			"cluster_affinity": membersNamed("cluster-prod-east", "cluster-prod-west"),
			"replica_scheduling": hclObject{
				"replica_scheduling_type": "Divided", "replica_division_preference": "Weighted",
				"weight_preference": hclObject{"static_weight_list": hclList{weightOf("cluster-prod-east", 7), weightOf("cluster-prod-west", 3)}},
			},
		},
	}},
	{"order-service.yaml", "default-policy", newPropagationPolicyResource, hclObject{
		"name":               "default-policy",
		"cluster_scoped":     true,
		"resource_selectors": everyDeployment,
		"placement": hclObject{"cluster_affinity": hclObject{"label_selector": hclObject{
			"match_labels":      hclObject{"env": "production"},
			"match_expressions": hclList{hclObject{"key": "region", "operator": "In", "values": hclList{"cn-east", "cn-west"}}},
		}}},
	}},
	{"order-service.yaml", "west-registry", newOverridePolicyResource, hclObject{
		"name":               "west-registry",
		"cluster_scoped":     true,
		"resource_selectors": everyDeployment,
		"override_rules":     toRegistry("cluster-prod-west", "registry-west.example.com"),
	}},
}

// The attributes and the YAML of each lab's policies are the same policy, and both are accepted.
func TestLabPoliciesBothWays(t *testing.T) {
	seen := map[string]int{}
	for _, tt := range labPolicies {
		seen[tt.file]++
		t.Run(tt.file+" "+tt.name, func(t *testing.T) {
			p := newPolicyUnderTest(t, tt.constructor)
			document := labDocument(t, tt.file, tt.name)
			want, got := readPolicies(t, yamlOf(t, document)), readPolicies(t, p.text(tt.attributes))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("from attributes\n%s\nfrom YAML\n%s", marshal(t, got), marshal(t, want))
			}
			text := yamlOf(t, document)
			if given := p.text(hclObject{"manifest": text}); given != text {
				t.Errorf("a manifest that is given is planned as\n%s", given)
			}
		})
	}
	files, err := filepath.Glob("testdata/labs/*policy*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no labs", err)
	}
	for _, file := range files {
		if seen[filepath.Base(file)] == 0 {
			t.Errorf("%s has no policy here", file)
		}
	}
}

// labDocument returns one policy of a lab.
func labDocument(t *testing.T, file, name string) hclObject {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "labs", file))
	if err != nil {
		t.Fatal(err)
	}
	documents, err := manifest.Decode(manifest.Source{Argument: "policies"}, string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range documents {
		if document.GetName() == name && document.GetAPIVersion() == api.PolicyAPIVersion && document.GetKind() != "Deployment" {
			return document.Object
		}
	}
	t.Fatalf("%s has no policy %s", file, name)
	return nil
}

// readPolicies returns the policies of a text as a propagation gets them, with their defaults.
func readPolicies(t *testing.T, text string) api.Policies {
	t.Helper()
	documents, err := manifest.Decode(manifest.Source{Argument: "policies"}, text)
	if err != nil {
		t.Fatal(err)
	}
	var policies api.Policies
	for _, document := range documents {
		if err := policies.Add(document.Object, ""); err != nil {
			t.Fatal(err)
		}
	}
	return policies
}
