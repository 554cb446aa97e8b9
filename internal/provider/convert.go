package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// convert returns a known value of any type as one of the given type, as Terraform converts the arguments of a resource:
// attributes that the type lacks are dropped, those that the value lacks are null. It is for arguments of functions, which
// Terraform leaves as they are when their type is open.
func convert(v attr.Value, to attr.Type) (attr.Value, error) {
	if dynamic, ok := v.(types.Dynamic); ok {
		v = dynamic.UnderlyingValue()
	}
	missing := v == nil || v.IsNull()
	switch to := to.(type) {
	case types.ObjectType:
		if missing {
			return types.ObjectNull(to.AttrTypes), nil
		}
		return convertObject(v, to)
	case types.ListType:
		if missing {
			return types.ListNull(to.ElemType), nil
		}
		return convertList(v, to)
	case types.MapType:
		if missing {
			return types.MapNull(to.ElemType), nil
		}
		return convertMap(v, to)
	}
	if missing {
		v = nil
	}
	return convertPrimitive(v, to)
}

func convertObject(v attr.Value, to types.ObjectType) (attr.Value, error) {
	from, ok := elementsByName(v)
	if !ok {
		return nil, fmt.Errorf("want an object, found %s", typeName(v))
	}
	attributes := make(map[string]attr.Value, len(to.AttrTypes))
	for name, t := range to.AttrTypes {
		value, err := convert(from[name], t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		attributes[name] = value
	}
	return types.ObjectValueMust(to.AttrTypes, attributes), nil
}

func convertList(v attr.Value, to types.ListType) (attr.Value, error) {
	from, ok := listElements(v)
	if !ok {
		return nil, fmt.Errorf("want a list, found %s", typeName(v))
	}
	elements := make([]attr.Value, len(from))
	for i := range from {
		value, err := convert(from[i], to.ElemType)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		elements[i] = value
	}
	return types.ListValueMust(to.ElemType, elements), nil
}

func convertMap(v attr.Value, to types.MapType) (attr.Value, error) {
	from, ok := elementsByName(v)
	if !ok {
		return nil, fmt.Errorf("want a map, found %s", typeName(v))
	}
	elements := make(map[string]attr.Value, len(from))
	for key := range from {
		value, err := convert(from[key], to.ElemType)
		if err != nil {
			return nil, fmt.Errorf("[%q]: %w", key, err)
		}
		elements[key] = value
	}
	return types.MapValueMust(to.ElemType, elements), nil
}

// elementsByName returns the elements of an object or a map.
func elementsByName(v attr.Value) (map[string]attr.Value, bool) {
	switch v := v.(type) {
	case types.Object:
		return v.Attributes(), true
	case types.Map:
		return v.Elements(), true
	default:
		return nil, false
	}
}

// convertPrimitive converts a text, a number or a bool; nil is null.
func convertPrimitive(v attr.Value, to attr.Type) (attr.Value, error) {
	switch to {
	case types.StringType:
		switch v := v.(type) {
		case nil:
			return types.StringNull(), nil
		case types.String:
			return v, nil
		case types.Bool:
			return types.StringValue(v.String()), nil
		case types.Number:
			return types.StringValue(v.ValueBigFloat().Text('f', -1)), nil
		}
		return nil, fmt.Errorf("want a text, found %s", typeName(v))
	case types.BoolType:
		switch v := v.(type) {
		case nil:
			return types.BoolNull(), nil
		case types.Bool:
			return v, nil
		}
		return nil, fmt.Errorf("want true or false, found %s", typeName(v))
	default:
		switch v := v.(type) {
		case nil:
			return types.Int64Null(), nil
		case types.Number:
			if whole, ok := plainNumber(v).(int64); ok {
				return types.Int64Value(whole), nil
			}
		}
		return nil, fmt.Errorf("want a whole number, found %s", typeName(v))
	}
}

// convertTo is convert to a type whose values are V.
func convertTo[V attr.Value](v attr.Value, to attr.Type) (V, error) {
	var none V
	value, err := convert(v, to)
	if err != nil {
		return none, err
	}
	out, ok := value.(V)
	if !ok {
		return none, fmt.Errorf("want %s, found %s", to, typeName(v))
	}
	return out, nil
}
