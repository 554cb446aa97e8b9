package propagation

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// Identities are the clusters that members turn out to be during one run: each member has to be the cluster it was before,
// and no two may be the same one. They may be asked from several goroutines.
type Identities struct {
	record  *Record
	planned Works

	mu       sync.Mutex
	admitted map[string]api.Identity // by member
}

// NewIdentities returns Identities that compare with what the record says, for members that get what is planned.
func NewIdentities(record *Record, planned Works) *Identities {
	return &Identities{record: record, planned: planned, admitted: map[string]api.Identity{}}
}

// Admit returns why the member that answers with the identity must not be written to, or "": another cluster answers under
// its name and its generation was not raised, or the same cluster answers under the name of another member too.
func (i *Identities) Admit(name string, identity api.Identity) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	before := i.before(name)
	if before.Known() && !before.Same(identity) {
		next := max(i.record.Members[name].Generation, 1) + 1
		return fmt.Sprintf("Member %s answers as cluster %s, and so far it was cluster %s. Nothing is written to it. If the cluster was replaced on purpose, "+
			"set generation = %d on the member: what the old cluster held then counts as gone. Otherwise mend its connection.", name, identity, before, next)
	}
	if other := i.other(name, identity); other != "" {
		return fmt.Sprintf("Member %s and member %s are one cluster (%s), so each would undo what the other does. "+
			"Give each member a connection of its own, or remove one of them. If one is the new name of the other, set the old one to "+
			"{ retired = true } in the provider's members: its objects then stay in place, under the new name.", name, other, identity)
	}
	i.admitted[name] = identity.Or(before)
	return ""
}

// Admitted returns the identity of a member that was admitted.
func (i *Identities) Admitted(name string) api.Identity {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.admitted[name]
}

// other returns another member that is the cluster, or was it before and did not turn out to be one else.
func (i *Identities) other(name string, identity api.Identity) string {
	known := maps.Clone(i.admitted)
	for other := range i.record.Members {
		if _, asked := known[other]; !asked {
			known[other] = i.before(other)
		}
	}
	delete(known, name)
	for _, other := range slices.Sorted(maps.Keys(known)) {
		if known[other].Known() && known[other].Same(identity) {
			return other
		}
	}
	return ""
}

// before returns the identity that a member had before; none counts for one whose generation was raised.
func (i *Identities) before(name string) api.Identity {
	m, ok := i.record.Members[name]
	if !ok || i.planned[name].generation() > max(m.Generation, 1) {
		return api.Identity{}
	}
	return m.Identity
}
