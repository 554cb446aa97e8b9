package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

// inputs are the write-only arguments of a propagation as plain values.
type inputs struct {
	members   []propagation.Member
	templates []manifest.Object
	sensitive map[string]bool // keys of the templates that came as sensitive_templates
	policies  *api.Policies
	shared    map[string]bool // policies of the provider's default_policies, by kind, namespace and name
	observed  map[string]observation
	kinds     *interpreter.Interpreter
	masked    []manifest.Pattern // sensitive_paths
	ignored   []manifest.Pattern // ignore_fields
	hooks     int                // documents that helm_hooks leaves out
	blank     []string           // elements of templates that hold no object, such as templates[0]

	// unknown names what is not known yet and keeps placements and works from being planned, such as templates[0].
	unknown []string
}

// readInputs reads the write-only arguments of the resource. They are null in Read and Delete; where they are null or empty
// in a plan, ignore_changes hides them, and going on would remove every object.
func readInputs(ctx context.Context, config propagationModel, defaults []text) (*inputs, diag.Diagnostics) {
	in, diags := readArguments(ctx, config, defaults)
	null := map[string]bool{
		"members":   config.Members.IsNull(),
		"policies":  config.Policies.IsNull(),
		"templates": config.Templates.IsNull() || config.Templates.IsUnderlyingValueNull(),
	}
	for _, argument := range in.empty(config, defaults) {
		detail := emptyDetail(argument, null[argument])
		if why := in.whyNoTemplates(); argument == "templates" && why != "" {
			detail = why + " To remove everything, destroy the resource."
		}
		diags.AddAttributeError(path.Root(argument), "No "+argument, detail)
	}
	return in, diags
}

// readArguments reads what placements and works are computed from.
func readArguments(ctx context.Context, config propagationModel, defaults []text) (*inputs, diag.Diagnostics) {
	var diags diag.Diagnostics
	in := &inputs{sensitive: map[string]bool{}, shared: map[string]bool{}, observed: map[string]observation{}}
	in.readMembers(ctx, config.Members, &diags)
	in.readObserved(ctx, config.Observed, &diags)
	in.unknown = append(in.unknown, config.unknownArguments()...)
	suspension, moreDiags := readSuspension(ctx, config.Suspension)
	diags.Append(moreDiags...)
	in.kinds, moreDiags = readInterpreters(ctx, config.Interpreters)
	diags.Append(moreDiags...)
	in.masked, moreDiags = readPatterns(ctx, "sensitive_paths", config.SensitivePaths)
	diags.Append(moreDiags...)
	in.ignored, moreDiags = readPatterns(ctx, "ignore_fields", config.IgnoreFields)
	diags.Append(moreDiags...)
	documents := in.readDocuments(ctx, config, defaults, &diags)
	if !diags.HasError() {
		in.sort(documents, config, suspension, &diags)
	}
	return in, diags
}

// whyNoTemplates explains why there is no template where something was given, or returns "".
func (in *inputs) whyNoTemplates() string {
	switch {
	case in.hooks > 0:
		return fmt.Sprintf("All templates (%s) have the annotation helm.sh/hook, and helm_hooks = \"skip\" leaves those out. Give at least one without it.",
			spelling.Count(in.hooks, "document"))
	case len(in.blank) > 0:
		return fmt.Sprintf("There is no object in %s, but blanks, comments or an empty List. Give at least one.", strings.Join(in.blank, ", "))
	}
	return ""
}

// readPatterns returns the paths that an argument names, as far as they are known.
func readPatterns(ctx context.Context, argument string, list types.List) ([]manifest.Pattern, diag.Diagnostics) {
	texts, diags := readStrings(ctx, path.Root(argument), list)
	patterns := make([]manifest.Pattern, 0, len(texts))
	for i, t := range texts {
		if t.unknown {
			continue
		}
		pattern, err := manifest.ParsePattern(t.value)
		if err != nil {
			diags.AddAttributeError(path.Root(argument).AtListIndex(i), "Path cannot be read", sentence(err.Error()))
			continue
		}
		patterns = append(patterns, pattern)
	}
	return patterns, diags
}

// empty returns the arguments that are null or empty, and without which there is nothing to place or nowhere to place it.
func (in *inputs) empty(config propagationModel, defaults []text) []string {
	var arguments []string
	if !config.Members.IsUnknown() && len(config.Members.Elements()) == 0 {
		arguments = append(arguments, "members")
	}
	if config.Policies.IsNull() || (!config.Policies.IsUnknown() && len(config.Policies.Elements()) == 0 && len(defaults) == 0) {
		arguments = append(arguments, "policies")
	}
	if in.policies != nil && len(in.templates) == 0 && len(in.unknown) == 0 {
		arguments = append(arguments, "templates")
	}
	return arguments
}

