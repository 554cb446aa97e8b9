package provider

import (
	"context"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// hclValue returns a value as Terraform gives it to an argument of open type: objects and tuples.
func hclValue(v any) attr.Value {
	switch v := v.(type) {
	case nil:
		return types.DynamicNull()
	case string:
		return types.StringValue(v)
	case bool:
		return types.BoolValue(v)
	case int:
		return types.NumberValue(big.NewFloat(float64(v)))
	case float64:
		return types.NumberValue(big.NewFloat(v))
	case hclList:
		kinds, elements := make([]attr.Type, len(v)), make([]attr.Value, len(v))
		for i := range v {
			elements[i] = hclValue(v[i])
			kinds[i] = elements[i].Type(context.Background())
		}
		return types.TupleValueMust(kinds, elements)
	default:
		object, _ := v.(hclObject)
		kinds, elements := map[string]attr.Type{}, map[string]attr.Value{}
		for name := range object {
			elements[name] = hclValue(object[name])
			kinds[name] = elements[name].Type(context.Background())
		}
		return types.ObjectValueMust(kinds, elements)
	}
}

func TestConvert(t *testing.T) {
	texts := types.MapType{ElemType: types.StringType}
	object := types.ObjectType{AttrTypes: map[string]attr.Type{
		"name": types.StringType, "labels": texts, "zones": types.ListType{ElemType: types.StringType}, "generation": types.Int64Type, "cordoned": types.BoolType,
	}}
	whole := func(name, labels, zones, generation, cordoned attr.Value) attr.Value {
		return types.ObjectValueMust(object.AttrTypes, map[string]attr.Value{"name": name, "labels": labels, "zones": zones, "generation": generation, "cordoned": cordoned})
	}
	for name, test := range map[string]struct {
		given any
		to    attr.Type
		want  attr.Value // nil: an error that says fault
		fault string
	}{
		"text":           {"a", types.StringType, types.StringValue("a"), ""},
		"number as text": {1.5, types.StringType, types.StringValue("1.5"), ""},
		"bool as text":   {true, types.StringType, types.StringValue("true"), ""},
		"null":           {nil, types.Int64Type, types.Int64Null(), ""},
		"null object":    {nil, object, types.ObjectNull(object.AttrTypes), ""},
		"whole number":   {3, types.Int64Type, types.Int64Value(3), ""},
		"fraction":       {1.5, types.Int64Type, nil, "want a whole number, found a number"},
		"text as bool":   {"true", types.BoolType, nil, "want true or false, found a text"},
		"list as text":   {hclList{}, types.StringType, nil, "want a text, found a list"},
		"less and more": {
			hclObject{"name": "a", "probe": hclObject{}, "zones": hclList{"x", nil}}, object,
			whole(types.StringValue("a"), types.MapNull(types.StringType), types.ListValueMust(types.StringType, []attr.Value{types.StringValue("x"), types.StringNull()}), types.Int64Null(), types.BoolNull()), "",
		},
		"everything": {
			hclObject{"name": "a", "labels": hclObject{"n": 1}, "zones": hclList{}, "generation": 2, "cordoned": false}, object,
			whole(types.StringValue("a"), types.MapValueMust(types.StringType, map[string]attr.Value{"n": types.StringValue("1")}),
				types.ListValueMust(types.StringType, []attr.Value{}), types.Int64Value(2), types.BoolValue(false)), "",
		},
		"place of a fault": {hclObject{"zones": hclList{"x", hclList{}}}, object, nil, "zones: [1]: want a text, found a list"},
		"fault in a map":   {hclObject{"labels": hclObject{"a": hclObject{}}}, object, nil, `labels: ["a"]: want a text, found an object`},
		"text as list":     {"a", types.ListType{ElemType: types.StringType}, nil, "want a list, found a text"},
		"list as map":      {hclList{}, texts, nil, "want a map, found a list"},
		"list as object":   {hclList{}, object, nil, "want an object, found a list"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := convert(hclValue(test.given), test.to)
			switch {
			case test.want == nil && (err == nil || err.Error() != test.fault):
				t.Errorf("got %v and %v, want %s", got, err, test.fault)
			case test.want != nil && (err != nil || !got.Equal(test.want)):
				t.Errorf("got %v and %v, want %v", got, err, test.want)
			}
		})
	}
}

