package override

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// FuzzApply applies any overriders to any object: nothing panics, no input changes, an error is one of the two kinds, the
// result is an object that can be written out, and a check of what changed finds what a check of all finds.
func FuzzApply(f *testing.F) {
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"b"}},"data":{"j":"{\"a\":[1]}","y":"a: 1\n"},"spec":{"containers":[{"name":"app","image":"nginx:1","args":["x"]}],"initContainers":null}}`
	for _, overriders := range []string{
		`{"imageOverrider":[{"component":"Tag","operator":"add","value":"-x"},{"component":"Registry","operator":"replace","value":"{{ member.name }}"}]}`,
		`{"imageOverrider":[{"predicate":{"path":"/spec/containers/0/image"},"component":"Repository","operator":"remove"}]}`,
		`{"commandOverrider":[{"containerName":"app","operator":"remove","value":["x"]}],"argsOverrider":[{"containerName":"app","operator":"add","value":["{{ member.variables[\"k\"] }}"]}]}`,
		`{"labelsOverrider":[{"operator":"remove","value":{"a":""}}],"annotationsOverrider":[{"operator":"add","value":{"a":"{{ member.region }}"}}]}`,
		`{"fieldOverrider":[{"fieldPath":"/data/j","json":[{"subPath":"/a/-","operator":"add","value":{"n":null}}]},{"fieldPath":"/data/y","yaml":[{"subPath":"/a","operator":"remove"}]}]}`,
		`{"plaintext":[{"path":"/spec/containers/0","operator":"remove"},{"path":"/spec/containers/-1","operator":"add","value":null},{"path":"","operator":"replace","value":{"kind":"X"}}]}`,
		`{"plaintext":[{"path":"/metadata","operator":"replace","value":[]},{"path":"/metadata/-","operator":"add"}],"labelsOverrider":[{"operator":"add","value":{"":""}}]}`,
	} {
		f.Add(pod, overriders)
	}
	f.Add(`{"apiVersion":"batch/v1","kind":"CronJob","spec":{"jobTemplate":{"spec":{"template":{"spec":{"containers":[{"image":"a@sha256:50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c"}]}}}}}}`,
		`{"imageOverrider":[{"component":"Tag","operator":"replace","value":"v1"}]}`)
	const sound = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"strategy":{},"selector":{"matchLabels":{"a":"b"}},"template":{"spec":{"containers":[{"name":"a","image":"x","args":["x"]},{"name":"b","image":"x"}]}}}}`
	for _, operation := range []string{
		`{"path":"/spec/template/spec/containers/0/image","operator":"replace","value":1}`,
		`{"path":"/spec/template/spec/containers/0","operator":"remove"}`,
		`{"path":"/spec/template/spec/containers/1/name","operator":"replace","value":"a"}`,
		`{"path":"/spec/template/spec/containers","operator":"replace","value":{}}`,
		`{"path":"/spec/template/spec/container","operator":"add","value":[]}`,
		`{"path":"/metadata/labels","operator":"add","value":{"a b":"c"}}`,
		`{"path":"/metadata/name","operator":"replace","value":"D"}`,
		`{"path":"/apiVersion","operator":"replace","value":"v1"}`,
		`{"path":"/kind","operator":"replace","value":"StatefulSet"}`,
		`{"path":"/spec","operator":"remove"}`,
	} {
		f.Add(sound, `{"plaintext":[`+operation+`]}`)
	}
	f.Fuzz(func(t *testing.T, document, overriders string) {
		template := &unstructured.Unstructured{}
		var rule api.Overriders
		if template.UnmarshalJSON([]byte(document)) != nil || json.Unmarshal([]byte(overriders), &rule) != nil {
			t.Skip()
		}
		before := template.DeepCopy()
		policies := []*api.OverridePolicy{{
			TypeMeta: metav1.TypeMeta{Kind: api.KindClusterOverridePolicy},
			Spec:     api.OverrideSpec{OverrideRules: []api.RuleWithCluster{{Overriders: rule}, {Overriders: rule}}},
		}}
		target := Target{Cluster: member("kube01", "r"), Variables: map[string]string{"k": "v"}, UnknownVariables: map[string]bool{"u": true}}
		got, _, err := compileAndApply(template, target, policies)
		if !reflect.DeepEqual(template, before) {
			t.Fatalf("the template changed from %v to %v", before.Object, template.Object)
		}
		var failed *Error
		var unknown *UnknownError
		if err != nil {
			if !errors.As(err, &failed) && !errors.As(err, &unknown) {
				t.Fatalf("error %v is a %T", err, err)
			}
			return
		}
		if _, err := got.MarshalJSON(); err != nil {
			t.Fatalf("the result cannot be written out: %v", err)
		}
		if manifest.Check(template, nil) == nil {
			if changed, all := fmt.Sprint(manifest.Check(got, template)), fmt.Sprint(manifest.Check(got, nil)); changed != all {
				t.Fatalf("a check of what changed says %s, one of all says %s", changed, all)
			}
		}
		if again, _, err := compileAndApply(template, target, policies); err != nil || !reflect.DeepEqual(again, got) {
			t.Fatalf("a second time the result is %v (%v), not %v", again, err, got)
		}
	})
}
