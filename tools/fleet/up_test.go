package main

import (
	"strings"
	"testing"
)

func TestStatePrintsWhatToUse(t *testing.T) {
	s := state{Kubeconfig: "/fleet/kubeconfig", Members: []memberState{
		{"kube02", "https://127.0.0.1:1002", 102},
		{"kube03", "https://127.0.0.1:1003", 103},
		{"kube04", "https://127.0.0.1:1004", 104},
	}}
	var out strings.Builder
	if err := s.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n  kube03    https://127.0.0.1:1003    103\n",
		"\n      kube04 = { kubeconfig_path = \"/fleet/kubeconfig\", context = \"kube04\" }\n    }\n",
		`toset(["kube02", "kube03", "kube04"])`,
		"export TF_CLI_CONFIG_FILE=/fleet/dev.tfrc ",
		"\n  kill -CONT 104 ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}
