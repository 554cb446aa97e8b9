package propagation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

// place schedules every template that a policy selects: definitions of kinds first, for their kinds are served where they go.
func place(in *Input, bindings []*binding) []*Problem {
	clusters := make([]*api.Cluster, len(in.Members))
	for i := range in.Members {
		clusters[i] = &in.Members[i].Cluster
	}
	var definitions, others []*binding
	for _, b := range bindings {
		switch {
		case b.policy == nil:
		case b.defines():
			definitions = append(definitions, b)
		default:
			others = append(others, b)
		}
	}
	problems := schedule(in, definitions, clusters)
	return append(problems, schedule(in, others, serving(clusters, definitions))...)
}

// schedule places the bindings. Problems that several of them have are told once.
func schedule(in *Input, bindings []*binding, clusters []*api.Cluster) []*Problem {
	failures := map[string][]string{} // why -> keys of the templates
	notes := map[string]*Problem{}
	for _, b := range bindings {
		result, err := settled(b.request(in, clusters))
		if err != nil {
			why := fmt.Sprintf("%s: %s", api.PolicyName(b.policy), err)
			failures[why] = append(failures[why], b.key)
			continue
		}
		b.take(in, result)
		for _, note := range []*Problem{weightless(in, b, result), unweighted(in, b, result), undivided(b)} {
			if note != nil {
				notes[note.Detail] = note
			}
		}
	}
	var problems []*Problem
	for _, why := range slices.Sorted(maps.Keys(failures)) {
		detail := fmt.Sprintf("%s cannot be placed by %s. Nothing is removed: what runs keeps running.", list(failures[why]), why)
		problems = append(problems, &Problem{Argument: "policies", Summary: "Template cannot be placed", Detail: detail})
	}
	for _, detail := range slices.Sorted(maps.Keys(notes)) {
		problems = append(problems, notes[detail])
	}
	return problems
}

// mostRounds bounds the rounds until a placement is settled; two nearly always do.
const mostRounds = 8

// settled schedules until the next plan would leave the placement alone, and say the same of it. Where members are chosen by
// what they can hold, what they hold already weighs in: Karmada may choose others the next time it looks, although nothing has
// changed since. And a member that the object leaves is no candidate any more if only the object kept it one.
func settled(request scheduler.Request) (scheduler.Result, error) {
	result, err := scheduler.Schedule(request)
	if err != nil || !dependsOnPrevious(request, result) {
		return result, err
	}
	for range mostRounds {
		next, ok := again(request, result)
		switch {
		case !ok:
			return result, nil
		case next.Group != result.Group || !maps.Equal(next.Clusters, result.Clusters):
			result = next
		case result.Capacity == nil:
			return next, nil
		default: // what was divided by is not known any more once all replicas have a place
			result.Rejected = next.Rejected
			return result, nil
		}
	}
	return result, nil
}

// dependsOnPrevious reports whether the next plan may come to something else because it finds the object elsewhere.
func dependsOnPrevious(request scheduler.Request, result scheduler.Result) bool {
	if result.Capacity != nil || len(request.Placement.SpreadConstraints) > 0 {
		return true
	}
	for member := range request.Previous.Clusters {
		if _, stays := result.Clusters[member]; !stays {
			return true
		}
	}
	return false
}

// again schedules on top of a result, as if its replicas ran, and reports whether that is possible. Groups that were passed
// over before the one that is kept are those of the result.
func again(request scheduler.Request, result scheduler.Result) (scheduler.Result, bool) {
	request.Fresh = false
	request.Unseen = gains(request.Previous.Clusters, result.Clusters)
	request.Previous.Clusters, request.Previous.Group = result.Clusters, result.Group
	next, err := scheduler.Schedule(request)
	if request.KeepGroup {
		next.Attempted = slices.Concat(result.Attempted, next.Attempted)
	}
	return next, err == nil
}

// gains returns how many replicas each member gets beside those it has; fewer than 0 if it loses some.
func gains(before, after map[string]int64) map[string]int64 {
	gains := maps.Clone(after)
	for member, replicas := range before {
		gains[member] -= replicas
	}
	return gains
}

// request returns what the scheduler has to know of a template.
func (b *binding) request(in *Input, clusters []*api.Cluster) scheduler.Request {
	prior := in.Prior.Placements[b.key]
	request := scheduler.Request{
		TieKey:     b.key,
		APIVersion: b.object.GetAPIVersion(),
		Kind:       b.object.GetKind(),
		Placement:  &b.policy.Spec.Placement,
		Clusters:   clusters,
		Previous:   scheduler.Previous{Clusters: make(map[string]int64, len(prior.Clusters)), Group: prior.Group},
		Fresh:      in.Rebalance,
		KeepGroup:  in.KeepGroup,
	}
	for member, replicas := range prior.Clusters {
		if !slices.Contains(prior.Required, member) {
			request.Previous.Clusters[member] = replicas.Count
		}
	}
	if b.replicas.Workload() {
		request.Replicas = b.replicas.Count
		request.Requirements = requirements(b.replicas.Requirements)
	}
	return request
}

