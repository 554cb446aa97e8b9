package api

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateCase is a spec in YAML flow style without its braces, and the errors wanted as "path Type", Type without its
// FieldValue prefix.
type validateCase struct {
	spec string
	want []string
}

func checkErrors(t *testing.T, errs field.ErrorList, want []string) {
	t.Helper()
	var got []string
	for _, err := range errs {
		got = append(got, err.Field+" "+strings.TrimPrefix(string(err.Type), "FieldValue"))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q\n%v", got, want, errs)
	}
}

// propagation returns a policy with its defaults; the spec selects something unless it says what.
func propagation(t *testing.T, kind, spec string) *PropagationPolicy {
	t.Helper()
	if !strings.Contains(spec, "resourceSelectors") {
		spec = strings.TrimSuffix(selectWeb+", "+spec, ", ")
	}
	var p PropagationPolicy
	unmarshal(t, policyText(kind, "{"+spec+"}"), &p)
	p.SetDefaults()
	return &p
}

func override(t *testing.T, kind, spec string) *OverridePolicy {
	t.Helper()
	var p OverridePolicy
	unmarshal(t, policyText(kind, "{"+spec+"}"), &p)
	p.SetDefaults()
	return &p
}

// rule is an override policy of one rule with these overriders.
func rule(overriders string) string { return "overrideRules: [{overriders: {" + overriders + "}}]" }

