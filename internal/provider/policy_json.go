package provider

import (
	"context"
	"errors"
	"fmt"
	"regexp"

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

// decode returns the JSON value, whole numbers as int64 where they fit. A text that is no JSON is not taken as it is: then
// true and 5 would be a boolean and a number, and yes a text.
func (v jsonText) decode() (any, error) {
	var value any
	if err := utiljson.Unmarshal([]byte(v.ValueString()), &value); err != nil {
		return nil, notJSON(v.ValueString())
	}
	return value, nil
}

var plainWords = regexp.MustCompile(`^(?:[\pL\pN][\pL\pN ._:/@+-]{0,59})?$`)

// notJSON says how to write a text that is no JSON. What looks like broken JSON, or needs escapes, is not repeated.
func notJSON(text string) error {
	if plainWords.MatchString(text) {
		return fmt.Errorf(`is read as JSON, where a text has quotes of its own: write jsonencode("%s")`, text)
	}
	return errors.New(`is not JSON: write a text as jsonencode("..."), an object as jsonencode({ ... })`)
}
