package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

var (
	_ basetypes.StringTypable  = jsonTextType{}
	_ basetypes.StringValuable = jsonText{}
)

// jsonTextType is the type of attributes that hold any JSON value as text. Terraform allows no values of free type within
// lists.
type jsonTextType struct{ basetypes.StringType }

// jsonText is a value of jsonTextType.
type jsonText struct{ basetypes.StringValue }

// Equal reports whether o is this type.
func (t jsonTextType) Equal(o attr.Type) bool {
	_, ok := o.(jsonTextType)
	return ok
}

// String names the type in messages to developers.
func (t jsonTextType) String() string { return "jsonTextType" }

// ValueFromString returns the text as a value of this type.
func (t jsonTextType) ValueFromString(_ context.Context, text basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return jsonText{text}, nil
}

// ValueFromTerraform returns a value of this type.
func (t jsonTextType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	text, ok := value.(basetypes.StringValue)
	if !ok {
		return nil, errors.New("not a string")
	}
	return jsonText{text}, nil
}

// ValueType returns the type of the values.
func (t jsonTextType) ValueType(context.Context) attr.Value { return jsonText{} }

// Type returns the type of the value.
func (v jsonText) Type(context.Context) attr.Type { return jsonTextType{} }

// Equal reports whether o is the same text.
func (v jsonText) Equal(o attr.Value) bool {
	other, ok := o.(jsonText)
	return ok && v.StringValue.Equal(other.StringValue)
}

// decode returns the JSON value, whole numbers as int64 where they fit. The error does not show the text, which may be secret.
func (v jsonText) decode() (any, error) {
	var value any
	if err := utiljson.Unmarshal([]byte(v.ValueString()), &value); err != nil {
		return nil, errors.New(`must be JSON, as jsonencode gives it: write a string as jsonencode("...")`)
	}
	return value, nil
}
