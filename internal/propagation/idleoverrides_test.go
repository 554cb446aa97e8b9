package propagation

import (
	"fmt"
	"strings"
	"testing"
)

func TestComputeNotesOverridesThatChangeNothing(t *testing.T) {
	const configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: b}}"
	const second = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: second}, spec: {selector: {matchLabels: {app: s}}, template: " +
		"{metadata: {labels: {app: s}}, spec: {containers: [{name: proxy, image: proxy}]}}}}"
	const all = "{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: all}, spec: {" +
		"resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}]}}"
	args := func(container string) string {
		return "argsOverrider: [{containerName: " + container + ", operator: add, value: [-v]}]"
	}
	const where = "OverridePolicy default/o, overrideRules[0].overriders."
	shared := func(in *Input) { in.Shared = map[string]bool{"OverridePolicy default/o": true} }
	for name, test := range map[string]struct {
		kind, overriders string
		change           func(*Input)
		want             string // a part of the only note; "" is none
	}{
		"a container that is there":       {overriders: args("demoapp")},
		"one that another object has":     {overriders: args("proxy")},
		"one that is misspelt":            {overriders: args("demoap"), want: where + `argsOverrider[0]: nothing is changed: ConfigMap/default/settings has no containers, Deployment.apps/default/demoapp has no container "demoap" (did you mean "demoapp"?) and Deployment.apps/default/second has`},
		"a command beside what is right":  {overriders: args("demoapp") + ", commandOverrider: [{containerName: ghost, operator: remove, value: [-v]}]", want: where + "commandOverrider[0]: nothing"},
		"images that some objects have":   {overriders: "imageOverrider: [{component: Tag, operator: replace, value: v2}]"},
		"a cluster-wide policy":           {kind: "ClusterOverridePolicy", overriders: args("demoap")},
		"a shared policy":                 {overriders: args("demoap"), change: shared},
		"an object that is not known yet": {overriders: args("demoap"), change: func(in *Input) { in.Templates[0].Unknown = []string{"data.a"} }},
	} {
		t.Run(name, func(t *testing.T) {
			kind := test.kind
			if kind == "" {
				kind = "OverridePolicy"
			}
			policy := fmt.Sprintf("{apiVersion: policy.karmada.io/v1alpha1, kind: %s, metadata: {name: o}, spec: {overrideRules: [{overriders: {%s}}]}}", kind, test.overriders)
			in := input(t, named("a", "b"), testdata(t, "01-demoapp-deployment.yaml"), configMap, second, all, policy)
			if test.change != nil {
				test.change(&in)
			}
			_, problems := Compute(in)
			switch {
			case test.want == "" && len(problems) > 0:
				t.Errorf("problems %v, want none", problems)
			case test.want != "" && (len(problems) != 1 || !problems[0].Note || !strings.Contains(problems[0].Detail, test.want)):
				t.Errorf("problems %v, want one that has %q", problems, test.want)
			}
		})
	}
}

func TestComputeNamesTheContainerThatWasMeant(t *testing.T) {
	const override = "{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: o}, spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: demoapp}], " +
		"overrideRules: [{targetCluster: {clusterNames: [a]}, overriders: {argsOverrider: [{containerName: %s, operator: add, value: [-v]}]}}]}}"
	for container, want := range map[string]string{
		"demoap": `Deployment.apps/default/demoapp has no container "demoap" (did you mean "demoapp"?).`,
		"ghost":  `Deployment.apps/default/demoapp has no container "ghost", only demoapp.`,
	} {
		in := input(t, named("a", "b"), testdata(t, "01-demoapp-deployment.yaml"), policy(""), fmt.Sprintf(override, container))
		_, problems := Compute(in)
		if len(problems) != 1 || !strings.Contains(problems[0].Detail, want) {
			t.Errorf("%s: problems %v, want one that has %q", container, problems, want)
		}
	}
}