func requirements(r *interpreter.Requirements) *scheduler.Requirements {
	if r == nil {
		return nil
	}
	return &scheduler.Requirements{ResourceRequest: r.ResourceRequest}
}

// take keeps the result of the scheduler as the placement.
func (b *binding) take(in *Input, result scheduler.Result) {
	if b.replicas != nil && b.replicas.Count == 0 && !duplicated(b.policy) {
		staysOn(result.Clusters, in.Prior.Placements[b.key])
	}
	b.placement.Clusters = make(map[string]Replicas, len(result.Clusters))
	for member, replicas := range result.Clusters {
		b.placement.Clusters[member] = b.share(replicas)
	}
	b.placement.Group = result.Group
	b.placement.Reason = b.why(result)
	b.placement.Rejected = make(map[string]string, len(result.Rejected)+len(result.LeftOut))
	for _, member := range result.LeftOut {
		b.placement.Rejected[member] = leftOut
	}
	if prior := in.Prior.Placements[b.key]; !in.Rebalance && (result.Capacity != nil || b.keepsGroup(in, result)) && b.placement.stays(prior) {
		b.placement.explainAs(prior, slices.Concat(result.Selected, result.LeftOut))
	}
	for member, reasons := range result.Rejected {
		texts := make([]string, len(reasons))
		for i, reason := range reasons {
			texts[i] = reason.String()
		}
		b.placement.Rejected[member] = strings.Join(texts, ", ")
	}
}

// keepsGroup reports whether a later group was kept without a look at those before it.
func (b *binding) keepsGroup(in *Input, result scheduler.Result) bool {
	groups := b.policy.Spec.Placement.ClusterAffinities
	return in.KeepGroup && len(groups) > 0 && result.Group != groups[0].AffinityName && len(result.Attempted) == 0
}

// staysOn takes out the members that do not have the object yet, if others do: scaling down to 0 spreads nothing.
func staysOn(clusters map[string]int64, prior Placement) {
	has := func(member string) bool { _, ok := prior.Clusters[member]; return ok }
	for member := range clusters {
		if has(member) {
			maps.DeleteFunc(clusters, func(member string, _ int64) bool { return !has(member) })
			return
		}
	}
}

// share returns the replicas of one member as a placement shows them.
func (b *binding) share(replicas int64) Replicas {
	if b.replicas == nil {
		return Replicas{None: true}
	}
	return Replicas{Count: replicas}
}

// why says in a few words how the replicas came about.
func (b *binding) why(result scheduler.Result) string {
	var parts []string
	switch {
	case b.replicas == nil:
	case len(result.Weights) > 0 && maps.Equal(result.Weights, result.Capacity):
		parts = append(parts, "divided by capacity "+counts(result.Capacity))
		result.Capacity = nil
	case len(result.Weights) > 0:
		parts = append(parts, "divided by weights "+counts(result.Weights))
	case len(result.Clusters) > 1 && duplicated(b.policy):
		var total int64
		for _, replicas := range result.Clusters {
			total += replicas
		}
		parts = append(parts, fmt.Sprintf("duplicated: %d on each member, %d in all", b.replicas.Count, total))
	}
	if len(result.Capacity) > 0 {
		parts = append(parts, "capacity "+counts(result.Capacity))
	}
	parts = append(parts, result.Reasons...)
	for _, attempt := range result.Attempted {
		parts = append(parts, fmt.Sprintf("group %s was passed over: %s", attempt.Group, attempt.Err))
	}
	return strings.Join(parts, "; ")
}

func duplicated(p *api.PropagationPolicy) bool {
	s := p.Spec.Placement.ReplicaScheduling
	return s == nil || s.ReplicaSchedulingType == api.Duplicated
}

// counts returns numbers by member, sorted by name: kube02 3, kube03 1.
func counts(numbers map[string]int64) string {
	parts := make([]string, 0, len(numbers))
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, numbers[name]))
	}
	return strings.Join(parts, ", ")
}

// sentence returns an error as a sentence, naming each joined error.
func sentence(err error) string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var parts []string
		for _, e := range joined.Unwrap() {
			parts = append(parts, e.Error())
		}
		return ended(strings.Join(parts, "; "))
	}
	return ended(err.Error())
}

// ended ends a text with a mark.
func ended(text string) string {
	if strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
