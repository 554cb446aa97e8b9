package provider

import (
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// dataInputs returns arguments of a resource as those of a data source, which has no write-only ones.
func dataInputs(attributes attributeMap) map[string]data.Attribute {
	return dataAttributes(attributes, input)
}

// dataInput is dataInputs for one argument.
func dataInput(attribute schema.Attribute) data.Attribute { return dataAttribute(attribute, input) }

func input(required bool) mode { return mode{required: required, optional: !required} }

// dataOutputs returns attributes as results of a data source.
func dataOutputs(attributes attributeMap) map[string]data.Attribute {
	return dataAttributes(attributes, func(bool) mode { return mode{computed: true} })
}

// mode says who gives an attribute its value.
type mode struct{ required, optional, computed bool }

func dataAttributes(attributes attributeMap, modeOf func(required bool) mode) map[string]data.Attribute {
	out := make(map[string]data.Attribute, len(attributes))
	for name, attribute := range attributes {
		out[name] = dataAttribute(attribute, modeOf)
	}
	return out
}

func dataAttribute(attribute schema.Attribute, modeOf func(required bool) mode) data.Attribute {
	m, text := modeOf(attribute.IsRequired()), attribute.GetMarkdownDescription()
	nested := func(object schema.NestedAttributeObject) data.NestedAttributeObject {
		return data.NestedAttributeObject{Attributes: dataAttributes(object.Attributes, modeOf)}
	}
	switch a := attribute.(type) {
	case schema.StringAttribute:
		return data.StringAttribute{Required: m.required, Optional: m.optional, Computed: m.computed, MarkdownDescription: text, Validators: a.Validators}
	case schema.BoolAttribute:
		return data.BoolAttribute{Required: m.required, Optional: m.optional, Computed: m.computed, MarkdownDescription: text}
	case schema.Int64Attribute:
		return data.Int64Attribute{Required: m.required, Optional: m.optional, Computed: m.computed, MarkdownDescription: text}
	case schema.DynamicAttribute:
		return data.DynamicAttribute{Required: m.required, Optional: m.optional, Computed: m.computed, MarkdownDescription: text}
	case schema.ListAttribute:
		return data.ListAttribute{Required: m.required, Optional: m.optional, Computed: m.computed, MarkdownDescription: text, ElementType: a.ElementType}
	case schema.MapAttribute:
		return data.MapAttribute{Required: m.required, Optional: m.optional, Computed: m.computed, MarkdownDescription: text, ElementType: a.ElementType}
	case schema.ListNestedAttribute:
		return data.ListNestedAttribute{Required: m.required, Optional: m.optional, Computed: m.computed, MarkdownDescription: text, NestedObject: nested(a.NestedObject)}
	case schema.MapNestedAttribute:
		return data.MapNestedAttribute{Required: m.required, Optional: m.optional, Computed: m.computed, MarkdownDescription: text, NestedObject: nested(a.NestedObject)}
	default:
		object, _ := attribute.(schema.SingleNestedAttribute) // the only kind left that this provider has
		return data.SingleNestedAttribute{
			Required: m.required, Optional: m.optional, Computed: m.computed, MarkdownDescription: text, Attributes: dataAttributes(object.Attributes, modeOf),
		}
	}
}

// writeOnly returns optional and required attributes as write-only ones.
func writeOnly(attributes attributeMap) attributeMap {
	out := make(attributeMap, len(attributes))
	for name, attribute := range attributes {
		switch a := attribute.(type) {
		case schema.StringAttribute:
			a.WriteOnly = true
			out[name] = a
		case schema.Int64Attribute:
			a.WriteOnly = true
			out[name] = a
		case schema.MapAttribute:
			a.WriteOnly = true
			out[name] = a
		case schema.ListNestedAttribute:
			a.WriteOnly, a.NestedObject.Attributes = true, writeOnly(a.NestedObject.Attributes)
			out[name] = a
		case schema.SingleNestedAttribute:
			a.WriteOnly, a.Attributes = true, writeOnly(a.Attributes)
			out[name] = a
		default:
			out[name] = attribute
		}
	}
	return out
}
