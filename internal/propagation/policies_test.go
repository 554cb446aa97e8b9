package propagation

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// policy returns a PropagationPolicy of the demoapp Deployment, in YAML flow style, with more fields of its spec.
func policy(more string) string {
	return fmt.Sprintf("{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: web}, spec: {"+
		"resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: demoapp}]%s}}\n", more)
}

// weights returns a placement that divides by static weights of members a and b.
func weights(affinity string) string {
	return ", placement: {" + affinity + "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {" +
		"staticWeightList: [{targetCluster: {clusterNames: [a]}, weight: 3}, {targetCluster: {clusterNames: [b]}, weight: 1}]}}}"
}

func overridePolicy(kind, namespace, name string) string {
	metadata := "name: " + name
	if namespace != "" {
		metadata += ", namespace: " + namespace
	}
	return "{apiVersion: policy.karmada.io/v1alpha1, kind: " + kind + ", metadata: {" + metadata + "}, spec: {overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {tier: web}}]}}]}}\n"
}

// problemsOf returns what Compute says of the demoapp Deployment and other documents, as summary: detail.
func problemsOf(t *testing.T, members []Member, change func(*Input), documents ...string) []string {
	t.Helper()
	in := input(t, members, append([]string{testdata(t, "01-demoapp-deployment.yaml")}, documents...)...)
	if change != nil {
		change(&in)
	}
	_, problems := Compute(in)
	var texts []string
	for _, p := range problems {
		texts = append(texts, fmt.Sprintf("note=%t %s", p.Note, p.Error()))
	}
	return texts
}

