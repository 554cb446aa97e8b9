package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

// binding is an object with what was decided about it so far: what Karmada keeps in a ResourceBinding.
type binding struct {
	template *unstructured.Unstructured
	policy   *api.PropagationPolicy
	clusters []*api.Cluster

	placed    map[string]int64
	group     string
	evicting  []string
	rebalance bool // asked for, and not done yet
	keepEmpty bool // members without replicas stay in the result
	undone    undone
}

// undone are differences in which Karmada's way is taken instead of ours, to show that a vector differs for nothing else.
// Steps says for each run whether Karmada scheduled anything; it is used for computedEachTime.
type undone struct {
	differences []string
	steps       []bool
}

func (u *undone) has(difference string) bool { return slices.Contains(u.differences, difference) }

// skips reports whether Karmada did nothing in the n-th run.
func (u *undone) skips(n int) bool { return u.has(computedEachTime) && n < len(u.steps) && !u.steps[n] }

// request returns what the scheduler is asked.
func (b *binding) request(i *interpreter.Interpreter) (scheduler.Request, error) {
	r := scheduler.Request{
		TieKey:     string(b.template.GetUID()),
		APIVersion: b.template.GetAPIVersion(),
		Kind:       b.template.GetKind(),
		Placement:  &b.policy.Spec.Placement,
		Clusters:   b.members(),
		Previous:   scheduler.Previous{Clusters: b.placed, Group: b.group, Evicting: b.evicting},
		Fresh:      b.rebalance,
		KeepGroup:  b.undone.has(groupsInOrder),
	}
	replicas, err := i.Replicas(b.template)
	if err != nil || replicas == nil {
		return r, err
	}
	r.Replicas = replicas.Count
	if replicas.Requirements != nil {
		r.Requirements = &scheduler.Requirements{ResourceRequest: replicas.Requirements.ResourceRequest}
	}
	return r, nil
}

// scheduled is what came of one run.
type scheduled struct {
	result scheduler.Result
	err    error
}

// schedule runs the scheduler and, if it succeeds, takes over what it decided.
func (b *binding) schedule(r scheduler.Request) (s scheduled) {
	if s.result, s.err = scheduler.Schedule(r); s.err != nil {
		if class(s.err) == "fit" && b.undone.has(noFitKeeps) {
			b.placed = map[string]int64{}
		}
		return s
	}
	b.placed, b.rebalance = s.result.Clusters, false
	if s.result.Group != "" {
		b.group = s.result.Group
	}
	if r.Replicas == 0 && r.Requirements != nil && b.undone.has(zeroReplicasStay) {
		b.placed = map[string]int64{}
	}
	if b.keepEmpty {
		for _, name := range s.result.Selected {
			b.placed[name] += 0
		}
	}
	return s
}

// members returns the members as the scheduler is to see them.
func (b *binding) members() []*api.Cluster {
	if !b.undone.has(taintedKeep) {
		return b.clusters
	}
	out := make([]*api.Cluster, len(b.clusters))
	for i, c := range b.clusters {
		if _, placed := b.placed[c.Name]; placed {
			untainted := *c
			untainted.Spec.Taints = nil
			c = &untainted
		}
		out[i] = c
	}
	return out
}

// class is the class of an error as the vectors name it.
func class(err error) string {
	var groups *scheduler.GroupsError
	if errors.As(err, &groups) {
		return class(groups.Attempts[0].Err)
	}
	var fit *scheduler.FitError
	var unschedulable *scheduler.UnschedulableError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &fit):
		return "fit"
	case errors.As(err, &unschedulable):
		return "unschedulable"
	}
	return "error"
}

// scheduleInput is the in of a vector of family schedule.
type scheduleInput struct {
	Template *unstructured.Unstructured
	Policy   *api.PropagationPolicy
	Clusters []*api.Cluster
	State    struct {
		Clusters              []targetCluster
		AffinityGroup         string
		Evictions             []evictionTask
		LastScheduledTime     *time.Time
		RescheduleTriggeredAt *time.Time
	}
	EnableEmptyWorkloadPropagation bool
}

func (v *scheduleInput) binding(u undone) *binding {
	b := &binding{
		undone:    u,
		template:  v.Template,
		policy:    v.Policy,
		placed:    map[string]int64{},
		group:     v.State.AffinityGroup,
		keepEmpty: v.EnableEmptyWorkloadPropagation,
	}
	for _, c := range v.Clusters {
		b.clusters = append(b.clusters, observed(c))
	}
	for _, c := range v.State.Clusters {
		b.placed[c.Name] = c.Replicas
	}
	for _, task := range v.State.Evictions {
		b.evicting = append(b.evicting, task.FromCluster)
	}
	if last, asked := v.State.LastScheduledTime, v.State.RescheduleTriggeredAt; last != nil && asked != nil {
		b.rebalance = asked.After(*last)
	}
	return b
}

// observed returns c as a member that was looked at: to Karmada, what it has not is missing, not unknown.
func observed(c *api.Cluster) *api.Cluster {
	if c.Status.APIEnablements == nil {
		c.Status.APIEnablements = []api.APIEnablement{}
	}
	if c.Status.ResourceSummary == nil {
		c.Status.ResourceSummary = &api.ResourceSummary{}
	}
	return c
}

func runSchedule(in json.RawMessage) (any, error) { return runScheduleWith(in, undone{}) }

