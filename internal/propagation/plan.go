package propagation

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

// Prior is what the last refresh left.
type Prior struct {
	Works      Works
	Placements map[string]Placement
	Record     *Record
}

// Members returns the names of the members that hold something, as far as is known, sorted: those of the works, and those
// of which the works do not tell.
func (p Prior) Members() []string {
	names := map[string]bool{}
	for name := range p.Works {
		names[name] = true
	}
	for name, m := range p.Record.Members {
		if m.Unshown {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Settings are the arguments of a propagation that shape its plan beside templates, policies and members.
type Settings struct {
	SecretsRevision   *int64 // the revision shown for sensitive content; nil: it is derived from the content
	MaxMembersRemoved int64  // how many members one plan may empty
}

// Planned is what the state will show, and what has to be sent for it.
type Planned struct {
	Placements map[string]Placement
	Works      Works
	Unknown    map[string]bool                    // members whose works depend on values that are not known yet
	Objects    map[string]map[string]*Work        // member -> object key -> what is sent
	Outside    map[string][]interpreter.Reference // object key -> what it depends on and no template brings

	// Frozen members keep what they have: member -> why. Held lists the objects whose change waits for them.
	Frozen map[string]string
	Held   map[string][]string
}

// Plan turns what was computed into what the state will show. It is a pure function of its arguments. Frozen members keep
// their prior works, retired ones are forgotten, and suspended objects stay as they are.
func Plan(computed *Output, members []Member, retired map[string]bool, prior Prior, settings Settings) (*Planned, []*Problem) {
	planned := &Planned{
		Placements: computed.Placements,
		Works:      Works{},
		Unknown:    map[string]bool{},
		Objects:    computed.Works,
		Outside:    computed.Outside,
		Frozen:     frozen(members, prior),
		Held:       map[string][]string{},
	}
	generations := make(map[string]int64, len(members))
	for i := range members {
		generations[members[i].Name()] = members[i].Generation
	}
	flattener := newFlattener(prior, settings)
	suspended := map[string][]string{}
	var problems []*Problem
	for _, name := range memberNames(computed.Works, prior.Works) {
		if retired[name] {
			continue
		}
		objects, unknown, err := flattener.objects(name, computed.Works[name])
		if err == nil && planned.Frozen[name] == "" {
			suspended[name], err = flattener.waiting(name, computed.Works[name])
		}
		if err != nil {
			problems = append(problems, &Problem{Argument: "templates", Summary: "Template cannot be rendered", Detail: err.Error()})
			continue
		}
		objects.setGeneration(generations[name])
		if planned.Frozen[name] != "" {
			planned.Held[name] = changedKeys(prior.Works[name], objects)
			objects, unknown = prior.Works[name], false
		}
		planned.Unknown[name] = unknown
		if len(objects) > 0 {
			planned.Works[name] = objects
		}
	}
	if note := suspendedChanges(suspended); note != nil {
		problems = append(problems, note)
	}
	if note := Staying(prior, planned.Works, func(name string) bool { return retired[name] || planned.Unknown[name] }); note != nil {
		problems = append(problems, note)
	}
	if problem := emptiedMembers(prior, planned, retired, settings.MaxMembersRemoved); problem != nil {
		problems = append(problems, problem)
	}
	return planned, problems
}

// Withhold takes the works of frozen members that the plan does not show out of works, for no state may hold what was not
// planned, and notes in the record where they are. That is so when a propagation is replaced while a member is away.
func (p *Planned) Withhold(works Works, record *Record) error {
	for name, objects := range works {
		if _, shown := p.Works[name]; shown || p.Frozen[name] == "" {
			continue
		}
		m := record.Member(name)
		for _, text := range objects.keys() {
			key, err := manifest.ParseKey(text)
			if err != nil {
				return fmt.Errorf("works of member %s: %w", name, err)
			}
			apiVersion, _ := objects[text]["apiVersion"].(string)
			m.Touch(KindNamespace{APIVersion: apiVersion, Kind: key.Kind, Namespace: key.Namespace})
			m.Unshown = true
		}
		delete(works, name)
	}
	return nil
}

// frozen returns the members whose works must stay as they are, and why: those that are unhealthy, and those that could
// not be read. A raised generation says that another cluster is meant, so what was known of the old one does not count.
func frozen(members []Member, prior Prior) map[string]string {
	reasons := map[string]string{}
	for name, m := range prior.Record.Members {
		if m.Unread != "" {
			reasons[name] = m.Unread
		}
	}
	for i := range members {
		m := &members[i]
		if !m.Unhealthy.Healthy() {
			reasons[m.Name()] = m.Unhealthy.Reason + ": " + m.Unhealthy.Message
		}
		if raised(m.Generation, prior.Works[m.Name()]) {
			delete(reasons, m.Name())
		}
	}
	return reasons
}

// raised reports whether a generation stands for another cluster than the one that holds the objects.
func raised(generation int64, prior Objects) bool {
	return len(prior) > 0 && generation > prior.generation()
}

// changedKeys returns the keys of the objects that differ, sorted.
func changedKeys(before, after Objects) []string {
	var keys []string
	for key, fields := range after {
		if old, ok := before[key]; !ok || !reflect.DeepEqual(old, fields) {
			keys = append(keys, key)
		}
	}
	for key := range before {
		if _, ok := after[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// emptiedMembers returns the problem of a plan that takes the last object from more members than allowed. A workload with 0
// replicas is none: nothing runs there.
func emptiedMembers(prior Prior, planned *Planned, retired map[string]bool, limit int64) *Problem {
	var emptied []string
	for _, name := range prior.Works.members() {
		if retired[name] || planned.Unknown[name] || len(planned.Works[name].keys()) > 0 {
			continue
		}
		objects := slices.DeleteFunc(prior.Works[name].keys(), func(key string) bool {
			replicas, placed := prior.Placements[key].Clusters[name]
			return placed && !replicas.None && replicas.Count == 0
		})
		if len(objects) > 0 {
			emptied = append(emptied, fmt.Sprintf("%s (%s)", name, spelling.Count(len(objects), "object")))
		}
	}
	if int64(len(emptied)) <= limit {
		return nil
	}
	return &Problem{
		Argument: "members",
		Summary:  "Plan empties too many members",
		Detail: fmt.Sprintf("This plan would remove the last object of this propagation from %s: %s. At most %d may be emptied in one plan. "+
			"If that is what you want, set max_members_removed = %d; to remove everything, destroy the resource.",
			spelling.Count(len(emptied), "member"), strings.Join(emptied, ", "), limit, len(emptied)),
	}
}

// memberNames returns the names of the members of either, sorted.
func memberNames(works map[string]map[string]*Work, prior Works) []string {
	names := map[string]bool{}
	for name := range works {
		names[name] = true
	}
	for name := range prior {
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}
