package member

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// ConditionCompleteAPIEnablements says whether all API groups of a member could be discovered.
const ConditionCompleteAPIEnablements = "CompleteAPIEnablements"

var (
	nodes = Resource{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, Kind: "Node"}
	pods  = Resource{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: "Pod", Namespaced: true}
)

// Observe returns what Karmada 1.19 keeps in the status of a Cluster: version, served kinds, nodes, and resources summed
// over nodes and Pods, with nodes counted by the grades of models (none without models). What could not be seen is left
// out and named in the error; the status is true as far as it goes. A nil ResourceSummary is a capacity that is not known.
func (s *Session) Observe(ctx context.Context, models []api.ResourceModel) (api.ClusterStatus, error) {
	var (
		status  api.ClusterStatus
		info    version.Info
		served  *catalog
		fleet   []node
		load    []pod
		errs    [4]error
		pending sync.WaitGroup
	)
	pending.Go(func() { info, errs[0] = s.version(ctx) })
	pending.Go(func() { served, errs[1] = s.catalog(ctx) })
	pending.Go(func() { errs[2] = listInto(ctx, s, nodes, &fleet) })
	pending.Go(func() { errs[3] = listInto(ctx, s, pods, &load) })
	pending.Wait()

	status.KubernetesVersion = info.GitVersion
	if errs[1] == nil {
		status.APIEnablements = enablements(served)
		status.Conditions = []metav1.Condition{completeness(served, len(status.APIEnablements))}
	}
	if errs[2] == nil {
		status.NodeSummary = summarizeNodes(fleet)
	}
	if errs[2] == nil && errs[3] == nil {
		status.ResourceSummary = summarizeResources(fleet, load, models)
	}
	return status, errors.Join(errs[:]...)
}

// version returns the version of the API server.
func (s *Session) version(ctx context.Context) (info version.Info, err error) {
	c := call{verb: "get", object: "/version", method: http.MethodGet, path: "/version"}
	a, err := s.do(ctx, c)
	if err != nil {
		return info, err
	}
	if err := json.Unmarshal(a.body, &info); err != nil {
		return info, s.garbled(c.verb, c.object, err)
	}
	return info, nil
}

// listInto decodes all objects of a kind into items, keeping of each only what T has.
func listInto[T any](ctx context.Context, s *Session, r Resource, items *[]T) error {
	return s.pages(ctx, r, "", ListOptions{}, func(first bool, raw []json.RawMessage) error {
		if first {
			*items = nil
		}
		for _, text := range raw {
			var item T
			if err := json.Unmarshal(text, &item); err != nil {
				return err
			}
			*items = append(*items, item)
		}
		return nil
	})
}

// enablements returns the served kinds by group version, sorted, without what could not be discovered.
func enablements(c *catalog) []api.APIEnablement {
	byVersion := map[schema.GroupVersion][]api.APIResource{}
	for _, r := range c.resources {
		if gv := r.GroupVersion(); c.failed[gv] == nil {
			byVersion[gv] = append(byVersion[gv], api.APIResource{Name: r.Resource, Kind: r.Kind, Namespaced: r.Namespaced})
		}
	}
	var all []api.APIEnablement
	for gv, resources := range byVersion {
		slices.SortFunc(resources, func(a, b api.APIResource) int { return strings.Compare(a.Name, b.Name) })
		all = append(all, api.APIEnablement{GroupVersion: gv.String(), Resources: resources})
	}
	slices.SortFunc(all, func(a, b api.APIEnablement) int { return strings.Compare(a.GroupVersion, b.GroupVersion) })
	return all
}

// completeness returns the condition that Karmada sets beside the served kinds. It bears no time: it is what is true now.
func completeness(c *catalog, groupVersions int) metav1.Condition {
	condition := metav1.Condition{Type: ConditionCompleteAPIEnablements, Status: metav1.ConditionTrue, Reason: "Complete"}
	switch {
	case groupVersions == 0:
		condition.Status, condition.Reason = metav1.ConditionFalse, "Empty"
	case len(c.failed) > 0:
		condition.Status, condition.Reason = metav1.ConditionFalse, "Partial"
	}
	return condition
}

// node is what a summary needs of a Node.
type node struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		Allocatable corev1.ResourceList    `json:"allocatable"`
		Conditions  []corev1.NodeCondition `json:"conditions"`
	} `json:"status"`
}

func (n node) ready() bool {
	return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func summarizeNodes(fleet []node) *api.NodeSummary {
	summary := &api.NodeSummary{TotalNum: int32(len(fleet))}
	for _, n := range fleet {
		if n.ready() {
			summary.ReadyNum++
		}
	}
	return summary
}
