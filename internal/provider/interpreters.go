package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
)

// interpreterModel declares what is to be known of one more kind.
type interpreterModel struct {
	APIVersion   types.String      `tfsdk:"api_version"`
	Kind         types.String      `tfsdk:"kind"`
	ReplicasPath types.String      `tfsdk:"replicas_path"`
	HealthyWhen  *healthyWhenModel `tfsdk:"healthy_when"`
}

// healthyWhenModel says when an object is healthy.
type healthyWhenModel struct {
	Condition types.String `tfsdk:"condition"`
	Status    types.String `tfsdk:"status"`
	Path      types.String `tfsdk:"path"`
	Equals    types.String `tfsdk:"equals"`
}

// interpretersAttribute declares kinds of custom resources.
func interpretersAttribute() schema.ListNestedAttribute {
	return optionalList("What is to be known of kinds that are neither Kubernetes' own nor among the third-party kinds that Karmada knows, usually custom "+
		"resources: one element for each kind. What it says of a kind that is known already wins.", attributeMap{
		"api_version": requiredText("Group and version, as in a manifest, such as `example.com/v1`."),
		"kind":        requiredText("Kind, such as `Widget`."),
		"replicas_path": optionalText("Dotted path of the number of replicas, such as `spec.replicas`: policies then divide them as they do those of a Deployment. " +
			"An object without the field counts as one replica, and is sent as it is."),
		"healthy_when": optionalObject("When an object counts as healthy: by a condition or by a path. An object whose `status.observedGeneration` is behind is not. "+
			"Default: as soon as it is there. It is read and checked, and nothing waits for health in this version: it is for failover, which moves replicas only once "+
			"those elsewhere are healthy.", attributeMap{
			"condition": optionalText("Type of a condition in `status.conditions`, such as `Ready`."),
			"status":    optionalText("The status that the condition must have. Default `True`."),
			"path":      optionalText("Dotted path of a text, a number or a bool, such as `status.phase`."),
			"equals":    optionalText("The value that must be at `path`, such as `Running`."),
		}),
	})
}

// readInterpreters returns what is known of kinds: just what is built in when the interpreters are not known yet, or wrong.
func readInterpreters(ctx context.Context, list types.List) (*interpreter.Interpreter, diag.Diagnostics) {
	var models []interpreterModel
	var diags diag.Diagnostics
	if !list.IsNull() && fullyKnown(list) {
		diags = list.ElementsAs(ctx, &models, false)
	}
	extensions := make([]interpreter.Extension, len(models))
	for i, m := range models {
		extensions[i] = interpreter.Extension{APIVersion: m.APIVersion.ValueString(), Kind: m.Kind.ValueString(), ReplicasPath: m.ReplicasPath.ValueString()}
		if rule := m.HealthyWhen; rule != nil {
			extensions[i].HealthyWhen = &interpreter.HealthRule{
				Condition: rule.Condition.ValueString(), Status: rule.Status.ValueString(), Path: rule.Path.ValueString(), Equals: rule.Equals.ValueString(),
			}
		}
	}
	kinds, err := interpreter.New(extensions...)
	if err != nil {
		diags.AddAttributeError(path.Root("interpreters"), "Kind cannot be interpreted", sentence(err.Error()))
		kinds, _ = interpreter.New() // what is built in is never wrong
	}
	return kinds, diags
}
