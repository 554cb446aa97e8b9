package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

var autoscalerKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}

// warnScalers warns of autoscalers that no template brings, and that set the replicas of an object whose replicas the plan
// changes. It asks only on behalf of such objects. It gives diagnostics and no value.
func (r *propagationResource) warnScalers(ctx context.Context, rendered *rendering, diags *diag.Diagnostics) {
	scaled := map[string][]manifest.Key{}
	for name := range rendered.planned.Works {
		if keys := propagation.Rescaled(rendered.prior, rendered.planned, name); len(keys) > 0 {
			scaled[name] = keys
		}
	}
	if lines := inOrder(ask(ctx, r.fleet, scaled, questionTimeout, rendered.scalers)); len(lines) > 0 {
		diags.AddAttributeWarning(path.Root("ignore_fields"), "Autoscalers set replicas too", fmt.Sprintf(
			"The plan changes replicas that autoscalers on the members set, and no template brings these:\n\n  %s\n\nEach undoes what the other does. To leave "+
				"the replicas to them, add \"spec.replicas\" to ignore_fields, or the autoscalers to templates.", strings.Join(lines, "\n  ")))
	}
}

// scalers returns a line for each autoscaler of a member that sets the replicas of one of the objects. Where autoscalers
// cannot be listed there is none.
func (r *rendering) scalers(ctx context.Context, session *member.Session, scaled []manifest.Key) []string {
	resource, err := session.Mapping(ctx, autoscalerKind)
	if err != nil {
		return nil
	}
	var lines []string
	listed := map[string]bool{}
	for _, key := range scaled {
		if listed[key.Namespace] {
			continue
		}
		listed[key.Namespace] = true
		found, _ := session.List(ctx, resource, key.Namespace, member.ListOptions{}) // none, if that is not allowed
		for _, scaler := range found {
			reference, _ := r.kinds.ScaleTarget(scaler)
			gvk := schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind)
			target := manifest.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: reference.Namespace, Name: reference.Name}
			if slices.Contains(scaled, target) {
				lines = append(lines, fmt.Sprintf("member %s: %s sets those of %s", session.Name(), manifest.KeyOf(scaler), target))
			}
		}
	}
	slices.Sort(lines)
	return lines
}
