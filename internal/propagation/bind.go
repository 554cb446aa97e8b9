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
	leader    *binding // the first referrer of a template without a policy
	stranded  bool     // a referrer cannot be placed, which has been told
	required  []string // members that referrers add
	scalers   []*binding
	outside   []interpreter.Reference
	lost      []string // fields that were written and are not sent
}

// placed reports whether the template goes anywhere, or is known to go nowhere.
func (b *binding) placed() bool { return b.placement.Clusters != nil }

// bind finds the policy of every template, in the order of their keys. A template without one is kept: it may follow another
// that refers to it.
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
		b.settle(in)
		bindings = append(bindings, b)
	}
	slices.SortFunc(bindings, func(a, b *binding) int { return strings.Compare(a.key, b.key) })
	return bindings, problems
}

// conflictAnnotation on a template says what to do about conflicts, and wins over the policy; other values than overwrite
// and abort say nothing.
const conflictAnnotation = "work.karmada.io/conflict-resolution"

// settle takes from the policy what does not concern placement. A template without a policy may take it from its referrers.
func (b *binding) settle(in *Input) {
	if b.policy == nil {
		b.suspended = suspension(in.Policies.Suspension)
		return
	}
	spec := &b.policy.Spec
	b.placement.Policy = api.PolicyName(b.policy)
	b.conflict, b.placement.Preserve = conflictOf(b.object, spec.ConflictResolution), preserves(spec, b.object)
	b.suspended = suspension(spec.Suspension)
}

// conflictOf returns what to do about conflicts over an object: what it says itself, else what is given.
func conflictOf(obj *unstructured.Unstructured, given api.ConflictResolution) api.ConflictResolution {
	for _, own := range []api.ConflictResolution{api.ConflictAbort, api.ConflictOverwrite} {
		if obj.GetAnnotations()[conflictAnnotation] == strings.ToLower(string(own)) {
			return own
		}
	}
	return given
}

// preserves reports whether an object stays on its members when it is removed: its policy or, as Helm has it, it says so.
func preserves(spec *api.PropagationSpec, obj *unstructured.Unstructured) bool {
	return manifest.HelmKeeps(obj) || spec.Preserves()
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

// finish completes the placement once all members are known.
func (b *binding) finish() Placement {
	for member := range b.placement.Clusters {
		if b.suspended(member) {
			b.placement.Suspended = append(b.placement.Suspended, member)
		}
	}
	if b.policy != nil {
		b.placement.Required = b.required
	}
	for _, scaler := range b.scalers {
		if b.meets(scaler) {
			b.placement.Scalers = append(b.placement.Scalers, scaler.key)
		}
	}
	if len(b.placement.Rejected) == 0 {
		b.placement.Rejected = nil
	}
	slices.Sort(b.placement.Suspended)
	slices.Sort(b.placement.Required)
	return b.placement
}
