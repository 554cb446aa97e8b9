package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// observedModel is what was seen of one member: an element of data.multicluster_members.members and of observed.
type observedModel struct {
	KubernetesVersion types.String `tfsdk:"kubernetes_version"`
	Nodes             types.Object `tfsdk:"nodes"`
	Capacity          types.Object `tfsdk:"capacity"`
	APIs              types.String `tfsdk:"apis"` // JSON: Terraform's work grows with the square of the leaves of a value
	Reason            types.String `tfsdk:"reason"`
}

// nodesModel counts the nodes of a member.
type nodesModel struct {
	Total types.Int64 `tfsdk:"total"`
	Ready types.Int64 `tfsdk:"ready"`
}

// capacityModel is what a member has room for.
type capacityModel struct {
	Allocatable map[string]string `tfsdk:"allocatable"`
	Allocated   map[string]string `tfsdk:"allocated"`
	Allocating  map[string]string `tfsdk:"allocating"`
	Grades      []gradeModel      `tfsdk:"grades"`
}

// gradeModel counts nodes that have at least so much free.
type gradeModel struct {
	Min   map[string]string `tfsdk:"min"`
	Nodes types.Int64       `tfsdk:"nodes"`
}

// The scopes of a served kind.
const (
	scopeNamespaced = "Namespaced"
	scopeCluster    = "Cluster"
)

// observedAttributes describe what was seen of one member.
func observedAttributes() attributeMap {
	quantities := func(description string) schema.MapAttribute { return mapOf(types.StringType, description) }
	return attributeMap{
		"kubernetes_version": optionalText("Version of the API server, such as `v1.36.3`."),
		"nodes": optionalObject("How many nodes there are.", attributeMap{
			"total": optionalNumber("All of them."),
			"ready": optionalNumber("Those that are ready."),
		}),
		"capacity": optionalObject("What the member has room for, as Kubernetes quantities by resource; null when it was not seen.", attributeMap{
			"allocatable": quantities("What all nodes offer to Pods."),
			"allocated":   quantities("What the Pods that run on a node ask for; `pods` is their number."),
			"allocating":  quantities("What the Pods that wait for a node ask for."),
			"grades": optionalList("Nodes by what they have free, when `grades` of the data source asks for it. Replicas are then counted node by node, "+
				"each with just the lower bounds of its grade.", attributeMap{
				"min":   quantities("The lower bounds."),
				"nodes": optionalNumber("How many nodes have that free, and not as much as the next grade asks for."),
			}),
		}),
		"apis": optionalText("The kinds that the member serves, as JSON by API version and kind, each `Namespaced` or `Cluster`: " +
			"`jsondecode(...)[\"apps/v1\"].Deployment`. Null when they were not seen."),
		"reason": optionalText("Why something was not seen; null when everything was."),
	}
}

func mapOf(element attr.Type, description string) schema.MapAttribute {
	return schema.MapAttribute{Optional: true, ElementType: element, MarkdownDescription: description}
}

var (
	quantitiesType = types.MapType{ElemType: types.StringType}
	gradeType      = types.ObjectType{AttrTypes: map[string]attr.Type{"min": quantitiesType, "nodes": types.Int64Type}}
	nodesType      = types.ObjectType{AttrTypes: map[string]attr.Type{"total": types.Int64Type, "ready": types.Int64Type}}
	capacityType   = types.ObjectType{AttrTypes: map[string]attr.Type{
		"allocatable": quantitiesType, "allocated": quantitiesType, "allocating": quantitiesType, "grades": types.ListType{ElemType: gradeType},
	}}
	observedType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"kubernetes_version": types.StringType, "nodes": nodesType, "capacity": capacityType, "apis": types.StringType, "reason": types.StringType,
	}}
)

