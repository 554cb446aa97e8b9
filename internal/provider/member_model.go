package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// fleetMemberModel is a member as a propagation gets it: the part of multicluster_member that placement and rendering
// depend on. Terraform's conversion drops the other attributes of a whole resource object.
type fleetMemberModel struct {
	Name            types.String `tfsdk:"name"`
	Region          types.String `tfsdk:"region"`
	Zones           types.List   `tfsdk:"zones"`
	ProviderName    types.String `tfsdk:"provider_name"`
	Labels          types.Map    `tfsdk:"labels"`
	Taints          types.List   `tfsdk:"taints"`
	Unschedulable   types.Bool   `tfsdk:"unschedulable"`
	Variables       types.Map    `tfsdk:"variables"`
	Generation      types.Int64  `tfsdk:"generation"`
	Unhealthy       types.Map    `tfsdk:"unhealthy"`
	EffectiveTaints types.Map    `tfsdk:"effective_taints"`
}

// taintModel is one declared taint.
type taintModel struct {
	Key    types.String `tfsdk:"key"`
	Value  types.String `tfsdk:"value"`
	Effect types.String `tfsdk:"effect"`
}

// effectiveTaintModel is one taint in force.
type effectiveTaintModel struct {
	Key       types.String `tfsdk:"key"`
	Value     types.String `tfsdk:"value"`
	Effect    types.String `tfsdk:"effect"`
	TimeAdded types.String `tfsdk:"time_added"`
}

var effectiveTaintType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"key":        types.StringType,
	"value":      types.StringType,
	"effect":     types.StringType,
	"time_added": types.StringType,
}}

// placeable reports whether everything that placement depends on is known. Variables may be unknown: they only reach
// rendered values.
func (m fleetMemberModel) placeable() bool {
	for _, v := range []attr.Value{
		m.Name, m.Region, m.Zones, m.ProviderName, m.Labels, m.Taints, m.Unschedulable, m.Generation, m.Unhealthy, m.EffectiveTaints,
	} {
		if !fullyKnown(v) {
			return false
		}
	}
	return true
}

// member returns the plain value of a placeable member. Errors are about values, such as a time that does not parse.
func (m fleetMemberModel) member(ctx context.Context) (propagation.Member, diag.Diagnostics) {
	var diags diag.Diagnostics
	out := propagation.Member{Generation: m.Generation.ValueInt64()}
	out.Cluster = api.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: m.Name.ValueString()},
		Spec:       api.ClusterSpec{Region: m.Region.ValueString(), Provider: m.ProviderName.ValueString()},
	}
	diags.Append(m.Zones.ElementsAs(ctx, &out.Cluster.Spec.Zones, false)...)
	diags.Append(m.Labels.ElementsAs(ctx, &out.Cluster.Labels, false)...)

	unhealthy, moreDiags := readUnhealthy(ctx, m.Name.ValueString(), m.Unhealthy)
	diags.Append(moreDiags...)
	out.Unhealthy = unhealthy
	if m.EffectiveTaints.IsNull() {
		declared, moreDiags := readTaints(ctx, m.Taints)
		diags.Append(moreDiags...)
		out.Cluster.Spec.Taints = propagation.EffectiveTaints(declared, m.Unschedulable.ValueBool(), unhealthy)
	} else {
		taints, moreDiags := readEffectiveTaints(ctx, m.EffectiveTaints)
		diags.Append(moreDiags...)
		out.Cluster.Spec.Taints = taints
	}

	out.Variables = map[string]string{}
	if m.Variables.IsUnknown() {
		out.AllVariablesUnknown = true
		return out, diags
	}
	for key, value := range m.Variables.Elements() {
		s, ok := value.(types.String)
		switch {
		case !ok || s.IsNull():
		case s.IsUnknown():
			out.UnknownVariables = append(out.UnknownVariables, key)
		default:
			out.Variables[key] = s.ValueString()
		}
	}
	return out, diags
}

// generation returns the number of the cluster that stands for the member; the first is 1.
func (m fleetMemberModel) generation() int64 { return max(m.Generation.ValueInt64(), 1) }

func readUnhealthy(ctx context.Context, name string, value types.Map) (propagation.Unhealthy, diag.Diagnostics) {
	var diags diag.Diagnostics
	var values map[string]string
	diags.Append(value.ElementsAs(ctx, &values, false)...)
	if diags.HasError() {
		return propagation.Unhealthy{}, diags
	}
	unhealthy, err := propagation.ParseUnhealthy(values)
	if err != nil {
		diags.AddError("Health of a member cannot be read", fmt.Sprintf("Member %s: %s. Refresh the member, or leave `unhealthy` out.", name, err))
	}
	return unhealthy, diags
}

// readTaints returns declared taints. The list must be known.
func readTaints(ctx context.Context, list types.List) ([]corev1.Taint, diag.Diagnostics) {
	var models []taintModel
	diags := list.ElementsAs(ctx, &models, false)
	taints := make([]corev1.Taint, 0, len(models))
	for _, m := range models {
		taints = append(taints, corev1.Taint{
			Key: m.Key.ValueString(), Value: m.Value.ValueString(), Effect: corev1.TaintEffect(m.Effect.ValueString()),
		})
	}
	return taints, diags
}

func readEffectiveTaints(ctx context.Context, values types.Map) ([]corev1.Taint, diag.Diagnostics) {
	models := map[string]effectiveTaintModel{}
	diags := values.ElementsAs(ctx, &models, false)
	taints := make([]corev1.Taint, 0, len(models))
	for _, m := range models {
		taint := corev1.Taint{Key: m.Key.ValueString(), Value: m.Value.ValueString(), Effect: corev1.TaintEffect(m.Effect.ValueString())}
		if !m.TimeAdded.IsNull() {
			added, err := time.Parse(time.RFC3339, m.TimeAdded.ValueString())
			if err != nil {
				diags.AddError("Time of a taint cannot be read", fmt.Sprintf("Taint %s: time_added: %s.", taint.ToString(), err))
				continue
			}
			at := metav1.NewTime(added)
			taint.TimeAdded = &at
		}
		taints = append(taints, taint)
	}
	return propagation.EffectiveTaints(taints, false, propagation.Unhealthy{}), diags
}

// effectiveTaintsValue returns taints as the effective_taints attribute, keyed by key:effect.
func effectiveTaintsValue(taints []corev1.Taint) types.Map {
	elements := make(map[string]attr.Value, len(taints))
	for _, t := range taints {
		added := types.StringNull()
		if t.TimeAdded != nil {
			added = types.StringValue(t.TimeAdded.UTC().Format(time.RFC3339))
		}
		elements[t.Key+":"+string(t.Effect)] = types.ObjectValueMust(effectiveTaintType.AttrTypes, map[string]attr.Value{
			"key":        types.StringValue(t.Key),
			"value":      types.StringValue(t.Value),
			"effect":     types.StringValue(string(t.Effect)),
			"time_added": added,
		})
	}
	return types.MapValueMust(effectiveTaintType, elements)
}

// stringMapValue returns a known map of strings.
func stringMapValue(values map[string]string) types.Map {
	elements := make(map[string]attr.Value, len(values))
	for key, value := range values {
		elements[key] = types.StringValue(value)
	}
	return types.MapValueMust(types.StringType, elements)
}