func TestValidatePropagation(t *testing.T) {
	const terms = "spec.placement.clusterAffinities"
	const application = "propagateDeps: true, failover: {application: {decisionConditions: {}, "
	const byCapacity = "replicaScheduling: {replicaDivisionPreference: Aggregated}"
	tests := map[string]validateCase{
		"least":                            {},
		"both affinities":                  {"placement: {clusterAffinity: {}, clusterAffinities: [{affinityName: a}]}", []string{"spec.placement Invalid"}},
		"affinity beside an empty list":    {"placement: {clusterAffinity: {}, clusterAffinities: []}", nil},
		"field selector key":               {"placement: {clusterAffinity: {fieldSelector: {matchExpressions: [{key: region, operator: In, values: [a]}, {key: name, operator: In}, {key: x, operator: In}]}}}", []string{"spec.placement.clusterAffinity.fieldSelector Invalid"}},
		"field selector operator":          {"placement: {clusterAffinities: [{affinityName: a, fieldSelector: {matchExpressions: [{key: zone, operator: Exists}]}}]}", []string{terms + "[0].fieldSelector Invalid"}},
		"empty group name":                 {"placement: {clusterAffinities: [{affinityName: ''}]}", []string{terms + "[0] Invalid", terms + "[0] Invalid"}},
		"group name thrice":                {"placement: {clusterAffinities: [{affinityName: a}, {affinityName: a}, {affinityName: a}]}", []string{terms + " Invalid", terms + " Invalid"}},
		"overflow without capacity":        {"placement: {clusterAffinities: [{affinityName: a, clusterNames: [x], overflowAffinities: [{affinityName: b}]}], replicaScheduling: {}}", []string{terms + "[0].overflowAffinities Invalid"}},
		"overflow of a duplication":        {"placement: {clusterAffinities: [{affinityName: a, clusterNames: [x], overflowAffinities: [{affinityName: b}]}], replicaScheduling: {replicaSchedulingType: Duplicated, replicaDivisionPreference: Aggregated}}", []string{terms + "[0].overflowAffinities Invalid"}},
		"overflow by dynamic weight":       {"placement: {clusterAffinities: [{affinityName: a, exclude: [x], overflowAffinities: [{affinityName: b}]}], replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}}", nil},
		"overflow of every member":         {"placement: {clusterAffinities: [{affinityName: a, overflowAffinities: [{affinityName: b}]}], " + byCapacity + "}", []string{terms + "[0].overflowAffinities Invalid"}},
		"overflow of an empty selector":    {"placement: {clusterAffinities: [{affinityName: a, labelSelector: {}, overflowAffinities: [{affinityName: b}]}], " + byCapacity + "}", nil},
		"overflow names":                   {"placement: {clusterAffinities: [{affinityName: a, clusterNames: [x], overflowAffinities: [{affinityName: a}, {affinityName: b}, {affinityName: b}, {affinityName: 'c d'}]}], " + byCapacity + "}", []string{terms + "[0].overflowAffinities[0].affinityName Invalid", terms + "[0].overflowAffinities[2].affinityName Invalid", terms + "[0].overflowAffinities[3].affinityName Invalid"}},
		"overflow names of other groups":   {"placement: {clusterAffinities: [{affinityName: a, clusterNames: [x], overflowAffinities: [{affinityName: b}]}, {affinityName: b, clusterNames: [x], overflowAffinities: [{affinityName: a}]}], " + byCapacity + "}", nil},
		"spread by two things":             {"placement: {spreadConstraints: [{spreadByField: cluster, spreadByLabel: x}]}", []string{"spec.placement.spreadConstraints[0] Invalid"}},
		"spread with bad numbers":          {"placement: {spreadConstraints: [{minGroups: -1}, {spreadByField: region, maxGroups: -1}, {spreadByField: zone, minGroups: 3, maxGroups: 2}]}", []string{"spec.placement.spreadConstraints[0] Invalid", "spec.placement.spreadConstraints[1] Invalid", "spec.placement.spreadConstraints[2] Invalid"}},
		"spread with no limit":             {"placement: {spreadConstraints: [{minGroups: 3, maxGroups: 0}]}", nil},
		"spread by the same thing thrice":  {"placement: {spreadConstraints: [{}, {}, {}]}", []string{"spec.placement.spreadConstraints Invalid"}},
		"spread by region alone":           {"placement: {spreadConstraints: [{spreadByField: region}]}", []string{"spec.placement.spreadConstraints Invalid"}},
		"spread by label alone":            {"placement: {spreadConstraints: [{spreadByLabel: x}]}", nil},
		"numeric tolerations":              {"placement: {clusterTolerations: [{key: a, operator: Lt}, {key: a, operator: Gt}, {key: a}, {operator: Exists}]}", []string{"spec.placement.clusterTolerations[0].operator NotSupported", "spec.placement.clusterTolerations[1].operator NotSupported"}},
		"workload affinity keys":           {"placement: {workloadAffinity: {affinity: {groupByLabelKey: 'a b'}, antiAffinity: {groupByLabelKey: '-'}}}", []string{"spec.placement.workloadAffinity.affinity.groupByLabelKey Invalid", "spec.placement.workloadAffinity.antiAffinity.groupByLabelKey Invalid"}},
		"workload affinity with itself":    {"placement: {workloadAffinity: {affinity: {groupByLabelKey: app}, antiAffinity: {groupByLabelKey: app}}}", []string{"spec.placement.workloadAffinity Invalid"}},
		"application without dependencies": {"failover: {application: {decisionConditions: {}}}", []string{"spec.propagateDeps Invalid"}},
		"negative toleration":              {"propagateDeps: true, failover: {application: {decisionConditions: {tolerationSeconds: -1}}}", []string{"spec.failover.application.decisionConditions.tolerationSeconds Invalid"}},
		"grace of no second":               {application + "gracePeriodSeconds: 0}}", []string{"spec.failover.application.gracePeriodSeconds Invalid"}},
		"grace without a graceful purge":   {application + "gracePeriodSeconds: -1, purgeMode: Never}}", []string{"spec.failover.application.gracePeriodSeconds Invalid", "spec.failover.application.gracePeriodSeconds Invalid"}},
		"state labels":                     {application + "statePreservation: {rules: [{aliasLabelName: ok/name}, {aliasLabelName: 'a b'}]}}, cluster: {statePreservation: {rules: [{aliasLabelName: '-x'}]}}}", []string{"spec.failover.application.statePreservation.rules[1].aliasLabelName Invalid", "spec.failover.cluster.statePreservation.rules[0].aliasLabelName Invalid"}},
		"preemption of unnamed objects":    {"preemption: Always, resourceSelectors: [{apiVersion: v1, kind: Secret}, {apiVersion: v1, kind: Secret, name: a}]", []string{"spec.resourceSelectors[0].name Invalid"}},
		"suspension of all and some":       {"suspension: {dispatching: true, dispatchingOnClusters: {clusterNames: [a]}}", []string{"spec.suspension.dispatching Invalid"}},
		"suspension of some":               {"suspension: {dispatching: false, dispatchingOnClusters: {clusterNames: [a]}}", nil},
		"suspension of all":                {"suspension: {dispatching: true, dispatchingOnClusters: {}}", nil},
		"selector of another namespace":    {"resourceSelectors: [{apiVersion: v1, kind: Secret}, {apiVersion: v1, kind: Secret, namespace: other}]", []string{"spec.resourceSelectors[1].namespace Invalid"}},
		"unchecked: targets of weights":    {"placement: {replicaScheduling: {weightPreference: {staticWeightList: [{weight: 1, targetCluster: {fieldSelector: {matchExpressions: [{key: x, operator: Exists}]}}}]}}}", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			checkErrors(t, propagation(t, KindPropagationPolicy, tt.spec).Validate(), tt.want)
		})
	}
	t.Run("a cluster-scoped policy selects in every namespace", func(t *testing.T) {
		p := propagation(t, KindClusterPropagationPolicy, "resourceSelectors: [{apiVersion: v1, kind: Secret, namespace: other}]")
		checkErrors(t, p.Validate(), nil)
	})
}

