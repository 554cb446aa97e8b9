package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// Values of helm_hooks.
const (
	helmHooksError = "error"
	helmHooksSkip  = "skip"
)

// helmHooksAttribute says what is to be done about hooks.
func helmHooksAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "What to do with documents that have the annotation `helm.sh/hook`, which nothing runs here: `error` (default), or `skip` them. " +
			"An object with `helm.sh/resource-policy: keep` stays on its members when it is removed, and its placement says `preserve`.",
		Validators: []validator.String{stringvalidator.OneOf(helmHooksError, helmHooksSkip)},
	}
}

// withoutHooks returns the templates without those that Helm would run at certain moments of a release. Unless they are to be
// skipped, as far as that is known, there must be none: here they would be objects like all others.
func withoutHooks(templates []manifest.Object, wanted types.String, diags *diag.Diagnostics) []manifest.Object {
	var hooks []string
	rest := slices.DeleteFunc(templates, func(template manifest.Object) bool {
		moments := manifest.HelmHook(template.Unstructured)
		if moments != "" {
			hooks = append(hooks, fmt.Sprintf("%s (%s): %s", template.Key(), template.Source, moments))
		}
		return moments != ""
	})
	if len(hooks) > 0 && !wanted.IsUnknown() && wanted.ValueString() != helmHooksSkip {
		diags.AddAttributeError(path.Root("templates"), "Helm hooks among the templates", fmt.Sprintf(
			"These documents are hooks, which Helm runs at certain moments of a release:\n\n  %s\n\nNothing runs hooks here. Set helm_hooks = \"skip\" to leave them out, "+
				"as helm template --no-hooks does; or take the annotation helm.sh/hook off those that are to be there like all others.", strings.Join(hooks, "\n  ")))
	}
	return rest
}
