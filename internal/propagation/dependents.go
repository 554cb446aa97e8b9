package propagation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// attach places templates that no policy selects, or that one selects already, with the templates that refer to them and
// whose policy has propagateDeps. What is left without a place is a problem, unless a referrer is what has none.
func attach(in *Input, bindings []*binding, byKey map[string]*binding) []*Problem {
	var problems []*Problem
	for _, referrer := range bindings {
		if referrer.policy == nil || !referrer.policy.Spec.PropagateDeps {
			continue
		}
		references, err := in.Interpreter.Dependencies(referrer.object)
		if err != nil && !errors.Is(err, interpreter.ErrNameless) { // what has no name cannot be taken along
			problems = append(problems, &Problem{Argument: referrer.template.Source.Argument, Summary: "Dependencies cannot be read",
				Detail: fmt.Sprintf("%s: %s.", referrer.template.Source, err)})
			continue
		}
		for _, reference := range references {
			dependents := referredTo(reference, bindings, byKey)
			if len(dependents) == 0 {
				referrer.misses(reference)
			}
			for _, dependent := range dependents {
				if !referrer.placed() {
					dependent.stranded = true
					continue
				}
				if problem := dependent.follow(referrer); problem != nil {
					problems = append(problems, problem)
				}
			}
		}
	}
	return append(problems, unmatched(in, bindings)...)
}

// misses notes that no template brings what b refers to. What b can do without, and what has no name, does not count.
func (b *binding) misses(reference interpreter.Reference) {
	if !reference.Optional && reference.Name != "" {
		b.outside = append(b.outside, reference)
	}
}

// referredTo returns the templates that a reference is to: the one that it names, or all with the labels that it asks for.
func referredTo(r interpreter.Reference, bindings []*binding, byKey map[string]*binding) []*binding {
	if r.LabelSelector == nil {
		if b, ok := byKey[referenceKey(r)]; ok {
			return []*binding{b}
		}
		return nil
	}
	selector := api.ResourceSelector{APIVersion: r.APIVersion, Kind: r.Kind, Namespace: r.Namespace, LabelSelector: r.LabelSelector}
	var found []*binding
	for _, b := range bindings {
		if selector.Specificity(b.object) != api.NoMatch {
			found = append(found, b)
		}
	}
	return found
}

func referenceKey(r interpreter.Reference) string {
	group, _, found := strings.Cut(r.APIVersion, "/")
	if !found {
		group = ""
	}
	return manifest.Key{Kind: r.Kind, Group: group, Namespace: r.Namespace, Name: r.Name}.String()
}

// follow adds the members of a referrer to those of b. Without a policy of its own b is treated as its referrers' policies
// say; where two say different things it is a problem.
func (b *binding) follow(referrer *binding) *Problem {
	if !b.placed() {
		b.placement.Clusters = map[string]Replicas{}
	}
	for member := range referrer.placement.Clusters {
		if _, ok := b.placement.Clusters[member]; !ok {
			b.placement.Clusters[member] = b.share(0)
			b.required = append(b.required, member)
		}
		delete(b.placement.Rejected, member)
	}
	if b.policy != nil {
		return nil
	}
	spec := &referrer.policy.Spec
	conflict, preserve := conflictOf(b.object, spec.ConflictResolution), preserves(spec, b.object)
	if b.leader == nil {
		b.leader, b.conflict, b.placement.Preserve = referrer, conflict, preserve
	} else if conflict != b.conflict || preserve != b.placement.Preserve {
		return b.torn(referrer)
	}
	b.placement.Policy = strings.TrimPrefix(b.placement.Policy+", "+referrer.key, ", ")
	b.placement.Reason = "follows " + b.placement.Policy
	return nil
}

// torn is the problem of a dependent that two referrers want treated in different ways.
func (b *binding) torn(referrer *binding) *Problem {
	return &Problem{
		Argument: "policies",
		Summary:  "Policies disagree about a dependency",
		Detail: fmt.Sprintf("%s has no policy of its own and follows %s and %s, whose policies want different things: %s; %s. "+
			"Give both policies the same conflictResolution and preserveResourcesOnDeletion, or select %s with a policy of its own.",
			b.key, b.leader.key, referrer.key, treatment(b.leader.policy), treatment(referrer.policy), b.key),
	}
}

// treatment says how a policy wants its objects treated.
func treatment(p *api.PropagationPolicy) string {
	return fmt.Sprintf("%s has conflictResolution %s and preserveResourcesOnDeletion %t", api.PolicyName(p), p.Spec.ConflictResolution, p.Spec.Preserves())
}
