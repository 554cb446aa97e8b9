package propagation

import (
	"maps"
	"reflect"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// Change is what one member has to be sent.
type Change struct {
	Apply  []Application
	Remove []Removal
}

// Application is one object to apply. Ours says that the propagation held it before.
type Application struct {
	Key  string
	Work *Work
	Ours bool
}

// Removal is one object to remove. Orphan says that the object stays and only our mark goes.
type Removal struct {
	Key        string
	APIVersion string
	Orphan     bool
}

// Empty reports whether there is nothing to send.
func (c Change) Empty() bool { return len(c.Apply) == 0 && len(c.Remove) == 0 }

// Changes returns what a member has to be sent so that it holds what is planned: only what differs from what it holds,
// or everything with all (a new name of the propagation is written on every object). When its generation was raised
// everything is applied, and what the old cluster held counts as gone.
func Changes(prior Prior, planned *Planned, member string, orphan, all bool) Change {
	var change Change
	before, after := prior.Works[member], planned.Works[member]
	if planned.Frozen[member] != "" {
		return change
	}
	anew := raised(after.generation(), before)
	for _, key := range after.keys() {
		old, had := before[key]
		if !anew && !all && had && reflect.DeepEqual(old, after[key]) {
			continue
		}
		work := planned.Objects[member][key]
		if work == nil || work.Suspended {
			continue
		}
		change.Apply = append(change.Apply, Application{Key: key, Work: work, Ours: had && !anew})
	}
	if anew {
		return change
	}
	for _, key := range before.keys() {
		if _, ok := after[key]; !ok {
			change.Remove = append(change.Remove, removal(prior, member, key, orphan))
		}
	}
	return change
}

// RemoveAll returns what a member has to be sent so that it holds nothing, but for the objects of keep.
func RemoveAll(prior Prior, member string, keep map[string]bool, orphan bool) Change {
	var change Change
	for _, key := range prior.Works[member].keys() {
		if !keep[key] {
			change.Remove = append(change.Remove, removal(prior, member, key, orphan))
		}
	}
	return change
}

func removal(prior Prior, member, key string, orphan bool) Removal {
	apiVersion, _ := prior.Works[member][key]["apiVersion"].(string)
	return Removal{Key: key, APIVersion: apiVersion, Orphan: orphan || prior.Placements[key].Preserve}
}

// Holds returns what each member is to hold: the keys of its objects, also of those whose content is not known yet. Frozen
// members are left out, for nothing is planned there.
func (p *Planned) Holds() map[string][]string {
	held := map[string][]string{}
	for member := range p.Unknown {
		if p.Frozen[member] != "" {
			continue
		}
		held[member] = p.Works[member].keys()
		for key, work := range p.Objects[member] {
			if _, known := p.Works[member][key]; work.Unknown && !known {
				held[member] = append(held[member], key)
			}
		}
	}
	return held
}

// Takes returns, of the objects that a member is to be sent, those that it does not hold by the state and that must not be
// taken from another owner.
func Takes(prior Prior, planned *Planned, member string) map[string]*Work {
	taken := map[string]*Work{}
	for _, a := range Changes(prior, planned, member, false, false).Apply {
		if !a.Ours && a.Work.Conflict != api.ConflictOverwrite {
			taken[a.Key] = a.Work
		}
	}
	return taken
}

// Rescaled returns the objects that a member holds and of which the plan changes the number of replicas.
func Rescaled(prior Prior, planned *Planned, member string) []manifest.Key {
	var keys []manifest.Key
	for text, fields := range planned.Works[member] {
		before, had := prior.Works[member][text]["spec.replicas"]
		if now, has := fields["spec.replicas"]; !had || !has || reflect.DeepEqual(before, now) {
			continue
		}
		if key, err := manifest.ParseKey(text); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// KindsOf returns the kinds and namespaces of works, each once.
func KindsOf(works map[string]*Work) []KindNamespace {
	seen := map[KindNamespace]bool{}
	for _, work := range works {
		if work.Object != nil {
			seen[KindNamespace{APIVersion: work.Object.GetAPIVersion(), Kind: work.Object.GetKind(), Namespace: work.Object.GetNamespace()}] = true
		}
	}
	return slices.Collect(maps.Keys(seen))
}
