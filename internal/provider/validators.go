package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// labelValueValidator accepts what can be the value of a Kubernetes label, but not the empty text.
type labelValueValidator struct{}

// Description describes the validator in plain text.
func (labelValueValidator) Description(context.Context) string {
	return "at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
}

// MarkdownDescription describes the validator.
func (v labelValueValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

// ValidateString reports what is wrong with the value.
func (v labelValueValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	value := req.ConfigValue.ValueString()
	if value == "" || len(validation.IsValidLabelValue(value)) > 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "Name is not a label value",
			fmt.Sprintf("%q is written as a label on every object, so it has to be %s.", value, v.Description(ctx)))
	}
}

// namespaceValidator accepts what can be the name of a Namespace, and the empty text, which stands for the default.
type namespaceValidator struct{}

// Description describes the validator in plain text.
func (namespaceValidator) Description(context.Context) string {
	return "at most 63 lowercase letters, digits and '-', with a letter or digit at both ends"
}

// MarkdownDescription describes the validator.
func (v namespaceValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

// ValidateString reports what is wrong with the value.
func (v namespaceValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if name := req.ConfigValue.ValueString(); name != "" && !isNamespace(name) {
		resp.Diagnostics.AddAttributeError(req.Path, "Name is not that of a Namespace",
			fmt.Sprintf("%q is given to templates and policies that name no namespace, so it has to be %s.", name, v.Description(ctx)))
	}
}

func isNamespace(name string) bool { return len(validation.IsDNS1123Label(name)) == 0 }

// durationValidator accepts durations that are not negative.
type durationValidator struct{}

// Description describes the validator in plain text.
func (durationValidator) Description(context.Context) string {
	return "a duration such as 90s, 10m or 1h30m"
}

// MarkdownDescription describes the validator.
func (v durationValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

// ValidateString reports what is wrong with the value.
func (v durationValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if d, err := time.ParseDuration(req.ConfigValue.ValueString()); err != nil || d < 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "Duration cannot be read",
			fmt.Sprintf("%q is not %s.", req.ConfigValue.ValueString(), v.Description(ctx)))
	}
}

// memberAttributes says which attribute a field of a Karmada Cluster is here.
var memberAttributes = map[string]string{
	"metadata.name": "name",
	"spec.provider": "provider_name",
	"spec.region":   "region",
	"spec.Zones":    "zones",
	"spec.zones":    "zones",
	"spec.taints":   "taints",
}

// validateMember checks what is declared of a member, whose attributes are at a path, as Karmada's webhook checks a Cluster, as
// far as it is known. What has been told, if anything tells it, is left out.
func validateMember(
	ctx context.Context, model fleetMemberModel, at path.Path, told func(err *field.Error, name string) bool,
) diag.Diagnostics {
	var diags diag.Diagnostics
	if !model.placeable() {
		return nil
	}
	member, diags := model.member(ctx)
	if diags.HasError() {
		return diags
	}
	declared, moreDiags := readTaints(ctx, model.Taints)
	diags.Append(moreDiags...)
	cluster := member.Cluster
	cluster.Spec.Taints = declared
	cluster.Spec.SyncMode = "Push"
	cluster.Spec.APIEndpoint = "https://member.invalid" // connections are the provider's business
	cluster.Labels = nil                                // told below, each at its key
	cluster.SetDefaults(metav1.Time{})
	for _, err := range cluster.Validate() {
		if told != nil && told(err, member.Name()) {
			continue
		}
		diags.AddAttributeError(at.AtName(memberAttribute(err.Field)), "Member is not valid", fmt.Sprintf("Member %s: %s.", member.Name(), err.ErrorBody()))
	}
	for _, key := range slices.Sorted(maps.Keys(member.Cluster.Labels)) {
		value := member.Cluster.Labels[key]
		if problems := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(problems) > 0 {
			diags.AddAttributeError(at.AtName("labels").AtMapKey(key), "Member is not valid", fmt.Sprintf("Member %s: label %s = %q: %s.",
				member.Name(), key, value, strings.Join(problems, "; ")))
		}
	}
	return diags
}

// schemaTells reports whether the validators in the schema of multicluster_member refuse the same: one mistake is one error.
func schemaTells(err *field.Error, name string) bool {
	if err.Field == "metadata.name" {
		return name == "" || len(name) > api.MaxClusterName
	}
	return strings.HasSuffix(err.Field, ".effect")
}

// memberAttribute returns the attribute that a field of a Karmada Cluster corresponds to.
func memberAttribute(field string) string {
	for prefix, attribute := range memberAttributes {
		if strings.HasPrefix(field, prefix) {
			return attribute
		}
	}
	return "name"
}
