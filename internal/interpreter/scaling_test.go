package interpreter

import "testing"

func TestScaleTarget(t *testing.T) {
	for _, tt := range []struct{ name, object, want string }{
		{"autoscaler", `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {namespace: shop}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`, "apps/v1 Deployment shop/web"},
		{"of version 1", `{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {namespace: shop}, spec: {scaleTargetRef: {apiVersion: example.com/v1, kind: Widget, name: w}}}`, "example.com/v1 Widget shop/w"},
		{"whose target is not known yet", `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment}}}`, ""},
		{"without a target", `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: broken}`, ""},
		{"something else", `{apiVersion: apps/v1, kind: Deployment, spec: {scaleTargetRef: {kind: Deployment, name: web}}}`, ""},
	} {
		got := ""
		if target, ok := newInterpreter(t).ScaleTarget(parse(t, tt.object)); ok {
			got = target.APIVersion + " " + target.Kind + " " + target.Namespace + "/" + target.Name
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
