package provider

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// droppedNames is the part of the description of a policy about names that the provider never sees, with what comes of one
// such name.
func droppedNames(example string) string {
	return "\n\nTerraform drops, without a word, names that it does not know within nested attributes: " + example + ". The provider warns of " +
		"nested objects that have nothing in them. In a policy given as `manifest` every unknown field is an error."
}

// emptyPart is an object in a configuration that has nothing in it.
type emptyPart struct {
	path  path.Path
	label string   // the attribute that is set all the same, for it only names the object
	could []string // the attributes that could be set
}

// warnEmpty returns one warning about all objects in a configuration that have nothing in them: something was meant to be
// there, and Terraform dropped it. What is not known yet counts as something. The summary names the subject, such as a policy,
// for of warnings with the same one Terraform shows the first alone.
func warnEmpty(subject string, config types.Object) diag.Diagnostics {
	var parts []emptyPart
	attributes := config.Attributes()
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		parts = append(parts, emptyParts(path.Root(name), attributes[name])...)
	}
	if len(parts) == 0 {
		return nil
	}
	var lines strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&lines, "  %s\n", part)
	}
	if name, ok := attributes[attributeName].(types.String); ok {
		subject += " " + cmp.Or(name.ValueString(), "not named yet")
	}
	var diags diag.Diagnostics
	diags.AddAttributeWarning(shownPath(parts[0].path), "Empty part in "+subject, fmt.Sprintf(
		"There is nothing in:\n\n%s\nIf something was meant, a name in it is misspelt, for Terraform drops names that it does not know. If nothing was, "+
			"leave the part out, or write one of these names with its default.", lines.String()))
	return diags
}

// emptyParts returns the objects at and below a value that have nothing in them.
func emptyParts(at path.Path, value attr.Value) []emptyPart {
	var parts []emptyPart
	switch value := value.(type) {
	case timeouts.Value:
		return emptyParts(at, value.Object)
	case types.Object:
		if part, ok := emptyObject(at, value); ok {
			return []emptyPart{part}
		}
		attributes := value.Attributes()
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			parts = append(parts, emptyParts(at.AtName(name), attributes[name])...)
		}
	case types.List:
		for i, element := range value.Elements() {
			parts = append(parts, emptyParts(at.AtListIndex(i), element)...)
		}
	}
	return parts
}

// emptyObject returns the object as an empty part, if it is one.
func emptyObject(at path.Path, object types.Object) (emptyPart, bool) {
	if object.IsNull() || object.IsUnknown() || emptyOnPurpose[at.String()] {
		return emptyPart{}, false
	}
	part := emptyPart{path: at}
	attributes := object.Attributes()
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		switch {
		case attributes[name].IsNull():
			part.could = append(part.could, name)
		case name == attributeAffinityName:
			part.label = name
		default:
			return emptyPart{}, false
		}
	}
	return part, true
}

// attributeAffinityName names a group of members, and says nothing of what is in it.
const attributeAffinityName = "affinity_name"

// emptyOnPurpose are the objects that say something by being there.
var emptyOnPurpose = map[string]bool{"failover.cluster": true}

// emptyMeans says what comes of an empty object, by its attribute. Of others the defaults hold.
var emptyMeans = map[string]string{
	"placement":               "everything goes to every member",
	"cluster_affinity":        "it selects every member",
	"cluster_affinities":      "it selects every member",
	"overflow_affinities":     "it selects every member",
	"target_cluster":          "it selects every member",
	"label_selector":          "it leaves nothing out",
	"field_selector":          "it leaves nothing out",
	"overriders":              "it changes nothing",
	"suspension":              "it suspends nothing",
	"dispatching_on_clusters": "it suspends nothing",
	"replica_scheduling":      "replicas are divided by equal weights",
}

// String returns where the part is, what comes of it and what could be in it.
func (p emptyPart) String() string {
	means := "its defaults hold"
	for _, step := range slices.Backward(p.path.Steps()) {
		if name, ok := step.(path.PathStepAttributeName); ok {
			means = cmp.Or(emptyMeans[string(name)], means)
			break
		}
	}
	but := ""
	if p.label != "" {
		but = " but " + p.label
	}
	return fmt.Sprintf("%s%s: %s; it could have %s", p.path, but, means, strings.Join(p.could, ", "))
}
