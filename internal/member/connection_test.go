package member_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/util/cert"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// pair returns a self-signed certificate and its key, both PEM.
func pair(t *testing.T) (certificate, key string) {
	t.Helper()
	c, k, err := cert.GenerateSelfSignedCertKey("example.com", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(c), string(k)
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestValidate(t *testing.T) {
	ca, key := pair(t)
	exec := &member.Exec{APIVersion: "client.authentication.k8s.io/v1", Command: "aws"}
	for name, test := range map[string]struct {
		connection member.Connection
		want       string // part of the error; empty for none
	}{
		"nothing":                 {member.Connection{}, "kubeconfig_path, kubeconfig and host are all missing or empty"},
		"token alone":             {member.Connection{Token: "t"}, "host are all missing"},
		"retired":                 {member.Connection{Retired: true}, ""},
		"path":                    {member.Connection{KubeconfigPath: "~/.kube/config"}, ""},
		"two ways":                {member.Connection{KubeconfigPath: "x", Host: "y"}, "kubeconfig_path and host exclude each other"},
		"path and token":          {member.Connection{KubeconfigPath: "x", Token: "t"}, "token goes with host, not with kubeconfig_path"},
		"path, CA and insecure":   {member.Connection{KubeconfigPath: "x", CA: ca, Insecure: true}, "cluster_ca_certificate, insecure goes with host"},
		"host and token":          {member.Connection{Host: "https://a", CA: ca, Token: "t"}, ""},
		"bare host":               {member.Connection{Host: "10.0.0.1", CA: ca, Token: "t"}, ""},
		"CA in base64":            {member.Connection{Host: "https://a", CA: encoded(ca), Token: "t"}, ""},
		"host and context":        {member.Connection{Host: "https://a", Context: "x", Token: "t"}, "context goes with kubeconfig_path or kubeconfig"},
		"no credentials":          {member.Connection{Host: "https://a"}, "host has no credentials"},
		"blank token":             {member.Connection{Host: "https://a", Token: " \n"}, "host has no credentials"},
		"token with a line end":   {member.Connection{Host: "https://a", Token: "t\n"}, ""},
		"token that is a file":    {member.Connection{Host: "https://a", Token: "{\n  \"token\": 1}"}, "token holds characters"},
		"two credentials":         {member.Connection{Host: "https://a", Token: "t", Exec: exec}, "token and exec exclude each other"},
		"exec":                    {member.Connection{Host: "https://a", Exec: exec}, ""},
		"exec without command":    {member.Connection{Host: "https://a", Exec: &member.Exec{APIVersion: exec.APIVersion}}, "exec.command is missing"},
		"exec version":            {member.Connection{Host: "https://a", Exec: &member.Exec{APIVersion: "v1", Command: "x"}}, `exec.api_version is "v1"`},
		"client certificate":      {member.Connection{Host: "https://a", ClientCertificate: ca, ClientKey: encoded(key)}, ""},
		"certificate without key": {member.Connection{Host: "https://a", ClientCertificate: ca}, "client_key is missing"},
		"key without certificate": {member.Connection{Host: "https://a", ClientKey: key}, "client_certificate is missing"},
		"no pair":                 {member.Connection{Host: "https://a", ClientCertificate: ca, ClientKey: ca}, "not a pair"},
		"insecure and CA":         {member.Connection{Host: "https://a", Insecure: true, CA: ca, Token: "t"}, "insecure and cluster_ca_certificate"},
		"CA that is no PEM":       {member.Connection{Host: "https://a", CA: "/path/ca.crt", Token: "t"}, "cluster_ca_certificate: it is not PEM"},
		"CA without certificate":  {member.Connection{Host: "https://a", CA: key, Token: "t"}, "cluster_ca_certificate: it holds no certificate"},
		"token over http":         {member.Connection{Host: "http://a", Token: "t"}, "unencrypted"},
		"http":                    {member.Connection{Host: "http://a:8001"}, ""},
		"host with another path":  {member.Connection{Host: "https://a/k8s/clusters/c-1", Token: "t"}, ""},
		"host with a user":        {member.Connection{Host: "https://u:p@a", Token: "t"}, "a user, a query or a fragment"},
		"host without a host":     {member.Connection{Host: "https://:6443", Token: "t"}, "it names no host"},
		"ftp":                     {member.Connection{Host: "ftp://a", Token: "t"}, `the scheme is "ftp"`},
		"proxy":                   {member.Connection{KubeconfigPath: "x", ProxyURL: "socks5://p:1080"}, ""},
		"proxy without a scheme":  {member.Connection{KubeconfigPath: "x", ProxyURL: "p:1080"}, "proxy_url: want an http, https or socks5 URL"},
		"negative qps":            {member.Connection{KubeconfigPath: "x", QPS: -1}, "qps is -1"},
		"burst without qps":       {member.Connection{KubeconfigPath: "x", Burst: 5}, "burst goes with qps"},
		"inline, not YAML":        {member.Connection{Kubeconfig: "{"}, "kubeconfig cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.connection.Validate()
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got error %v, want none", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

// kubeconfig returns a kubeconfig with two contexts; extra lines go to the top level.
func kubeconfig(ca, extra string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- {name: c1, cluster: {server: "https://one:6443", certificate-authority-data: %[1]s}}
- {name: c2, cluster: {server: "two:6443", certificate-authority: certs/ca.crt}}
- {name: c3, cluster: {}}
users:
- {name: u1, user: {token: secret1}}
- {name: u2, user: {client-certificate: certs/client.crt, client-key: certs/client.key}}
contexts:
- {name: one, context: {cluster: c1, user: u1}}
- {name: two, context: {cluster: c2, user: u2}}
- {name: three, context: {cluster: c3, user: u1}}
- {name: four, context: {cluster: c1, user: nobody}}
%[2]s
`, encoded(ca), extra)
}

func TestRESTConfigOfKubeconfig(t *testing.T) {
	ca, key := pair(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	dir := filepath.Join(home, "configs", "certs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"certs/ca.crt": ca, "certs/client.crt": ca, "certs/client.key": key,
		"plain": kubeconfig(ca, ""), "current": kubeconfig(ca, "current-context: one"),
	} {
		if err := os.WriteFile(filepath.Join(home, "configs", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inline := strings.ReplaceAll(kubeconfig(ca, ""), "certs/", "/certs/")
	for name, test := range map[string]struct {
		connection member.Connection
		host, want string
	}{
		"context":          {member.Connection{KubeconfigPath: "~/configs/plain", Context: "one"}, "https://one:6443", ""},
		"current context":  {member.Connection{KubeconfigPath: "~/configs/current"}, "", "several contexts: set context to one of four, one, three, two"},
		"bare server":      {member.Connection{KubeconfigPath: "~/configs/plain", Context: "two"}, "https://two:6443", ""},
		"no context given": {member.Connection{KubeconfigPath: "~/configs/plain"}, "", "several contexts: set context to one of four, one, three, two"},
		"context missing":  {member.Connection{KubeconfigPath: "~/configs/plain", Context: "five"}, "", `no context "five": set context to one of four, one, three, two`},
		"no server":        {member.Connection{KubeconfigPath: "~/configs/plain", Context: "three"}, "", `its cluster "c3" has no server`},
		"no user":          {member.Connection{KubeconfigPath: "~/configs/plain", Context: "four"}, "", `its user "nobody" is not in the kubeconfig`},
		"no file":          {member.Connection{KubeconfigPath: "~/configs/none"}, "", "none does not exist"},
		"inline":           {member.Connection{Kubeconfig: inline, Context: "one"}, "https://one:6443", ""},
		"inline, relative": {member.Connection{Kubeconfig: kubeconfig(ca, ""), Context: "one"}, "", "relative to nothing"},
		"inline, empty":    {member.Connection{Kubeconfig: "apiVersion: v1\nkind: Config\n"}, "", "it holds no context"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := test.connection.RESTConfig("1.2.3")
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Fatalf("got error %v, want one with %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Host != test.host {
				t.Errorf("got host %s, want %s", cfg.Host, test.host)
			}
			if cfg.UserAgent != "terraform-provider-multicluster/1.2.3" || cfg.QPS != -1 {
				t.Errorf("got user agent %s and QPS %v", cfg.UserAgent, cfg.QPS)
			}
		})
	}
	cfg, err := member.Connection{KubeconfigPath: "~/configs/plain", Context: "two"}.RESTConfig("")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "client.crt"); cfg.CertFile != want {
		t.Errorf("got client certificate %s, want %s: paths are relative to the file", cfg.CertFile, want)
	}
	if string(cfg.CAData) != ca {
		t.Error("the CA file was not read")
	}
}

// TestNoAmbientFallback: nothing in the environment stands in for a connection that is not given.
func TestNoAmbientFallback(t *testing.T) {
	ca, _ := pair(t)
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(kubeconfig(ca, "current-context: one")), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", path)
	t.Setenv("KUBERNETES_MASTER", "https://elsewhere")
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	t.Setenv("HTTPS_PROXY", "http://proxy.example.com:3128")
	for _, connection := range []member.Connection{{}, {Host: ""}, {Kubeconfig: "apiVersion: v1\nkind: Config\n"}} {
		if cfg, err := connection.RESTConfig(""); err == nil {
			t.Errorf("%v leads to %s, want an error", connection, cfg.Host)
		}
	}
	if _, err := (member.Connection{KubeconfigPath: path, Context: "three"}).RESTConfig(""); err == nil {
		t.Error("a cluster without a server leads somewhere, want an error")
	}
}

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		qps       float32
		burst     int
		wantQPS   float32
		wantBurst int
	}{{0, 0, -1, 0}, {50, 0, 50, 100}, {0.2, 0, 0.2, 1}, {50, 70, 50, 70}} {
		cfg, err := member.Connection{Host: "https://a", Token: "t", QPS: test.qps, Burst: test.burst}.RESTConfig("")
		if err != nil {
			t.Fatal(err)
		}
		if cfg.QPS != test.wantQPS || cfg.Burst != test.wantBurst {
			t.Errorf("qps %v, burst %d: got %v and %d, want %v and %d", test.qps, test.burst, cfg.QPS, cfg.Burst, test.wantQPS, test.wantBurst)
		}
	}
}

func TestConnectionShowsNoCredential(t *testing.T) {
	ca, key := pair(t)
	for _, connection := range []member.Connection{
		{Host: "https://a", Token: "hunter2"},
		{Host: "https://a", ClientCertificate: ca, ClientKey: key},
		{Host: "https://a", Exec: &member.Exec{Command: "x", Env: map[string]string{"PASSWORD": "hunter2"}}},
		{Kubeconfig: kubeconfig(ca, "") + "# hunter2"},
	} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			text := fmt.Sprintf(format, connection)
			if strings.Contains(text, "hunter2") || strings.Contains(text, "PRIVATE KEY") || strings.Contains(text, "secret1") {
				t.Errorf("%s shows a credential: %s", format, text)
			}
		}
	}
}
