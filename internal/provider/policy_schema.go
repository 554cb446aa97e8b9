package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// attributeMap holds attributes by name.
type attributeMap = map[string]schema.Attribute

func requiredText(description string) schema.StringAttribute {
	return schema.StringAttribute{Required: true, MarkdownDescription: description}
}

func optionalText(description string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description}
}

func optionalTexts(description string) schema.ListAttribute {
	return schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: description}
}

func optionalFlag(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
}

func optionalNumber(description string) schema.Int64Attribute {
	return schema.Int64Attribute{Optional: true, MarkdownDescription: description}
}

func requiredObject(description string, attributes attributeMap) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Required: true, MarkdownDescription: description, Attributes: attributes}
}

func optionalObject(description string, attributes attributeMap) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, MarkdownDescription: description, Attributes: attributes}
}

func requiredList(description string, element attributeMap) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{Required: true, MarkdownDescription: description, NestedObject: schema.NestedAttributeObject{Attributes: element}}
}

func optionalList(description string, element attributeMap) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{Optional: true, MarkdownDescription: description, NestedObject: schema.NestedAttributeObject{Attributes: element}}
}

// resourceSelectorsAttribute is the list of what a policy is for.
func resourceSelectorsAttribute(description string) schema.ListNestedAttribute {
	return optionalList(description, attributeMap{
		"api_version": requiredText("API version of the objects, matched exactly, such as `apps/v1`."),
		"kind":        requiredText("Kind of the objects, such as `Deployment`."),
		"namespace": optionalText("Namespace of the objects. Default: that of the policy; for a cluster-wide policy, any. A policy that has a " +
			"namespace can name no other here."),
		"name": optionalText("Name of the object. Default: all of the kind. The selector is the most specific with a name, and " +
			"`label_selector` is then ignored."),
		"label_selector": labelSelectorAttribute("Selects the objects by their labels."),
	})
}

// labelSelectorAttribute selects by labels. One without parts selects everything.
func labelSelectorAttribute(description string) schema.SingleNestedAttribute {
	return optionalObject(description+" All parts have to match.", attributeMap{
		"match_labels": schema.MapAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels and the values they have to have.",
		},
		"match_expressions": optionalList("Conditions on labels.", attributeMap{
			"key":      requiredText("Key of the label."),
			"operator": requiredText("`In`, `NotIn`, `Exists` or `DoesNotExist`."),
			"values":   optionalTexts("Values for `In` and `NotIn`, at least one; none for the other operators."),
		}),
	})
}

// clusterAffinityAttributes select members. Each call returns a new map, for callers to add to.
func clusterAffinityAttributes() attributeMap {
	return attributeMap{
		"cluster_names":  optionalTexts("Names of members. Default: all."),
		"exclude":        optionalTexts("Names of members that are not selected in any case."),
		"label_selector": labelSelectorAttribute("Selects members by their labels."),
		"field_selector": optionalObject("Selects members by what `multicluster_member` says of them.", attributeMap{
			"match_expressions": optionalList("Conditions, all of which have to hold.", attributeMap{
				"key": requiredText("`provider`, `region` or `zone`."),
				"operator": requiredText("`In` or `NotIn`. A member is in a zone when any of its zones is among the values; one without the " +
					"property is in none."),
				"values": optionalTexts("Values, at least one."),
			}),
		}),
	}
}

const affinityParts = " All parts have to match; without parts, every member does."
