package provider

import (
	"errors"
	"maps"
	"strings"
	"testing"

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
		for _, text := range []string{memberFailure(t.Context(), "kube02", errors.New("no answer"), a.again()), memberErrors(errors.New("refused"), a)} {
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

func TestRefusalsNameValidation(t *testing.T) {
	const hint = `validation = "server"`
	invalid := errors.Join(errors.New("member kube02 gives no answer"), &execution.ObjectError{Member: "kube02", Reason: execution.ReasonInvalid})
	for _, test := range []struct {
		err  error
		a    application
		want bool
	}{
		{invalid, application{}, true},
		{invalid, application{asked: true}, false},
		{&execution.ObjectError{Member: "kube02", Reason: execution.ReasonForbidden}, application{}, false},
	} {
		if got := memberErrors(test.err, test.a); strings.Contains(got, hint) != test.want {
			t.Errorf("got %q, want the hint: %v", got, test.want)
		}
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
