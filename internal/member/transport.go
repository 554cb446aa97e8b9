package member

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"k8s.io/client-go/util/flowcontrol"
)

// How long a connection that says nothing is trusted, and how long an answer may take: API servers end requests after 60 s.
const (
	pingAfter     = 10 * time.Second
	pingTimeout   = 5 * time.Second
	answerTimeout = 75 * time.Second
)

// client sends requests to one cluster, with the credentials of its connection or without any.
type client struct {
	base          *url.URL
	anonymous     *http.Client
	authenticated *http.Client
	limiter       flowcontrol.RateLimiter
	fingerprint   string
	transports    []*http.Transport
}

// newClient returns a client for cfg. wrap, if not nil, wraps the transport below the credentials.
func newClient(cfg *rest.Config, wrap func(http.RoundTripper) http.RoundTripper) (*client, error) {
	base, err := parseHost(cfg.Host)
	if err != nil {
		return nil, err
	}
	authenticated, err := cfg.TransportConfig()
	if err != nil {
		return nil, err
	}
	anonymous, err := rest.AnonymousClientConfig(cfg).TransportConfig()
	if err != nil {
		return nil, err
	}
	plain, err := newTransport(anonymous)
	if err != nil {
		return nil, err
	}
	credentialed := plain
	if authenticated.HasCertAuth() || authenticated.HasCertCallback() { // the certificate belongs to the connection
		if credentialed, err = newTransport(authenticated); err != nil {
			return nil, err
		}
	}
	c := &client{base: base, fingerprint: fingerprint(base, cfg), transports: []*http.Transport{plain, credentialed}}
	if c.anonymous, err = newHTTPClient(anonymous, plain, wrap); err != nil {
		return nil, err
	}
	if c.authenticated, err = newHTTPClient(authenticated, credentialed, wrap); err != nil {
		return nil, err
	}
	if cfg.ExecProvider != nil {
		c.authenticated.Transport = impatient{c.authenticated.Transport}
	}
	if cfg.QPS > 0 {
		c.limiter = flowcontrol.NewTokenBucketRateLimiter(cfg.QPS, cfg.Burst)
	}
	return c, nil
}

// newTransport returns connections as cfg wants them: HTTP/2, no proxy but the given one, dead ones found by pings.
func newTransport(cfg *transport.Config) (*http.Transport, error) {
	tlsConfig, err := transport.TLSConfigFor(cfg)
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		Proxy:                 cfg.Proxy,
		DialContext:           cfg.DialHolder.Dial,
		TLSClientConfig:       tlsConfig,
		TLSHandshakeTimeout:   dialTimeout,
		ResponseHeaderTimeout: answerTimeout,
		MaxIdleConnsPerHost:   16,
		IdleConnTimeout:       90 * time.Second,
		DisableCompression:    cfg.DisableCompression,
		ForceAttemptHTTP2:     true,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
	}, nil
}

// newHTTPClient adds credentials to the transport. Redirects are not followed: the credentials would be sent along.
func newHTTPClient(cfg *transport.Config, rt http.RoundTripper, wrap func(http.RoundTripper) http.RoundTripper) (*http.Client, error) {
	if wrap != nil {
		rt = wrap(rt)
	}
	rt, err := transport.HTTPWrappersForConfig(cfg, rt)
	if err != nil {
		return nil, err
	}
	return &http.Client{
		Transport:     rt,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// close ends the connections that no request uses.
func (c *client) close() {
	for _, t := range c.transports {
		t.CloseIdleConnections()
	}
}

// impatient returns when the request's context ends even if a credential plugin is still running, which knows no context.
type impatient struct{ rt http.RoundTripper }

// RoundTrip sends req.
func (i impatient) RoundTrip(req *http.Request) (*http.Response, error) {
	type result struct {
		resp *http.Response
		err  error
	}
	done := make(chan result, 1)
	go func() {
		resp, err := i.rt.RoundTrip(req)
		done <- result{resp, err}
	}()
	select {
	case r := <-done:
		return r.resp, r.err
	case <-req.Context().Done():
		go func() {
			if r := <-done; r.resp != nil {
				_ = r.resp.Body.Close()
			}
		}()
		return nil, fmt.Errorf("no credentials or no answer: %w", context.Cause(req.Context()))
	}
}
