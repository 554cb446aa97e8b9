package member

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// cause says what kind of fault ended a request.
type cause int

const (
	causeAnswered    cause = iota // the member answered with an error
	causeUnanswered               // nothing came back
	causeUntrusted                // the TLS session could not be verified or made
	causeCredentials              // there were no credentials to send
	causeCancelled                // the caller gave up
)

// open reports whether a write that was sent may have been carried out all the same.
func (c cause) open() bool { return c == causeUnanswered || c == causeCancelled }

// classify returns the cause of err, which ended a request made under ctx. dialled says that the request came as far as
// asking for a connection: before that, only credential plugins can fail.
func classify(ctx context.Context, err error, dialled, anonymous bool) cause {
	var status *apierrors.StatusError
	switch {
	case errors.As(err, &status):
		return causeAnswered
	case !dialled && !anonymous && !errors.Is(ctx.Err(), context.Canceled):
		return causeCredentials
	case ctx.Err() != nil:
		return causeCancelled
	case remoteAlert(err) && !anonymous: // a client certificate that the server refuses
		return causeCredentials
	case unverified(err):
		return causeUntrusted
	default:
		return causeUnanswered
	}
}

// unverified reports whether err means that what answered could not prove who it is.
func unverified(err error) bool {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &verification) || errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch) || remoteAlert(err)
}

// remoteAlert reports whether the other side ended the TLS session with an alert.
func remoteAlert(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error"
}

// timedOut reports whether err is the end of somebody's time.
func timedOut(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// expired is the end of the time that one stage of a request has: the connection, its TLS session, the first byte of the
// answer. It does not unwrap: those of package net pass for context.DeadlineExceeded, and here the caller's time is not up.
type expired struct {
	after time.Duration
	text  string
}

// Error returns which stage it was.
func (e expired) Error() string { return e.text }

// IsUnanswered reports whether err means that the member gave no answer at all.
func IsUnanswered(err error) bool {
	var request *RequestError
	return errors.As(err, &request) && (request.cause == causeUnanswered || request.cause == causeUntrusted)
}

// IsGone reports whether err is the API server's own word that the object is not there. A 404 of something else on the
// way (a load balancer, a path that is not served for a moment) is not.
func IsGone(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err) && names(err)
}

// IsNotServed reports whether err is a 404 that names no object: the path of the kind is not served, or not at the moment.
func IsNotServed(err error) bool { return apierrors.IsNotFound(err) && !IsGone(err) }

// names reports whether the status says which object it is about.
func names(err error) bool {
	var status *apierrors.StatusError
	return errors.As(err, &status) && status.ErrStatus.Details != nil && status.ErrStatus.Details.Name != ""
}
