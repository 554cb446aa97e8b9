package member

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// dialTimeout bounds the making of a TCP connection and, apart, that of a TLS session.
const dialTimeout = 10 * time.Second

// userAgent is what requests of this version of the provider call themselves.
func userAgent(version string) string {
	if version == "" {
		version = "dev"
	}
	return "terraform-provider-multicluster/" + version
}

// RESTConfig returns the connection as client-go's configuration, for the given version of the provider. Client-side
// throttling is off unless QPS is set. It reads the kubeconfig, where there is one, and dials nothing.
func (c Connection) RESTConfig(version string) (*rest.Config, error) {
	if c.Retired {
		return nil, ErrRetired
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	cfg, err := c.target()
	if err != nil {
		return nil, err
	}
	if cfg.CAFile != "" && len(cfg.CAData) == 0 {
		if cfg.CAData, err = os.ReadFile(cfg.CAFile); err != nil {
			return nil, fmt.Errorf("%s: certificate-authority: %w", c.kubeconfigName(), err)
		}
	}
	cfg.UserAgent = userAgent(version)
	cfg.Dial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext
	if c.ProxyURL != "" {
		proxy, err := parseProxy(c.ProxyURL)
		if err != nil {
			return nil, fmt.Errorf("proxy_url: %w", err)
		}
		cfg.Proxy = http.ProxyURL(proxy)
	}
	cfg.QPS, cfg.Burst = -1, 0
	if c.QPS > 0 {
		cfg.QPS, cfg.Burst = c.QPS, c.Burst
		if c.Burst == 0 {
			cfg.Burst = max(1, int(2*c.QPS))
		}
	}
	if cfg.ExecProvider != nil { // the process has no terminal of its own
		cfg.ExecProvider.StdinUnavailable = true
		cfg.ExecProvider.StdinUnavailableMessage = "the provider runs without a terminal"
	}
	return cfg, nil
}

// target returns address and credentials.
func (c Connection) target() (*rest.Config, error) {
	if c.Host == "" {
		return c.loadKubeconfig()
	}
	host, err := parseHost(c.Host)
	if err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	cfg := &rest.Config{
		Host:            host.String(),
		BearerToken:     strings.TrimSpace(c.Token),
		TLSClientConfig: rest.TLSClientConfig{Insecure: c.Insecure, ServerName: c.TLSServerName},
	}
	if c.CA != "" {
		if cfg.CAData, err = decodeCA(c.CA); err != nil {
			return nil, fmt.Errorf("cluster_ca_certificate: %w", err)
		}
	}
	if c.ClientCertificate != "" {
		if cfg.CertData, cfg.KeyData, err = c.clientPair(); err != nil {
			return nil, err
		}
	}
	if c.Exec != nil {
		cfg.ExecProvider = c.Exec.provider()
	}
	return cfg, nil
}

// provider returns the plugin as client-go's configuration. The cluster is passed to it, as plugins for many clusters need.
func (e *Exec) provider() *clientcmdapi.ExecConfig {
	provider := &clientcmdapi.ExecConfig{
		APIVersion:         e.APIVersion,
		Command:            e.Command,
		Args:               slices.Clone(e.Args),
		InteractiveMode:    clientcmdapi.NeverExecInteractiveMode,
		ProvideClusterInfo: true,
	}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		provider.Env = append(provider.Env, clientcmdapi.ExecEnvVar{Name: name, Value: e.Env[name]})
	}
	return provider
}