// newObservedModel returns what was seen of a member, and why not all of it.
func newObservedModel(ctx context.Context, status api.ClusterStatus, models []api.ResourceModel, reason string) (observedModel, diag.Diagnostics) {
	var diags diag.Diagnostics
	model := observedModel{
		KubernetesVersion: textOrNull(status.KubernetesVersion),
		Nodes:             types.ObjectNull(nodesType.AttrTypes),
		Capacity:          types.ObjectNull(capacityType.AttrTypes),
		APIs:              types.StringNull(),
		Reason:            textOrNull(reason),
	}
	keep := func(diagnostics diag.Diagnostics) { diags.Append(diagnostics...) }
	if n := status.NodeSummary; n != nil {
		nodes, more := types.ObjectValueFrom(ctx, nodesType.AttrTypes, nodesModel{types.Int64Value(int64(n.TotalNum)), types.Int64Value(int64(n.ReadyNum))})
		model.Nodes = nodes
		keep(more)
	}
	if s := status.ResourceSummary; s != nil {
		capacity, more := types.ObjectValueFrom(ctx, capacityType.AttrTypes, capacityModel{
			quantityTexts(s.Allocatable), quantityTexts(s.Allocated), quantityTexts(s.Allocating), gradesOf(s.AllocatableModelings, models),
		})
		model.Capacity = capacity
		keep(more)
	}
	if status.APIEnablements != nil {
		apis, err := json.Marshal(scopesOf(status.APIEnablements))
		if err != nil {
			diags.AddError("Served kinds cannot be written", sentence(err.Error()))
		}
		model.APIs = types.StringValue(string(apis))
	}
	return model, diags
}

func textOrNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

func quantityTexts(list corev1.ResourceList) map[string]string {
	texts := make(map[string]string, len(list))
	for name, quantity := range list {
		texts[string(name)] = quantity.String()
	}
	return texts
}

// gradesOf returns the grades of models with the number of nodes in each.
func gradesOf(counts []api.AllocatableModeling, models []api.ResourceModel) []gradeModel {
	var grades []gradeModel
	for _, m := range models {
		grade := gradeModel{Min: map[string]string{}, Nodes: types.Int64Value(0)}
		for _, r := range m.Ranges {
			grade.Min[string(r.Name)] = r.Min.String()
		}
		for _, c := range counts {
			if c.Grade == m.Grade {
				grade.Nodes = types.Int64Value(int64(c.Count))
			}
		}
		grades = append(grades, grade)
	}
	return grades
}

// scopesOf returns the scope of each served kind, by API version and kind.
func scopesOf(enablements []api.APIEnablement) map[string]map[string]string {
	scopes := make(map[string]map[string]string, len(enablements))
	for _, e := range enablements {
		scopes[e.GroupVersion] = make(map[string]string, len(e.Resources))
		for _, r := range e.Resources {
			scopes[e.GroupVersion][r.Kind] = scopeCluster
			if r.Namespaced {
				scopes[e.GroupVersion][r.Kind] = scopeNamespaced
			}
		}
	}
	return scopes
}

// observation is what was seen of one member, as placement uses it.
type observation struct {
	status api.ClusterStatus
	models []api.ResourceModel
}

// readObserved reads what was seen of members, by name, into the members. It has to be known as a whole: what a member has
// room for and serves may change every placement.
func (in *inputs) readObserved(ctx context.Context, observed types.Map, diags *diag.Diagnostics) {
	if !fullyKnown(observed) {
		in.unknown = append(in.unknown, "observed")
		return
	}
	if observed.IsNull() {
		return
	}
	var rows map[string]*observedModel
	diags.Append(observed.ElementsAs(ctx, &rows, false)...)
	for name, row := range rows {
		if row == nil {
			continue
		}
		seen, more := row.observation(ctx, path.Root("observed").AtMapKey(name))
		diags.Append(more...)
		in.observed[name] = seen
	}
	for i := range in.members {
		seen := in.observed[in.members[i].Name()]
		in.members[i].Cluster.Status, in.members[i].Cluster.Spec.ResourceModels = seen.status, seen.models
	}
}

