package provider

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// TestDataSourcesAreWellFormed checks the schemas as Terraform's start of the provider does, and that what one data source
// gives is what a propagation takes.
func TestDataSourcesAreWellFormed(t *testing.T) {
	for _, constructor := range (&multiclusterProvider{}).DataSources(t.Context()) {
		var resp datasource.SchemaResponse
		constructor().Schema(t.Context(), datasource.SchemaRequest{}, &resp)
		if diags := resp.Schema.ValidateImplementation(t.Context()); diags.HasError() {
			t.Error(diags)
		}
	}
	for name, test := range map[string]struct {
		got  attr.Type
		want attr.Type
	}{
		"members of multicluster_members": {dataschema.NestedAttributeObject{Attributes: dataOutputs(observedAttributes())}.Type(), observedType},
		"observed of a preview":           {dataschema.NestedAttributeObject{Attributes: dataInputs(observedAttributes())}.Type(), observedType},
		"observed of a propagation":       {schema.NestedAttributeObject{Attributes: writeOnly(observedAttributes())}.Type(), observedType},
		"placements of a preview":         {dataschema.NestedAttributeObject{Attributes: dataOutputs(placementOutputs())}.Type(), placementType},
		"members of a preview": {
			dataschema.NestedAttributeObject{Attributes: dataInputs(fleetMemberAttributes())}.Type(),
			schema.NestedAttributeObject{Attributes: fleetMemberAttributes()}.Type(),
		},
	} {
		if !test.got.Equal(test.want) {
			t.Errorf("%s: got %s, want %s", name, test.got, test.want)
		}
	}
}

