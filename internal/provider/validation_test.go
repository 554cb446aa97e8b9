package provider_test

import "testing"

// TestServerValidation is lab Q among others: a Deployment without a selector is refused at plan, when members are asked.
func TestServerValidation(t *testing.T) {
	fleet := acceptance(t)
	files := setup{
		members:   twoRegions,
		templates: []string{replaced(t, lab(t, "01-demoapp-deployment.yaml"), "  selector:\n    matchLabels:\n      app: demoapp\n", "")},
		policies:  []string{lab(t, "02-propagationpolicy.yaml")},
		arguments: map[string]string{"validation": `"server"`},
	}.files(t, fleet)
	w := newWorkspace(t, oneCLI(t), files)
	w.fails([]string{"Members would refuse objects", "member kube02: " + demoapp, "member kube03: " + demoapp, "spec.selector"}, "plan", "-no-color")

	files["templates-0.yaml"] = replaced(t, lab(t, "01-demoapp-deployment.yaml"), "namespace: default", "namespace: elsewhere")
	files["policies-0.yaml"] = replaced(t, lab(t, "02-propagationpolicy.yaml"), "namespace: default", "namespace: elsewhere")
	w.write(files)
	says(t, w.plan(), "Members would refuse objects now", "member kube02: Deployment.apps/elsewhere/demoapp",
		"Dependencies are not there", "member kube03: Namespace/elsewhere, which Deployment.apps/elsewhere/demoapp needs")

	files["templates-0.yaml"], files["policies-0.yaml"] = lab(t, "01-demoapp-deployment.yaml"), lab(t, "02-propagationpolicy.yaml")
	w.write(files)
	silent(t, w.apply(), "would refuse")
	expect(t, fleet, "demoapp", sameOnBoth)
	w.settled()
}