// observation returns what the row says. Errors are at its attributes, under at.
func (m *observedModel) observation(ctx context.Context, at path.Path) (observation, diag.Diagnostics) {
	var diags diag.Diagnostics
	seen := observation{status: api.ClusterStatus{KubernetesVersion: m.KubernetesVersion.ValueString()}}
	if !m.Capacity.IsNull() {
		var capacity capacityModel
		diags.Append(m.Capacity.As(ctx, &capacity, objectAsOptions)...)
		at := at.AtName("capacity")
		seen.status.ResourceSummary = &api.ResourceSummary{
			Allocatable: readQuantities(at.AtName("allocatable"), capacity.Allocatable, &diags),
			Allocated:   readQuantities(at.AtName("allocated"), capacity.Allocated, &diags),
			Allocating:  readQuantities(at.AtName("allocating"), capacity.Allocating, &diags),
		}
		for i, grade := range capacity.Grades {
			number := uint(i) //nolint:gosec // the index of a list is not negative.
			least := readQuantities(at.AtName("grades").AtListIndex(i).AtName("min"), grade.Min, &diags)
			seen.models = append(seen.models, resourceModel(number, least))
			seen.status.ResourceSummary.AllocatableModelings = append(seen.status.ResourceSummary.AllocatableModelings,
				api.AllocatableModeling{Grade: number, Count: int(grade.Nodes.ValueInt64())})
		}
	}
	if !m.APIs.IsNull() {
		var scopes map[string]map[string]string
		if err := json.Unmarshal([]byte(m.APIs.ValueString()), &scopes); err != nil {
			diags.AddAttributeError(at.AtName("apis"), "Served kinds cannot be read", fmt.Sprintf(
				"%s: %s. It is what data.multicluster_members gives: jsonencode({ \"apps/v1\" = { Deployment = \"Namespaced\" } }).", at.AtName("apis"), err))
		}
		seen.status.APIEnablements = enablementsOf(scopes)
	}
	return seen, diags
}

// resourceModel returns the grade of nodes that have at least so much free.
func resourceModel(grade uint, least corev1.ResourceList) api.ResourceModel {
	model := api.ResourceModel{Grade: grade}
	for _, name := range slices.Sorted(maps.Keys(least)) {
		model.Ranges = append(model.Ranges, api.ResourceModelRange{Name: name, Min: least[name]})
	}
	return model
}

// enablementsOf is the reverse of scopesOf, in a fixed order; it is not nil.
func enablementsOf(scopes map[string]map[string]string) []api.APIEnablement {
	enablements := make([]api.APIEnablement, 0, len(scopes))
	for _, version := range slices.Sorted(maps.Keys(scopes)) {
		e := api.APIEnablement{GroupVersion: version}
		for _, kind := range slices.Sorted(maps.Keys(scopes[version])) {
			e.Resources = append(e.Resources, api.APIResource{Kind: kind, Namespaced: scopes[version][kind] == scopeNamespaced})
		}
		enablements = append(enablements, e)
	}
	return enablements
}

// readQuantities returns the quantities of an attribute, and reports those that are none.
func readQuantities(at path.Path, texts map[string]string, diags *diag.Diagnostics) corev1.ResourceList {
	list := make(corev1.ResourceList, len(texts))
	for name, text := range texts {
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			diags.AddAttributeError(at, "Quantity cannot be read", fmt.Sprintf(
				"%s: %s = %q is no Kubernetes quantity, such as \"500m\" or \"2Gi\".", at, name, text))
			continue
		}
		list[corev1.ResourceName(name)] = quantity
	}
	return list
}

// scopes returns what the members were seen to say of the scope of a kind: the first, by name, that serves it counts.
func (in *inputs) scopes() manifest.ScopeLookup {
	return func(gvk kschema.GroupVersionKind) (namespaced, known bool) {
		for _, name := range slices.Sorted(maps.Keys(in.observed)) {
			for _, e := range in.observed[name].status.APIEnablements {
				if gv, err := kschema.ParseGroupVersion(e.GroupVersion); err != nil || gv.Group != gvk.Group {
					continue
				}
				at := slices.IndexFunc(e.Resources, func(r api.APIResource) bool { return r.Kind == gvk.Kind })
				if at >= 0 {
					return e.Resources[at].Namespaced, true
				}
			}
		}
		return false, false
	}
}
