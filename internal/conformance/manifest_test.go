package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/override"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

// share is what a member gets of the replicas.
type share struct {
	Name     string `json:"name"`
	Replicas int64  `json:"replicas"`
}

// manifestInput is the input of family manifest.
type manifestInput struct {
	Template   *unstructured.Unstructured `json:"template"`
	Policy     *api.PropagationPolicy     `json:"policy"`
	Result     []share                    `json:"result"`
	RequiredBy []struct {
		Clusters []share `json:"clusters"`
	} `json:"requiredBy"`
	Clusters                []*api.Cluster        `json:"clusters"`
	OverridePolicies        []*api.OverridePolicy `json:"overridePolicies"`
	ClusterOverridePolicies []*api.OverridePolicy `json:"clusterOverridePolicies"`
}

// shipped is one member's object and how it is treated there.
type shipped struct {
	Manifest                    map[string]any `json:"manifest"`
	ConflictResolution          string         `json:"conflictResolution"`
	SuspendDispatching          bool           `json:"suspendDispatching,omitempty"`
	PreserveResourcesOnDeletion bool           `json:"preserveResourcesOnDeletion,omitempty"`
}

func runManifest(in json.RawMessage) (any, error) { return runManifestWith(in, undone{}) }

// runManifestWith answers family manifest: the object of each member after replicas, completions, overrides and pruning.
func runManifestWith(in json.RawMessage, u undone) (any, error) {
	var input manifestInput
	if err := json.Unmarshal(in, &input); err != nil {
		return nil, err
	}
	m, err := newManifests(input)
	if err != nil {
		return nil, err
	}
	m.undone = u
	clusters, failed := map[string]shipped{}, false
	for member := range m.replicas {
		object, err := m.object(member)
		var broken *override.Error
		if errors.As(err, &broken) {
			failed = true
			continue
		}
		if err != nil {
			return nil, err
		}
		clusters[member] = input.ship(object, member)
	}
	return map[string]any{"failed": failed, "clusters": clusters}, nil
}

// manifests makes the objects of one template for its members.
type manifests struct {
	template    *unstructured.Unstructured
	kinds       *interpreter.Interpreter
	overrides   *override.Set
	members     map[string]*api.Cluster
	workload    bool
	replicas    map[string]int64
	completions map[string]int64 // nil unless they are divided
	undone      undone
}

func newManifests(input manifestInput) (*manifests, error) {
	m := &manifests{template: input.Template, members: map[string]*api.Cluster{}, replicas: input.targets()}
	for _, c := range input.Clusters {
		m.members[c.Name] = c
	}
	var err error
	if m.kinds, err = interpreter.New(); err != nil {
		return nil, err
	}
	if m.overrides, err = override.Compile(slices.Concat(input.ClusterOverridePolicies, input.OverridePolicies)); err != nil {
		return nil, err
	}
	replicas, err := m.kinds.Replicas(m.template)
	if err != nil {
		return nil, err
	}
	m.workload = replicas.Workload()
	completions, ok := interpreter.Completions(m.template)
	strategy := input.Policy.Spec.Placement.ReplicaScheduling
	if ok && replicas.Count > 0 && strategy != nil && strategy.ReplicaSchedulingType == api.Divided {
		m.completions = scheduler.DivideCompletions(completions, m.replicas, string(m.template.GetUID()))
	}
	return m, nil
}

// targets returns the replicas of each member of the result, and of those that objects requiring this one have.
func (i *manifestInput) targets() map[string]int64 {
	replicas := map[string]int64{}
	add := func(shares []share) {
		for _, s := range shares {
			if _, ok := replicas[s.Name]; !ok {
				replicas[s.Name] = s.Replicas
			}
		}
	}
	add(i.Result)
	for _, other := range i.RequiredBy {
		add(other.Clusters)
	}
	return replicas
}