func TestValidateOverride(t *testing.T) {
	const overriders = "spec.overrideRules[0].overriders."
	long := strings.Repeat("v", 300<<10)
	tests := map[string]validateCase{
		"nothing":                       {},
		"form of one rule":              {"targetCluster: {clusterNames: [a]}, overriders: {plaintext: [{path: x, operator: add}]}", nil},
		"both forms":                    {rule("") + ", targetCluster: {}, overriders: {argsOverrider: [{containerName: a, operator: add}]}", []string{"spec.targetCluster Invalid", "spec.overriders Invalid"}},
		"form of one rule, empty list":  {"overrideRules: [], targetCluster: {}", nil},
		"unchecked: field of both":      {rule("") + ", overriders: {fieldOverrider: [{fieldPath: /x, json: [{subPath: /a, operator: remove}]}]}", nil},
		"targets":                       {"overrideRules: [{overriders: {}, targetCluster: {fieldSelector: {matchExpressions: [{key: x, operator: In}]}}}]", []string{"spec.overrideRules[0].targetCluster.fieldSelector Invalid"}},
		"target of one rule":            {"targetCluster: {fieldSelector: {matchExpressions: [{key: zone, operator: Gt}]}}", []string{"spec.targetCluster.fieldSelector Invalid"}},
		"labels":                        {rule("labelsOverrider: [{operator: add, value: {'a b': v}}, {operator: add, value: {a: 'v w'}}]"), []string{overriders + "labelsOverrider[0].value Invalid", overriders + "labelsOverrider[1].value Invalid"}},
		"annotations":                   {rule("annotationsOverrider: [{operator: add, value: {'a~b': v}}, {operator: add, value: {Example.com/Key: 'v w'}}]"), []string{overriders + "annotationsOverrider[0].value Invalid"}},
		"annotations of 300 KiB":        {rule("annotationsOverrider: [{operator: add, value: {a: " + long + "}}]"), []string{overriders + "annotationsOverrider[0].value TooLong"}},
		"image path":                    {rule("imageOverrider: [{component: Tag, operator: add, predicate: {path: spec/x}}, {component: Tag, operator: add, predicate: {path: ''}}]"), []string{overriders + "imageOverrider[0].predicate.path Invalid"}},
		"field without operations":      {rule("fieldOverrider: [{fieldPath: /x, json: []}]"), []string{overriders + "fieldOverrider[0] Required"}},
		"field with both":               {rule("fieldOverrider: [{fieldPath: /x, json: [{subPath: '', operator: remove}], yaml: [{subPath: '', operator: remove}]}]"), []string{overriders + "fieldOverrider[0] Invalid"}},
		"field paths":                   {rule("fieldOverrider: [{fieldPath: x, yaml: [{subPath: a, operator: remove}]}]"), []string{overriders + "fieldOverrider[0].fieldPath Invalid", overriders + "fieldOverrider[0].yaml[0].subPath Invalid"}},
		"field values":                  {rule("fieldOverrider: [{fieldPath: /x, json: [{subPath: /a, operator: add}, {subPath: /a, operator: replace, value: null}, {subPath: /a, operator: remove, value: 1}, {subPath: /a, operator: remove, value: null}, {subPath: /a, operator: add, value: ''}]}]"), []string{overriders + "fieldOverrider[0].json[0].value Invalid", overriders + "fieldOverrider[0].json[1].value Invalid", overriders + "fieldOverrider[0].json[2].value Invalid"}},
		"unchecked: plaintext":          {rule("plaintext: [{path: no-slash, operator: add}, {path: /x, operator: remove, value: 1}]"), nil},
		"selector of another namespace": {"resourceSelectors: [{apiVersion: v1, kind: Secret, namespace: other}]", []string{"spec.resourceSelectors[0].namespace Invalid"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			checkErrors(t, override(t, KindOverridePolicy, tt.spec).Validate(), tt.want)
		})
	}
}

