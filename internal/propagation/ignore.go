package propagation

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// scale finds the autoscalers among the templates, and tells their targets of them.
func scale(in *Input, bindings []*binding, byKey map[string]*binding) {
	for _, b := range bindings {
		target, ok := in.Interpreter.ScaleTarget(b.object)
		if scaled, there := byKey[referenceKey(target)]; ok && there && b.placed() {
			scaled.scalers = append(scaled.scalers, b)
		}
	}
}

// meets reports whether some member gets both templates.
func (b *binding) meets(other *binding) bool {
	for member := range b.placement.Clusters {
		if _, ok := other.placement.Clusters[member]; ok {
			return true
		}
	}
	return false
}

// scaledOn reports whether a member gets an autoscaler that sets the replicas of the template.
func (b *binding) scaledOn(member string) bool {
	return slices.ContainsFunc(b.scalers, func(scaler *binding) bool {
		_, ok := scaler.placement.Clusters[member]
		return ok
	})
}

// left returns which fields of an object a member leaves to others once it has the object: those that the user names, and
// the replicas when an autoscaler or, by Karmada's label, whoever is there sets them.
func (r *rendering) left(member string, object *unstructured.Unstructured) []manifest.Pattern {
	path, ok := r.in.Interpreter.ReplicasPath(object.GroupVersionKind())
	retained := object.GetLabels()[interpreter.RetainReplicasLabel] == "true"
	if !ok || !retained && !r.binding.scaledOn(member) {
		return r.in.IgnoreFields
	}
	return append(slices.Clone(r.in.IgnoreFields), manifest.FieldPattern(path...))
}

// owned is what is owned of an object when some of it is left to others.
type owned struct {
	object *unstructured.Unstructured
	left   int
}

// own takes out of the object of a work what is left to others.
func (r *rendering) own(work *Work, left []manifest.Pattern) error {
	if len(left) == 0 {
		return nil
	}
	whole := owned{work.Object, len(left)} // all members have the same patterns, but for that of the replicas
	object, ok := r.owned[whole]
	if !ok {
		var err error
		if object, err = manifest.Without(work.Object, left...); err != nil {
			return &Problem{Argument: "ignore_fields", Summary: "Field cannot be left to others", Detail: fmt.Sprintf("%s: %s.", r.binding.key, err)}
		}
		r.owned[whole] = object
	}
	if object != work.Object {
		work.Object, work.Initial, work.Left = object, work.Object, left
	}
	return nil
}

// idlePatterns notes the patterns of arguments that name nothing, which is nearly always a slip. Where something is not
// known yet it may be what they name.
func idlePatterns(in *Input, bindings []*binding, out *Output) []*Problem {
	objects := make([]*unstructured.Unstructured, 0, len(bindings))
	seen := map[*unstructured.Unstructured]bool{}
	add := func(object *unstructured.Unstructured) {
		if object != nil && !seen[object] {
			seen[object] = true
			objects = append(objects, object)
		}
	}
	for _, b := range bindings {
		if len(b.template.Unknown) > 0 {
			return nil
		}
		add(b.object)
	}
	for _, works := range out.Works {
		for _, work := range works {
			if work.Unknown {
				return nil
			}
			add(work.Object)
			add(work.Initial)
		}
	}
	problems := idle("sensitive_paths", in.SensitivePaths, objects, func(object *unstructured.Unstructured, pattern manifest.Pattern) bool {
		return len(manifest.Select(object, pattern)) > 0
	})
	return append(problems, idle("ignore_fields", in.IgnoreFields, objects, func(object *unstructured.Unstructured, pattern manifest.Pattern) bool {
		rest, _ := manifest.Without(object, pattern) // an error has been told
		return rest != object
	})...)
}

// missingReplicas notes the kinds whose declared replicas no template of the kind has.
func missingReplicas(in *Input, bindings []*binding) []*Problem {
	lacking := map[string][]string{} // kind -> templates
	paths := map[string]string{}     // kind -> replicas_path
	has := map[string]bool{}         // kinds of which a template has replicas, or may have
	for _, b := range bindings {
		kind := b.object.GetAPIVersion() + " " + b.object.GetKind()
		missing := in.Interpreter.MissingReplicas(b.object)
		has[kind] = has[kind] || missing == "" || len(b.template.Unknown) > 0
		if missing != "" {
			paths[kind] = missing
			lacking[kind] = append(lacking[kind], b.key)
		}
	}
	var problems []*Problem
	for _, kind := range slices.Sorted(maps.Keys(lacking)) {
		if has[kind] {
			continue
		}
		problems = append(problems, &Problem{Note: true, Argument: "interpreters", Summary: "Path names nothing here", Detail: fmt.Sprintf(
			"No template of the kind %s has the replicas_path %s: %s counts as one replica and is sent as it is. Check the spelling, or write the field in the templates.",
			kind, paths[kind], list(lacking[kind]))})
	}
	return problems
}

// idle notes the patterns of one argument that name nothing in any of the objects.
func idle(
	argument string, patterns []manifest.Pattern, objects []*unstructured.Unstructured,
	names func(*unstructured.Unstructured, manifest.Pattern) bool,
) []*Problem {
	var problems []*Problem
	for _, pattern := range patterns {
		if slices.ContainsFunc(objects, func(object *unstructured.Unstructured) bool { return names(object, pattern) }) {
			continue
		}
		problems = append(problems, &Problem{Note: true, Argument: argument, Summary: "Path names nothing here", Detail: fmt.Sprintf(
			"No template has %s. Write a path as works shows it, such as metadata.labels[\"app.kubernetes.io/name\"], or a JSON pointer: "+
				"check the spelling, or take it out of %s.", pattern, argument)})
	}
	return problems
}
