package provider

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var fieldSteps = regexp.MustCompile(`[^.[\]]+|\[[^\]]*\]`)

// attributePath returns the attribute that was written as the given field of the document, or the nearest one around it:
// cluster_affinities[0] for spec.placement.clusterAffinities[0].x.
func attributePath(resource attr.Type, name string) path.Path {
	at, within := path.Empty(), resource
	name = strings.TrimPrefix(strings.TrimPrefix(name, "spec."), "metadata.")
	for _, step := range fieldSteps.FindAllString(name, -1) {
		key := strings.Trim(step, "[]")
		switch t := within.(type) {
		case types.ObjectType:
			attribute, ok := attributeOf(t, key)
			if !ok {
				return at
			}
			at, within = at.AtName(attribute), t.AttrTypes[attribute]
		case types.ListType:
			index, err := strconv.Atoi(key)
			if err != nil {
				return at
			}
			at, within = at.AtListIndex(index), t.ElemType
		case types.MapType:
			at, within = at.AtMapKey(key), t.ElemType
		default:
			return at
		}
	}
	return at
}

// shownPath returns the beginning of a path that Terraform can show in the source: an attribute of the resource, or an
// element of it. At any longer path it shows the first line of the resource.
func shownPath(at path.Path) path.Path {
	steps := at.Steps()
	for ; len(steps) > 1; steps = at.Steps() {
		if _, isAttribute := steps[1].(path.PathStepAttributeName); len(steps) == 2 && !isAttribute {
			break
		}
		at = at.ParentPath()
	}
	return at
}

// attributeOf returns the attribute of an object that is written as the given field.
func attributeOf(object types.ObjectType, field string) (string, bool) {
	for attribute := range object.AttrTypes {
		if fieldName(attribute) == field {
			return attribute, true
		}
	}
	return "", false
}

// attributeNames are the attributes whose fields have another name, by field.
type attributeNames map[string]string

// collect adds the attributes within a type.
func (n attributeNames) collect(within attr.Type) {
	switch t := within.(type) {
	case types.ObjectType:
		for attribute, child := range t.AttrTypes {
			if field := fieldName(attribute); field != attribute {
				n[field] = attribute
			}
			n.collect(child)
		}
	case types.ListType:
		n.collect(t.ElemType)
	}
}

var camelCase = regexp.MustCompile(`\b[a-z]+(?:[A-Z][a-z]+)+\b`)

// replace returns a message about fields as one about attributes.
func (n attributeNames) replace(message string) string {
	return camelCase.ReplaceAllStringFunc(message, func(word string) string {
		if attribute, ok := n[word]; ok {
			return attribute
		}
		return word
	})
}
