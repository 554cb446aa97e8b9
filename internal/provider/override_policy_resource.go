package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// overridePolicyName is the name of the resource type, without that of the provider.
const overridePolicyName = "override_policy"

func newOverridePolicyResource() resource.Resource {
	return &policyResource{
		name:        overridePolicyName,
		kind:        api.KindOverridePolicy,
		clusterKind: api.KindClusterOverridePolicy,
		description: "Says what differs on which members: Karmada's OverridePolicy, or with `cluster_scoped` its ClusterOverridePolicy. By itself " +
			"it does nothing: pass `manifest` to `policies` of a `multicluster_propagation`.\n\nAll policies that select an object apply: " +
			"cluster-wide ones first, then those of its namespace; within each, less specific ones (kind alone, then labels, then name) before " +
			"more specific ones, then by name. The last word is that of the most specific policy.\n\nEvery value may refer to the member it is " +
			"written for: `{{ member.name }}`, `.region`, `.zone`, `.provider`, `.labels[\"key\"]` and `.variables[\"key\"]`. Other braces are " +
			"left alone. Karmada has no such references." + droppedNames("with `cluster_name` for `cluster_names`, `target_cluster` has nothing in it, "+
			"and the rule is for every member"),
		attributes: overrideSpecAttributes,
	}
}

// overrideSpecAttributes are the fields of api.OverrideSpec.
func overrideSpecAttributes() attributeMap {
	const singleRule = "Make it an entry of override_rules."
	return attributeMap{
		"resource_selectors": resourceSelectorsAttribute("The objects that the policy is for: what any of the selectors selects. Default: every " +
			"object; in the namespace of the policy, if it has one."),
		"override_rules": optionalList("What differs, and where. All rules that are for a member apply, in their order.", attributeMap{
			"target_cluster": optionalObject("The members that the rule is for. Default: all."+affinityParts, clusterAffinityAttributes()),
			"overriders":     requiredObject(overridersDescription, overriderAttributes()),
		}),
		"target_cluster": schema.SingleNestedAttribute{
			Optional:            true,
			DeprecationMessage:  singleRule,
			MarkdownDescription: "Karmada's older form of a policy with one rule: its `target_cluster`. Not together with `override_rules`.",
			Attributes:          clusterAffinityAttributes(),
		},
		"overriders": schema.SingleNestedAttribute{
			Optional:            true,
			DeprecationMessage:  singleRule,
			MarkdownDescription: "Karmada's older form of a policy with one rule: its `overriders`. Not together with `override_rules`.",
			Attributes:          overriderAttributes(),
		},
	}
}

const overridersDescription = "The changes. Whatever their order here, they are made in the order `image`, `command`, `args`, `labels`, " +
	"`annotations`, `field`, `plaintext`, each on the result of those before. A change that cannot be made is an error of the plan."

// overriderAttributes are the fields of api.Overriders, without the word overrider in their names.
func overriderAttributes() attributeMap {
	return attributeMap{
		"image":       imageOverridersAttribute(),
		"command":     commandOverridersAttribute("command"),
		"args":        commandOverridersAttribute("args"),
		"labels":      labelOverridersAttribute("labels"),
		"annotations": labelOverridersAttribute("annotations"),
		"field": optionalList("Changes within a document that a text field holds, such as a file in a ConfigMap.", attributeMap{
			"field_path": requiredText("Field that holds the document, as JSON pointer, such as `/data/config.json`. It has to be a text."),
			"json":       patchAttribute("Changes of a JSON document. Give either these or `yaml`.", "sub_path"),
			"yaml": patchAttribute("Changes of a YAML document, which loses its comments and gets sorted keys. Give either these or "+
				"`json`.", "sub_path"),
		}),
		"plaintext": patchAttribute("Changes of any field, as JSON Patch (RFC 6902). A change that fails leaves the object as it was, and is an "+
			"error.", "path"),
	}
}

func imageOverridersAttribute() schema.ListNestedAttribute {
	return optionalList("Changes of images. They reach all containers, init containers too, of every kind with a Pod template, CronJobs included; "+
		"in Karmada neither init containers nor CronJobs. An image that has a digest keeps it when registry or repository change; Karmada drops "+
		"it.", attributeMap{
		"component": requiredText("The part of the image: `Registry`, `Repository` or `Tag`, which is the tag or the digest."),
		"operator":  requiredText("`add` appends `value` to the part, `replace` puts it in its place, `remove` removes the part."),
		"value":     optionalText("The value for `add` and `replace`. One that makes no valid tag is an error; Karmada ignores it."),
		"predicate": optionalObject("Limits the change to one image. Default: all images of the kinds that are known to have some.", attributeMap{
			"path": requiredText("Field that holds the image, as JSON pointer, such as `/spec/image`. For kinds that are not known to have images " +
				"this is needed."),
		}),
	})
}

func commandOverridersAttribute(what string) schema.ListNestedAttribute {
	return optionalList("Changes of the `"+what+"` of containers of Pods, Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs. As in "+
		"Karmada, not of init containers: use `plaintext` for these.", attributeMap{
		"container_name": requiredText("Name of the container."),
		"operator":       requiredText("`add` appends the values, `remove` removes all that are equal to one of them."),
		"value":          optionalTexts("The values."),
	})
}

func labelOverridersAttribute(what string) schema.ListNestedAttribute {
	return optionalList("Changes of the "+what+" of the object itself, not of its Pod template.", attributeMap{
		"operator": requiredText("`add` sets keys. `replace` and `remove` change only those that are there, and ignore others."),
		"value": schema.MapAttribute{
			Required: true, ElementType: types.StringType, MarkdownDescription: "Values by key. With `remove` the values do not matter.",
		},
	})
}

// patchAttribute is a list of changes by JSON pointer; the attribute that holds the pointer is called pathName.
func patchAttribute(description, pathName string) schema.ListNestedAttribute {
	return optionalList(description, attributeMap{
		pathName: requiredText("What to change, as JSON pointer (RFC 6901), such as `/spec/template/metadata/labels/app.kubernetes.io~1name` " +
			"(`~1` is a slash, `~0` a tilde)."),
		"operator": requiredText("`add` sets a field, inserts before an element of a list, or appends with `-` as last step; `replace` and " +
			"`remove` need what they change to be there."),
		"value": schema.StringAttribute{
			Optional:   true,
			CustomType: jsonTextType{},
			MarkdownDescription: "The value for `add` and `replace`, as JSON: `jsonencode(\"debug\")` for a text, `jsonencode({ key = 1 })`, " +
				"`true`, `3`.",
		},
	})
}
