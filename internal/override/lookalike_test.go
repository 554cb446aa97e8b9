package override

import (
	"reflect"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

func TestLookalikes(t *testing.T) {
	for value, want := range map[string][]string{
		`{{ member.name }}`:                                nil,
		`{{ member.labels["a"] }}`:                         nil,
		`{{member.name}}`:                                  {`{{member.name}}`},
		`{{  member.name  }}`:                              {`{{  member.name  }}`},
		`{{- member.name -}}`:                              {`{{- member.name -}}`},
		`{{ .member.name }}`:                               {`{{ .member.name }}`},
		`{{ member }}`:                                     {`{{ member }}`},
		`{{ Member.Region }}`:                              {`{{ Member.Region }}`},
		`{{member.variables["a"]}}`:                        {`{{member.variables`},
		`x-{{ member.name }}-y{{  member.name  }}`:         {`{{  member.name  }}`},
		`{{member.name}} {{member.name}} {{member}}`:       {`{{member.name}}`, `{{member}}`},
		`{{inputs.parameters.member}}`:                     nil,
		`{{item.name}} {{ workflow.name }}`:                nil,
		`{{ .Values.member.name }}`:                        nil,
		`{{ include "member" . }}`:                         nil,
		`{{ range $member := .Alerts }}{{ $member.Name }}`: nil,
		`{{ .Labels.member }} {{ $labels.name }}`:          nil,
		`{{ members.name }} {{ member.names }}`:            nil,
		`member.name {member.name} ${member.name}`:         nil,
	} {
		got := lookalikes(api.LabelAnnotationOverrider{Value: map[string]string{"key": value}})
		if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}

func TestLookalikesNameTheOverrider(t *testing.T) {
	set, err := Compile([]*api.OverridePolicy{policyFrom(t, `
		kind: ClusterOverridePolicy
		metadata: {name: c}
		spec: {overrideRules: [{overriders: {}}, {overriders: {plaintext: [
		  {path: /data/a, operator: add, value: x}, {path: /data/b, operator: add, value: {deep: ["{{member.name}}"]}}]}}]}`), policyFrom(t, `
		kind: OverridePolicy
		metadata: {name: p, namespace: default}
		spec: {overriders: {argsOverrider: [{containerName: a, operator: add, value: ["{{ .member.region }}"]}]}}`)})
	if err != nil {
		t.Fatal(err)
	}
	got := texts(set.Lookalikes())
	want := []string{
		"ClusterOverridePolicy c, spec.overrideRules[1].overriders.plaintext[1]: {{member.name}} looks like",
		"OverridePolicy default/p, spec.overriders.argsOverrider[0]: {{ .member.region }} looks like",
	}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}
