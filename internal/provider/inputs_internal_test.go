package provider

import (
	"errors"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

func TestPlacementIsOpenOnlyForValuesItDependsOn(t *testing.T) {
	const container = "spec.template.spec.containers[0]."
	kinds, err := interpreter.New()
	if err != nil {
		t.Fatal(err)
	}
	for path, open := range map[string]bool{
		"metadata.name":             true,
		"metadata.annotations.note": false,
		"spec.replicas":             true,
		"spec":                      true,
		container + "image":         false,
		container + "env[0].value":  false,
		container + "envFrom[0].configMapRef.name":            true,
		container + "env[0].valueFrom.secretKeyRef.name":      true,
		container + "resources.requests.cpu":                  true,
		"spec.template.spec.volumes[0].persistentVolumeClaim": true,
		"spec.tls[0].secretName":                              true,
		"spec.scaleTargetRef.name":                            true,
		"data.url":                                            false,
	} {
		in := &inputs{kinds: kinds}
		value := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment"}
		if got := in.placementUnknown(manifest.Source{Argument: "templates"}, value, []string{path}); got != open {
			t.Errorf("unknown %s leaves the placement open: %v, want %v", path, got, open)
		}
	}
}

func TestFailuresSayHowToGoOn(t *testing.T) {
	for again, a := range map[string]application{"apply again": {}, "destroy again": {destroy: true}} {
		for _, text := range []string{memberFailure(t.Context(), "kube02", errors.New("no answer"), a.again()), memberErrors(failed(errors.New("refused")), a)} {
			if !strings.Contains(text, again) {
				t.Errorf("%q does not say %q", text, again)
			}
		}
	}
}

func TestUnknownInputs(t *testing.T) {
	in := &inputs{}
	in.readTexts("policies", []text{{unknown: true, list: true}}, nil)
	in.readTexts("default_policies", []text{{value: ""}, {unknown: true}}, nil)
	if got, want := strings.Join(in.unknown, " "), "policies default_policies[1]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for input, want := range map[string]string{
		"templates[0]":               "inside an object",
		"policies":                   "inside an object",
		"templates[0].spec.replicas": "depends on templates[0].spec.replicas: to see it in the plan",
	} {
		if got := knownSooner([]string{input, "members"}); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", input, got, want)
		}
	}
}

// failed is the result of a member of whose objects one failed.
func failed(err error, others ...error) execution.Result {
	result := execution.Result{Member: "kube02", Outcomes: map[manifest.Key]execution.Outcome{}}
	for i, err := range append(others, err) {
		result.Outcomes[manifest.Key{Kind: "ConfigMap", Name: strconv.Itoa(i)}] = execution.Outcome{Err: err}
	}
	return result
}

func TestErrorsSayWhatElseWasDone(t *testing.T) {
	refused := errors.New("refused")
	for want, result := range map[string]execution.Result{
		"Nothing else was done on this member: once":                   failed(refused, refused),
		"Everything else on this member is done and kept in the state": failed(refused, nil),
	} {
		if got := memberErrors(result, application{}); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestRefusalsNameValidation(t *testing.T) {
	const hint = `validation = "server"`
	invalid := &execution.ObjectError{Member: "kube02", Reason: execution.ReasonInvalid}
	for _, test := range []struct {
		err  error
		a    application
		want bool
	}{
		{invalid, application{}, true},
		{invalid, application{asked: true}, false},
		{&execution.ObjectError{Member: "kube02", Reason: execution.ReasonForbidden}, application{}, false},
	} {
		if got := memberErrors(failed(test.err), test.a); strings.Contains(got, hint) != test.want {
			t.Errorf("got %q, want the hint: %v", got, test.want)
		}
	}
}

func TestErrorsOfPoliciesHaveALine(t *testing.T) {
	const policy = "# web\napiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: web}\nspec:\n  resourceSelectors: [{apiVersion: v1, kind: Secret}]\n  prioriti: 1\n"
	var in inputs
	var diags diag.Diagnostics
	in.sort(in.readTexts("policies", []text{{value: policy}}, &diags), propagationModel{}, nil, &diags)
	if want := "is not valid:\n  line 7: spec.prioriti: unknown field"; len(diags) != 1 || !strings.Contains(diags[0].Detail(), want) {
		t.Errorf("got %v, want %s", diags, want)
	}
}

func TestObjectsOfAnotherNameAreMarked(t *testing.T) {
	labels := map[string]string{"none": "", "ours": "app", "other": "shop"}
	s := seen{}
	s.Live, s.Foreign = map[string]*unstructured.Unstructured{}, map[string]string{}
	for key, label := range labels {
		s.Live[key] = &unstructured.Unstructured{Object: map[string]any{}}
		if label != "" {
			s.Live[key].SetLabels(map[string]string{execution.PropagationLabel: label})
		}
	}
	s.markRelabelled("app")
	if want := map[string]string{"none": "not labelled", "other": "labelled shop"}; !maps.Equal(s.Foreign, want) {
		t.Errorf("got %v, want %v", s.Foreign, want)
	}
}