func quantitiesOf(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

// TestObservedRoundTrips: a propagation reads of a row what the data source saw.
func TestObservedRoundTrips(t *testing.T) {
	models := []api.ResourceModel{resourceModel(0, quantitiesOf("cpu", "0", "memory", "0")), resourceModel(1, quantitiesOf("cpu", "2", "memory", "4Gi"))}
	apis := []api.APIEnablement{
		{GroupVersion: "apps/v1", Resources: []api.APIResource{{Kind: "Deployment", Namespaced: true}}},
		{GroupVersion: "v1", Resources: []api.APIResource{{Kind: "Namespace"}, {Kind: "Pod", Namespaced: true}}},
	}
	summary := &api.ResourceSummary{
		Allocatable: quantitiesOf("cpu", "7500m", "memory", "32Gi", "pods", "110"), Allocated: quantitiesOf("cpu", "500m"), Allocating: corev1.ResourceList{},
	}
	graded := *summary
	graded.AllocatableModelings = []api.AllocatableModeling{{Grade: 0, Count: 2}, {Grade: 1, Count: 3}}
	for name, test := range map[string]struct {
		status api.ClusterStatus
		models []api.ResourceModel
	}{
		"nothing":     {},
		"kinds only":  {status: api.ClusterStatus{KubernetesVersion: "v1.36.3", APIEnablements: apis}},
		"no kinds":    {status: api.ClusterStatus{APIEnablements: []api.APIEnablement{}}},
		"everything":  {status: api.ClusterStatus{KubernetesVersion: "v1.36.3", APIEnablements: apis, ResourceSummary: summary}},
		"with grades": {status: api.ClusterStatus{ResourceSummary: &graded}, models: models},
	} {
		t.Run(name, func(t *testing.T) {
			model, diags := newObservedModel(t.Context(), test.status, test.models, "")
			if diags.HasError() {
				t.Fatal(diags)
			}
			rows, diags := types.MapValueFrom(t.Context(), observedType, map[string]observedModel{"kube02": model})
			if diags.HasError() {
				t.Fatal(diags)
			}
			in := &inputs{observed: map[string]observation{}}
			in.readObserved(t.Context(), rows, &diags)
			if diags.HasError() {
				t.Fatal(diags)
			}
			got := in.observed["kube02"]
			if !sameJSON(t, got.status, test.status) || !sameJSON(t, got.models, test.models) {
				t.Errorf("got %+v, want %+v and %+v", got, test.status, test.models)
			}
			if (got.status.APIEnablements == nil) != (test.status.APIEnablements == nil) {
				t.Errorf("kinds are %v, want %v: none seen is not the same as none served", got.status.APIEnablements, test.status.APIEnablements)
			}
		})
	}
}

// sameJSON compares quantities by what they say.
func sameJSON(t *testing.T, a, b any) bool {
	t.Helper()
	texts := [2]string{}
	for i, v := range []any{a, b} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return texts[0] == texts[1]
}

func TestReadObserved(t *testing.T) {
	row := func(change func(map[string]attr.Value)) types.Map {
		values := map[string]attr.Value{
			"kubernetes_version": types.StringNull(), "nodes": types.ObjectNull(nodesType.AttrTypes), "capacity": types.ObjectNull(capacityType.AttrTypes),
			"apis": types.StringNull(), "reason": types.StringNull(),
		}
		change(values)
		return types.MapValueMust(observedType, map[string]attr.Value{"kube02": types.ObjectValueMust(observedType.AttrTypes, values)})
	}
	capacity := func(allocatable map[string]attr.Value) types.Object {
		return types.ObjectValueMust(capacityType.AttrTypes, map[string]attr.Value{
			"allocatable": types.MapValueMust(types.StringType, allocatable), "allocated": types.MapNull(types.StringType),
			"allocating": types.MapNull(types.StringType), "grades": types.ListNull(gradeType),
		})
	}
	for name, test := range map[string]struct {
		observed types.Map
		unknown  bool
		fault    string
	}{
		"null":          {types.MapNull(observedType), false, ""},
		"unknown":       {types.MapUnknown(observedType), true, ""},
		"unknown row":   {types.MapValueMust(observedType, map[string]attr.Value{"kube02": types.ObjectUnknown(observedType.AttrTypes)}), true, ""},
		"unknown value": {row(func(v map[string]attr.Value) { v["reason"] = types.StringUnknown() }), true, ""},
		"null row":      {types.MapValueMust(observedType, map[string]attr.Value{"kube02": types.ObjectNull(observedType.AttrTypes)}), false, ""},
		"allocatable alone": {row(func(v map[string]attr.Value) {
			v["capacity"] = capacity(map[string]attr.Value{"pods": types.StringValue("9")})
		}), false, ""},
		"no JSON": {
			row(func(v map[string]attr.Value) { v["apis"] = types.StringValue("apps/v1") }), false, `jsonencode({ "apps/v1" = { Deployment = "Namespaced" } })`,
		},
		"no quantity": {
			row(func(v map[string]attr.Value) {
				v["capacity"] = capacity(map[string]attr.Value{"pods": types.StringValue("many")})
			}), false,
			`observed["kube02"].capacity.allocatable: pods = "many" is no Kubernetes quantity`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			in := &inputs{observed: map[string]observation{}}
			in.readObserved(t.Context(), test.observed, &diags)
			if got := slices.Contains(in.unknown, "observed"); got != test.unknown {
				t.Errorf("unknown is %t, want %t", got, test.unknown)
			}
			if (test.fault == "") == diags.HasError() || (test.fault != "" && !strings.Contains(diags.Errors()[0].Detail(), test.fault)) {
				t.Errorf("got %v, want %q", diags, test.fault)
			}
		})
	}
}

func TestScopesComeFromWhatWasSeen(t *testing.T) {
	in := &inputs{observed: map[string]observation{
		"a": {status: api.ClusterStatus{APIEnablements: []api.APIEnablement{{GroupVersion: "example.com/v1", Resources: []api.APIResource{{Kind: "Widget"}}}}}},
		"b": {status: api.ClusterStatus{APIEnablements: []api.APIEnablement{{GroupVersion: "example.com/v1", Resources: []api.APIResource{{Kind: "Widget", Namespaced: true}, {Kind: "Gadget", Namespaced: true}}}}}},
	}}
	for kind, want := range map[string][2]bool{"Widget": {false, true}, "Gadget": {true, true}, "Thing": {false, false}} {
		namespaced, known := in.scopes()(kschema.GroupVersionKind{Group: "example.com", Version: "v1beta1", Kind: kind})
		if namespaced != want[0] || known != want[1] {
			t.Errorf("%s: namespaced %t, known %t; want %v", kind, namespaced, known, want)
		}
	}
}

