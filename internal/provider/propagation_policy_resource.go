package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// propagationPolicyName is the name of the resource type, without that of the provider.
const propagationPolicyName = "propagation_policy"

func newPropagationPolicyResource() resource.Resource {
	return &policyResource{
		name:        propagationPolicyName,
		kind:        api.KindPropagationPolicy,
		clusterKind: api.KindClusterPropagationPolicy,
		description: "Says which objects go to which members, and how their replicas are divided: Karmada's PropagationPolicy, or with " +
			"`cluster_scoped` its ClusterPropagationPolicy. By itself it does nothing: pass `manifest` to `policies` of a " +
			"`multicluster_propagation`.\n\nOf the policies that select an object one wins, and this is computed anew in each plan: a policy of " +
			"the object's namespace before a cluster-wide one, then the higher `priority`, then the more specific selector (name, then labels, " +
			"then kind alone), then the first by name. In Karmada the policy that came first keeps the object." + droppedNames("with `cluster_affinty` for "+
			"`cluster_affinity`, `placement` has nothing in it, and everything goes to every member"),
		attributes: propagationSpecAttributes,
	}
}

// propagationSpecAttributes are the fields of api.PropagationSpec.
func propagationSpecAttributes() attributeMap {
	return attributeMap{
		"resource_selectors": resourceSelectorsAttribute("The objects that the policy is for, at least one selector: what any of them selects. " +
			"Required, unless the policy is given as `manifest`."),
		"association": schema.BoolAttribute{
			Optional:            true,
			DeprecationMessage:  "Karmada never used this field, and it has no effect here. Remove it.",
			MarkdownDescription: "Has no effect, neither in Karmada nor here.",
		},
		"propagate_deps": optionalFlag("Whether the ConfigMaps, Secrets, ServiceAccounts and PersistentVolumeClaims among the templates " +
			"that an object refers to, and the TLS Secrets of an Ingress, go where the object goes. Default `false`; `true` when a selector is for " +
			"ServiceImports. `failover.application` needs `true`."),
		"placement": optionalObject("Which members are candidates, and how replicas are divided among them. Default: everything on "+
			"every member.", placementAttributes()),
		"priority": optionalNumber("Priority among the policies of the same kind that select an object; the higher one wins. Default " +
			"`0`. A policy of the object's namespace wins over any cluster-wide one."),
		"preemption": optionalText("`Never` (default) or `Always`. As the winner is computed in each plan, the higher `priority` wins " +
			"without it. `Always` demands a `name` in every selector, as in Karmada."),
		"dependent_overrides": optionalTexts("Names of the override policies that this policy counts on: of its own namespace, or cluster-wide " +
			"ones for a cluster-wide policy."),
		"scheduler_name": optionalText("Default `default-scheduler`. Has no effect: the plan is the only scheduler."),
		"failover":       failoverAttribute(),
		"conflict_resolution": optionalText("What happens when an object that is not ours exists on a member already: `Abort`, which is an error " +
			"for that member, or `Overwrite`, which takes it over. Default: `conflict_resolution` of the propagation, which is `Abort` unless set."),
		"activation_preference": optionalText("`Lazy`, or nothing. Has no effect: a changed policy changes nothing before its plan is applied."),
		"suspension":            suspensionAttribute("Default: `suspension` of the propagation."),
		"preserve_resources_on_deletion": optionalFlag("Whether objects stay on a member, and are forgotten, when they would be removed from it " +
			"for whatever reason. Default: as `deletion_policy` of the propagation says."),
		"schedule_priority": optionalObject("Priority in Karmada's scheduling queue. Has no effect: everything is scheduled in one "+
			"plan.", attributeMap{
			"priority_class_source": requiredText("`KubePriorityClass`."),
			"priority_class_name":   requiredText("Name of the PriorityClass."),
		}),
	}
}

// placementAttributes are the fields of api.Placement.
func placementAttributes() attributeMap {
	return attributeMap{
		"cluster_affinity": optionalObject("The members that are candidates."+affinityParts+" Not together with "+
			"`cluster_affinities`.", clusterAffinityAttributes()),
		"cluster_affinities":  clusterAffinitiesAttribute(),
		"cluster_tolerations": clusterTolerationsAttribute(),
		"spread_constraints":  spreadConstraintsAttribute(),
		"replica_scheduling":  replicaSchedulingAttribute(),
		"workload_affinity": optionalObject("Keeps workloads together or apart. Has no effect, as in Karmada unless its feature gate "+
			"`WorkloadAffinity` is on.", attributeMap{
			"affinity": workloadAffinityTermAttribute("Workloads that go to the same members."),
			"anti_affinity": workloadAffinityTermAttribute("Workloads that go to different members. The key has to be another than that of " +
				"`affinity`."),
		}),
	}
}

func workloadAffinityTermAttribute(description string) schema.SingleNestedAttribute {
	return optionalObject(description, attributeMap{
		"group_by_label_key": requiredText("Key of the label whose value names the group that a template belongs to."),
	})
}

func clusterAffinitiesAttribute() schema.ListNestedAttribute {
	overflow := clusterAffinityAttributes()
	overflow["affinity_name"] = requiredText("Name of the tier, unique within the group, of at most 32 characters.")

	group := clusterAffinityAttributes()
	group["affinity_name"] = requiredText("Name of the group, unique within the policy, of at most 32 characters: a label key.")
	group["overflow_affinities"] = optionalList("Further members, tier after tier, for the replicas that do not fit on the group's own. Needs a "+
		"group that does not select every member, and replicas that are divided by capacity: `Divided` with `Aggregated`, or with `Weighted` and "+
		"`dynamic_weight`. When replicas are taken away, the last tier loses them first.", overflow)
	return optionalList("Groups of members in order of preference: the first on which the object can be placed takes it whole. Not together with "+
		"`cluster_affinity`.\n\nGroups are tried from the first in each plan, so an object returns to a better group when that is well again; "+
		"`failback = \"Never\"` of the propagation keeps it where it is. Karmada never returns to an earlier group.", group)
}

