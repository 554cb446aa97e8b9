package propagation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

// binding is one template on its way to the members.
type binding struct {
	key       string
	template  manifest.Object
	object    *unstructured.Unstructured // the template with what an API server would have set before placement
	policy    *api.PropagationPolicy     // nil: none selects it
	replicas  *interpreter.Replicas      // nil: the kind has none
	placement Placement

	conflict  api.ConflictResolution
	suspended func(member string) bool
}

// placed reports whether the template goes anywhere, or is known to go nowhere.
func (b *binding) placed() bool { return b.placement.Clusters != nil }

// bind finds the policy of every template. A template without one is kept: it may follow another that refers to it.
func bind(in *Input) ([]*binding, []*Problem) {
	var problems []*Problem
	bindings := make([]*binding, 0, len(in.Templates))
	for _, template := range in.Templates {
		b := &binding{key: template.Key().String(), template: template}
		if why := scheduler.NeverPropagated(template.Unstructured); why != "" {
			problems = append(problems, &Problem{Argument: template.Source.Argument, Summary: "Template is never propagated",
				Detail: fmt.Sprintf("%s: %s: %s. Remove it from the templates.", template.Source, b.key, why)})
			continue
		}
		b.object = manifest.FoldSecret(manifest.SetDefaults(template.Unstructured))
		b.policy = scheduler.Match(b.object, in.Policies.Propagation)
		replicas, err := in.Interpreter.Replicas(b.object)
		if err != nil {
			problems = append(problems, &Problem{Argument: template.Source.Argument, Summary: "Template cannot be read",
				Detail: fmt.Sprintf("%s: %s.", template.Source, err)})
			continue
		}
		b.replicas = replicas
		if b.policy != nil {
			b.settle()
		}
		bindings = append(bindings, b)
	}
	return bindings, problems
}

// conflictAnnotation on a template says what to do about conflicts, and wins over the policy; other values than overwrite
// and abort say nothing.
const conflictAnnotation = "work.karmada.io/conflict-resolution"

// settle takes from the policy what does not concern placement.
func (b *binding) settle() {
	spec := &b.policy.Spec
	b.conflict = spec.ConflictResolution
	for _, own := range []api.ConflictResolution{api.ConflictAbort, api.ConflictOverwrite} {
		if b.object.GetAnnotations()[conflictAnnotation] == strings.ToLower(string(own)) {
			b.conflict = own
		}
	}
	b.placement.Policy = policyName(b.policy)
	b.placement.Preserve = spec.PreserveResourcesOnDeletion != nil && *spec.PreserveResourcesOnDeletion
	b.suspended = suspension(spec.Suspension)
}

// suspension returns which members a policy suspends.
func suspension(s *api.Suspension) func(member string) bool {
	return func(member string) bool {
		switch {
		case s == nil:
			return false
		case s.Dispatching != nil && *s.Dispatching:
			return true
		default:
			return s.DispatchingOnClusters != nil && slices.Contains(s.DispatchingOnClusters.ClusterNames, member)
		}
	}
}

// policyName returns kind, namespace and name of a policy, as in "PropagationPolicy default/web".
func policyName(p *api.PropagationPolicy) string {
	if p.ClusterScoped() {
		return p.Kind + " " + p.Name
	}
	return p.Kind + " " + p.Namespace + "/" + p.Name
}

// attach places templates that no policy selects, or that one selects already, with the templates that refer to them and
// whose policy has propagateDeps. What is left without a place is a problem.
func attach(in *Input, bindings []*binding) []*Problem {
	byKey := make(map[string]*binding, len(bindings))
	for _, b := range bindings {
		byKey[b.key] = b
	}
	var problems []*Problem
	for _, referrer := range bindings {
		if referrer.policy == nil || !referrer.policy.Spec.PropagateDeps || !referrer.placed() {
			continue
		}
		references, err := in.Interpreter.Dependencies(referrer.object)
		if err != nil {
			problems = append(problems, &Problem{Argument: referrer.template.Source.Argument, Summary: "Dependencies cannot be read",
				Detail: fmt.Sprintf("%s: %s.", referrer.template.Source, err)})
			continue
		}
		for _, reference := range references {
			if dependent, ok := byKey[referenceKey(reference)]; ok {
				dependent.follow(referrer)
			}
		}
	}
	return append(problems, unmatched(in, bindings)...)
}

