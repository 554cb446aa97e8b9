package testfleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Request is one request that a member's API server got from outside, that is, neither from its own
// control plane nor through Config.
type Request struct {
	// Verb is Kubernetes' verb: get, list, watch, create, update, patch, delete or deletecollection.
	// Discovery, /readyz and the like are a get.
	Verb string
	// URI is the path with its query.
	URI string
	// User is who asked: admin, stranger, system:anonymous, or empty when the credentials were refused.
	User string
	// UserAgent is what the client calls itself.
	UserAgent string
	// Code is the HTTP status of the answer.
	Code int
	// Received is when the API server got the request, to the microsecond.
	Received time.Time
}

// auditEvent is the part of audit.k8s.io/v1 Event that Request shows.
type auditEvent struct {
	Verb       string `json:"verb"`
	RequestURI string `json:"requestURI"`
	UserAgent  string `json:"userAgent"`
	User       struct {
		Username string `json:"username"`
	} `json:"user"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	RequestReceivedTimestamp time.Time `json:"requestReceivedTimestamp"`
}

// Requests returns the requests received at or after a time, in the order in which they were answered. They
// come from the API server's audit log, so the count is exact; a watch counts when it ends.
func (m *Member) Requests(since time.Time) ([]Request, error) {
	text, err := os.ReadFile(m.file("audit.log"))
	if err != nil {
		return nil, fmt.Errorf("member %s: %w", m.Name, err)
	}
	complete := text[:bytes.LastIndexByte(text, '\n')+1] // The server may be writing the next line.
	var requests []Request
	for line := range bytes.Lines(complete) {
		var event auditEvent
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("member %s: audit log: %w", m.Name, err)
		}
		if !event.RequestReceivedTimestamp.Before(since) {
			requests = append(requests, event.request())
		}
	}
	return requests, nil
}

func (e *auditEvent) request() Request {
	return Request{
		Verb:      e.Verb,
		URI:       e.RequestURI,
		User:      e.User.Username,
		UserAgent: e.UserAgent,
		Code:      e.ResponseStatus.Code,
		Received:  e.RequestReceivedTimestamp,
	}
}

// ByVerb counts requests by their verb.
func ByVerb(requests []Request) map[string]int {
	counts := make(map[string]int)
	for _, r := range requests {
		counts[r.Verb]++
	}
	return counts
}
