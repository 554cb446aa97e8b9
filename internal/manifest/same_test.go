package manifest

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestSame(t *testing.T) {
	const container = "spec.template.spec.containers[name=c]."
	tests := []struct {
		kind, path string
		sent, live any
		want       bool
	}{
		{"Deployment", "spec.replicas", int64(1), int64(1), true},
		{"Deployment", "spec.replicas", int64(1), int64(2), false},
		{"Deployment", container + "resources.limits.cpu", "1000m", "1", true},
		{"Deployment", container + "resources.limits.cpu", int64(1), "1", true},
		{"Deployment", container + "resources.limits.cpu", 0.5, "500m", true},
		{"Deployment", container + `resources.limits["nvidia.com/gpu"]`, int64(1), "1", true},
		{"Deployment", container + "resources.limits.memory", "1024Mi", "1Gi", true},
		{"Deployment", container + "resources.limits.memory", "1Gi", "1G", false},
		{"Deployment", container + "resources.limits.memory", "text", "1G", false},
		{"Deployment", container + "resources.limits.memory", true, "1", false},
		{"Deployment", container + "resources.limits.memory", "1", nil, false},
		{"Deployment", container + "image", "1000m", "1", false},
		{"Deployment", container + "livenessProbe.httpGet.port", int64(80), "80", false},
		{"Deployment", container + "livenessProbe.httpGet.port", "80", "80", true},
		{"Deployment", container + "args", []any{"a"}, []any{"a"}, true},
		{"Deployment", "spec.template.spec.volumes[0].emptyDir.sizeLimit", "1024Mi", "1Gi", true},
		{"Deployment", "not a [path", "1000m", "1", false},
		{"Widget", "spec.cpu", "1000m", "1", false},
		{"Widget", "spec.cpu", "1", "1", true},
	}
	for _, test := range tests {
		gvk := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: test.kind}
		if got := Same(gvk, test.path, test.sent, test.live); got != test.want {
			t.Errorf("%s %s: %#v is the same as %#v: %v, want %v", test.kind, test.path, test.sent, test.live, got, test.want)
		}
	}
}
