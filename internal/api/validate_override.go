package api

import (
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// Validate reports what the admission webhook of Karmada 1.19 rejects in a policy that has its defaults, with Karmada's
// field paths and error types. Plaintext overriders are not looked at.
func (p *OverridePolicy) Validate() field.ErrorList {
	path := field.NewPath("spec")
	errs := validateAffinity(p.Spec.TargetCluster, path.Child("targetCluster"))
	if len(p.Spec.OverrideRules) > 0 {
		errs = append(errs, validateNoSingleRule(&p.Spec, path)...)
	}
	for i := range p.Spec.OverrideRules {
		rule, at := &p.Spec.OverrideRules[i], path.Child("overrideRules").Index(i)
		errs = append(errs, validateAffinity(rule.TargetCluster, at.Child("targetCluster"))...)
		errs = append(errs, validateOverriders(&rule.Overriders, at.Child("overriders"))...)
	}
	if !p.ClusterScoped() {
		errs = append(errs, validateSelectorNamespaces(p.Spec.ResourceSelectors, p.Namespace, path.Child("resourceSelectors"))...)
	}
	return errs
}

const singleRuleForm = "belongs to the deprecated form of one rule and cannot stand beside overrideRules: make it another of them"

// validateNoSingleRule refuses the deprecated form of one rule beside the list of rules.
func validateNoSingleRule(spec *OverrideSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if spec.TargetCluster != nil {
		errs = append(errs, field.Invalid(path.Child("targetCluster"), noValue, singleRuleForm))
	}
	o := &spec.Overriders
	if len(o.Plaintext)+len(o.ImageOverrider)+len(o.CommandOverrider)+len(o.ArgsOverrider)+len(o.LabelsOverrider)+len(o.AnnotationsOverrider) > 0 {
		errs = append(errs, field.Invalid(path.Child("overriders"), noValue, singleRuleForm))
	}
	return errs
}

func validateOverriders(o *Overriders, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, annotations := range o.AnnotationsOverrider {
		errs = append(errs, apivalidation.ValidateAnnotations(annotations.Value, path.Child("annotationsOverrider").Index(i).Child("value"))...)
	}
	for i, labels := range o.LabelsOverrider {
		errs = append(errs, metav1validation.ValidateLabels(fixedValues(labels.Value), path.Child("labelsOverrider").Index(i).Child("value"))...)
	}
	for i, image := range o.ImageOverrider {
		if image.Predicate != nil {
			errs = append(errs, validatePointer(image.Predicate.Path, path.Child("imageOverrider").Index(i).Child("predicate", "path"))...)
		}
	}
	for i := range o.FieldOverrider {
		errs = append(errs, validateFieldOverrider(&o.FieldOverrider[i], path.Child("fieldOverrider").Index(i))...)
	}
	return errs
}

// MemberReference begins a reference to the member inside the value of an override, such as {{ member.name }}.
const MemberReference = "{{ member."

// fixedValues returns the labels, with a valid value in place of those that are known only for a member: they are checked
// when the override is applied.
func fixedValues(labels map[string]string) map[string]string {
	fixed := make(map[string]string, len(labels))
	for key, value := range labels {
		if strings.Contains(value, MemberReference) {
			value = ""
		}
		fixed[key] = value
	}
	return fixed
}

func validateFieldOverrider(o *FieldOverrider, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch {
	case len(o.JSON) > 0 && len(o.YAML) > 0:
		errs = append(errs, field.Invalid(path, noValue, "has both json and yaml: keep the one the field holds"))
	case len(o.JSON) == 0 && len(o.YAML) == 0:
		errs = append(errs, field.Required(path, "needs json or yaml, with at least one operation"))
	}
	errs = append(errs, validatePointer(o.FieldPath, path.Child("fieldPath"))...)
	errs = append(errs, validatePatch(o.JSON, path.Child("json"))...)
	errs = append(errs, validatePatch(o.YAML, path.Child("yaml"))...)
	return errs
}

// validatePatch checks the operations of a FieldOverrider. A value of null counts as not written.
func validatePatch(patch []FieldPatchOperation, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, op := range patch {
		at := path.Index(i)
		errs = append(errs, validatePointer(op.SubPath, at.Child("subPath"))...)
		written := len(op.Value) > 0 && string(op.Value) != "null"
		switch op.Operator {
		case OverriderOpAdd, OverriderOpReplace:
			if !written {
				errs = append(errs, field.Invalid(at.Child("value"), noValue, "is needed by add and replace, and cannot be null"))
			}
		case OverriderOpRemove:
			if written {
				errs = append(errs, field.Invalid(at.Child("value"), noValue, "has no use with remove: drop it"))
			}
		}
	}
	return errs
}

// validatePointer checks for a JSON pointer (RFC 6901): empty, or starting with a slash.
func validatePointer(pointer string, path *field.Path) field.ErrorList {
	if pointer == "" || strings.HasPrefix(pointer, "/") {
		return nil
	}
	return field.ErrorList{field.Invalid(path, pointer, manifest.NotAPointer(pointer).Error())}
}