func runScheduleWith(in json.RawMessage, u undone) (any, error) {
	var v scheduleInput
	if err := json.Unmarshal(in, &v); err != nil {
		return nil, err
	}
	i, err := interpreter.New()
	if err != nil {
		return nil, err
	}
	b := v.binding(u)
	before, err := b.request(i)
	if err != nil {
		return nil, err
	}
	var s scheduled
	if !u.skips(0) {
		s = b.schedule(before)
	}
	out := b.report(s)
	out["attempts"] = s.attempts()
	delete(out, "evicting")
	if len(v.Policy.Spec.Placement.ClusterAffinities) > 0 {
		out["affinityGroup"] = b.group
	}
	out["binding"] = map[string]any{
		"replicas": before.Replicas,
		"workload": before.Replicas > 0 || before.Requirements != nil,
	}
	return out, nil
}

// attempts returns one entry for each group that was tried.
func (s scheduled) attempts() []any {
	failed := s.result.Attempted
	var groups *scheduler.GroupsError
	if errors.As(s.err, &groups) {
		failed = groups.Attempts
	}
	out := []any{}
	for _, a := range failed {
		out = append(out, attempt(a))
	}
	if groups == nil {
		out = append(out, attempt(scheduler.Attempt{Group: s.result.Group, Rejected: s.result.Rejected, Err: s.err}))
	}
	return out
}

func attempt(a scheduler.Attempt) map[string]any {
	out := map[string]any{"class": class(a.Err)}
	if a.Group != "" {
		out["group"] = a.Group
	}
	if len(a.Rejected) > 0 {
		out["rejected"] = rejectedTexts(a.Rejected)
	}
	return out
}

func rejectedTexts(rejected map[string][]scheduler.Reason) map[string][]string {
	out := map[string][]string{}
	for name, reasons := range rejected {
		for _, r := range reasons {
			out[name] = append(out[name], karmadaText(r))
		}
		slices.Sort(out[name])
	}
	return out
}

// sequenceStep is one change of the world.
type sequenceStep struct {
	Scale        *int64
	SetPlacement *api.Placement
	Taint        *struct {
		Cluster string
		Taint   corev1.Taint
	}
	Untaint          string
	TerminateCluster string
	AddCluster       *api.Cluster
	SetSummary       *struct {
		Cluster         string
		ResourceSummary *api.ResourceSummary
	}
	Rebalance      bool
	Evict          string
	ClearEvictions bool
}

func runSequence(in json.RawMessage) (any, error) { return runSequenceWith(in, undone{}) }

func runSequenceWith(in json.RawMessage, u undone) (any, error) {
	var v struct {
		scheduleInput
		Steps []sequenceStep
	}
	if err := json.Unmarshal(in, &v); err != nil {
		return nil, err
	}
	i, err := interpreter.New()
	if err != nil {
		return nil, err
	}
	b := v.binding(u)
	steps := []any{}
	for n, step := range v.Steps {
		if err := b.apply(step); err != nil {
			return nil, fmt.Errorf("step %d: %w", n, err)
		}
		var s scheduled
		if !u.skips(n) {
			request, err := b.request(i)
			if err != nil {
				return nil, fmt.Errorf("step %d: %w", n, err)
			}
			s = b.schedule(request)
		}
		steps = append(steps, b.report(s))
	}
	return map[string]any{"steps": steps}, nil
}

// report returns the out of a step.
func (b *binding) report(s scheduled) map[string]any {
	out := map[string]any{"clusters": b.placed, "error": nil}
	if s.err != nil {
		out["error"] = map[string]any{"class": class(s.err)}
	}
	if b.group != "" {
		out["affinityGroup"] = b.group
	}
	if len(b.evicting) > 0 {
		out["evicting"] = b.evicting
	}
	return out
}

// apply changes the world.
func (b *binding) apply(step sequenceStep) error {
	switch {
	case step.Scale != nil:
		return unstructured.SetNestedField(b.template.Object, *step.Scale, "spec", "replicas")
	case step.SetPlacement != nil:
		b.policy.Spec.Placement = *step.SetPlacement
	case step.Taint != nil:
		b.edit(step.Taint.Cluster, func(c *api.Cluster) { c.Spec.Taints = append(c.Spec.Taints, step.Taint.Taint) })
	case step.Untaint != "":
		b.edit(step.Untaint, func(c *api.Cluster) { c.Spec.Taints = nil })
	case step.TerminateCluster != "":
		b.edit(step.TerminateCluster, func(c *api.Cluster) { c.DeletionTimestamp = &metav1.Time{Time: time.Unix(0, 0)} })
	case step.AddCluster != nil:
		b.clusters = append(b.clusters, observed(step.AddCluster))
	case step.SetSummary != nil:
		b.edit(step.SetSummary.Cluster, func(c *api.Cluster) {
			c.Status.ResourceSummary = step.SetSummary.ResourceSummary
			observed(c)
		})
	case step.Rebalance:
		b.rebalance = true
	case step.Evict != "":
		b.evict(step.Evict)
	case step.ClearEvictions:
		b.evicting = nil
	}
	return nil
}

func (b *binding) edit(cluster string, change func(*api.Cluster)) {
	for _, c := range b.clusters {
		if c.Name == cluster {
			change(c)
		}
	}
}

func (b *binding) evict(cluster string) {
	var open []scheduler.Eviction
	for _, name := range b.evicting {
		open = append(open, scheduler.Eviction{FromCluster: name})
	}
	b.placed, open = scheduler.Evict(b.placed, open, scheduler.Eviction{FromCluster: cluster})
	b.evicting = fromClusters(open)
}
