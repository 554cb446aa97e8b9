package propagation

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// Seen is what a refresh saw of one member.
type Seen struct {
	Live    map[string]*unstructured.Unstructured // objects that are there, by key
	Gone    map[string]bool                       // objects that are certainly not there
	Foreign map[string]string                     // objects that are there without our mark, and whose they are

	// Strays are objects that carry our instance and are in no state: what an interrupted run left.
	Strays map[string]Stray
}

// Stray is an object that was found on a member and is in no state.
type Stray struct {
	Owned     *unstructured.Unstructured // with the fields that we own, and no others
	Sensitive bool                       // its values must not be shown
}

// Refresh returns what the state shows of a member after a refresh: the live value of every field it held. Objects that
// were neither seen nor certainly gone keep what they had. A live value that is what was sent, or what the server made
// of it, shows as what was sent.
func Refresh(prior Objects, record *MemberRecord, seen Seen) (Objects, error) {
	digests := newDigester()
	shown := maps.Clone(prior)
	if shown == nil {
		shown = Objects{}
	}
	for _, key := range prior.keys() {
		live, ok := seen.Live[key]
		switch {
		case ok:
			fields, err := refreshFields(key, prior[key], record, live, digests)
			if err != nil {
				return nil, err
			}
			if owner, foreign := seen.Foreign[key]; foreign {
				fields[ownershipField] = owner
			}
			shown[key] = fields
		case seen.Gone[key] && !slices.Contains(record.Finished, key):
			delete(shown, key)
		}
	}
	for key, stray := range seen.Strays {
		if _, ok := prior[key]; !ok {
			shown[key] = stray.Fields()
		}
	}
	if record.Unsearched() {
		for _, live := range seen.Live {
			record.touch(live)
		}
		for _, stray := range seen.Strays {
			record.touch(stray.Owned)
		}
	}
	record.Unshown = false
	return shown, nil
}

// touch remembers of which kind the object is, and in which namespace.
func (m *MemberRecord) touch(object *unstructured.Unstructured) {
	m.Touch(KindNamespace{APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: object.GetNamespace()})
}

// Fields returns what the state shows of the object; sensitive fields are revision 0, so that the next plan sends them.
func (s Stray) Fields() manifest.Fields {
	return manifest.Flatten(s.Owned).Mask(manifest.SensitivePaths(s.Owned, manifest.Sensitivity{Whole: s.Sensitive}), 0)
}

// refreshFields returns the live fields of one object at the paths that the state shows.
func refreshFields(
	key string, prior manifest.Fields, record *MemberRecord, live *unstructured.Unstructured, digests *digester,
) (manifest.Fields, error) {
	owned := maps.Clone(prior)
	delete(owned, unconfirmedField)
	delete(owned, ownershipField)
	now, secret := maskAs(manifest.Project(live, owned), owned)
	answers := record.Answers[key]

	shown := make(manifest.Fields, len(owned))
	for path, value := range now {
		before, had := owned[path]
		switch answer, answered := answers[path]; {
		case answered && reflect.DeepEqual(value, answer.Live):
			if answer.Sent != nil {
				shown[path] = answer.Sent
			}
		case had && manifest.Same(live.GroupVersionKind(), path, before, value):
			shown[path] = before
		default:
			shown[path] = value
		}
	}
	for path, answer := range answers { // what the server drops is still as sent while it is not there
		if _, there := now[path]; !there && answer.Live == nil && answer.Sent != nil {
			shown[path] = answer.Sent
		}
	}
	return shown, unmaskDrift(shown, secret, record.Secrets[key], digests)
}

// unmaskDrift shows the sensitive fields by their revision when their live content is the one last sent.
func unmaskDrift(shown, secret manifest.Fields, digest Digest, digests *digester) error {
	same, err := digests.live(digest, secret)
	if err != nil || !same {
		return err
	}
	for path := range secret {
		shown[path] = manifest.Masked(digest.Revision)
	}
	return nil
}
