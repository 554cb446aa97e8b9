package execution_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

func TestDryRun(t *testing.T) {
	b := newBench(t)
	all := objects(t, namespace+"\n---\n"+deployment+"\n---\n"+widgetDefinition+"\n---\n"+widget+"\n---\n"+configMap+`
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: nowhere}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}, dat: {}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: default}}
---
{apiVersion: example.org/v1, kind: Gizmo, metadata: {name: g, namespace: default}}`)
	b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: default}}")
	b.take()
	objections := execution.DryRun(t.Context(), b.session, request(all...))
	want := []string{"ConfigMap/default/c", "ConfigMap/default/theirs", "ConfigMap/nowhere/c", "Gizmo.example.org/default/g"}
	if got := sortedKeys(objections); !slices.Equal(got, want) {
		t.Errorf("got objections to %v, want to %v: %v", got, want, objections)
	}
	wantError(t, objections[manifest.KeyOf(all[5])], "namespace nowhere does not exist")
	wantError(t, objections[manifest.KeyOf(all[6])], "dat: the kind has no such field")
	wantError(t, objections[manifest.KeyOf(all[7])], "already exists")
	for _, obj := range all[:3] {
		if b.live(obj) != nil {
			t.Errorf("%s was made", manifest.KeyOf(obj))
		}
	}
	for _, sent := range b.take() {
		if strings.HasPrefix(sent, "PATCH") && strings.Contains(sent, "/namespaces/shop/") {
			t.Errorf("%s was asked although its Namespace is not there", sent)
		}
	}
}
