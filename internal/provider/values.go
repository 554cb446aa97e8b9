package provider

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// objectAsOptions decodes objects into models whose fields can hold null and unknown themselves.
var objectAsOptions = basetypes.ObjectAsOptions{}

// text is a string of the configuration, which may not be known yet, or all strings of a list that is not.
type text struct {
	value   string
	unknown bool
	list    bool
}

// leaveNullOut says what to do about a null element of a list.
const leaveNullOut = "Leave the element out: compact(...) does so for a list of texts, [for e in ... : e if e != null] for any other."

// readStrings returns the elements of a list of strings. Null elements are errors; an unknown list is one unknown text.
func readStrings(_ context.Context, at path.Path, list types.List) ([]text, diag.Diagnostics) {
	var diags diag.Diagnostics
	if list.IsUnknown() {
		return []text{{unknown: true, list: true}}, nil
	}
	texts := make([]text, 0, len(list.Elements()))
	for i, element := range list.Elements() {
		s, ok := element.(types.String)
		if !ok || s.IsNull() {
			diags.AddAttributeError(at.AtListIndex(i), "Element is null", fmt.Sprintf("%s[%d] is null. "+leaveNullOut, at, i))
			continue
		}
		texts = append(texts, text{value: s.ValueString(), unknown: s.IsUnknown()})
	}
	return texts, diags
}

// unknownValue stands for a value that is not known yet.
type unknownValue struct{}

// plainValue returns v as a JSON value: map[string]any, []any, string, bool, int64, float64 or nil. Null attributes of
// objects are left out, as an absent field means the same. Unknown leaves are left out too, and their paths returned; a v
// that is unknown itself is unknownValue.
func plainValue(v attr.Value) (any, []string, error) {
	var unknown []string
	value, err := toPlain(v, "", &unknown)
	return value, unknown, err
}

func toPlain(v attr.Value, at string, unknown *[]string) (any, error) {
	if dynamic, ok := v.(types.Dynamic); ok {
		if dynamic.IsNull() || dynamic.IsUnderlyingValueNull() {
			return nil, nil
		}
		if dynamic.IsUnknown() || dynamic.IsUnderlyingValueUnknown() {
			*unknown = append(*unknown, at)
			return unknownValue{}, nil
		}
		return toPlain(dynamic.UnderlyingValue(), at, unknown)
	}
	if v.IsUnknown() {
		*unknown = append(*unknown, at)
		return unknownValue{}, nil
	}
	if v.IsNull() {
		return nil, nil
	}
	if elements, ok := listElements(v); ok {
		return plainList(elements, at, unknown)
	}
	switch v := v.(type) {
	case types.String:
		return v.ValueString(), nil
	case types.Bool:
		return v.ValueBool(), nil
	case types.Number:
		return plainNumber(v), nil
	case types.Object:
		return plainMap(v.Attributes(), at, unknown)
	case types.Map:
		return plainMap(v.Elements(), at, unknown)
	default:
		return nil, fmt.Errorf("%s: %s cannot be part of a manifest", at, typeName(v))
	}
}

func plainList(elements []attr.Value, at string, unknown *[]string) (any, error) {
	out := make([]any, 0, len(elements))
	for i, element := range elements {
		value, err := toPlain(element, fmt.Sprintf("%s[%d]", at, i), unknown)
		if err != nil {
			return nil, err
		}
		if _, ok := value.(unknownValue); !ok {
			out = append(out, value)
		}
	}
	return out, nil
}

func plainMap(elements map[string]attr.Value, at string, unknown *[]string) (any, error) {
	out := make(map[string]any, len(elements))
	for name, element := range elements {
		value, err := toPlain(element, strings.TrimPrefix(at+"."+name, "."), unknown)
		if err != nil {
			return nil, err
		}
		if _, isUnknown := value.(unknownValue); !isUnknown && value != nil {
			out[name] = value
		}
	}
	return out, nil
}

// plainNumber returns a whole number as int64 and others as float64, as Kubernetes decodes JSON.
func plainNumber(n types.Number) any {
	if whole, accuracy := n.ValueBigFloat().Int64(); accuracy == big.Exact {
		return whole
	}
	f, _ := n.ValueBigFloat().Float64()
	return f
}

// typeName names the type of a value as users of Terraform know it.
func typeName(v attr.Value) string {
	if dynamic, ok := v.(types.Dynamic); ok && !dynamic.IsNull() {
		v = dynamic.UnderlyingValue()
	}
	if v.IsNull() {
		return "null"
	}
	switch v.(type) {
	case types.String:
		return "a text"
	case types.Bool:
		return "a bool"
	case types.Number:
		return "a number"
	case types.List, types.Tuple, types.Set:
		return "a list"
	default:
		return "an object"
	}
}

// listElements returns the elements of a list, tuple or set.
func listElements(v attr.Value) ([]attr.Value, bool) {
	switch v := v.(type) {
	case types.Tuple:
		return v.Elements(), true
	case types.List:
		return v.Elements(), true
	case types.Set:
		return v.Elements(), true
	default:
		return nil, false
	}
}
