package member

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Connection says how one cluster is reached. It is complete in itself: no environment variable, no service account of the
// process and no default address ever adds to it. Exactly one of KubeconfigPath, Kubeconfig and Host is set.
type Connection struct {
	// KubeconfigPath is the path of a kubeconfig; a leading ~ is the home directory. Kubeconfig is the text of one.
	// Context names one of its contexts; empty is the only one it has. Its current context never counts.
	KubeconfigPath string
	Kubeconfig     string
	Context        string

	// Host is the address of the API server; without a scheme it is https. CA holds the PEM certificates that sign the
	// server's, as text or base64 encoded; empty is the system's. TLSServerName is the name the server's certificate must
	// carry where it is not that of the address. Insecure leaves the certificate unverified.
	Host          string
	CA            string
	TLSServerName string
	Insecure      bool

	// One kind of credentials goes with Host. ClientCertificate and ClientKey are PEM, as text or base64 encoded.
	Token             string
	ClientCertificate string
	ClientKey         string
	Exec              *Exec

	// ProxyURL is an http, https or socks5 proxy.
	ProxyURL string

	// QPS limits the requests per second, with Burst at once above it; 0 is no limit. Burst 0 is twice QPS.
	QPS   float32
	Burst int

	// Retired is a cluster that is gone for good: it is never dialled.
	Retired bool
}

// Exec is a command that prints credentials, as client-go's credential plugins do.
type Exec struct {
	APIVersion string
	Command    string
	Args       []string
	Env        map[string]string
}

// ErrRetired is the error of every request to a connection that is retired.
var ErrRetired = errors.New("the member is retired and never dialled")

// String returns where the connection leads, without any credential.
func (c Connection) String() string {
	switch {
	case c.Retired:
		return "retired"
	case c.Host != "":
		return "host " + c.Host
	case c.KubeconfigPath != "":
		return fmt.Sprintf("kubeconfig %s, context %q", c.KubeconfigPath, c.Context)
	default:
		return fmt.Sprintf("inline kubeconfig, context %q", c.Context)
	}
}

// GoString is String: the %#v of a connection shows no credential either.
func (c Connection) GoString() string { return c.String() }

// Validate returns an error that names the field that is missing, surplus or malformed. It reads no file and dials nothing.
func (c Connection) Validate() error {
	if c.Retired {
		return nil
	}
	if err := c.validateSource(); err != nil {
		return err
	}
	if c.Host != "" {
		if err := c.validateHost(); err != nil {
			return err
		}
	} else if c.Kubeconfig != "" {
		if _, err := c.loadKubeconfig(); err != nil {
			return err
		}
	}
	return c.validateLimits()
}

// validateSource checks that the cluster is given one way, and that no field belongs to another way.
func (c Connection) validateSource() error {
	sources := given(field{"kubeconfig_path", c.KubeconfigPath != ""}, field{"kubeconfig", c.Kubeconfig != ""}, field{"host", c.Host != ""})
	switch {
	case len(sources) == 0:
		return errors.New("kubeconfig_path, kubeconfig and host are all missing or empty: give one of them; " +
			"neither localhost nor the environment is used in their place")
	case len(sources) > 1:
		return fmt.Errorf("%s exclude each other: give one of them", strings.Join(sources, " and "))
	case c.Host != "" && c.Context != "":
		return errors.New("context goes with kubeconfig_path or kubeconfig, not with host: leave it out")
	case c.Host != "":
		return nil
	}
	surplus := append(given(
		field{"cluster_ca_certificate", c.CA != ""},
		field{"tls_server_name", c.TLSServerName != ""},
		field{"insecure", c.Insecure},
	), c.credentials()...)
	if len(surplus) > 0 {
		return fmt.Errorf("%s goes with host, not with %s, which brings its own: leave it out", strings.Join(surplus, ", "), sources[0])
	}
	return nil
}

// validateHost checks the fields that go with Host.
func (c Connection) validateHost() error {
	host, err := parseHost(c.Host)
	if err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if c.Insecure && c.CA != "" {
		return errors.New("insecure and cluster_ca_certificate exclude each other: leave insecure out")
	}
	if c.CA != "" {
		if _, err := decodeCA(c.CA); err != nil {
			return fmt.Errorf("cluster_ca_certificate: %w", err)
		}
	}
	credentials := c.credentials()
	if host.Scheme == "http" {
		if len(credentials) > 0 {
			return fmt.Errorf("host: %s would travel unencrypted over http: use https", strings.Join(credentials, ", "))
		}
		return nil
	}
	return c.validateCredentials(credentials)
}

