package propagation

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

// place schedules every template that a policy selects.
func place(in *Input, bindings []*binding) []*Problem {
	clusters := make([]*api.Cluster, len(in.Members))
	for i := range in.Members {
		clusters[i] = &in.Members[i].Cluster
	}
	failures := map[string][]string{} // why -> keys of the templates
	for _, b := range bindings {
		if b.policy == nil {
			continue
		}
		result, err := scheduler.Schedule(b.request(in, clusters))
		if err != nil {
			why := fmt.Sprintf("%s: %s", policyName(b.policy), err)
			failures[why] = append(failures[why], b.key)
			continue
		}
		b.take(result)
	}
	problems := strangers(in, bindings)
	for _, why := range slices.Sorted(maps.Keys(failures)) {
		detail := fmt.Sprintf("%s cannot be placed by %s. Nothing is removed: what runs keeps running.", list(failures[why]), why)
		problems = append(problems, &Problem{Argument: "policies", Summary: "Template cannot be placed", Detail: detail})
	}
	return problems
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
	}
	for member, replicas := range prior.Clusters {
		request.Previous.Clusters[member] = replicas.Count
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
func (b *binding) take(result scheduler.Result) {
	b.placement.Clusters = make(map[string]Replicas, len(result.Clusters))
	for member, replicas := range result.Clusters {
		b.placement.Clusters[member] = b.share(replicas)
	}
	b.placement.Group = result.Group
	b.placement.Reason = b.why(result)
	if len(result.Rejected) > 0 {
		b.placement.Rejected = make(map[string]string, len(result.Rejected))
	}
	for member, reasons := range result.Rejected {
		texts := make([]string, len(reasons))
		for i, reason := range reasons {
			texts[i] = reason.String()
		}
		b.placement.Rejected[member] = strings.Join(texts, ", ")
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

// strangers notes the members that a policy of this propagation names and that are none. Shared policies name members of
// other propagations too.
func strangers(in *Input, bindings []*binding) []*Problem {
	known := map[string]bool{}
	for i := range in.Members {
		known[in.Members[i].Name()] = true
	}
	var problems []*Problem
	seen := map[*api.PropagationPolicy]bool{}
	for _, b := range bindings {
		p := b.policy
		if p == nil || seen[p] || p.ClusterScoped() || in.Shared[policyName(p)] {
			continue
		}
		seen[p] = true
		var missing []string
		for _, name := range namedMembers(&p.Spec.Placement) {
			if !known[name] && !slices.Contains(missing, name) {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			problems = append(problems, &Problem{Note: true, Argument: "policies", Summary: "Policy names a member that is not there", Detail: fmt.Sprintf(
				"%s names %s, and the members of this propagation are %s. Check the spelling, or add the member.",
				policyName(p), list(missing), list(slices.Sorted(maps.Keys(known))))})
		}
	}
	return problems
}

// namedMembers returns the members that a placement names.
func namedMembers(p *api.Placement) []string {
	var names []string
	if p.ClusterAffinity != nil {
		names = append(names, p.ClusterAffinity.ClusterNames...)
	}
	for i := range p.ClusterAffinities {
		names = append(names, p.ClusterAffinities[i].ClusterNames...)
	}
	return names
}

// sentence returns an error as a sentence, naming each joined error.
func sentence(err error) string {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var parts []string
		for _, e := range joined.Unwrap() {
			parts = append(parts, e.Error())
		}
		return strings.Join(parts, "; ") + "."
	}
	return err.Error() + "."
}
