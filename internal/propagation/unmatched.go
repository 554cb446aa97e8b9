package propagation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// unmatched returns the problem of the templates that have no place.
func unmatched(in *Input, bindings []*binding) []*Problem {
	var lost, had []string
	for _, b := range bindings {
		if b.policy != nil || b.placed() || b.stranded {
			continue
		}
		switch {
		case in.Prior.held(b.key):
			had = append(had, b.key+nearest(b.object, in.Policies.Propagation))
		case !in.IgnoreUnmatched:
			lost = append(lost, fmt.Sprintf("%s (%s)%s", b.key, b.template.Source, nearest(b.object, in.Policies.Propagation)))
		}
	}
	var problems []*Problem
	if len(had) > 0 {
		problems = append(problems, &Problem{Argument: "policies", Summary: "Policy is gone for templates that run",
			Detail: noPolicy(in.Policies) + "No policy selects these any more, and going on would remove them from their members:\n\n  " + strings.Join(had, "\n  ") +
				"\n\nRestore the policy, or remove the templates as well."})
	}
	if len(lost) > 0 {
		problems = append(problems, &Problem{Argument: "policies", Summary: "No policy selects a template",
			Detail: noPolicy(in.Policies) + "No policy selects:\n\n  " + strings.Join(lost, "\n  ") + "\n\nAdd a PropagationPolicy (for cluster-scoped kinds a ClusterPropagationPolicy) whose resourceSelectors " +
				"select them, or set unmatched = \"ignore\" to leave templates without a policy alone."})
	}
	return problems
}

// noPolicy says so when no document is a policy that places anything.
func noPolicy(policies *api.Policies) string {
	switch {
	case len(policies.Propagation) > 0:
		return ""
	case len(policies.Override) > 0:
		return "All policies are override policies, which say what differs on a member, and not what goes there. "
	default:
		return "None of the documents in policies is a policy: a policy has apiVersion " + api.PolicyAPIVersion + ". "
	}
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
			switch {
			case s.Kind != obj.GetKind() && !api.MeansKind(s.Kind, obj.GetKind()):
			case s.Kind != obj.GetKind():
				return fmt.Sprintf(": %s selects kind %s, the template has %s", api.PolicyName(p), s.Kind, obj.GetKind())
			case s.APIVersion != obj.GetAPIVersion():
				return fmt.Sprintf(": %s selects apiVersion %s, the template has %s", api.PolicyName(p), s.APIVersion, obj.GetAPIVersion())
			case !p.ClusterScoped() && obj.GetNamespace() == "":
				return fmt.Sprintf(": %s is namespaced, and only a ClusterPropagationPolicy selects cluster-scoped objects", api.PolicyName(p))
			case !p.ClusterScoped() && p.Namespace != obj.GetNamespace():
				return fmt.Sprintf(": %s selects in namespace %s only, the template is in %q", api.PolicyName(p), p.Namespace, obj.GetNamespace())
			case s.Name != "" && s.Name != obj.GetName():
				return fmt.Sprintf(": %s selects the name %s", api.PolicyName(p), s.Name)
			case s.Namespace != "" && s.Namespace != obj.GetNamespace():
				return fmt.Sprintf(": %s selects in namespace %s only, the template is in %q", api.PolicyName(p), s.Namespace, obj.GetNamespace())
			case s.LabelSelector != nil:
				return fmt.Sprintf(": %s selects by labels that the template does not have", api.PolicyName(p))
			}
		}
	}
	if len(policies) > 0 && obj.GetNamespace() == "" && !slices.ContainsFunc(policies, (*api.PropagationPolicy).ClusterScoped) {
		return ": the kind is cluster-scoped, and only a ClusterPropagationPolicy selects such objects"
	}
	return ""
}
