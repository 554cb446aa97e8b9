package provider_test

import "testing"

const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
spec: {workers: {count: 5}}
`

// A custom resource whose replicas the configuration declares is divided like a Deployment.
func TestInterpreters(t *testing.T) {
	fleet := acceptance(t)
	const declared = `{ api_version = "example.com/v1", kind = "Widget", replicas_path = "spec.workers.count", healthy_when = { condition = "Ready" } }`
	s := setup{
		members:   twoRegions,
		templates: []string{widgets},
		policies: []string{everywhere("apiextensions.k8s.io/v1 CustomResourceDefinition"),
			replaced(t, lab(t, "06-propagationpolicy-failover.yaml"), "apps/v1", "example.com/v1", "Deployment", "Widget", "name: demoapp", "name: w")},
		arguments: map[string]string{"interpreters": "[" + declared + "]"},
		more: `
data "multicluster_placement" "preview" {
  members      = [{ name = "kube02" }, { name = "kube03" }]
  templates    = [file("templates-0.yaml")]
  policies     = [file("policies-0.yaml"), file("policies-1.yaml")]
  interpreters = [` + declared + `]
}

output "same_works" {
  value = data.multicluster_placement.preview.works == multicluster_propagation.app.works
}
`,
	}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	says(t, w.plan(), "+ same_works = true", "divided by weights kube02 3, kube03 1", `"spec.workers.count" = 4`, `"spec.workers.count" = 1`)
	w.apply()
	for member, want := range map[string]int64{"kube02": 4, "kube03": 1} {
		if got := live(t, fleet, member, "example.com/v1", "Widget", "default", "w", "spec", "workers", "count"); got != want {
			t.Errorf("%s has %v workers, want %d", member, got, want)
		}
	}
	w.settled()

	for _, test := range []struct {
		name, interpreters string
		want               []string
	}{
		{"saying nothing", `[{ api_version = "example.com/v1", kind = "Widget" }]`, []string{"interpreters[0], example.com/v1 Widget: it says nothing"}},
		{"twice", "[" + declared + ", " + declared + "]", []string{"interpreters[1]: example.com/v1 Widget is declared twice"}},
		{"a list item", `[{ api_version = "example.com/v1", kind = "Widget", replicas_path = "spec.groups[0].size" }]`, []string{`replicas path "spec.groups[0].size"`, "items of lists cannot be addressed"}},
		{"two rules", `[{ api_version = "example.com/v1", kind = "Widget", healthy_when = { condition = "Ready", path = "status.phase", equals = "x" } }]`, []string{"health rule: give either a condition or a path"}},
		{"no version", `[{ api_version = "", kind = "Widget", replicas_path = "spec.size" }]`, []string{"interpreters[0]: api version and kind are required"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s.arguments["interpreters"] = test.interpreters
			w := w.in(t)
			w.write(s.files(t, fleet))
			w.fails(append(test.want, "Kind cannot be interpreted"), "validate", "-no-color")
		})
	}
}

// Where the path of the replicas, or a value at it, is not known yet, neither is the placement.
func TestInterpretersThatAreNotKnown(t *testing.T) {
	fleet := acceptance(t)
	for path, open := range map[string]string{"terraform_data.path.output": "interpreters", `"spec.size"`: "templates[1].spec.size"} {
		s := setup{
			members:   twoRegions,
			templates: []string{widgets, `{ apiVersion = "example.com/v1", kind = "Widget", metadata = { name = "v" }, spec = { size = terraform_data.size.output } }`},
			policies:  []string{everywhere("apiextensions.k8s.io/v1 CustomResourceDefinition", "example.com/v1 Widget")},
			arguments: map[string]string{"interpreters": `[{ api_version = "example.com/v1", kind = "Widget", replicas_path = ` + path + ` }]`},
			more:      "resource \"terraform_data\" \"path\" { input = \"spec.size\" }\nresource \"terraform_data\" \"size\" { input = 3 }\n",
		}
		w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
		says(t, w.plan(), "+ placements = (known after apply)", "Not known yet: "+open)
		w.apply()
		w.settled()
		w.destroy()
	}
}
