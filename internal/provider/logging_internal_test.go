package provider

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// The log says what members were asked and what came of it, and nothing that was sent along.
func TestRequestsAreLogged(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer server.Close()
	var out bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &out)
	f := newFleet("test", map[string]connection{
		"kube02": {Connection: member.Connection{Host: server.URL, Token: "confidential", Insecure: true}},
	}, false, nil)
	if _, err := f.session("kube02").Identity(ctx); err == nil {
		t.Fatal("the member refuses everything, and has an identity")
	}
	log := out.String()
	for _, want := range []string{`"member":"kube02"`, `"method":"GET"`, `"path":"/api/v1/namespaces/kube-system"`, `"status":403`} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in the log:\n%s", want, log)
		}
	}
	if strings.Contains(log, "confidential") {
		t.Errorf("the token is in the log:\n%s", log)
	}
}