func referenceKey(r interpreter.Reference) string {
	group, _, found := strings.Cut(r.APIVersion, "/")
	if !found {
		group = ""
	}
	return manifest.Key{Kind: r.Kind, Group: group, Namespace: r.Namespace, Name: r.Name}.String()
}

// follow adds the members of a referrer to those of b.
func (b *binding) follow(referrer *binding) {
	if !b.placed() {
		b.placement.Clusters = map[string]Replicas{}
	}
	for member := range referrer.placement.Clusters {
		if _, ok := b.placement.Clusters[member]; !ok {
			b.placement.Clusters[member] = b.share(0)
		}
		delete(b.placement.Rejected, member)
	}
	if b.policy != nil {
		return
	}
	b.placement.Policy = strings.TrimPrefix(b.placement.Policy+", "+referrer.key, ", ")
	b.placement.Reason = "follows " + b.placement.Policy
	b.placement.Preserve = b.placement.Preserve || referrer.placement.Preserve
	if b.conflict != api.ConflictOverwrite {
		b.conflict = referrer.conflict
	}
	if b.suspended == nil {
		b.suspended = suspension(nil)
	}
}

// unmatched returns the problem of the templates that have no place.
func unmatched(in *Input, bindings []*binding) []*Problem {
	var lost, had []string
	for _, b := range bindings {
		if b.policy != nil || b.placed() {
			continue
		}
		switch {
		case in.Prior.held(b.key):
			had = append(had, b.key)
		case !in.IgnoreUnmatched:
			lost = append(lost, fmt.Sprintf("%s (%s)%s", b.key, b.template.Source, nearest(b.object, in.Policies.Propagation)))
		}
	}
	var problems []*Problem
	if len(had) > 0 {
		problems = append(problems, &Problem{Argument: "policies", Summary: "Policy is gone for templates that run",
			Detail: fmt.Sprintf("No policy selects %s any more, and going on would remove them from their members. Restore the policy, or remove the templates as well.", list(had))})
	}
	if len(lost) > 0 {
		problems = append(problems, &Problem{Argument: "policies", Summary: "No policy selects a template",
			Detail: "No policy selects:\n\n  " + strings.Join(lost, "\n  ") + "\n\nAdd a PropagationPolicy whose resourceSelectors select them, " +
				"or set unmatched = \"ignore\" to leave templates without a policy alone."})
	}
	return problems
}

// held reports whether any member holds the object.
func (p Prior) held(key string) bool {
	for _, objects := range p.Works {
		if _, ok := objects[key]; ok {
			return true
		}
	}
	return false
}

// nearest says which policy comes nearest to selecting an object, and what keeps it from that.
func nearest(obj *unstructured.Unstructured, policies []*api.PropagationPolicy) string {
	for _, p := range policies {
		for i := range p.Spec.ResourceSelectors {
			s := p.Spec.ResourceSelectors[i]
			if s.Kind != obj.GetKind() {
				continue
			}
			switch {
			case s.APIVersion != obj.GetAPIVersion():
				return fmt.Sprintf(": %s selects apiVersion %s, the template has %s", policyName(p), s.APIVersion, obj.GetAPIVersion())
			case !p.ClusterScoped() && p.Namespace != obj.GetNamespace():
				return fmt.Sprintf(": %s selects in namespace %s only, the template is in %q", policyName(p), p.Namespace, obj.GetNamespace())
			case s.Name != "" && s.Name != obj.GetName():
				return fmt.Sprintf(": %s selects the name %s", policyName(p), s.Name)
			}
		}
	}
	return ""
}