func TestReadGrades(t *testing.T) {
	list := func(grades ...map[string]string) types.List {
		value, diags := types.ListValueFrom(t.Context(), quantitiesType, grades)
		if diags.HasError() {
			t.Fatal(diags)
		}
		return value
	}
	for name, test := range map[string]struct {
		grades types.List
		want   int
		fault  string
	}{
		"none":            {types.ListNull(quantitiesType), 0, ""},
		"two":             {list(map[string]string{"cpu": "0"}, map[string]string{"cpu": "2"}), 2, ""},
		"no quantity":     {list(map[string]string{"cpu": "a"}), 0, "grades[0]: cpu = \"a\" is no Kubernetes quantity"},
		"other resources": {list(map[string]string{"cpu": "0"}, map[string]string{"memory": "2"}), 0, "grades[1] bounds other resources than grades[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			models, diags := readGrades(t.Context(), test.grades)
			switch {
			case test.fault == "" && (diags.HasError() || len(models) != test.want):
				t.Errorf("got %d grades and %v, want %d", len(models), diags, test.want)
			case test.fault != "" && (!diags.HasError() || !strings.Contains(diags.Errors()[0].Detail(), test.fault)):
				t.Errorf("got %v, want %q", diags, test.fault)
			}
		})
	}
}

func TestReadSuspension(t *testing.T) {
	attribute := suspensionAttribute("")
	to, _ := attribute.GetType().(types.ObjectType)
	some := attr.Value(types.ObjectValueMust(map[string]attr.Type{"cluster_names": types.TupleType{ElemTypes: []attr.Type{types.StringType}}},
		map[string]attr.Value{"cluster_names": types.TupleValueMust([]attr.Type{types.StringType}, []attr.Value{types.StringValue("kube02")})}))
	for name, test := range map[string]struct {
		given map[string]attr.Value
		want  *api.Suspension
		fault string
	}{
		"all":          {map[string]attr.Value{"dispatching": types.BoolValue(true)}, &api.Suspension{Dispatching: new(true)}, ""},
		"some":         {map[string]attr.Value{"dispatching_on_clusters": some}, &api.Suspension{DispatchingOnClusters: &api.SuspendClusters{ClusterNames: []string{"kube02"}}}, ""},
		"all and some": {map[string]attr.Value{"dispatching": types.BoolValue(true), "dispatching_on_clusters": some}, nil, "Remove one of them"},
		"not known":    {map[string]attr.Value{"dispatching": types.BoolUnknown()}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			kinds := map[string]attr.Type{}
			for key, value := range test.given {
				kinds[key] = value.Type(t.Context())
			}
			value, err := convertTo[types.Object](types.ObjectValueMust(kinds, test.given), to)
			if err != nil {
				t.Fatal(err)
			}
			got, diags := readSuspension(t.Context(), value)
			switch {
			case test.fault == "" && (diags.HasError() || !reflect.DeepEqual(got, test.want)):
				t.Errorf("got %+v and %v, want %+v", got, diags, test.want)
			case test.fault != "" && (!diags.HasError() || !strings.Contains(diags.Errors()[0].Detail(), test.fault)):
				t.Errorf("got %v, want %q", diags, test.fault)
			}
		})
	}
	if got, diags := readSuspension(t.Context(), types.ObjectNull(to.AttrTypes)); got != nil || diags.HasError() {
		t.Errorf("null is read as %+v, %v", got, diags)
	}
}

func TestRebalances(t *testing.T) {
	for name, test := range map[string]struct {
		plan, state types.String
		want        bool
	}{
		"never set":    {types.StringNull(), types.StringNull(), false},
		"unchanged":    {types.StringValue("1"), types.StringValue("1"), false},
		"changed":      {types.StringValue("2"), types.StringValue("1"), true},
		"now set":      {types.StringValue("1"), types.StringNull(), true},
		"not any more": {types.StringNull(), types.StringValue("1"), false},
	} {
		if got := rebalances(propagationModel{RebalanceTrigger: test.plan}, propagationModel{RebalanceTrigger: test.state}); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
}
