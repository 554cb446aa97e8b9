package propagation

import (
	"fmt"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// Works is what each member holds of one propagation, or is planned to hold: member -> object key -> owned fields.
type Works map[string]Objects

// Objects are the objects of one member: object key -> owned fields.
type Objects map[string]manifest.Fields

// Keys of Objects and Fields that are no objects and no fields. Parentheses cannot occur in a kind or a field name.
const (
	// generationKey is an entry of Objects whose only field counts the clusters that stood in for the member, when there
	// was more than one: it makes a raised generation a visible change.
	generationKey   = "(generation)"
	generationField = "number"

	// unconfirmedField marks an object that was sent to a member that did not answer.
	unconfirmedField = "(unconfirmed)"

	// ownershipField marks an object whose label or annotation of ours somebody removed or replaced.
	ownershipField = "(ownership)"
)

// EncodeWorks returns the works of each member as JSON, in the form the state holds.
func EncodeWorks(works Works) (map[string]string, error) {
	encoded := make(map[string]string, len(works))
	for member, objects := range works {
		text, err := manifest.Encode(objects)
		if err != nil {
			return nil, fmt.Errorf("works of member %s: %w", member, err)
		}
		encoded[member] = text
	}
	return encoded, nil
}

// DecodeWorks reads what EncodeWorks returns.
func DecodeWorks(encoded map[string]string) (Works, error) {
	works := make(Works, len(encoded))
	for member, text := range encoded {
		objects, err := manifest.DecodeWorks(text)
		if err != nil {
			return nil, fmt.Errorf("works of member %s: %w", member, err)
		}
		works[member] = objects
	}
	return works, nil
}

// keys returns the keys of the objects, sorted, without the entries that are no objects.
func (o Objects) keys() []string {
	keys := make([]string, 0, len(o))
	for key := range o {
		if key != generationKey {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Len returns the number of objects.
func (o Objects) Len() int { return len(o.keys()) }

// generation returns the generation of the member whose objects these are; the first is 1.
func (o Objects) generation() int64 {
	if n, ok := o[generationKey][generationField].(int64); ok {
		return n
	}
	return 1
}

// setGeneration records the generation where it is not the first.
func (o Objects) setGeneration(n int64) {
	if n > 1 {
		o[generationKey] = manifest.Fields{generationField: n}
	}
}

// members returns the names of the members that hold something, sorted.
func (w Works) members() []string {
	names := make([]string, 0, len(w))
	for name, objects := range w {
		if len(objects.keys()) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