func (in *inputs) readMembers(ctx context.Context, list types.List, diags *diag.Diagnostics) {
	at := path.Root("members")
	if list.IsUnknown() {
		in.unknown = append(in.unknown, "members")
		return
	}
	seen := map[string]bool{}
	for i, element := range list.Elements() {
		object, ok := element.(types.Object)
		if !ok || object.IsNull() {
			diags.AddAttributeError(at.AtListIndex(i), "Member is null", fmt.Sprintf("members[%d] is null. "+leaveNullOut, i))
			continue
		}
		var model fleetMemberModel
		if object.IsUnknown() {
			in.unknown = append(in.unknown, fmt.Sprintf("members[%d]", i))
			continue
		}
		diags.Append(object.As(ctx, &model, objectAsOptions)...)
		if diags.HasError() {
			return
		}
		if !model.placeable() {
			in.unknown = append(in.unknown, fmt.Sprintf("members[%d]", i))
			continue
		}
		member, moreDiags := model.member(ctx)
		diags.Append(moreDiags...)
		if member.Name() == "" {
			diags.AddAttributeError(at.AtListIndex(i), "Member without a name", fmt.Sprintf(
				"members[%d] has no name. Give it the name under which the provider's members has its connection, or pass a multicluster_member.", i))
			continue
		}
		if seen[member.Name()] {
			diags.AddAttributeError(at.AtListIndex(i), "Member named twice", fmt.Sprintf("members[%d]: there is a member %s already.", i, member.Name()))
		}
		seen[member.Name()] = true
		if !moreDiags.HasError() {
			diags.Append(validateMember(ctx, model, at.AtListIndex(i), nil)...)
		}
		in.members = append(in.members, member)
	}
}

// sort tells templates from policies, whichever argument they came in, and makes each count once.
func (in *inputs) sort(documents []manifest.Object, config propagationModel, suspension *api.Suspension, diags *diag.Diagnostics) {
	namespace := config.namespace()
	templates, policies := manifest.Split(documents)
	written := len(templates)
	templates = withoutHooks(manifest.SetNamespace(templates, namespace, in.scopes()), config.HelmHooks, diags)
	in.hooks = written - len(templates)
	templates, err := manifest.Unique(templates)
	for _, err := range flattenErrors(err) {
		diags.AddAttributeError(path.Root("templates"), "Templates contradict each other", sentence(err.Error()))
	}
	in.templates = templates
	for i := range templates {
		if templates[i].Source.Argument == "sensitive_templates" {
			in.sensitive[templates[i].Key().String()] = true
		}
	}
	in.policies = &api.Policies{
		Namespace: namespace, ConflictResolution: config.conflictResolution(), Suspension: suspension,
	}
	for _, document := range policies {
		at := argumentPath(document.Source.Argument)
		if err := in.policies.Add(document.Object, document.Source.String()); err != nil {
			if invalid, ok := errors.AsType[*api.PolicyError](err); ok {
				invalid.Line = document.Line
			}
			diags.AddAttributeError(at, "Policy is not valid", sentence(err.Error()))
		}
		diags.Append(warnEmptyDocument(at, document.Object, document.Source.String())...)
		if document.Source.Argument == "default_policies" {
			in.shared[policyName(document, namespace)] = true
		}
	}
	for _, note := range in.policies.Notes {
		diags.AddAttributeWarning(path.Root("policies"), "Policy is read with a change", sentence(note))
	}
}

// namespace returns what is given to documents that name none. A name that the schema refuses is given to none: no document is to
// blame for it.
func (m propagationModel) namespace() string {
	if name := m.Namespace.ValueString(); isNamespace(name) {
		return name
	}
	return defaultNamespace
}

// conflictResolution returns what is given to policies that say nothing. A value that the schema refuses is none: no policy is
// to blame for it.
func (m propagationModel) conflictResolution() api.ConflictResolution {
	switch given := api.ConflictResolution(m.ConflictResolution.ValueString()); given {
	case api.ConflictAbort, api.ConflictOverwrite:
		return given
	default:
		return ""
	}
}

// policyName returns kind, namespace and name of a policy document, as placements show it.
func policyName(document manifest.Object, namespace string) string {
	switch kind := document.GetKind(); {
	case kind == api.KindClusterPropagationPolicy, kind == api.KindClusterOverridePolicy:
		return kind + " " + document.GetName()
	case document.GetNamespace() != "":
		return kind + " " + document.GetNamespace() + "/" + document.GetName()
	default:
		return kind + " " + namespace + "/" + document.GetName()
	}
}

// needs say what a propagation wants of an argument, and why.
var needs = map[string]string{
	"members": "at least one member is needed, such as values(multicluster_member.fleet): without one, every object would be removed from the " +
		"members it had",
	"policies":  "at least one policy is needed, such as file(\"policy.yaml\"): without one, no template goes anywhere",
	"templates": "at least one template is needed, such as file(\"app.yaml\"): without one, a propagation would remove every object it had",
}

// emptyDetail explains why an empty argument is an error. What is null may be hidden by ignore_changes.
func emptyDetail(argument string, null bool) string {
	if null {
		return fmt.Sprintf("%s is null, and %s. If it is set in the configuration, ignore_changes hides it: remove %s from "+
			"lifecycle.ignore_changes. To remove everything, destroy the resource.", argument, needs[argument], argument)
	}
	return fmt.Sprintf("%s holds nothing, and %s. To remove everything, destroy the resource.", argument, needs[argument])
}