// validateCredentials checks that there is one kind of credentials, and that it is whole.
func (c Connection) validateCredentials(credentials []string) error {
	switch {
	case len(credentials) == 0:
		return errors.New("host has no credentials: give token, client_certificate with client_key, or exec")
	case slices.Equal(credentials, []string{"client_certificate", "client_key"}):
		if _, _, err := c.clientPair(); err != nil {
			return err
		}
	case len(credentials) > 1:
		return fmt.Errorf("%s exclude each other: give one kind of credentials", strings.Join(credentials, " and "))
	case c.ClientCertificate != "":
		return errors.New("client_key is missing or empty: it goes with client_certificate")
	case c.ClientKey != "":
		return errors.New("client_certificate is missing or empty: it goes with client_key")
	case c.Token != "" && strings.ContainsFunc(strings.TrimSpace(c.Token), func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("token holds characters that no token has: pass the token alone, not a file or a JSON document around it")
	case c.Exec != nil:
		return c.Exec.validate()
	}
	return nil
}

func (e *Exec) validate() error {
	switch {
	case e.Command == "":
		return errors.New("exec.command is missing or empty")
	case e.APIVersion != "client.authentication.k8s.io/v1" && e.APIVersion != "client.authentication.k8s.io/v1beta1":
		return fmt.Errorf("exec.api_version is %q: want client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1, whichever the command prints", e.APIVersion)
	}
	return nil
}

// validateLimits checks the fields that go with every way of connecting.
func (c Connection) validateLimits() error {
	if c.ProxyURL != "" {
		if _, err := parseProxy(c.ProxyURL); err != nil {
			return fmt.Errorf("proxy_url: %w", err)
		}
	}
	switch {
	case c.QPS < 0:
		return fmt.Errorf("qps is %v: want a number of requests per second above 0, or leave it out for no limit", c.QPS)
	case c.Burst < 0:
		return fmt.Errorf("burst is %d: want a number above 0", c.Burst)
	case c.Burst > 0 && c.QPS == 0:
		return errors.New("burst goes with qps: give qps too, or leave burst out")
	}
	return nil
}

// credentials returns the names of the credential fields that are set.
func (c Connection) credentials() []string {
	return given(
		field{"token", strings.TrimSpace(c.Token) != ""},
		field{"client_certificate", c.ClientCertificate != ""},
		field{"client_key", c.ClientKey != ""},
		field{"exec", c.Exec != nil},
	)
}

// clientPair returns the client certificate and key as PEM.
func (c Connection) clientPair() (cert, key []byte, err error) {
	if cert, err = decodePEM(c.ClientCertificate); err != nil {
		return nil, nil, fmt.Errorf("client_certificate: %w", err)
	}
	if key, err = decodePEM(c.ClientKey); err != nil {
		return nil, nil, fmt.Errorf("client_key: %w", err)
	}
	if _, err := tls.X509KeyPair(cert, key); err != nil {
		return nil, nil, fmt.Errorf("client_certificate and client_key are not a pair: %w", err)
	}
	return cert, key, nil
}

// field is a name of the configuration and whether it is set.
type field struct {
	name string
	set  bool
}

// given returns the names of the fields that are set.
func given(fields ...field) []string {
	var names []string
	for _, f := range fields {
		if f.set {
			names = append(names, f.name)
		}
	}
	return names
}

// parseHost returns the URL of an API server. Without a scheme it is https, for no credential may go unencrypted.
func parseHost(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	parsed, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URL: want one like https://10.0.0.1:6443")
	case parsed.Scheme != "https" && parsed.Scheme != "http":
		return nil, fmt.Errorf("the scheme is %q: want https", parsed.Scheme)
	case parsed.Hostname() == "":
		return nil, errors.New("it names no host: want a URL like https://10.0.0.1:6443")
	case parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "":
		return nil, errors.New("a user, a query or a fragment has no place in it: want a URL like https://10.0.0.1:6443")
	}
	parsed.Path = strings.TrimRight(parsed.Path, "/")
	return parsed, nil
}

func parseProxy(text string) (*url.URL, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || !slices.Contains([]string{"http", "https", "socks5"}, parsed.Scheme) {
		return nil, errors.New("want an http, https or socks5 URL like http://proxy.example.com:3128")
	}
	return parsed, nil
}

// decodePEM returns PEM text that may be base64 encoded once more, as cloud APIs and kubeconfig files have it.
func decodePEM(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "-----BEGIN ") {
		return []byte(text + "\n"), nil
	}
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !strings.Contains(string(decoded), "-----BEGIN ") {
		return nil, errors.New("it is not PEM, and not base64 of PEM: want text that begins with -----BEGIN")
	}
	return decoded, nil
}

func decodeCA(text string) ([]byte, error) {
	decoded, err := decodePEM(text)
	if err != nil {
		return nil, err
	}
	if !x509.NewCertPool().AppendCertsFromPEM(decoded) {
		return nil, errors.New("it holds no certificate")
	}
	return decoded, nil
}
