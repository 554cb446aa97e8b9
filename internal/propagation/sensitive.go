package propagation

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// maskDrifted is what a refresh shows for sensitive fields of which the live content is not the one that was sent.
const maskDrifted = "(sensitive, changed on the member)"

const saltLength = 16

// hidden reports whether a shown value stands for a sensitive one.
func hidden(value any) bool {
	_, masked := manifest.MaskedRevision(value)
	return masked || value == maskDrifted
}

// revision returns the revision that masked fields show; 0 when they show none.
func revision(fields manifest.Fields) int64 {
	for _, value := range fields {
		if n, ok := manifest.MaskedRevision(value); ok {
			return n
		}
	}
	return 0
}

// maskAs hides the fields of a live object that prior hides, as text; once prior hides any, so is every field that prior
// lacks, for it may be of a hidden list that grew. It returns the hidden ones by themselves.
func maskAs(live, prior manifest.Fields) (shown, secret manifest.Fields) {
	secret = manifest.Fields{}
	hides := false
	for _, value := range prior {
		hides = hides || hidden(value)
	}
	if !hides {
		return live, secret
	}
	shown = maps.Clone(live)
	for path, value := range live {
		before, known := prior[path]
		if hidden(before) || !known {
			secret[path] = value
			shown[path] = maskDrifted
		}
	}
	return shown, secret
}

// digester computes digests. Content that occurs on many members with one salt is hashed once.
type digester struct {
	known map[[sha256.Size]byte]string
}

func newDigester() *digester { return &digester{known: map[[sha256.Size]byte]string{}} }

// sum returns the digest of sensitive fields under a salt.
func (d *digester) sum(salt []byte, secret manifest.Fields) (string, error) {
	content, err := json.Marshal(secret)
	if err != nil {
		return "", fmt.Errorf("digest of sensitive fields: %w", err)
	}
	memo := sha256.Sum256(append(append([]byte{}, salt...), content...))
	if sum, ok := d.known[memo]; ok {
		return sum, nil
	}
	sum, err := manifest.Digest(salt, secret)
	if err != nil {
		return "", err
	}
	d.known[memo] = sum
	return sum, nil
}

// sent reports whether sensitive fields are those that were last sent.
func (d *digester) sent(digest Digest, secret manifest.Fields) (bool, error) {
	if digest.Sum == "" {
		return false, nil
	}
	sum, err := d.sum(digest.Salt, secret)
	return sum == digest.Sum, err
}

// live reports whether the sensitive fields of a live object are what was last sent, or what the server made of it.
func (d *digester) live(digest Digest, secret manifest.Fields) (bool, error) {
	if digest.Sum == "" {
		return false, nil
	}
	sum, err := d.sum(digest.Salt, secret)
	return sum == digest.Sum || sum == digest.Live, err
}

// Salts are the salts of one apply: one per object key, shared by the members, so that a secret that reaches twenty
// members is hashed once.
type Salts struct {
	salts   map[string][]byte
	digests *digester
}

// NewSalts returns fresh salts.
func NewSalts() *Salts { return &Salts{salts: map[string][]byte{}, digests: newDigester()} }

// digest returns the digest of the sensitive fields of an object that is shown with the given revision, as they were sent
// and as the server has them.
func (s *Salts) digest(key string, sent, live manifest.Fields, revision int64) (Digest, error) {
	salt, ok := s.salts[key]
	if !ok {
		salt = make([]byte, saltLength)
		_, _ = rand.Read(salt) // never fails: crypto/rand ends the process instead
		s.salts[key] = salt
	}
	digest := Digest{Salt: salt, Revision: revision}
	var err error
	if digest.Sum, err = s.digests.sum(salt, sent); err != nil {
		return digest, err
	}
	if !reflect.DeepEqual(sent, live) {
		digest.Live, err = s.digests.sum(salt, live)
	}
	return digest, err
}