func TestValidateSchemaOfPropagation(t *testing.T) {
	tests := map[string]validateCase{
		"least":              {},
		"no selectors":       {"resourceSelectors: []", []string{"spec.resourceSelectors Required"}},
		"empty selector":     {"resourceSelectors: [{}]", []string{"spec.resourceSelectors[0].apiVersion Required", "spec.resourceSelectors[0].kind Required"}},
		"enumerations":       {"preemption: never, conflictResolution: Merge, activationPreference: Eager", []string{"spec.preemption NotSupported", "spec.conflictResolution NotSupported", "spec.activationPreference NotSupported"}},
		"schedule priority":  {"schedulePriority: {priorityClassSource: PodPriorityClass}", []string{"spec.schedulePriority.priorityClassSource NotSupported", "spec.schedulePriority.priorityClassName Required"}},
		"group names":        {"placement: {clusterAffinities: [{}, {affinityName: " + strings.Repeat("a", 32) + ", overflowAffinities: [{affinityName: " + strings.Repeat("a", 33) + "}]}]}", []string{"spec.placement.clusterAffinities[0].affinityName Required", "spec.placement.clusterAffinities[1].overflowAffinities[0].affinityName TooLong"}},
		"spread field":       {"placement: {spreadConstraints: [{spreadByField: rack}]}", []string{"spec.placement.spreadConstraints[0].spreadByField NotSupported"}},
		"replica scheduling": {"placement: {replicaScheduling: {replicaSchedulingType: divided, replicaDivisionPreference: weighted, weightPreference: {dynamicWeight: Free}}}", []string{"spec.placement.replicaScheduling.replicaSchedulingType NotSupported", "spec.placement.replicaScheduling.replicaDivisionPreference NotSupported", "spec.placement.replicaScheduling.weightPreference.dynamicWeight NotSupported"}},
		"weights":            {"placement: {replicaScheduling: {weightPreference: {staticWeightList: [{weight: 1, targetCluster: {}}, {weight: 0, targetCluster: {}}, {targetCluster: {}}]}}}", []string{"spec.placement.replicaScheduling.weightPreference.staticWeightList[1].weight Invalid", "spec.placement.replicaScheduling.weightPreference.staticWeightList[2].weight Invalid"}},
		"workload affinity":  {"placement: {workloadAffinity: {affinity: {}, antiAffinity: {}}}", []string{"spec.placement.workloadAffinity.affinity.groupByLabelKey Required", "spec.placement.workloadAffinity.antiAffinity.groupByLabelKey Required"}},
		"purge modes":        {"failover: {application: {purgeMode: Softly}, cluster: {purgeMode: Never}}", []string{"spec.failover.application.purgeMode NotSupported", "spec.failover.cluster.purgeMode NotSupported"}},
		"purge mode never":   {"failover: {application: {purgeMode: Never}}", nil},
		"state":              {"failover: {application: {statePreservation: {}}, cluster: {statePreservation: {rules: [{}]}}}", []string{"spec.failover.application.statePreservation.rules Required", "spec.failover.cluster.statePreservation.rules[0].aliasLabelName Required", "spec.failover.cluster.statePreservation.rules[0].jsonPath Required"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			checkErrors(t, propagation(t, KindPropagationPolicy, tt.spec).ValidateSchema(), tt.want)
		})
	}
}

