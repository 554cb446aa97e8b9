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
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
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
// there, and Terraform dropped it, or a list came out empty. What is not known yet counts as something. The summary names the
// subject, such as a policy, for of warnings with the same one Terraform shows the first alone.
func warnEmpty(subject string, config types.Object) diag.Diagnostics {
	var parts []emptyPart
	attributes := config.Attributes()
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		parts = append(parts, emptyParts(path.Root(name), written(attributes[name]))...)
	}
	if len(parts) == 0 {
		return nil
	}
	if name, ok := attributes[attributeName].(types.String); ok {
		subject += " " + cmp.Or(name.ValueString(), "not named yet")
	}
	return emptyWarning(shownPath(parts[0].path), subject, "There", parts)
}

// warnEmptyDocument is warnEmpty for a policy that is written as a document. Nothing is dropped there: what is written as {} is
// meant so, and only a list that came out empty makes it doubtful. The source says where.
func warnEmptyDocument(at path.Path, document map[string]any, source string) diag.Diagnostics {
	parts := emptyParts(path.Root(documentSpec), api.WrittenSpec(document))
	if len(parts) == 0 {
		return nil
	}
	name, _, _ := unstructured.NestedString(document, "metadata", "name")
	kind, _, _ := unstructured.NestedString(document, "kind")
	return emptyWarning(at, "policy "+name, fmt.Sprintf("%s: %s %s: there", source, kind, name), parts)
}

// emptyWarning returns the warning about empty parts. The place begins its first sentence.
func emptyWarning(at path.Path, subject, place string, parts []emptyPart) diag.Diagnostics {
	var lines strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&lines, "  %s\n", part)
	}
	var diags diag.Diagnostics
	diags.AddAttributeWarning(at, "Empty part in "+subject, fmt.Sprintf(
		"%s is nothing in:\n\n%s\nIf something was meant, a list came out empty, or a name is misspelt: within arguments Terraform drops names that it does "+
			"not know. If nothing was, leave the part out, or write one of these names with its default, such as an empty exclude.", place, lines.String()))
	return diags
}

// written returns an argument with its nested objects in the form of a document's.
func written(value attr.Value) any {
	if limits, ok := value.(timeouts.Value); ok {
		value = limits.Object
	}
	switch {
	case value.IsNull():
		return nil
	case value.IsUnknown():
		return unknownValue{}
	}
	switch value := value.(type) {
	case types.Object:
		return api.Written(writtenElements(value.Attributes()))
	case types.Map:
		return writtenElements(value.Elements())
	case types.List:
		list := make([]any, len(value.Elements()))
		for i, element := range value.Elements() {
			list[i] = written(element)
		}
		return list
	}
	return value
}

func writtenElements(elements map[string]attr.Value) map[string]any {
	all := make(map[string]any, len(elements))
	for name, element := range elements {
		all[name] = written(element)
	}
	return all
}

// emptyParts returns the objects at and below a value that have nothing in them.
func emptyParts(at path.Path, value any) []emptyPart {
	var parts []emptyPart
	switch value := value.(type) {
	case api.Written:
		if part, ok := emptyObject(at, value); ok {
			return []emptyPart{part}
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			parts = append(parts, emptyParts(at.AtName(name), value[name])...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			parts = append(parts, emptyParts(at.AtMapKey(key), value[key])...)
		}
	case []any:
		for i, element := range value {
			parts = append(parts, emptyParts(at.AtListIndex(i), element)...)
		}
	}
	return parts
}

// emptyObject returns the object as an empty part, if it is one.
func emptyObject(at path.Path, object api.Written) (emptyPart, bool) {
	if object == nil || emptyOnPurpose[strings.TrimPrefix(at.String(), documentSpec+".")] {
		return emptyPart{}, false
	}
	part := emptyPart{path: at}
	means := part.means()
	selects := means == selectsEverything || means == leavesNothingOut
	for _, name := range slices.Sorted(maps.Keys(object)) {
		switch {
		case object[name] == nil:
			part.could = append(part.could, name)
		case selects && name != attributeExclude && hasNoElements(object[name]):
			part.could = append(part.could, name+" (now empty)")
		case fieldName(name) == fieldAffinityName:
			part.label = name
		default:
			return emptyPart{}, false
		}
	}
	return part, true
}

// hasNoElements reports whether a value is a list or a map without elements.
func hasNoElements(value any) bool {
	switch value := value.(type) {
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}

const (
	documentSpec = "spec"
	// fieldAffinityName names a group of members, and says nothing of what is in it.
	fieldAffinityName = "affinityName"
	// attributeExclude leaves members out: that it is empty says that none is. It is called alike in documents.
	attributeExclude = "exclude"
)

// emptyOnPurpose are the objects that say something by being there.
var emptyOnPurpose = map[string]bool{"failover.cluster": true}

// What comes of an empty object that selects. In it a list without elements says as little as none.
const (
	selectsEverything = "it selects every member"
	leavesNothingOut  = "it leaves nothing out"
)

// emptyMeans says what comes of an empty object, by its field. Of others the defaults hold.
var emptyMeans = map[string]string{
	"placement":             "everything goes to every member",
	"clusterAffinity":       selectsEverything,
	"clusterAffinities":     selectsEverything,
	"overflowAffinities":    selectsEverything,
	"targetCluster":         selectsEverything,
	"labelSelector":         leavesNothingOut,
	"fieldSelector":         leavesNothingOut,
	"overriders":            "it changes nothing",
	"suspension":            "it suspends nothing",
	"dispatchingOnClusters": "it suspends nothing",
	"replicaScheduling":     "replicas are divided by equal weights",
	"observed":              "nothing counts as seen of the member",
	"capacity":              "the member has room for nothing",
}

// means says what comes of the part.
func (p emptyPart) means() string {
	for _, step := range slices.Backward(p.path.Steps()) {
		if name, ok := step.(path.PathStepAttributeName); ok {
			return cmp.Or(emptyMeans[fieldName(string(name))], "its defaults hold")
		}
	}
	return ""
}

// String returns where the part is, what comes of it and what could be in it.
func (p emptyPart) String() string {
	but := ""
	if p.label != "" {
		but = " but " + p.label
	}
	return fmt.Sprintf("%s%s: %s; it could have %s", p.path, but, p.means(), strings.Join(p.could, ", "))
}
