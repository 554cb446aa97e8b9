package provider

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"sigs.k8s.io/yaml"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// policyTypes are the resources and the API types that they stand for.
var policyTypes = map[string]struct {
	constructor func() resource.Resource
	spec        reflect.Type
	policy      any
}{
	"propagation": {newPropagationPolicyResource, reflect.TypeFor[api.PropagationSpec](), &api.PropagationPolicy{}},
	"override":    {newOverridePolicyResource, reflect.TypeFor[api.OverrideSpec](), &api.OverridePolicy{}},
}

// Every field of the API has an attribute of its type, and every attribute is a field.
func TestPolicyAttributesAreTheFields(t *testing.T) {
	for name, tt := range policyTypes {
		t.Run(name, func(t *testing.T) {
			p := newPolicyUnderTest(t, tt.constructor)
			spec := types.ObjectType{AttrTypes: map[string]attr.Type{}}
			for name, attribute := range p.attributes() {
				spec.AttrTypes[name] = attribute.GetType()
			}
			want, got := fieldsOf("spec", tt.spec), attributesOf(t, "spec", spec)
			if len(want) < 50 {
				t.Errorf("only %d fields were compared", len(want))
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("fields without an attribute %q, attributes without a field %q", without(want, got), without(got, want))
			}
		})
	}
}

// fieldsOf returns the leaves of a Go type with what they hold.
func fieldsOf(at string, t reflect.Type) []string {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return []string{at + " json"}
	case t.Kind() == reflect.Pointer:
		return fieldsOf(at, t.Elem())
	case t.Kind() == reflect.Slice:
		return fieldsOf(at+"[]", t.Elem())
	case t.Kind() == reflect.Map:
		return fieldsOf(at+"{}", t.Elem())
	case t.Kind() != reflect.Struct:
		return []string{at + " " + strings.TrimRight(t.Kind().String(), "0123456789")}
	}
	var fields []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields = append(fields, fieldsOf(strings.TrimSuffix(at+"."+name, "."), t.Field(i).Type)...)
	}
	return fields
}

// attributesOf returns the leaves of a Terraform type with what they hold, by the names of their fields.
func attributesOf(t *testing.T, at string, of attr.Type) []string {
	t.Helper()
	switch of := of.(type) {
	case types.ObjectType:
		var leaves []string
		for name, child := range of.AttrTypes {
			leaves = append(leaves, attributesOf(t, at+"."+fieldName(name), child)...)
		}
		return leaves
	case types.ListType:
		return attributesOf(t, at+"[]", of.ElemType)
	case types.MapType:
		return attributesOf(t, at+"{}", of.ElemType)
	}
	for name, leaf := range map[string]attr.Type{"string": types.StringType, "bool": types.BoolType, "int": types.Int64Type, "json": jsonTextType{}} {
		if of.Equal(leaf) {
			return []string{at + " " + name}
		}
	}
	t.Fatalf("%s is of type %s", at, of)
	return nil
}

// A policy with every attribute set is read back whole from what was rendered.
func TestPolicyWithEveryAttribute(t *testing.T) {
	for name, tt := range policyTypes {
		t.Run(name, func(t *testing.T) {
			p := newPolicyUnderTest(t, tt.constructor)
			config := hclObject{}
			for name, attribute := range p.attributes() {
				config[name] = sample(t, name, attribute.GetType())
			}
			config["name"], config["namespace"] = "web", "shop"

			document := p.write(config)
			decoder := json.NewDecoder(bytes.NewReader(marshal(t, document)))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(tt.policy); err != nil {
				t.Fatal(err)
			}
			var got hclObject
			if err := json.Unmarshal(marshal(t, tt.policy), &got); err != nil {
				t.Fatal(err)
			}
			if want := yamlOf(t, document); yamlOf(t, got) != want {
				t.Errorf("read\n%s\nwritten\n%s", yamlOf(t, got), want)
			}
		})
	}
}

// sample returns a value with all there can be in it.
func sample(t *testing.T, name string, of attr.Type) any {
	t.Helper()
	switch of := of.(type) {
	case types.ObjectType:
		value := hclObject{}
		for name, child := range of.AttrTypes {
			value[name] = sample(t, name, child)
		}
		return value
	case types.ListType:
		return hclList{sample(t, name+"1", of.ElemType), sample(t, name+"2", of.ElemType)}
	case types.MapType:
		return hclObject{"match_labels": sample(t, name, of.ElemType), "app.kubernetes.io/Name": "b"}
	}
	switch {
	case of.Equal(types.BoolType):
		return true
	case of.Equal(types.Int64Type):
		return 7
	case of.Equal(jsonTextType{}):
		return `{"snake_case": [1, 2.5, null, true, "1"], "camelCase": {}}`
	}
	return name
}

func marshal(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func yamlOf(t *testing.T, value any) string {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every attribute at any depth has a description, which is the documentation.
func TestPolicyAttributesAreDescribed(t *testing.T) {
	for name, tt := range policyTypes {
		t.Run(name, func(t *testing.T) {
			undescribed(t, "", newPolicyUnderTest(t, tt.constructor).schema.Attributes)
		})
	}
}

func undescribed(t *testing.T, at string, attributes attributeMap) {
	t.Helper()
	for name, attribute := range attributes {
		if text := attribute.GetMarkdownDescription(); !strings.HasSuffix(text, ".") {
			t.Errorf("%s%s: the description is %q", at, name, text)
		}
		switch attribute := attribute.(type) {
		case schema.SingleNestedAttribute:
			undescribed(t, at+name+".", attribute.Attributes)
		case schema.ListNestedAttribute:
			undescribed(t, at+name+"[].", attribute.NestedObject.Attributes)
		}
	}
}
