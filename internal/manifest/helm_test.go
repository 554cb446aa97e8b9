package manifest

import "testing"

func TestHelmHook(t *testing.T) {
	for rest, want := range map[string]string{
		"metadata: {name: a}": "",
		"metadata: {name: a, annotations: {helm.sh/resource-policy: keep}}":                "",
		"metadata: {name: a, annotations: {helm.sh/hook: 'pre-install,pre-upgrade'}}":      "pre-install,pre-upgrade",
		"metadata: {name: a, annotations: {helm.sh/hook: test, helm.sh/hook-weight: '1'}}": "test",
	} {
		if got := HelmHook(mustObject(t, "apiVersion: batch/v1\nkind: Job\n"+rest)); got != want {
			t.Errorf("%s: got %q, want %q", rest, got, want)
		}
	}
}