const (
	webYAML       = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 4, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}}"
	webPolicyYAML = "{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: web}, spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}], " +
		"placement: {clusterAffinity: {labelSelector: {matchExpressions: [{key: env, operator: NotIn, values: [staging]}]}}, replicaScheduling: {}}}}"
)

func TestPlaceFunction(t *testing.T) {
	service := hclObject{"apiVersion": "v1", "kind": "Service", "metadata": hclObject{"name": "web"}}
	for name, test := range map[string]struct {
		members, templates, policies any
		want                         string // members with replicas of web
		fault                        string
	}{
		"names and texts":    {hclList{"b", "a"}, webYAML, webPolicyYAML, "a=2 b=2", ""},
		"objects and lists":  {hclList{hclObject{"name": "a"}, hclObject{"name": "b", "labels": hclObject{"env": "staging"}, "probe": hclObject{"timeout": "1s"}}}, hclList{webYAML}, hclList{webPolicyYAML}, "a=4", ""},
		"no members":         {hclList{}, webYAML, webPolicyYAML, "", "There are no members"},
		"no templates":       {hclList{"a"}, hclList{}, webPolicyYAML, "", "There are no templates"},
		"no policies":        {hclList{"a"}, webYAML, hclList{}, "", "There are no policies"},
		"members of a kind":  {"a", webYAML, webPolicyYAML, "", "members: want a list of names or objects, found a text"},
		"member of a kind":   {hclList{7}, webYAML, webPolicyYAML, "", "members[0]: want an object, found a number"},
		"member of no name":  {hclList{"a", hclObject{}}, webYAML, webPolicyYAML, "", "members[1]: a member needs a name"},
		"misspelt attribute": {hclList{"a", hclObject{"name": "b", "regoin": "eu"}}, webYAML, webPolicyYAML, "", "members[1].regoin: a member has no such attribute (did you mean region?)"},
		"unknown attribute":  {hclList{hclObject{"name": "b", "colour": "red"}}, webYAML, webPolicyYAML, "", "members[0].colour: a member has no such attribute; it has effective_taints, "},
		"invalid name":       {hclList{"A_b"}, webYAML, webPolicyYAML, "", "Member is not valid: Member A_b: Invalid value"},
		"invalid effect": {
			hclList{hclObject{"name": "a", "taints": hclList{hclObject{"key": "k", "effect": "PreferNoSchedule"}}}}, webYAML, webPolicyYAML, "", `Unsupported value: "PreferNoSchedule"`,
		},
		"invalid label":      {hclList{hclObject{"name": "a", "labels": hclObject{"x y": "z"}}}, webYAML, webPolicyYAML, "", "Member is not valid: Member a: label x y = \"z\": "},
		"policies of a kind": {hclList{"a"}, webYAML, hclList{hclObject{}}, "", "policies[0]: want a text, found an object"},
		"text that is none":  {hclList{"a"}, "x: [", webPolicyYAML, "", "templates[0]"},
		"no policy for one":  {hclList{"a"}, hclList{webYAML, service}, webPolicyYAML, "", "Service/default/web (templates[1]"},
		"misspelt policy":    {hclList{"a"}, webYAML, strings.Replace(webPolicyYAML, "resourceSelectors", "resourceSelector", 1), "", `unknown field: did you mean "resourceSelectors"`},
		"nothing fits":       {hclList{hclObject{"name": "a", "labels": hclObject{"env": "staging"}}}, webYAML, webPolicyYAML, "", "0/1 members fit: 1 did not match the affinity"},
	} {
		t.Run(name, func(t *testing.T) {
			arguments := []attr.Value{dynamic(test.members), dynamic(test.templates), dynamic(test.policies)}
			resp := function.RunResponse{Result: function.NewResultData(types.MapUnknown(placementType))}
			newPlaceFunction().Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(arguments)}, &resp)
			if test.fault != "" {
				if resp.Error == nil || !strings.Contains(resp.Error.Text, test.fault) || strings.ContainsAny(resp.Error.Text[len(resp.Error.Text)-1:], ".?") {
					t.Errorf("got error %v, want one that says %q, without a last mark", resp.Error, test.fault)
				}
				if resp.Error != nil && strings.Contains(resp.Error.Text, "unmatched") {
					t.Errorf("%s: a function has no argument unmatched", resp.Error.Text)
				}
				return
			}
			if resp.Error != nil {
				t.Fatal(resp.Error)
			}
			if got := replicasOf(t, resp.Result.Value(), "Deployment.apps/default/web"); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func dynamic(v any) attr.Value { return types.DynamicValue(hclValue(v)) }

// replicasOf returns the replicas of one object as text, such as a=2 b=2.
func replicasOf(t *testing.T, placements attr.Value, key string) string {
	t.Helper()
	all, ok := placements.(types.Map)
	if !ok {
		t.Fatalf("got %T, want a map", placements)
	}
	models := map[string]placementModel{}
	if diags := all.ElementsAs(t.Context(), &models, false); diags.HasError() {
		t.Fatal(diags)
	}
	var parts []string
	for _, member := range slices.Sorted(maps.Keys(models[key].Clusters)) {
		parts = append(parts, member+"="+models[key].Clusters[member].String())
	}
	return strings.Join(parts, " ")
}

func TestDivideFunction(t *testing.T) {
	for name, test := range map[string]struct {
		replicas float64
		weights  map[string]float64 // NaN stands for null
		want     map[string]int64
		fault    string
	}{
		"by weight":            {10, map[string]float64{"a": 3, "b": 1, "c": 0}, map[string]int64{"a": 7, "b": 3, "c": 0}, ""},
		"nothing":              {0, map[string]float64{"a": 3}, map[string]int64{"a": 0}, ""},
		"among nobody":         {3, map[string]float64{}, nil, "no weight is above 0, so 3 replicas would go nowhere"},
		"nothing among nobody": {0, map[string]float64{}, map[string]int64{}, ""},
		"less than none":       {-1, map[string]float64{"a": 3}, nil, "replicas is -1: give a whole number of 0 or more"},
		"part of a replica":    {1.5, map[string]float64{"a": 3}, nil, "replicas is 1.5: give a whole number of 0 or more"},
		"too many":             {1 << 63, map[string]float64{"a": 3}, nil, "give at most 9223372036854775807"},
		"negative weight":      {1, map[string]float64{"b": 1, "a": -3}, nil, "the weight of a is -3: give a whole number of 0 or more"},
		"part of a weight":     {1, map[string]float64{"a": 0.5, "b": -1}, nil, "the weight of a is 0.5: give a whole number of 0 or more"},
		"weight without end":   {1, map[string]float64{"a": math.Inf(1)}, nil, "the weight of a is +Inf: give a whole number of 0 or more"},
		"weight that is null":  {1, map[string]float64{"a": math.NaN()}, nil, "the weight of a is null: give a whole number of 0 or more"},
	} {
		t.Run(name, func(t *testing.T) {
			elements := map[string]attr.Value{}
			for name, weight := range test.weights {
				elements[name] = types.NumberNull()
				if !math.IsNaN(weight) {
					elements[name] = types.NumberValue(big.NewFloat(weight))
				}
			}
			arguments := []attr.Value{types.NumberValue(big.NewFloat(test.replicas)), types.MapValueMust(types.NumberType, elements)}
			resp := function.RunResponse{Result: function.NewResultData(types.MapUnknown(types.Int64Type))}
			newDivideFunction().Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(arguments)}, &resp)
			if test.fault != "" {
				if resp.Error == nil || !strings.Contains(resp.Error.Text, test.fault) {
					t.Errorf("got %v, want %q", resp.Error, test.fault)
				}
				return
			}
			want, diags := types.MapValueFrom(t.Context(), types.Int64Type, test.want)
			if diags.HasError() || resp.Error != nil || !resp.Result.Value().Equal(want) {
				t.Errorf("got %v and %v, want %v", resp.Result.Value(), resp.Error, want)
			}
		})
	}
}