func clusterTolerationsAttribute() schema.ListNestedAttribute {
	return optionalList("Taints of members that the objects tolerate. With an untolerated `NoSchedule` taint a member keeps at most the replicas "+
		"it has, while in Karmada it may even get more. So it is with `NoExecute`: in this version nothing is evicted.\n\nAn unhealthy member "+
		"has the taints `cluster.karmada.io/not-ready` or `cluster.karmada.io/unreachable`.", attributeMap{
		"key":      optionalText("Key of the taint. Default: any, which needs the operator `Exists`."),
		"operator": optionalText("`Equal` (default): the values have to be equal. `Exists`: any value will do."),
		"value":    optionalText("Value of the taint, for `Equal`."),
		"effect":   optionalText("`NoSchedule`, `PreferNoSchedule` or `NoExecute`. Default: any."),
		"toleration_seconds": optionalNumber("How long a `NoExecute` taint is tolerated, in seconds. Default: for ever. Nothing acts on it in this " +
			"version."),
	})
}

func spreadConstraintsAttribute() schema.ListNestedAttribute {
	return optionalList("How many groups of members the replicas are spread over. A constraint by anything but `cluster` needs one by `cluster` "+
		"beside it.\n\nThey hold with static weights too: members are selected by the constraints first, then the replicas are divided among them. "+
		"Spreading by `zone` and `provider` selects groups just as by `region`. In Karmada, constraints are ignored with static weights, and `zone` "+
		"and `provider` only ask that members have the property.", attributeMap{
		"spread_by_field": optionalText("What makes a group: `cluster` (default), `region`, `zone` or `provider`. Each at most once."),
		"spread_by_label": optionalText("Refused: Karmada accepts it and never acts on it. Use `spread_by_field`, or select members by label in " +
			"`cluster_affinity`."),
		"min_groups": optionalNumber("How many groups there have to be at least. Default `1`. When there are fewer, the plan fails and " +
			"nothing is removed."),
		"max_groups": optionalNumber("How many groups there may be. Default: any number, while in Karmada none is selected when this is left " +
			"out."),
	})
}

func replicaSchedulingAttribute() schema.SingleNestedAttribute {
	return optionalObject("How replicas are divided. Without it they are `Duplicated`; with it, `Divided` unless it says otherwise.", attributeMap{
		"replica_scheduling_type": optionalText("`Duplicated`: every member gets all replicas. `Divided` (default): the replicas are divided " +
			"among the members."),
		"replica_division_preference": optionalText("How they are divided. `Weighted` (default): by weights. `Aggregated`: over as few members as " +
			"their capacity allows."),
		"weight_preference": optionalObject("The weights of `Weighted`. Default: each member the same.", attributeMap{
			"static_weight_list": optionalList("Fixed weights. A member gets the greatest weight of all entries that select it; one that no entry "+
				"selects gets nothing. The division is computed anew in each plan, so members that join or change their labels move replicas. In "+
				"Karmada they do not, until the policy or the number of replicas changes.", attributeMap{
				"target_cluster": requiredObject("The members with this weight."+affinityParts, clusterAffinityAttributes()),
				"weight": schema.Int64Attribute{
					Required:            true,
					MarkdownDescription: "The weight, at least 1.",
				},
			}),
			"dynamic_weight": optionalText("`AvailableReplicas`: the weight of a member is the number of replicas for which it has room, as " +
				"`observed` of the propagation says. `static_weight_list` is then ignored. Replicas stay where they are while they fit."),
		}),
	})
}

// failoverAttribute is api.FailoverBehavior.
func failoverAttribute() schema.SingleNestedAttribute {
	return optionalObject("When and how replicas leave a member that does not run them well. It is checked and rendered, and nothing acts on it in "+
		"this version: replicas stay where they are, see [Coming from Karmada](../guides/from-karmada.md#what-does-not-happen-by-itself).", attributeMap{
		"application": optionalObject("For an object that is unhealthy on a member that is well. Needs `propagate_deps = true`.", attributeMap{
			"decision_conditions": optionalObject("When it leaves.", attributeMap{
				"toleration_seconds": optionalNumber("How long the object may be unhealthy, in seconds. Default `300`."),
			}),
			"purge_mode": optionalText("What becomes of the old copy. `Gracefully` (default): it is deleted once its replacements are " +
				"healthy, or the grace period is over. `Directly`: it is deleted at once, before there is a replacement. `Never`: it stays. The " +
				"names that Karmada has given up, `Graciously` and `Immediately`, are accepted with a warning."),
			"grace_period_seconds": optionalNumber("How long the old copy waits for its replacements with `Gracefully`, in seconds, at least 1. " +
				"Default `600`."),
			"state_preservation": statePreservationAttribute(),
		}),
		"cluster": optionalObject("For a member as a whole.", attributeMap{
			"purge_mode":         optionalText("What becomes of the old copy: `Gracefully` (default) or `Directly`."),
			"state_preservation": statePreservationAttribute(),
		}),
	})
}

func statePreservationAttribute() schema.SingleNestedAttribute {
	return optionalObject("What the new copy is told of the old one. Has no effect, as in Karmada unless its feature gate "+
		"`StatefulFailoverInjection` is on.", attributeMap{
		"rules": requiredList("The values to hand over.", attributeMap{
			"alias_label_name": requiredText("Key of the label of the new copy that holds the value."),
			"json_path":        requiredText("JSONPath of the value in the `status` of the old copy, such as `{.jobStatus.jobID}`."),
		}),
	})
}
