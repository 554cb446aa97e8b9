package execution

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// shuffled are keys in an order in which they can be neither applied nor removed.
var shuffled = []string{
	"Deployment.apps/shop/web", "ValidatingWebhookConfiguration.admissionregistration.k8s.io/w", "Widget.example.io/shop/w",
	"ServiceAccount/shop/web", "Namespace/shop", "CustomResourceDefinition.apiextensions.k8s.io/widgets.example.io",
}

func keys(t *testing.T, texts []string) []manifest.Key {
	t.Helper()
	var all []manifest.Key
	for _, text := range texts {
		key, err := manifest.ParseKey(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, key)
	}
	return all
}

// kinds returns the steps as text, with kinds sorted in each.
func kinds(steps [][]manifest.Key) string {
	var all []string
	for _, step := range steps {
		var names []string
		for _, key := range step {
			names = append(names, key.Kind)
		}
		slices.Sort(names)
		all = append(all, strings.Join(names, " "))
	}
	return strings.Join(all, ", ")
}

func TestOrder(t *testing.T) {
	var objects []*pending
	for _, key := range keys(t, shuffled) {
		objects = append(objects, &pending{ApplyObject: ApplyObject{Key: key}})
	}
	var applied [][]manifest.Key
	for _, stage := range applyStages(objects) {
		var step []manifest.Key
		for _, p := range stage {
			step = append(step, p.Key)
		}
		applied = append(applied, step)
	}
	if got, want := kinds(applied), "CustomResourceDefinition Namespace, ServiceAccount, Deployment Widget, ValidatingWebhookConfiguration"; got != want {
		t.Errorf("apply: got %s, want %s", got, want)
	}
	if got, want := kinds(removalSteps(keys(t, shuffled))), "ValidatingWebhookConfiguration, Deployment Widget, ServiceAccount, CustomResourceDefinition, Namespace"; got != want {
		t.Errorf("remove: got %s, want %s", got, want)
	}
	if got := removalSteps(nil); len(got) != 0 {
		t.Errorf("remove nothing: got %v", got)
	}
}

func TestBrief(t *testing.T) {
	for _, test := range []struct{ message, want string }{
		{"plain", "plain"},
		{"two\n  lines", "two lines"},
		{"spec is immutable\n@@ -1,2 +1,2 @@\n-  a\n", "spec is immutable"},
		{fmt.Sprintf(`Invalid value: {"a":"%s"}: field is immutable`, strings.Repeat("x", 300)), "Invalid value: field is immutable"},
		{`Invalid value: 9: must be less than 5`, `Invalid value: 9: must be less than 5`},
		{strings.Repeat("x", 2000), strings.Repeat("x", 1000) + "..."},
	} {
		if got := brief(test.message); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
