package api

// Reasons for which a member is not healthy. Only the first two taint it: with the others the member answers, and it is our
// side that cannot work with it.
const (
	// ReasonUnreachable: nothing answers.
	ReasonUnreachable = "Unreachable"

	// ReasonNotReady: what answers says that it is not ready, or is not an API server.
	ReasonNotReady = "NotReady"

	// ReasonUntrusted: what answers cannot prove with a certificate that it is the member.
	ReasonUntrusted = "Untrusted"

	// ReasonCredentialsFailed: the member answers, and the connection as configured gives no credentials or none that it takes.
	ReasonCredentialsFailed = "CredentialsFailed"

	// ReasonIdentityChanged: another cluster answers than the one that was a member under this name.
	ReasonIdentityChanged = "IdentityChanged"
)
