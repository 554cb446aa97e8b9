package member

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// call is one request. verb and object are what errors call it: "get", "deployments.apps default/web".
type call struct {
	verb, object string

	method, path        string
	query               url.Values
	accept, contentType string
	body                []byte
	anonymous           bool
}

// answer is a response of status 200 to 206.
type answer struct {
	status      int
	body        []byte
	contentType string
	warnings    []string
}

// RequestError is a request to a member that failed. The cause is a Kubernetes status where the member gave one
// (apierrors.IsForbidden and its like work), else what kept the request or the answer from arriving.
type RequestError struct {
	Member string
	Verb   string
	Object string
	Err    error

	// Unconfirmed is set on a write that was sent and may have been carried out: no answer came, or one that leaves it open.
	Unconfirmed bool

	cause cause
}

// Error returns the member, the request and the cause, without any content of objects but what the member's answer quotes.
func (e *RequestError) Error() string {
	return fmt.Sprintf("member %s: %s %s: %v", e.Member, e.Verb, e.Object, e.Err)
}

// Unwrap returns the cause.
func (e *RequestError) Unwrap() error { return e.Err }

// send makes the request once.
func (s *Session) send(ctx context.Context, c call) (answer, error) {
	client, err := s.connect()
	if err != nil {
		return answer{}, err
	}
	if client.limiter != nil {
		if err := client.limiter.Wait(ctx); err != nil {
			return answer{}, &RequestError{Member: s.name, Verb: c.verb, Object: c.object, Err: err, cause: causeCancelled}
		}
	}
	var trace trace
	begun := time.Now()
	a, err := client.send(trace.in(ctx), c)
	if err == nil {
		s.outage.end()
		return a, nil
	}
	e := &RequestError{Member: s.name, Verb: c.verb, Object: c.object, Err: withoutURL(err)}
	switch waited, ok := errors.AsType[late](context.Cause(ctx)); {
	case ctx.Err() == nil && timedOut(e.Err):
		e.Err = expired{after: time.Since(begun), text: e.Err.Error()}
	case ok && errors.Is(e.Err, context.DeadlineExceeded) && !errors.As(e.Err, new(late)):
		e.Err = waited
	}
	e.cause = classify(ctx, err, trace.dialled.Load(), c.anonymous)
	e.Unconfirmed = c.method != http.MethodGet && trace.wrote.Load() && e.cause.open()
	return answer{}, e
}

// send makes the request. The error of an answer other than 200 to 206 is an *apierrors.StatusError.
func (c *client) send(ctx context.Context, r call) (answer, error) {
	req, err := r.request(ctx, c.base)
	if err != nil {
		return answer{}, err
	}
	client := c.authenticated
	if r.anonymous {
		client = c.anonymous
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }() // everything was read
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, fmt.Errorf("the answer broke off: %w", err)
	}
	if resp.StatusCode < http.StatusOK || resp.StatusCode > http.StatusPartialContent {
		return answer{}, statusError(resp, body, r)
	}
	return answer{status: resp.StatusCode, body: body, contentType: resp.Header.Get("Content-Type"), warnings: warnings(resp.Header)}, nil
}

func (r call) request(ctx context.Context, base *url.URL) (*http.Request, error) {
	target := *base
	target.Path = base.Path + r.path
	target.RawQuery = r.query.Encode()
	req, err := http.NewRequestWithContext(ctx, r.method, target.String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if r.accept == "" {
		r.accept = "application/json"
	}
	req.Header.Set("Accept", r.accept)
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	return req, nil
}

// statusError returns the Kubernetes status in body. Without one the error is a generic status that
// apierrors.IsUnexpectedServerError recognises: something answered, and it may not have been the API server.
func statusError(resp *http.Response, body []byte, r call) error {
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 when absent or a date
	var status metav1.Status
	if json.Unmarshal(body, &status) == nil && status.Kind == "Status" && status.Status == metav1.StatusFailure {
		if status.Code == 0 {
			status.Code = int32(resp.StatusCode)
		}
		if seconds > 0 {
			if status.Details == nil {
				status.Details = &metav1.StatusDetails{}
			}
			status.Details.RetryAfterSeconds = int32(seconds)
		}
		return &apierrors.StatusError{ErrStatus: status}
	}
	generic := apierrors.NewGenericServerResponse(resp.StatusCode, r.method, schema.GroupResource{}, "", "", seconds, true)
	generic.ErrStatus.Message = "HTTP status " + resp.Status
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/plain" && len(body) > 0 {
		generic.ErrStatus.Message += ": " + strings.TrimSpace(string(body[:min(len(body), 2048)]))
	}
	return generic
}

// warnings returns the texts of the Warning headers, as API servers send them for deprecations and by admission.
func warnings(header http.Header) []string {
	var texts []string
	for _, value := range header.Values("Warning") {
		_, rest, _ := strings.Cut(value, " ") // 299 - "text"
		_, quoted, _ := strings.Cut(rest, " ")
		if text, err := strconv.Unquote(quoted); err == nil {
			texts = append(texts, text)
		}
	}
	return texts
}

// trace notes how far a request came.
type trace struct {
	dialled atomic.Bool // credentials were there, and a connection was asked for
	wrote   atomic.Bool // the cluster may have seen the request
}

func (t *trace) in(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { t.dialled.Store(true) },
		WroteHeaders: func() { t.wrote.Store(true) },
	})
}

// withoutURL drops the address that net/http puts before its errors: the member's name says it better.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
