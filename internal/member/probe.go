package member

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// Health is the outcome of a probe. The zero value is a healthy member.
type Health struct {
	Reason  string
	Message string
}

// Healthy reports whether the member answers, is ready and takes the credentials.
func (h Health) Healthy() bool { return h.Reason == "" }

// away reports whether h may pass by itself, so that another look is worth while.
func (h Health) away() bool {
	return h.Reason == api.ReasonUnreachable || h.Reason == api.ReasonNotReady
}

// ProbeSettings say how a member is probed. The zero value probes once.
type ProbeSettings struct {
	// Timeout of each of the two steps; 0 is 10 seconds.
	Timeout time.Duration

	// Confirm is how long a member that is unreachable or not ready is probed again before that is the outcome.
	Confirm time.Duration

	// Interval between two probes while confirming; 0 is 5 seconds.
	Interval time.Duration
}

// observation is a probe's outcome and how long it was confirmed.
type observation struct {
	health  Health
	confirm time.Duration
}

// Probe asks in two steps how the member is: first whether it is ready, with neither token, client certificate nor
// credential plugin; then who it is, with credentials. A member is probed once in a run: the outcome is kept, unless a later
// caller wants a bad one confirmed for longer. The error is that of ctx, when it ended before there was an outcome: nothing
// is known then.
func (s *Session) Probe(ctx context.Context, settings ProbeSettings) (Health, error) {
	for {
		seen, err := s.health.get(ctx, struct{}{}, func(ctx context.Context) (observation, error) {
			health, err := s.confirm(ctx, settings)
			return observation{health, settings.Confirm}, err
		})
		if err != nil || !seen.health.away() || seen.confirm >= settings.Confirm {
			return seen.health, err
		}
		s.health.forget(func(_ struct{}, known *observation) bool { return known != nil && *known == seen })
	}
}

// ProbeAgain is Probe, without what an earlier probe found.
func (s *Session) ProbeAgain(ctx context.Context, settings ProbeSettings) (Health, error) {
	s.health.forget(func(struct{}, *observation) bool { return true })
	s.identity.forget(func(struct{}, *api.Identity) bool { return true })
	return s.Probe(ctx, settings)
}

// confirm probes until the member is well, or has been away for settings.Confirm.
func (s *Session) confirm(ctx context.Context, settings ProbeSettings) (Health, error) {
	if settings.Timeout == 0 {
		settings.Timeout = 10 * time.Second
	}
	if settings.Interval == 0 {
		settings.Interval = 5 * time.Second
	}
	end := time.Now().Add(settings.Confirm)
	for {
		health := s.probe(ctx, settings.Timeout)
		if ctx.Err() != nil {
			return Health{}, ctx.Err()
		}
		if !health.away() || time.Now().Add(settings.Interval).After(end) {
			return health, nil
		}
		if err := sleep(ctx, settings.Interval); err != nil {
			return Health{}, err
		}
	}
}

// probe takes both steps once.
func (s *Session) probe(ctx context.Context, timeout time.Duration) Health {
	ready, known := s.ready(ctx, timeout, true)
	if known && !ready.Healthy() {
		return ready
	}
	if !known { // anonymous requests are refused
		if ready, known = s.ready(ctx, timeout, false); known && !ready.Healthy() {
			return ready
		}
	}
	_, err := s.identity.get(ctx, struct{}{}, func(ctx context.Context) (api.Identity, error) {
		ctx, cancel := patient(ctx, timeout)
		defer cancel()
		return s.identify(ctx, s.send)
	})
	return HealthOf(err)
}

// ready asks the member whether it is ready. It is not known when the answer is that the question is not allowed.
func (s *Session) ready(ctx context.Context, timeout time.Duration, anonymous bool) (health Health, known bool) {
	ctx, cancel := patient(ctx, timeout)
	defer cancel()
	err := s.askReady(ctx, "/readyz", anonymous)
	if code(err) == http.StatusNotFound {
		err = s.askReady(ctx, "/healthz", anonymous)
	}
	if c := code(err); c == http.StatusUnauthorized || c == http.StatusForbidden {
		return Health{}, false
	}
	return HealthOf(err), true
}

// late says that nothing came for so long.
type late time.Duration

// Error returns how long was waited.
func (l late) Error() string { return fmt.Sprintf("nothing came in %s", time.Duration(l)) }

// Unwrap returns what contexts say when the time is up.
func (l late) Unwrap() error { return context.DeadlineExceeded }

// patient returns a context that ends after timeout, and whose cause then says how long was waited.
func patient(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, timeout, late(timeout))
}

func (s *Session) askReady(ctx context.Context, path string, anonymous bool) error {
	a, err := s.send(ctx, call{verb: "get", object: path, method: http.MethodGet, path: path, accept: "*/*", anonymous: anonymous})
	if err == nil && a.status != http.StatusOK {
		return fmt.Errorf("%s answers with status %d", path, a.status)
	}
	return err
}

// HealthOf returns what the error of a request says about the member: nil is a healthy one. The message says what to look
// at, and fits on one line.
func HealthOf(err error) Health {
	if err == nil {
		return Health{}
	}
	var connection *ConnectionError
	if errors.As(err, &connection) {
		return Health{api.ReasonCredentialsFailed, fmt.Sprintf(
			"its connection in the provider configuration cannot be used, so it was not asked: %v", connection.Err)}
	}
	var request *RequestError
	if !errors.As(err, &request) {
		if errors.Is(err, context.DeadlineExceeded) { // the caller waited no longer
			return Health{api.ReasonUnreachable, "no answer: " + err.Error()}
		}
		return Health{api.ReasonNotReady, err.Error()}
	}
	switch request.cause {
	case causeUnanswered, causeCancelled:
		if waited, ok := errors.AsType[late](err); ok {
			return Health{api.ReasonUnreachable, fmt.Sprintf("no answer in %s", time.Duration(waited))}
		}
		if stage, ok := errors.AsType[expired](err); ok {
			return Health{api.ReasonUnreachable, fmt.Sprintf("no answer in %s: %s", stage.after.Round(time.Second), stage.text)}
		}
		return Health{api.ReasonUnreachable, "no answer: " + request.Err.Error()}
	case causeUntrusted:
		return Health{api.ReasonUntrusted, fmt.Sprintf(
			"what answers does not prove that it is the member: %v; check the address, the CA and tls_server_name of the connection", request.Err)}
	case causeCredentials:
		text, _, _ := strings.Cut(request.Err.Error(), "\n") // advice on credential plugins follows
		return Health{api.ReasonCredentialsFailed, text}
	}
	if apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) {
		return Health{api.ReasonCredentialsFailed, fmt.Sprintf(
			"the member refuses the credentials: %v; check those of the connection", request.Err)}
	}
	return Health{api.ReasonNotReady, fmt.Sprintf("%s %s: %s", request.Verb, request.Object, failingChecks(request.Err))}
}

// failingChecks returns the checks that failed in an answer of /readyz, or the whole error.
func failingChecks(err error) string {
	var failed []string
	for line := range strings.Lines(err.Error()) {
		if _, check, found := strings.Cut(line, "[-]"); found {
			failed = append(failed, strings.TrimSpace(check))
		}
	}
	if len(failed) == 0 {
		return err.Error()
	}
	return strings.Join(failed, "; ")
}
