package provider_test

import (
	"encoding/base64"
	"testing"
)

// What sensitive_templates and sensitive_paths name shows in no plan, no state and no error, however it fails.
func TestSensitiveValues(t *testing.T) {
	fleet := acceptance(t)
	const first, second = "hunter2-alpha", "hunter2-beta"
	setupWith := func(value string) setup {
		return setup{
			members: twoRegions,
			templates: []string{replaced(t, lab(t, "01-demoapp-deployment.yaml"), "image: ikubernetes/demoapp:v1.0",
				"image: ikubernetes/demoapp:v1.0\n          env: [{name: TOKEN, value: "+value+"}, {name: LANG, value: C.UTF-8}]")},
			policies: []string{lab(t, "02-propagationpolicy.yaml"), everywhere("v1 ConfigMap", "v1 Service")},
			arguments: map[string]string{
				"sensitive_templates": `[file("private.yaml")]`,
				"sensitive_paths":     `["spec.template.spec.containers[*].env[name=TOKEN]"]`,
			},
		}
	}
	private := func(value string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: private, annotations: {note: " + value + "}}\ndata: {config: 'password=" + value + "', binary: x}\n"
	}
	secrets := []string{first, second, "password=", base64.StdEncoding.EncodeToString([]byte(first))}
	hides := func(outputs ...string) {
		t.Helper()
		for _, out := range outputs {
			silent(t, out, secrets...)
		}
	}
	w := newWorkspace(t, oneCLI(t), setupWith(first).files(t, fleet))
	w.write(map[string]string{"private.yaml": private(first)})
	plan := w.plan("-out=saved")
	says(t, plan, `"data.config" = "(sensitive, rev 1)"`, `"metadata.annotations.note" = "(sensitive, rev 1)"`, `.env[name=TOKEN].value" = "(sensitive, rev 1)"`, `.env[name=LANG].value" = "C.UTF-8"`)
	hides(plan, w.must("show", "-json", "saved"), w.apply(), w.rawState())
	expect(t, fleet, "demoapp", runs{
		"kube02": "4 ikubernetes/demoapp:v1.0 TOKEN=" + first + " LANG=C.UTF-8", "kube03": "4 ikubernetes/demoapp:v1.0 TOKEN=" + first + " LANG=C.UTF-8",
	})
	w.settled()

	w.write(setupWith(second).files(t, fleet))
	w.write(map[string]string{"private.yaml": private(second)})
	plan = w.plan()
	says(t, plan, `"data.config" = "(sensitive, rev 1)" -> "(sensitive, rev 2)"`, `.env[name=TOKEN].value" = "(sensitive, rev 1)" -> "(sensitive, rev 2)"`)
	hides(plan, w.apply(), w.rawState())
	if got := live(t, fleet, "kube03", "v1", "ConfigMap", "default", "private", "data", "config"); got != "password="+second {
		t.Errorf("the ConfigMap has config %v", got)
	}
	w.settled()

	patch(t, fleet, "kube03", "v1", "ConfigMap", "private", `{"data":{"config":"hunter2-gamma"}}`)
	plan = w.plan()
	says(t, plan, `"data.config"`, "(sensitive, changed on the member)")
	silent(t, plan, "gamma")
	hides(plan)

	w.must("state", "rm", app)
	hides(w.must("import", "-no-color", app, "app"), w.rawState())
	plan = w.plan()
	says(t, plan, `"data.config" = "(sensitive, changed on the member)" -> "(sensitive, rev 1)"`)
	hides(plan, w.apply(), w.rawState())
	w.settled()

	for _, test := range []struct {
		name, private string
		change        func(*testing.T, *setup)
		want          []string
		command       string
	}{
		{"an override fails", private(second), policy(brokenFieldPolicy), []string{
			"OverridePolicy default/broken, overrideRules[0].overriders.fieldOverrider[0], ConfigMap/default/private", "the value is sensitive, so the reason is not shown", "On kube02 and kube03.",
		}, "plan"},
		{"a member refuses", "apiVersion: v1\nkind: Service\nmetadata: {name: private}\nspec: {type: ExternalName, externalName: '" + second + "!'}\n", nil, []string{
			"Member kube03: Service/default/private: the member refused it with 422 Invalid, at spec.externalName",
		}, "apply"},
		{"a value of a wrong type", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: private}\ndata: {config: [" + second + "]}\n", nil, []string{
			"sensitive_templates[0]", "data.config",
		}, "validate"},
		{"malformed YAML", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: private}\ndata:\n  config: " + second + ": {\n", nil, []string{"sensitive_templates[0]"}, "validate"},
		{"two documents differ", private(second), template(configMap("private")), []string{"ConfigMap/default/private", "with other content"}, "validate"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := w.in(t)
			s := setupWith(second)
			if test.change != nil {
				test.change(t, &s)
			}
			w.write(s.files(t, fleet))
			w.write(map[string]string{"private.yaml": test.private})
			arguments := []string{test.command, "-no-color"}
			if test.command == "apply" {
				arguments = append(arguments, "-auto-approve")
			}
			hides(w.fails(test.want, arguments...), w.rawState())
		})
	}
}

const brokenFieldPolicy = `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: broken, namespace: default}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: private}]
  overrideRules:
    - overriders: {fieldOverrider: [{fieldPath: /data/config, json: [{subPath: /a, operator: add, value: 1}]}]}
`