func TestValidateSchemaOfMetadata(t *testing.T) {
	tests := map[string]validateCase{
		"least":           {"name: web", nil},
		"no name":         {"generateName: web-", []string{"metadata.name Required"}},
		"bad names":       {"name: Web, namespace: a.b", []string{"metadata.name Invalid", "metadata.namespace Invalid"}},
		"bad label":       {"name: web, labels: {'a b': v}", []string{"metadata.labels Invalid"}},
		"dotted name":     {"name: web.v1, namespace: shop", nil},
		"exported object": {"name: web, namespace: shop, uid: 1-2, resourceVersion: '7', generation: 2, creationTimestamp: '2026-01-02T03:04:05Z', managedFields: [{manager: kubectl, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {}}]", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var p OverridePolicy
			unmarshal(t, "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {"+tt.spec+"}\nspec: {}", &p)
			p.SetDefaults()
			checkErrors(t, p.ValidateSchema(), tt.want)
		})
	}
}

func TestValidateSchemaOfOverride(t *testing.T) {
	const overriders = "spec.overrideRules[0].overriders."
	tests := map[string]validateCase{
		"nothing":          {},
		"empty selector":   {"resourceSelectors: [{apiVersion: v1}]", []string{"spec.resourceSelectors[0].kind Required"}},
		"plaintext":        {rule("plaintext: [{path: '', operator: move}, {path: /x}]"), []string{overriders + "plaintext[0].operator NotSupported", overriders + "plaintext[1].operator Required"}},
		"image":            {rule("imageOverrider: [{component: Digest, operator: set}, {}]"), []string{overriders + "imageOverrider[0].component NotSupported", overriders + "imageOverrider[0].operator NotSupported", overriders + "imageOverrider[1].component Required", overriders + "imageOverrider[1].operator Required"}},
		"command and args": {rule("commandOverrider: [{containerName: a, operator: replace}], argsOverrider: [{operator: remove}]"), []string{overriders + "commandOverrider[0].operator NotSupported", overriders + "argsOverrider[0].containerName Required"}},
		"labels":           {rule("labelsOverrider: [{operator: add}], annotationsOverrider: [{operator: set, value: {}}]"), []string{overriders + "labelsOverrider[0].value Required", overriders + "annotationsOverrider[0].operator NotSupported"}},
		"field":            {rule("fieldOverrider: [{fieldPath: /x, json: [{subPath: /a, operator: test}], yaml: [{subPath: /a}]}]"), []string{overriders + "fieldOverrider[0].json[0].operator NotSupported", overriders + "fieldOverrider[0].yaml[0].operator Required"}},
		"form of one rule": {"overriders: {imageOverrider: [{component: Tag, operator: set}]}", []string{"spec.overriders.imageOverrider[0].operator NotSupported"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			checkErrors(t, override(t, KindClusterOverridePolicy, tt.spec).ValidateSchema(), tt.want)
		})
	}
}

