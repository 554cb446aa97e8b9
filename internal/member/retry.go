package member

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The pause between two attempts doubles from firstPause up to longestPause.
const (
	firstPause   = 200 * time.Millisecond
	longestPause = 2 * time.Second
)

// do makes the request, and again while it meets faults that pass: no answer, 429, and the 5xx of an API server that
// starts, loses its etcd leader or cannot reach a webhook. Refusals (4xx) are final. A member that gave no answer for
// the whole time is not asked again for as long: every further request fails at once with the same error.
func (s *Session) do(ctx context.Context, c call) (answer, error) {
	if err := s.outage.get(); err != nil {
		return answer{}, &RequestError{Member: s.name, Verb: c.verb, Object: c.object, Err: err, cause: causeUnanswered}
	}
	end := time.Now().Add(s.options.RetryFor)
	unconfirmed := false
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		a, err := s.send(ctx, c)
		var e *RequestError
		if !errors.As(err, &e) {
			return a, err
		}
		unconfirmed = unconfirmed || e.Unconfirmed || (c.method != http.MethodGet && leavesOpen(e))
		e.Unconfirmed = unconfirmed
		wait := max(pause, retryAfter(e))
		if !passing(e) || time.Now().Add(wait).After(end) {
			s.note(e)
			return answer{}, e
		}
		if sleep(ctx, wait) != nil {
			e.Err, e.cause = fmt.Errorf("%w; last answer: %w", context.Cause(ctx), e.Err), causeCancelled
			return answer{}, e
		}
	}
}

// note remembers that the member was lost, or that it answers.
func (s *Session) note(e *RequestError) {
	switch e.cause {
	case causeUnanswered:
		s.outage.begin(e.Err, s.options.RetryFor)
	case causeAnswered:
		s.outage.end()
	}
}

// passing reports whether the same request may succeed a little later.
func passing(e *RequestError) bool {
	return e.cause == causeUnanswered || (e.cause == causeAnswered && (apierrors.IsTooManyRequests(e.Err) || serverFault(e.Err)))
}

// serverFault reports whether the answer is one of the 5xx that pass.
func serverFault(err error) bool {
	switch code(err) {
	case http.StatusInternalServerError:
		return !IsMalformed(err)
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// IsMalformed reports whether err is the answer to an apply whose object does not fit the kind: a field that the kind does
// not know, or a value of another type. API servers give it as an internal error without a reason.
func IsMalformed(err error) bool {
	var status *apierrors.StatusError
	return errors.As(err, &status) && status.ErrStatus.Reason == metav1.StatusReasonUnknown &&
		(strings.HasPrefix(status.ErrStatus.Message, "failed to create typed patch object") ||
			strings.HasPrefix(status.ErrStatus.Message, "failed to convert new object"))
}

// leavesOpen reports whether the answer does not tell if a write was carried out: a timeout of etcd, or of a load balancer.
func leavesOpen(e *RequestError) bool { return e.cause == causeAnswered && serverFault(e.Err) }

// code returns the HTTP status of err, or 0.
func code(err error) int32 {
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		return status.ErrStatus.Code
	}
	return 0
}

// retryAfter returns the pause that the member asks for, or 0.
func retryAfter(err error) time.Duration {
	seconds, _ := apierrors.SuggestsClientDelay(err)
	return time.Duration(seconds) * time.Second
}

// outage remembers for a while that the member does not answer.
type outage struct {
	mu    sync.Mutex
	until time.Time
	err   error
}

func (o *outage) begin(err error, d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.until, o.err = time.Now().Add(d), err
}

func (o *outage) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = nil
}

// get returns why the member was lost, or nil.
func (o *outage) get() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil || time.Now().After(o.until) {
		return nil
	}
	return o.err
}
