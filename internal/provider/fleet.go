package provider

import (
	"net/http"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// reach says what the provider configuration knows of a member.
type reach int

const (
	reachAbsent  reach = iota // no entry in the provider's members
	reachUnknown              // an entry with a value that is not known yet
	reachRetired              // an entry with retired = true
	reachKnown                // an entry to dial with
)

// fleet is what resources and data sources get from the provider configuration: connections, and what one run of the
// provider shares (sessions, warnings already given, instances seen in the state, objects that plans claim, objects handed over).
type fleet struct {
	version         string
	connections     map[string]connection
	unknown         bool
	defaultPolicies []text

	mu       sync.Mutex
	sessions map[string]*member.Session
	warned   map[string]bool
	held     map[string]string // instance -> name
	claims   *claims
	handover map[string]handover
}

// handover is what the Delete half of a replacement leaves to the Create half.
type handover struct {
	instance string
	prior    propagation.Prior // what is left on the members
}

func newFleet(version string, connections map[string]connection, unknown bool, policies []text) *fleet {
	return &fleet{
		version:         version,
		connections:     connections,
		unknown:         unknown,
		defaultPolicies: policies,
		sessions:        map[string]*member.Session{},
		warned:          map[string]bool{},
		held:            map[string]string{},
		claims:          newClaims(),
		handover:        map[string]handover{},
	}
}

// reach says how the named member can be reached.
func (f *fleet) reach(name string) reach {
	c, ok := f.connections[name]
	switch {
	case f.unknown:
		return reachUnknown
	case !ok:
		return reachAbsent
	case c.Retired:
		return reachRetired
	case c.unknown:
		return reachUnknown
	default:
		return reachKnown
	}
}

// retired returns the members that are gone for good.
func (f *fleet) retired() map[string]bool {
	names := map[string]bool{}
	for name := range f.connections {
		if f.reach(name) == reachRetired {
			names[name] = true
		}
	}
	return names
}

// session returns the session that all resources of this run share for the named member, whose reach is known.
func (f *fleet) session(name string) *member.Session {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.sessions[name]
	if !ok {
		s = member.Open(name, f.connections[name].Connection, member.Options{
			Version:       f.version,
			WrapTransport: func(next http.RoundTripper) http.RoundTripper { return loggedTransport{name, next} },
		})
		f.sessions[name] = s
	}
	return s
}

// warnOnce adds a warning unless one with the same summary was given in this run: one cause, one warning.
func (f *fleet) warnOnce(diags *diag.Diagnostics, summary, detail string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.warned[summary] {
		return
	}
	f.warned[summary] = true
	diags.AddWarning(summary, detail)
}

// hold notes that the state that this run works with holds an instance, under a name that it has or is to have.
func (f *fleet) hold(instance, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held[instance] = name
}

// holds returns the name under which hold was last called for the instance.
func (f *fleet) holds(instance string) (name string, held bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name, held = f.held[instance]
	return name, held
}

// claim notes what a propagation plans, and returns what that has in common with what others plan.
func (f *fleet) claim(by claimant, in intent) encounter {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.claims.claim(by, in)
}

// brings reports whether a propagation of this run that was planned already brings the object.
func (f *fleet) brings(at place) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, planned := f.claims.brought[at]
	return planned
}

// departing returns those of the objects that another propagation takes over in this run.
func (f *fleet) departing(by claimant, removes []place) objectKeys {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.claims.departing(by, removes)
}

// handOver keeps what the Delete half of a replacement left in place, by the name of the new propagation, for the Create
// half, which runs in the same process right after it.
func (f *fleet) handOver(name string, left handover) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handover[name] = left
}

// takeOver returns and forgets what handOver kept.
func (f *fleet) takeOver(name string) (left handover, found bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	left, found = f.handover[name]
	delete(f.handover, name)
	return left, found
}