func TestComputeChecksPolicies(t *testing.T) {
	members := named("a", "b", "c")
	for i := range members {
		members[i].Cluster.Labels = map[string]string{"env": "production"}
	}
	shared := func(in *Input) { in.Shared = map[string]bool{"PropagationPolicy default/web": true} }
	labels := "clusterAffinity: {labelSelector: {matchLabels: {env: production}}}, "
	unlabelled := regexp.MustCompile(`clusterNames: \[[^]]*\]`).ReplaceAllString(policy(weights("")), "labelSelector: {matchLabels: {env: test}}")
	for name, test := range map[string]struct {
		documents []string
		change    func(*Input)
		want      []string // each a part of one problem
	}{
		"nothing to say": {documents: []string{policy("")}},
		"a name that no template has": {
			documents: []string{strings.Replace(policy(""), "[{", "[{apiVersion: v1, kind: Secret, name: key}, {", 1)},
			want:      []string{"note=true Policy selects nothing here: PropagationPolicy default/web, spec.resourceSelectors[0]: no template is the v1 Secret default/key; there is none of that kind."},
		},
		"a name that no template has, in a shared policy": {
			documents: []string{strings.Replace(policy(""), "[{", "[{apiVersion: v1, kind: Secret, name: key}, {", 1)}, change: shared,
		},
		"a name that no template has, in a cluster-wide policy": {
			documents: []string{strings.NewReplacer("[{", "[{apiVersion: v1, kind: Secret, name: key}, {", "kind: PropagationPolicy", "kind: ClusterPropagationPolicy").Replace(policy(""))},
		},
		"a member without a weight": {
			documents: []string{policy(weights(labels))},
			want:      []string{"note=true Member gets no share: The affinity of PropagationPolicy default/web picks c, and its static weights leave out c"},
		},
		"a member without a weight, in a shared policy":       {documents: []string{policy(weights(labels))}, change: shared},
		"a member without a weight that no affinity picks":    {documents: []string{policy(weights(""))}},
		"a member without a weight that is only not excluded": {documents: []string{policy(weights("clusterAffinity: {exclude: [b]}, "))}},
		"a member without a weight in the group that is used": {
			documents: []string{policy(weights("clusterAffinities: [{affinityName: first, clusterNames: [d]}, {affinityName: second, labelSelector: {}}], "))},
			want:      []string{"note=true Member gets no share", "names d in spec.placement.clusterAffinities[0].clusterNames, and the members"},
		},
		"weights that match no member": {
			documents: []string{unlabelled},
			want:      []string{"note=true Weights match no member: No static weight of PropagationPolicy default/web matches a, b and c, so replicas are divided equally"},
		},
		"weights that match no member, in a shared policy": {documents: []string{unlabelled}, change: shared},
		"weights for every member that fits":               {documents: []string{policy(weights("clusterAffinity: {clusterNames: [a, b]}, "))}},
		"a member that is not there": {
			documents: []string{policy(", placement: {clusterAffinity: {clusterNames: [a, d]}}")},
			want:      []string{"note=true No member of that name: PropagationPolicy default/web names d"},
		},
		"a member that is retired": {
			documents: []string{policy(", placement: {clusterAffinity: {clusterNames: [a, d]}}")},
			change:    func(in *Input) { in.Retired = map[string]bool{"d": true} },
		},
		"overrides that are not there": {
			documents: []string{policy(", dependentOverrides: [one, two, three]"), overridePolicy("OverridePolicy", "", "two"), overridePolicy("ClusterOverridePolicy", "", "three"), overridePolicy("OverridePolicy", "other", "one")},
			want:      []string{"note=false Override policy is missing: PropagationPolicy default/web has dependentOverrides, so its objects go nowhere without them, and there is no OverridePolicy of namespace default by the name one and three."},
		},
		"overrides of a cluster-wide policy": {
			documents: []string{
				strings.Replace(policy(", dependentOverrides: [one, two]"), "kind: PropagationPolicy", "kind: ClusterPropagationPolicy", 1),
				overridePolicy("OverridePolicy", "", "one"), overridePolicy("ClusterOverridePolicy", "", "two"),
			},
			want: []string{"there is no ClusterOverridePolicy by the name one."},
		},
		"a text that nearly refers to the member": {
			documents: []string{policy(""), strings.NewReplacer("labels", "annotations", "tier: web", `tier: "{{member.name}}"`).Replace(overridePolicy("ClusterOverridePolicy", "", "one"))},
			want:      []string{"note=true Override may not do what was meant: ClusterOverridePolicy one, spec.overrideRules[0].overriders.annotationsOverrider[0]: {{member.name}} looks like"},
		},
		"overrides that are there": {documents: []string{policy(", dependentOverrides: [one]"), overridePolicy("OverridePolicy", "default", "one")}},
		"overrides that a policy without objects waits for": {
			documents: []string{policy(""), strings.NewReplacer("name: web", "name: other", ", name: demoapp", "").Replace(policy(", priority: -1, dependentOverrides: [one]"))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := problemsOf(t, members, test.change, test.documents...)
			if len(got) != len(test.want) {
				t.Fatalf("problems %q, want %q", got, test.want)
			}
			for i := range got {
				if !strings.Contains(got[i], test.want[i]) {
					t.Errorf("problem %q, want %q", got[i], test.want[i])
				}
			}
		})
	}
}

func TestComputeSuspends(t *testing.T) {
	for name, test := range map[string]struct {
		policy string
		want   []string
	}{
		"nothing":      {"", nil},
		"some members": {", suspension: {dispatchingOnClusters: {clusterNames: [b, z]}}", []string{"b"}},
		"all members":  {", suspension: {dispatching: true}", []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := compute(t, input(t, named("b", "a"), testdata(t, "01-demoapp-deployment.yaml"), policy(test.policy)))
			if got := out.Placements[demoapp].Suspended; !reflect.DeepEqual(got, test.want) {
				t.Errorf("suspended %v, want %v", got, test.want)
			}
		})
	}
}

func TestMisspeltMembers(t *testing.T) {
	known := map[string]bool{"kube02": true, "kube03": true, "edge-east": true}
	for name, want := range map[string]string{
		"kubo03": "kubo03 (did you mean kube03?)", "kube3": "kube3 (did you mean kube03?)", "edge_east": "edge_east (did you mean edge-east?)",
		"kube04": "kube04", "production": "production", "": "",
	} {
		if got := withNearest([]string{name}, known); got[0] != want {
			t.Errorf("got %q, want %q", got[0], want)
		}
	}
}
