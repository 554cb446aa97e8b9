package conformance

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

func runDivide(in json.RawMessage) (any, error) {
	var v struct {
		Replicas         int64
		Weights, Initial map[string]int64
		TieKey           string
	}
	if err := json.Unmarshal(in, &v); err != nil {
		return nil, err
	}
	return map[string]any{"seats": scheduler.Divide(v.Replicas, v.Weights, v.Initial, v.TieKey)}, nil
}

func runAffinity(in json.RawMessage) (any, error) {
	var v struct {
		Cluster  api.Cluster
		Affinity api.ClusterAffinity
	}
	if err := json.Unmarshal(in, &v); err != nil {
		return nil, err
	}
	return map[string]any{"matches": v.Affinity.Matches(&v.Cluster)}, nil
}

func runMatch(in json.RawMessage) (any, error) {
	var v struct {
		Template                   *unstructured.Unstructured
		PropagationPolicies        []*api.PropagationPolicy
		ClusterPropagationPolicies []*api.PropagationPolicy
	}
	if err := json.Unmarshal(in, &v); err != nil {
		return nil, err
	}
	out := map[string]any{"policy": nil, "neverPropagated": scheduler.NeverPropagated(v.Template) != ""}
	if p := scheduler.Match(v.Template, append(v.PropagationPolicies, v.ClusterPropagationPolicies...)); p != nil {
		policy := map[string]any{"kind": p.Kind, "name": p.Name}
		if !p.ClusterScoped() {
			policy["namespace"] = p.Namespace
		}
		out["policy"] = policy
	}
	return out, nil
}

func runToleration(in json.RawMessage) (any, error) {
	var v struct {
		Now         time.Time
		Taints      []corev1.Taint
		Tolerations []corev1.Toleration
	}
	if err := json.Unmarshal(in, &v); err != nil {
		return nil, err
	}
	taint := scheduler.Untolerated(v.Taints, v.Tolerations)
	stay := scheduler.StayOn(v.Taints, v.Tolerations, v.Now)
	out := map[string]any{"tolerated": taint == nil, "evictNow": stay.Over, "earliestDeadline": nil}
	if taint != nil {
		out["reason"] = karmadaText(scheduler.Reason{Filter: scheduler.FilterTaint, Detail: taint.ToString()})
	}
	if !stay.Until.IsZero() {
		out["earliestDeadline"] = stay.Until.UTC().Format(time.RFC3339)
	}
	return out, nil
}

// karmadaText returns the words that Karmada has for a reason.
func karmadaText(r scheduler.Reason) string {
	switch r.Filter {
	case scheduler.FilterAffinity:
		return "cluster(s) did not match the placement cluster affinity constraint"
	case scheduler.FilterAPI:
		return "cluster(s) did not have the API resource"
	case scheduler.FilterTaint:
		return "cluster(s) had untolerated taint {" + r.Detail + "}"
	case scheduler.FilterSpread:
		if r.Detail == string(api.SpreadByZone) {
			return "cluster(s) did not have zones property"
		}
		return "cluster(s) did not have " + r.Detail + " property"
	default:
		return "cluster(s) is in the process of eviction"
	}
}

// evictionTask is a graceful eviction task as the vectors write it.
type evictionTask struct {
	FromCluster        string        `json:"fromCluster"`
	PurgeMode          api.PurgeMode `json:"purgeMode,omitempty"`
	Replicas           int64         `json:"replicas,omitempty"`
	Reason             string        `json:"reason,omitempty"`
	Producer           string        `json:"producer,omitempty"`
	GracePeriodSeconds *int32        `json:"gracePeriodSeconds,omitempty"`
	SuppressDeletion   *bool         `json:"suppressDeletion,omitempty"`
	AgeSeconds         *int64        `json:"ageSeconds,omitempty"`
}

func (t evictionTask) eviction(now time.Time) scheduler.Eviction {
	e := scheduler.Eviction{
		FromCluster: t.FromCluster, PurgeMode: t.PurgeMode, Replicas: t.Replicas, Reason: t.Reason, Producer: t.Producer,
		GracePeriodSeconds: t.GracePeriodSeconds, SuppressDeletion: t.SuppressDeletion,
	}
	if t.AgeSeconds != nil {
		e.Created = now.Add(-time.Duration(*t.AgeSeconds) * time.Second)
	}
	return e
}

// targetCluster is one entry of a stored result.
type targetCluster struct {
	Name     string `json:"name"`
	Replicas int64  `json:"replicas,omitempty"`
}

func runEviction(in json.RawMessage) (any, error) {
	var v struct {
		Op             string
		Tasks          []evictionTask
		TimeoutSeconds int64
		Result         []targetCluster
		Health         map[string]string
		Scheduled      bool

		Clusters                             []targetCluster
		Cluster, Reason, Producer, PurgeMode string
	}
	if err := json.Unmarshal(in, &v); err != nil {
		return nil, err
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	evictions := make([]scheduler.Eviction, len(v.Tasks))
	for i, task := range v.Tasks {
		evictions[i] = task.eviction(now)
	}
	if v.Op == "evict" {
		return evict(v.Clusters, evictions, scheduler.Eviction{
			FromCluster: v.Cluster, Reason: v.Reason, Producer: v.Producer, PurgeMode: api.PurgeMode(v.PurgeMode),
		}), nil
	}
	healthy := true
	for _, target := range v.Result {
		healthy = healthy && v.Health[target.Name] == "Healthy"
	}
	open, over := scheduler.Assess(evictions, scheduler.Replacement{
		Now: now, Timeout: time.Duration(v.TimeoutSeconds) * time.Second, Settled: v.Scheduled, Healthy: healthy,
	})
	return map[string]any{"kept": fromClusters(open), "dropped": fromClusters(over)}, nil
}

// evict returns the entries that stay, in their order, and the tasks afterwards.
func evict(clusters []targetCluster, evictions []scheduler.Eviction, e scheduler.Eviction) any {
	placed := map[string]int64{}
	for _, c := range clusters {
		placed[c.Name] = c.Replicas
	}
	remaining, evictions := scheduler.Evict(placed, evictions, e)
	targets := []targetCluster{}
	for _, c := range clusters {
		if replicas, ok := remaining[c.Name]; ok {
			targets = append(targets, targetCluster{c.Name, replicas})
		}
	}
	tasks := []evictionTask{}
	for _, e := range evictions {
		tasks = append(tasks, evictionTask{
			FromCluster: e.FromCluster, PurgeMode: e.PurgeMode, Replicas: e.Replicas, Reason: e.Reason, Producer: e.Producer,
			GracePeriodSeconds: e.GracePeriodSeconds, SuppressDeletion: e.SuppressDeletion,
		})
	}
	return map[string]any{"clusters": targets, "tasks": tasks}
}

func fromClusters(evictions []scheduler.Eviction) []string {
	out := []string{}
	for _, e := range evictions {
		out = append(out, e.FromCluster)
	}
	return out
}
