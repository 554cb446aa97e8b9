package api

import "cmp"

// Identity tells a cluster from every other. What of it can be seen depends on the rights of who asks, which may change.
type Identity struct {
	// UID is that of the namespace kube-system; empty where it may not be read.
	UID string `json:"uid,omitempty"`

	// Fingerprint is a hash of the address and the CA, sha256:...
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Known reports whether anything was seen of the identity.
func (i Identity) Known() bool { return i != Identity{} }

// Same reports whether both are one cluster: by UID when both have one, for a cluster keeps it when its address changes, and
// otherwise by fingerprint.
func (i Identity) Same(other Identity) bool {
	if i.UID != "" && other.UID != "" {
		return i.UID == other.UID
	}
	return i.Fingerprint == other.Fingerprint
}

// Or returns the identity, with what is missing of it taken from an earlier look at the same cluster.
func (i Identity) Or(earlier Identity) Identity {
	return Identity{UID: cmp.Or(i.UID, earlier.UID), Fingerprint: cmp.Or(i.Fingerprint, earlier.Fingerprint)}
}

// String returns the UID, or the fingerprint where there is none.
func (i Identity) String() string { return cmp.Or(i.UID, i.Fingerprint) }