func TestValidateIgnored(t *testing.T) {
	const badLabels = "labelSelector: {matchExpressions: [{key: a, operator: in, values: [b]}]}"
	const badField = "fieldSelector: {matchExpressions: [{key: zone, operator: In}]}"
	propagations := map[string]validateCase{
		"least":             {},
		"object selector":   {"resourceSelectors: [{apiVersion: v1, kind: Secret, labelSelector: {matchLabels: {a: 'b c'}}}]", []string{"spec.resourceSelectors[0].labelSelector.matchLabels Invalid"}},
		"member selectors":  {"placement: {clusterAffinity: {" + badLabels + ", " + badField + "}}", []string{"spec.placement.clusterAffinity.labelSelector.matchExpressions[0].operator Invalid", "spec.placement.clusterAffinity.fieldSelector.matchExpressions[0].values Required"}},
		"groups":            {"placement: {clusterAffinities: [{affinityName: a, " + badLabels + ", overflowAffinities: [{affinityName: b, " + badField + "}]}]}", []string{"spec.placement.clusterAffinities[0].labelSelector.matchExpressions[0].operator Invalid", "spec.placement.clusterAffinities[0].overflowAffinities[0].fieldSelector.matchExpressions[0].values Required"}},
		"targets of weight": {"placement: {replicaScheduling: {weightPreference: {staticWeightList: [{weight: 1, targetCluster: {fieldSelector: {matchExpressions: [{key: x, operator: In, values: [a]}]}}}, {weight: 1, targetCluster: {" + badLabels + "}}]}}}", []string{"spec.placement.replicaScheduling.weightPreference.staticWeightList[0].targetCluster.fieldSelector Invalid", "spec.placement.replicaScheduling.weightPreference.staticWeightList[1].targetCluster.labelSelector.matchExpressions[0].operator Invalid"}},
		"tolerations":       {"placement: {clusterTolerations: [{key: a, operator: exists}, {key: a, effect: NoEvict}, {key: a, operator: Lt}, {operator: Exists, effect: NoExecute}]}", []string{"spec.placement.clusterTolerations[0].operator NotSupported", "spec.placement.clusterTolerations[1].effect NotSupported"}},
	}
	for name, tt := range propagations {
		t.Run(name, func(t *testing.T) {
			checkErrors(t, propagation(t, KindPropagationPolicy, tt.spec).ValidateIgnored(), tt.want)
		})
	}
	overrides := map[string]validateCase{
		"override":                  {},
		"override selectors":        {"resourceSelectors: [{apiVersion: v1, kind: Secret, " + badLabels + "}], overrideRules: [{overriders: {}, targetCluster: {" + badField + "}}]", []string{"spec.resourceSelectors[0].labelSelector.matchExpressions[0].operator Invalid", "spec.overrideRules[0].targetCluster.fieldSelector.matchExpressions[0].values Required"}},
		"override of one rule":      {"targetCluster: {" + badField + "}, overriders: {imageOverrider: [{component: Tag, operator: add, predicate: {path: x}}]}", []string{"spec.targetCluster.fieldSelector.matchExpressions[0].values Required", "spec.overriders.imageOverrider[0].predicate.path Invalid"}},
		"override in both forms":    {rule("") + ", overriders: {fieldOverrider: [{fieldPath: /x, json: [{subPath: /a, operator: remove}]}]}", []string{"spec.overriders.fieldOverrider Invalid"}},
		"override in the right one": {rule("fieldOverrider: [{fieldPath: /x, json: [{subPath: /a, operator: remove}]}]"), nil},
	}
	for name, tt := range overrides {
		t.Run(name, func(t *testing.T) {
			checkErrors(t, override(t, KindOverridePolicy, tt.spec).ValidateIgnored(), tt.want)
		})
	}
}
