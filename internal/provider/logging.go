package provider

import (
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// logSubsystem is what log entries about members are found by.
const logSubsystem = "multicluster"

// loggedTransport logs the requests to a member, at the level DEBUG: what was asked, and what came of it. Neither headers nor
// bodies, which hold credentials and content, are in an entry.
type loggedTransport struct {
	member string
	next   http.RoundTripper
}

// RoundTrip sends req.
func (l loggedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	begun := time.Now()
	resp, err := l.next.RoundTrip(req)
	fields := map[string]any{
		"member": l.member, "method": req.Method, "path": req.URL.Path, "query": req.URL.RawQuery, "milliseconds": time.Since(begun).Milliseconds(),
	}
	if err != nil {
		fields["error"] = err.Error()
	} else {
		fields["status"] = resp.StatusCode
	}
	tflog.SubsystemDebug(tflog.NewSubsystem(req.Context(), logSubsystem), logSubsystem, "Request to a member", fields)
	return resp, err
}