// object returns the object of one member.
func (m *manifests) object(member string) (*unstructured.Unstructured, error) {
	object := m.template
	if m.workload {
		if revised, ok := m.kinds.Revise(object, m.replicas[member]); ok {
			object = revised
		}
	}
	if m.completions != nil {
		object = interpreter.ReviseCompletions(object, m.completions[member])
	}
	cluster, ok := m.members[member]
	if !ok {
		return nil, fmt.Errorf("member %s is not among the clusters", member)
	}
	object, _, err := m.overrides.Apply(object, override.Target{Cluster: cluster})
	if err != nil {
		return nil, err
	}
	if m.undone.has(allImages) {
		if object, err = m.withInitImages(object); err != nil {
			return nil, err
		}
	}
	return manifest.Prune(object), nil
}

// withInitImages returns obj with the images that the init containers of the template have.
func (m *manifests) withInitImages(obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	path, ok := interpreter.PodSpecPath(obj.GroupVersionKind())
	if !ok {
		return obj, nil
	}
	path = append(path, "initContainers")
	written, _, err := unstructured.NestedSlice(m.template.Object, path...)
	if err != nil {
		return nil, err
	}
	obj = obj.DeepCopy()
	containers, _, err := unstructured.NestedFieldNoCopy(obj.Object, path...)
	for i, container := range list(containers) {
		if i < len(written) {
			object(container)["image"] = object(written[i])["image"]
		}
	}
	return obj, err
}

// TestExplainInitImages: vectors of manifests have no tags, so an image that only here is overridden has to be found out.
func TestExplainInitImages(t *testing.T) {
	const vectorOut = `{"failed": false, "clusters": {"kube02": {"conflictResolution": "abort", "manifest": {"apiVersion": "v1", "kind": "Pod",
		"metadata": {"name": "web"}, "spec": {"initContainers": [{"name": "init", "image": "busybox"}], "containers": [{"name": "app", "image": "%s"}]}}}}}`
	in := json.RawMessage(`{"template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
			"spec": {"initContainers": [{"name": "init", "image": "busybox"}], "containers": [{"name": "app", "image": "nginx"}]}},
		"policy": {"spec": {}}, "result": [{"name": "kube02"}], "clusters": [{"metadata": {"name": "kube02"}}],
		"clusterOverridePolicies": [{"kind": "ClusterOverridePolicy", "metadata": {"name": "mirror"}, "spec": {"overrideRules": [{"overriders":
			{"imageOverrider": [{"component": "Registry", "operator": "add", "value": "mirror:5000"}]}}]}}]}`)
	for image, want := range map[string]string{"mirror:5000/nginx": allImages, "nginx": ""} {
		v := &vector{Name: "manifest/Pod", In: in, Out: json.RawMessage(fmt.Sprintf(vectorOut, image)), Compare: "exact"}
		if _, _, same, err := answer("manifest", runManifest, v); same || err != nil {
			t.Fatalf("no difference to be explained: %v", err)
		}
		if got := explain("manifest", v); got != want {
			t.Errorf("with %s it differs for %q, want %q", image, got, want)
		}
	}
}

// ship adds how the object is treated on the member. Karmada's own labels and annotations are not compared.
func (i *manifestInput) ship(object *unstructured.Unstructured, member string) shipped {
	spec := &i.Policy.Spec
	s := shipped{ConflictResolution: "abort", PreserveResourcesOnDeletion: spec.PreserveResourcesOnDeletion != nil && *spec.PreserveResourcesOnDeletion}
	switch own := object.GetAnnotations()["work.karmada.io/conflict-resolution"]; {
	case own == "overwrite" || own == "abort":
		s.ConflictResolution = own
	case spec.ConflictResolution == api.ConflictOverwrite:
		s.ConflictResolution = "overwrite"
	}
	if suspension := spec.Suspension; suspension != nil {
		s.SuspendDispatching = suspension.Dispatching != nil && *suspension.Dispatching ||
			suspension.DispatchingOnClusters != nil && slices.Contains(suspension.DispatchingOnClusters.ClusterNames, member)
	}
	object = object.DeepCopy()
	object.SetLabels(withoutKarmada(object.GetLabels()))
	object.SetAnnotations(withoutKarmada(object.GetAnnotations()))
	s.Manifest = object.Object
	return s
}

func withoutKarmada(values map[string]string) map[string]string {
	maps.DeleteFunc(values, func(key, _ string) bool { return strings.Contains(key, "karmada.io/") })
	if len(values) == 0 {
		return nil
	}
	return values
}
