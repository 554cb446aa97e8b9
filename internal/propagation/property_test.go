package propagation

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// dice makes random configurations that are valid, if not always placeable.
type dice struct{ *rand.Rand }

func (d dice) one(of ...string) string { return of[d.IntN(len(of))] }

// some returns an item with a chance of one in n, else nothing.
func (d dice) some(n int, item string) string {
	if d.IntN(n) == 0 {
		return item
	}
	return ""
}

// members returns up to seven members in few regions, some tainted, some unobserved, some that serve no ConfigMaps.
func (d dice) members() []Member {
	members := make([]Member, 1+d.IntN(7))
	for i := range members {
		m := &members[i]
		m.Cluster.Name = fmt.Sprintf("m%d", i)
		m.Cluster.Labels = map[string]string{"env": d.one("production", "staging"), "half": fmt.Sprint(i % 2)}
		m.Cluster.Spec.Region = d.one("", "east", "west", "south")
		m.Cluster.Spec.Zones = []string{d.one("a", "b", "c")}
		m.Cluster.Spec.Taints = EffectiveTaints(nil, d.IntN(8) == 0, Unhealthy{})
		roomy(members[i:i+1], int64(d.IntN(40)-2))
		if d.IntN(3) == 0 {
			m.Cluster.Status.APIEnablements = []api.APIEnablement{
				{GroupVersion: "apps/v1", Resources: []api.APIResource{{Name: "deployments", Kind: "Deployment"}}},
				{GroupVersion: "v1", Resources: []api.APIResource{{Name: "serviceaccounts", Kind: "ServiceAccount"}, {Name: d.one("configmaps", "services"), Kind: d.one("ConfigMap", "Service")}}},
				{GroupVersion: "batch/v1", Resources: []api.APIResource{{Name: "jobs", Kind: "Job"}}},
			}
		}
	}
	return members
}

// template returns a template by the name t<n>.
func (d dice) template(n int) string {
	labels := fmt.Sprintf("labels: {tier: %s}", d.one("web", "api"))
	pod := fmt.Sprintf("{metadata: {labels: {app: t}}, spec: {%scontainers: [{name: app, image: 'app:v1', envFrom: [{configMapRef: {name: t%d}}]%s}]}}",
		d.some(3, "restartPolicy: Never, "), d.IntN(6), d.some(2, ", resources: {requests: {cpu: 100m}}"))
	switch d.IntN(5) {
	case 0:
		return fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: t%d, %s}, spec: {replicas: %d, selector: {matchLabels: {app: t}}, template: %s}}", n, labels, d.IntN(12), pod)
	case 1:
		return fmt.Sprintf("{apiVersion: batch/v1, kind: Job, metadata: {name: t%d, %s}, spec: {parallelism: %d, completions: %d, template: %s}}", n, labels, 1+d.IntN(5), 1+d.IntN(9), pod)
	case 2:
		return fmt.Sprintf("{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: t%d, %s}, spec: {maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: t%d}}}", n, labels, d.IntN(6))
	case 3:
		return fmt.Sprintf("{apiVersion: v1, kind: Service, metadata: {name: t%d, %s}, spec: {ports: [{port: 80}]}}", n, labels)
	default:
		return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: t%d, %s}, data: {n: '%d'}}", n, labels, d.IntN(3))
	}
}

// propagation returns a policy by the name p<n>.
func (d dice) propagation(n int) string {
	kind := d.one("PropagationPolicy", "ClusterPropagationPolicy")
	var selectors []string
	for _, gvk := range []string{"apiVersion: apps/v1, kind: Deployment", "apiVersion: batch/v1, kind: Job", "apiVersion: v1, kind: Service", "apiVersion: v1, kind: ConfigMap", "apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler"} {
		if d.IntN(3) > 0 {
			selectors = append(selectors, "{"+gvk+d.one("", "", fmt.Sprintf(", name: t%d", d.IntN(6)), ", labelSelector: {matchLabels: {tier: web}}")+"}")
		}
	}
	if len(selectors) == 0 {
		selectors = []string{"{apiVersion: v1, kind: ConfigMap}"}
	}
	return fmt.Sprintf("{apiVersion: policy.karmada.io/v1alpha1, kind: %s, metadata: {name: p%d}, spec: {resourceSelectors: [%s], priority: %d, propagateDeps: %t, placement: {%s}%s}}",
		kind, n, strings.Join(selectors, ", "), d.IntN(3), d.IntN(2) == 0, strings.Join(d.placement(), ", "), d.some(6, ", suspension: {dispatchingOnClusters: {clusterNames: [m1]}}"))
}

