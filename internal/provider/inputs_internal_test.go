package provider

import (
	"errors"
	"strings"
	"testing"

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
		for _, text := range []string{memberFailure("kube02", errors.New("no answer"), a.again()), memberErrors(errors.New("refused"), a.again())} {
			if !strings.Contains(text, again) {
				t.Errorf("%q does not say %q", text, again)
			}
		}
	}
}
