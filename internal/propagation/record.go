package propagation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// Record is what a propagation has to remember and the state must not show. It is kept in private state.
type Record struct {
	Members map[string]*MemberRecord `json:"members,omitempty"`
}

// MemberRecord is what is remembered of one member.
type MemberRecord struct {
	// Identity is that of the cluster that was first written to, in this generation.
	Identity   api.Identity `json:"identity,omitzero"`
	Generation int64        `json:"generation,omitempty"`

	// Unread says why the member could not be read at the last refresh; empty when it could.
	Unread string `json:"unread,omitempty"`

	// Unshown says that the member may hold objects that the state does not show: it was away when the propagation was
	// replaced, and so the plan had no works for it; or the record was lost, and then they may be of any kind.
	Unshown bool `json:"unshown,omitempty"`

	// Kinds are the kinds and namespaces ever written to: what a refresh lists.
	Kinds []KindNamespace `json:"kinds,omitempty"`

	// Answers holds, by object key and path, what the server made of a value that was sent: 1000m became 1, an empty list
	// went away, a webhook added an item.
	Answers map[string]map[string]Answer `json:"answers,omitempty"`

	// Secrets holds the digest of the sensitive content last sent, by object key.
	Secrets map[string]Digest `json:"secrets,omitempty"`

	// Finished lists Jobs with a time to live that were applied: when they are gone they have run, and are not applied again.
	Finished []string `json:"finished,omitempty"`
}

// KindNamespace is one list to ask a member for. Namespace is empty for cluster-scoped kinds.
type KindNamespace struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
}

// Answer is a value that was sent, as the state shows it, and the live value that stands for it. Nil is no value.
type Answer struct {
	Sent any `json:"sent,omitempty"`
	Live any `json:"live,omitempty"`
}

// UnmarshalJSON keeps whole numbers whole, so that answers compare with live values.
func (a *Answer) UnmarshalJSON(text []byte) error {
	var fields map[string]any
	if err := utiljson.Unmarshal(text, &fields); err != nil {
		return err
	}
	a.Sent, a.Live = fields["sent"], fields["live"]
	return nil
}

// Digest is a salted slow hash of sensitive content: it tells whether content changed and does not give the content away.
type Digest struct {
	Salt     []byte `json:"salt"`
	Sum      string `json:"sum"`
	Live     string `json:"live,omitempty"` // of what the server made of the content, where that is something else
	Revision int64  `json:"revision"`       // that is shown for the content
}

// DecodeRecord reads a record from its JSON; no bytes are an empty record.
func DecodeRecord(text []byte) (*Record, error) {
	record := &Record{Members: map[string]*MemberRecord{}}
	if len(text) == 0 {
		return record, nil
	}
	if err := json.Unmarshal(text, record); err != nil {
		return nil, fmt.Errorf("private state of the propagation: %w", err)
	}
	if record.Members == nil {
		record.Members = map[string]*MemberRecord{}
	}
	return record, nil
}

// Recall makes up for a record that was lost, when nothing is left but the works: any of the members may hold objects of any
// kind that the works do not show.
func (r *Record) Recall(works Works, members []string) {
	for _, name := range members {
		m := r.Member(name)
		m.Unshown, m.Generation = true, works[name].generation()
	}
}

// Unsearched reports whether the member may hold objects of kinds that are not known.
func (m *MemberRecord) Unsearched() bool { return m.Unshown && len(m.Kinds) == 0 }

// ForgetEmpty drops the members that hold nothing: whatever cluster answers under their names, or was one of them, may hold
// something from now on.
func (r *Record) ForgetEmpty(works Works) {
	maps.DeleteFunc(r.Members, func(name string, m *MemberRecord) bool { return len(works[name]) == 0 && !m.Unshown })
}

// Clone returns a deep copy.
func (r *Record) Clone() *Record {
	out := &Record{Members: make(map[string]*MemberRecord, len(r.Members))}
	for name, m := range r.Members {
		c := *m
		c.Kinds = slices.Clone(m.Kinds)
		c.Finished = slices.Clone(m.Finished)
		c.Secrets = maps.Clone(m.Secrets)
		c.Answers = make(map[string]map[string]Answer, len(m.Answers))
		for key, answers := range m.Answers {
			c.Answers[key] = maps.Clone(answers)
		}
		out.Members[name] = &c
	}
	return out
}

// Member returns the record of a member, which may be changed; it is made if there is none.
func (r *Record) Member(name string) *MemberRecord {
	m, ok := r.Members[name]
	if !ok {
		m = &MemberRecord{}
		r.Members[name] = m
	}
	return m
}

// Touch remembers that objects of a kind are in a namespace.
func (m *MemberRecord) Touch(k KindNamespace) {
	if !slices.Contains(m.Kinds, k) {
		m.Kinds = append(m.Kinds, k)
	}
}

// forget drops what is remembered of one object.
func (m *MemberRecord) forget(key string) {
	delete(m.Answers, key)
	delete(m.Secrets, key)
	m.Finished = slices.DeleteFunc(m.Finished, func(k string) bool { return k == key })
}