func (d dice) placement() []string {
	var parts []string
	dynamic := false
	switch d.IntN(5) {
	case 0:
		parts = append(parts, "replicaScheduling: {replicaSchedulingType: Duplicated}")
	case 1:
		parts = append(parts, "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {staticWeightList: ["+
			"{targetCluster: {labelSelector: {matchLabels: {half: '0'}}}, weight: 3}"+d.some(2, ", {targetCluster: {}, weight: 1}")+"]}}")
	case 2:
		dynamic = true
		parts = append(parts, "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {dynamicWeight: AvailableReplicas}}")
	case 3:
		dynamic = true
		parts = append(parts, "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}")
	}
	overflow := ""
	if dynamic {
		overflow = d.some(2, ", overflowAffinities: [{affinityName: more, exclude: [m0]}]")
	}
	parts = append(parts, d.one("clusterAffinity: {labelSelector: {matchLabels: {env: production}}}", "clusterAffinity: {exclude: [m2]}",
		"clusterAffinity: {fieldSelector: {matchExpressions: [{key: region, operator: In, values: [east, west]}]}}",
		"clusterAffinities: [{affinityName: one, clusterNames: [m0, m1]"+overflow+"}, {affinityName: two, exclude: [m1]}, {affinityName: three}]",
		"clusterTolerations: [{operator: Exists}]"))
	if d.IntN(3) == 0 {
		parts = append(parts, fmt.Sprintf("spreadConstraints: [{spreadByField: cluster, minGroups: %d, maxGroups: %d}%s]", 1+d.IntN(2), 2+d.IntN(2),
			d.one("", ", {spreadByField: region, minGroups: 1, maxGroups: 2}", ", {spreadByField: zone, minGroups: 2}")))
	}
	return parts
}

func (d dice) override(n int) string {
	return fmt.Sprintf("{apiVersion: policy.karmada.io/v1alpha1, kind: %s, metadata: {name: o%d}, spec: {overrideRules: [{targetCluster: {labelSelector: {matchLabels: {half: '1'}}}, "+
		"overriders: {labelsOverrider: [{operator: %s, value: {o: '%d'}}], annotationsOverrider: [{operator: add, value: {on: '{{ member.name }}'}}]}}]}}",
		d.one("OverridePolicy", "ClusterOverridePolicy"), n, d.one("add", "replace"), n)
}

// documents returns templates and policies.
func (d dice) documents() (templates, policies []string) {
	for n := range 2 + d.IntN(5) {
		templates = append(templates, d.template(n))
	}
	for n := range 1 + d.IntN(4) {
		policies = append(policies, d.propagation(n))
	}
	for n := range d.IntN(3) {
		policies = append(policies, d.override(n))
	}
	return templates, policies
}

// worlds calls check with random inputs, each the same on every run; it is told from which.
func worlds(t *testing.T, n int, check func(t *testing.T, d dice, in func(members []Member, documents ...string) Input)) {
	t.Helper()
	kinds, err := interpreter.New()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(n) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			check(t, dice{rand.New(rand.NewPCG(seed, 1))}, func(members []Member, documents ...string) Input {
				in := input(t, members, documents...)
				in.Interpreter, in.IgnoreUnmatched = kinds, true
				in.IgnoreFields = patterns(t, "metadata.annotations.on", "data.n")
				return in
			})
		})
	}
}

// shuffled returns items in another order.
func shuffled[T any](d dice, items []T) []T {
	out := slices.Clone(items)
	d.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// details returns problems as sorted texts.
func details(problems []*Problem) []string {
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.Error()
	}
	slices.Sort(texts)
	return texts
}

// TestOrderNeverMatters: the order of templates, policies and members changes neither the outcome nor what is said about it.
func TestOrderNeverMatters(t *testing.T) {
	worlds(t, 300, func(t *testing.T, d dice, in func([]Member, ...string) Input) {
		templates, policies := d.documents()
		one := in(d.members(), append(templates, policies...)...)
		other := one
		other.Templates, other.Members = shuffled(d, one.Templates), shuffled(d, one.Members)
		other.Policies = &api.Policies{Namespace: "default", Propagation: shuffled(d, one.Policies.Propagation), Override: shuffled(d, one.Policies.Override)}
		out, problems := Compute(one)
		again, problemsAgain := Compute(other)
		if got, want := details(problemsAgain), details(problems); !slices.Equal(got, want) {
			t.Fatalf("problems %q, want %q", got, want)
		}
		sameOutput(t, out, again)
	})
}

// TestUnrelatedTemplatesMoveNothing: a template and a policy of their own leave everything else as it is.
func TestUnrelatedTemplatesMoveNothing(t *testing.T) {
	worlds(t, 300, func(t *testing.T, d dice, in func([]Member, ...string) Input) {
		templates, policies := d.documents()
		members := d.members()
		out, _ := Compute(in(members, append(templates, policies...)...))
		more := []string{
			"{apiVersion: v1, kind: ServiceAccount, metadata: {name: stranger}}",
			"{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: a-stranger}, spec: {priority: 9, resourceSelectors: [{apiVersion: v1, kind: ServiceAccount}], placement: {clusterTolerations: [{operator: Exists}]}}}",
		}
		with, _ := Compute(in(members, slices.Concat(templates, policies, more)...))
		if out == nil || with == nil {
			if out != nil {
				t.Fatal("the stranger makes the rest fail")
			}
			return
		}
		delete(with.Placements, "ServiceAccount/default/stranger")
		for member := range with.Works {
			delete(with.Works[member], "ServiceAccount/default/stranger")
		}
		sameOutput(t, out, with)
	})
}

