package manifest

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
)

// listRulesOf reads the rules of a list field from the tags that strategic
// merge patch uses, which are part of the API types, and from the three tables
// below for what the tags cannot say.
func listRulesOf(parent reflect.Type, field reflect.StructField, name string, elem reflect.Type) listRules {
	rules := listRules{
		set:     setFields[fieldName{parent.Name(), name}],
		ordered: orderedFields[fieldName{parent.Name(), name}],
	}
	if keys, ok := moreKeys[elem]; ok {
		rules.keys = keys
		return rules
	}
	if !slices.Contains(strings.Split(field.Tag.Get("patchStrategy"), ","), "merge") {
		return rules
	}
	if key := field.Tag.Get("patchMergeKey"); key != "" {
		rules.keys = []mergeKey{{name: key}}
	} else {
		rules.set = true
	}
	return rules
}

// listElem returns T for []T and *[]T.
func listElem(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Elem()
}

// moreKeys holds the items that server-side apply names by more than the one
// key a tag can hold, or by a key that has no tag.
var moreKeys = map[reflect.Type][]mergeKey{
	reflect.TypeFor[corev1.ContainerPort]():                {{name: "containerPort"}, {name: "protocol", fallback: "TCP"}},
	reflect.TypeFor[corev1.ServicePort]():                  {{name: "port"}, {name: "protocol", fallback: "TCP"}},
	reflect.TypeFor[corev1.TopologySpreadConstraint]():     {{name: "topologyKey"}, {name: "whenUnsatisfiable"}},
	reflect.TypeFor[corev1.ResourceClaim]():                {{name: "name"}},
	reflect.TypeFor[schedulingv1alpha2.PodGroupTemplate](): {{name: "name"}},
}

type fieldName struct{ parent, field string }

// setFields holds the lists that server-side apply treats as sets without a tag
// that says so. The name of a type stands for all versions of its API.
var setFields = map[fieldName]bool{
	{"CSIDriverSpec", "volumeLifecycleModes"}:                     true,
	{"ContainerRestartRuleOnExitCodes", "values"}:                 true,
	{"Endpoint", "addresses"}:                                     true,
	{"NonResourcePolicyRule", "nonResourceURLs"}:                  true,
	{"NonResourcePolicyRule", "verbs"}:                            true,
	{"PodFailurePolicyOnExitCodesRequirement", "values"}:          true,
	{"ResourcePolicyRule", "apiGroups"}:                           true,
	{"ResourcePolicyRule", "namespaces"}:                          true,
	{"ResourcePolicyRule", "resources"}:                           true,
	{"ResourcePolicyRule", "verbs"}:                               true,
	{"ValidatingAdmissionPolicyBindingSpec", "validationActions"}: true,
}

// orderedFields holds the lists with keys whose order the API gives a meaning:
// init containers run one after the other.
var orderedFields = map[fieldName]bool{
	{"PodSpec", "initContainers"}: true,
}
