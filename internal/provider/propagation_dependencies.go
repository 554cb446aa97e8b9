package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// warnDependencies warns of what objects depend on and neither a template brings nor the member has. It asks only on behalf
// of objects that are about to be sent, so that a plan without changes asks nothing. It gives diagnostics and no value.
func (r *propagationResource) warnDependencies(ctx context.Context, rendered *rendering, diags *diag.Diagnostics) {
	needs := map[string]map[execution.Ref][]string{}
	for name := range rendered.planned.Works {
		needed := needed(rendered, name)
		maps.DeleteFunc(needed, func(ref execution.Ref, _ []string) bool { return r.fleet.brings(place{name, ref.Key.String()}) })
		if len(needed) > 0 {
			needs[name] = needed
		}
	}
	if lines := inOrder(ask(ctx, r.fleet, needs, questionTimeout, absent)); len(lines) > 0 {
		diags.AddAttributeWarning(path.Root("templates"), "Dependencies are not there", fmt.Sprintf(
			"No template brings these, and the members do not have them now:\n\n  %s\n\nUntil they are there, what needs them will not run, and nothing can be created in a Namespace "+
				"that is missing. If another propagation brings them, give this one depends_on with it. Else add them to templates (a Namespace is selected by a "+
				"ClusterPropagationPolicy), unless something outside Terraform brings them.", strings.Join(lines, "\n  ")))
	}
}

// needed returns what the objects that one member is sent depend on and no template brings, each with the objects that need
// it: what they refer to, and their Namespaces.
func needed(rendered *rendering, name string) map[execution.Ref][]string {
	needs := map[execution.Ref][]string{}
	for _, application := range propagation.Changes(rendered.prior, rendered.planned, name, false, false).Apply {
		if namespace := (manifest.Key{Kind: "Namespace", Name: application.Work.Object.GetNamespace()}); !application.Ours && namespace.Name != "" &&
			namespace.Name != metav1.NamespaceDefault && rendered.planned.Works[name][namespace.String()] == nil {
			ref := execution.Ref{Key: namespace, APIVersion: "v1"}
			needs[ref] = append(needs[ref], application.Key)
		}
		for _, reference := range rendered.planned.Outside[application.Key] {
			gvk := schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind)
			ref := execution.Ref{
				Key:        manifest.Key{Kind: gvk.Kind, Group: gvk.Group, Namespace: reference.Namespace, Name: reference.Name},
				APIVersion: reference.APIVersion,
			}
			needs[ref] = append(needs[ref], application.Key)
		}
	}
	return needs
}

// absent returns a line for each of the needed objects that one member certainly does not have.
func absent(ctx context.Context, session *member.Session, needs map[execution.Ref][]string) []string {
	seen := execution.Read(ctx, session, execution.ReadRequest{Objects: slices.Collect(maps.Keys(needs))})
	var lines []string
	for ref, needy := range needs {
		if seen.Gone[ref.Key] {
			lines = append(lines, fmt.Sprintf("member %s: %s, which %s needs", session.Name(), ref.Key, abbreviated(needy)))
		}
	}
	slices.Sort(lines)
	return lines
}
