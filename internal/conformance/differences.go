// Package conformance compares what this project computes with what Karmada's own code was measured to compute, and lists
// the points in which the answers differ on purpose.
package conformance

// Difference is one point in which the answers differ from Karmada's on purpose.
type Difference struct {
	Name    string   // short and unique
	Karmada string   // what Karmada 1.19 does
	Here    string   // what happens here
	Why     string   // the reason
	Tags    []string // tags of the vectors that may differ for it
}

// The names of the differences that vectors show without a tag.
const (
	allImages           = "all-images"
	errorsNotSilence    = "errors-not-silence"
	computedEachTime    = "computed-each-time"
	taintedKeep         = "tainted-members-do-not-grow"
	groupsInOrder       = "groups-in-order"
	noFitKeeps          = "no-fit-removes-nothing"
	unsetIsUnlimited    = "unset-max-groups"
	staticHonoursSpread = "static-weights-honour-spread"
	zoneAndProvider     = "zone-and-provider-spread"
	zeroReplicasStay    = "zero-replicas-stay"
	stableOrder         = "stable-order"
)

// Differences lists all of them. Where a vector could be explained by several, the first counts.
var Differences = []Difference{
	{
		Name:    "winner-computed-each-time",
		Karmada: "a policy that has claimed an object keeps it, whatever policy comes later",
		Here:    "the winner is computed each time: PropagationPolicy before ClusterPropagationPolicy, then priority, specificity, name",
		Why:     "a plan must not depend on history",
	},
	{
		Name:    computedEachTime,
		Karmada: "a divided placement is not looked at again when clusters join or change their labels or taints",
		Here:    "static weights are divided anew in each plan; dynamic divisions stay while the members are candidates",
		Why:     "the plan shows the move, and a person or a rule approves it",
	},
	{
		Name:    taintedKeep,
		Karmada: "a member that holds the object may get more replicas in spite of an untolerated taint",
		Here:    "it keeps at most the replicas it has; what it must leave goes to the others",
		Why:     "cordon means cordon",
	},
	{
		Name:    "tie-key",
		Karmada: "ties of a division are decided by a hash of the object's UID",
		Here:    "by the same hash of the object's key",
		Why:     "an object has no UID when it is planned",
	},
	{
		Name:    groupsInOrder,
		Karmada: "clusterAffinities are tried from the group used last; an earlier one is never returned to",
		Here:    "they are tried from the first each time, unless failback is Never",
		Why:     "a fleet returns to its first choice when that is well again",
	},
	{
		Name:    noFitKeeps,
		Karmada: "when no cluster is a candidate the placement is cleared, and the object removed everywhere",
		Here:    "it is an error of the plan, with the reasons for each member, and nothing is removed",
		Why:     "nothing is deleted on doubt",
	},
	{
		Name:    unsetIsUnlimited,
		Karmada: "an unset maxGroups selects nothing",
		Here:    "it is no limit",
		Why:     "leaving out a limit must not mean zero",
		Tags:    []string{"quirk:maxgroups-zero"},
	},
	{
		Name:    staticHonoursSpread,
		Karmada: "spread constraints select nothing when replicas are divided by static weights",
		Here:    "members that have a weight are selected by the constraints, then replicas are divided among them",
		Why:     "a constraint must not be lost in silence",
		Tags:    []string{"quirk:static-weight-ignores-spread"},
	},
	{
		Name:    zoneAndProvider,
		Karmada: "spreading by zone or provider only asks that members have one",
		Here:    "it selects groups of members like spreading by region",
		Why:     "a constraint must not be lost in silence",
		Tags:    []string{"quirk:zone-provider-spread-filter-only"},
	},
	{
		Name: stableOrder,
		Karmada: "an aggregated division picks among members with equal capacity those that an unstable sort puts first, if they are more than " +
			"12, and gives up those with equally many replicas that come last in the stored result",
		Here: "the order is by capacity, then by name",
		Why:  "the choice can be explained",
		Tags: []string{"quirk:go-sort-order-over-12-clusters"},
	},
	{
		Name:    zeroReplicasStay,
		Karmada: "0 replicas remove a workload with resource requests from every cluster",
		Here:    "the object stays on its members, with 0 replicas",
		Why:     "scaling down is not deleting",
		Tags: []string{
			"quirk:zero-replicas-with-requests-removes-everywhere",
			"quirk:zero-replicas-without-requests-is-nonworkload",
		},
	},
	{
		Name:    allImages,
		Karmada: "image overrides skip init containers and CronJobs, and drop the digest of an image that has a tag too",
		Here:    "they reach all containers of all kinds with a Pod template; a digest stays when registry or repository change",
		Why:     "an image that is not overridden is pulled from the wrong place",
		Tags:    []string{"quirk:image-skips-init-containers", "quirk:image-drops-digest-when-tag-present"},
	},
	{
		Name: errorsNotSilence,
		Karmada: "an invalid new tag is ignored, a wrong path is misread, does nothing or ends in a crash, patches of an empty document do " +
			"nothing and of several YAML documents lose all but the first, kinds are known by name without their group, and sums of " +
			"capacities overflow at 32 bits",
		Here: "each is an error that names rule, path and object; the API group counts; sums have 64 bits",
		Why:  "silence is worse than an error",
		Tags: []string{
			"quirk:image-invalid-tag-ignored", "quirk:image-predicate-path", "quirk:karmada-panics", "quirk:image-kind-only",
			"quirk:plaintext-path-first-segment-ignored", "quirk:field-json-empty-document-unchanged",
			"quirk:field-yaml-only-first-document-kept", "quirk:int32-capacity-overflow",
		},
	},
	{
		Name:    "identity-stays",
		Karmada: "an override may exchange kind, name and namespace of an object",
		Here:    "it is an error of the plan that names the override's object and member",
		Why:     "what is deployed could not be found again",
	},
	{
		Name:    "jobs-expire",
		Karmada: "ttlSecondsAfterFinished is taken out of a Job, which would be created again when it has expired",
		Here:    "it stays, and a Job that is gone after it ran is finished",
		Why:     "finished Jobs pile up otherwise",
	},
	{
		Name:    "partitioned-updates",
		Karmada: "a StatefulSet is healthy only when all its replicas are updated",
		Here:    "those below the partition of its rolling update need not be, as kubectl rollout status has it",
		Why:     "a partition is there to stay until somebody moves it",
	},
	{
		Name:    "flink-is-not-divided",
		Karmada: "a FlinkDeployment has the replicas of its job and task managers together, and goes whole to each cluster that gets some",
		Here:    "it has none to divide, like the other kinds that consist of several groups of Pods: each selected member gets all of it",
		Why:     "one number cannot say how many of each group",
	},
	{
		Name:    "absent-replicas-are-one",
		Karmada: "absent replicas read as 0 where no API server has set the default",
		Here:    "the defaults of the API server are set first, so they read as 1",
		Why:     "no API server lies between the template and the plan",
	},
	{
		Name:    "no-bookkeeping-annotation",
		Karmada: "the status of a workload is not collected unless an annotation of Karmada's says which generation of the template it shows",
		Here:    "no annotation is asked for",
		Why:     "nothing writes it",
		Tags:    []string{"quirk:status-needs-template-generation-annotation"},
	},
	{
		Name:    "automatic-eviction",
		Karmada: "an unhealthy cluster gets NoSchedule taints only, and policies no tolerations (since 1.14 and 1.15)",
		Here:    "it gets NoExecute taints too, as before 1.14; they evict nothing in this version",
		Why:     "an API server that is down is not a cluster that is down",
	},
	{
		Name:    "failover-by-hand",
		Karmada: "failover moves what is unhealthy, or runs on an unhealthy cluster, when the feature gate is set",
		Here:    "nothing moves by itself in this version, and a note says so; retire the member, or change the policy",
		Why:     "nothing runs between two plans",
	},
	{
		Name:    "owned-fields",
		Karmada: "an update replaces the whole object of the member",
		Here:    "server-side apply of the fields that the template has",
		Why:     "autoscalers, sidecars and webhooks keep working",
	},
	{
		Name:    "autoscaled-replicas",
		Karmada: "the replicas of a Deployment are a member's own if it has the label retain-replicas, which a controller that is off by default can set",
		Here: "so are those of any workload with the label, and of one that a HorizontalPodAutoscaler among the templates scales, on the members that get both; " +
			"the divided number is what they start with",
		Why: "an autoscaler and a plan must not undo each other's work",
	},
	{
		Name:    "nameless-certificates",
		Karmada: "propagateDeps fails for an Ingress with a TLS entry that names no Secret",
		Here:    "the Secrets that its other entries name follow it",
		Why:     "such an entry leaves the certificate to the controller",
	},
	{
		Name:    "unmatched-templates",
		Karmada: "a template without a policy waits in silence",
		Here:    "it is an error of the plan, or left out with unmatched = \"ignore\" if it was never placed",
		Why:     "it is the first question of every newcomer",
	},
	{
		Name:    "second-look",
		Karmada: "where members are chosen by what they can hold, others may be chosen the next time, for what is placed weighs in",
		Here:    "the choice is made again, at once, until it stays as it is",
		Why:     "the plan after an apply is empty",
	},
	{
		Name:    "grades-on-request",
		Karmada: "nodes are counted by nine grades unless others are given, and each takes what the lower bounds of its grade have room for",
		Here:    "what is free on all nodes counts as one, unless grades are given to data.multicluster_members",
		Why:     "the number can be checked by hand, and a GPU counts",
	},
	{
		Name:    "torn-dependencies",
		Karmada: "a dependency whose referrers disagree is overwritten, and preserved, if one of them says so",
		Here:    "it is an error of the plan that names both",
		Why:     "nobody asked for the mixture",
	},
	{
		Name:    "fields-without-effect",
		Karmada: "schedulerName, preemption, activationPreference and schedulePriority order the work of controllers and schedulers",
		Here:    "they are accepted, and a note says that they change nothing",
		Why:     "there is one plan, of everything at once",
	},
}