// TestPlanIsStableWhenNothingChanges: what was planned and applied is planned again, and nothing is sent.
func TestPlanIsStableWhenNothingChanges(t *testing.T) {
	worlds(t, 300, func(t *testing.T, d dice, in func([]Member, ...string) Input) {
		templates, policies := d.documents()
		members := d.members()
		request := in(members, append(templates, policies...)...)
		out, _ := Compute(request)
		if out == nil {
			return
		}
		first, problems := Plan(out, members, nil, request.Prior, Settings{MaxMembersRemoved: 1})
		if err := firstError(problems); err != nil {
			t.Fatal(err)
		}
		request.Prior = Prior{Works: reload(t, first.Works), Placements: first.Placements, Record: request.Prior.Record}
		again, problems := Compute(request)
		if again == nil {
			t.Fatal(problems[0])
		}
		second, problems := Plan(again, members, nil, request.Prior, Settings{MaxMembersRemoved: 1})
		if err := firstError(problems); err != nil {
			t.Fatal(err)
		}
		samePlacements(t, second.Placements, first.Placements)
		for i := range members {
			if change := Changes(request.Prior, second, members[i].Name(), false, false); !change.Empty() {
				t.Errorf("%s is sent %v, and %v is removed", members[i].Name(), keysOf(change), change.Remove)
			}
		}
	})
}

// firstError returns the first problem that stops a plan, or nil.
func firstError(problems []*Problem) *Problem {
	for _, p := range problems {
		if !p.Note {
			return p
		}
	}
	return nil
}

// samePlacements fails the test unless two outcomes place everything alike.
func samePlacements(t *testing.T, one, other map[string]Placement) {
	t.Helper()
	for key, placement := range one {
		if !reflect.DeepEqual(placement, other[key]) {
			t.Errorf("%s is placed\n%+v\n%+v", key, placement, other[key])
		}
	}
	if len(one) != len(other) {
		t.Errorf("%d and %d templates are placed", len(one), len(other))
	}
}

// sameOutput fails the test unless two outputs place and send the same.
func sameOutput(t *testing.T, one, other *Output) {
	t.Helper()
	if (one == nil) != (other == nil) {
		t.Fatalf("one fails and the other does not: %v, %v", one, other)
	}
	if one == nil {
		return
	}
	samePlacements(t, one.Placements, other.Placements)
	for member, works := range one.Works {
		for key, work := range works {
			if !reflect.DeepEqual(other.Works[member][key], work) {
				t.Errorf("%s on %s: %+v and %+v", key, member, work, other.Works[member][key])
			}
		}
		if len(works) != len(other.Works[member]) {
			t.Errorf("%s holds %d and %d objects", member, len(works), len(other.Works[member]))
		}
	}
}

// FuzzCompute: whatever the texts of templates and policies are, what can be decoded can be computed and planned without
// a panic, and a second plan over the first is the same.
func FuzzCompute(f *testing.F) {
	d := dice{rand.New(rand.NewPCG(1, 1))}
	for range 20 {
		templates, policies := d.documents()
		f.Add(strings.Join(templates, "\n---\n"), strings.Join(policies, "\n---\n"), uint64(d.IntN(100)))
	}
	kinds, err := interpreter.New()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, templates, policies string, seed uint64) {
		objects, err := manifest.Decode(manifest.Source{Argument: "templates"}, templates)
		if err != nil {
			return
		}
		documents, err := manifest.Decode(manifest.Source{Argument: "policies"}, policies)
		if err != nil {
			return
		}
		moreTemplates, documents := manifest.Split(documents)
		objects, _ = manifest.Split(append(objects, moreTemplates...))
		objects, err = manifest.Unique(manifest.SetNamespace(objects, "default", nil))
		if err != nil {
			return
		}
		in := Input{
			Templates: objects, Policies: &api.Policies{Namespace: "default"}, Interpreter: kinds, IgnoreUnmatched: true,
			Members: dice{rand.New(rand.NewPCG(seed, 1))}.members(), Prior: Prior{Record: &Record{Members: map[string]*MemberRecord{}}},
			IgnoreFields: patterns(t, "metadata.labels", "spec.*.rules[0]", "/spec/template/spec/containers/0/image"),
		}
		for _, document := range documents {
			_ = in.Policies.Add(document.Object, document.Source.String()) // what is refused is left out
		}
		out, _ := Compute(in)
		if out == nil {
			return
		}
		planned, _ := Plan(out, in.Members, nil, in.Prior, Settings{MaxMembersRemoved: 1})
		in.Prior.Works, in.Prior.Placements = planned.Works, planned.Placements
		if again, problems := Compute(in); again == nil {
			t.Fatalf("what was planned once cannot be planned again: %v", details(problems))
		}
	})
}
