package propagation

import (
	"fmt"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// flattener turns works into the fields that the state shows.
type flattener struct {
	prior    Prior
	settings Settings
	digests  *digester
	flat     map[*unstructured.Unstructured]manifest.Fields // members that get the same object share its fields
}

func newFlattener(prior Prior, settings Settings) *flattener {
	return &flattener{prior: prior, settings: settings, digests: newDigester(), flat: map[*unstructured.Unstructured]manifest.Fields{}}
}

// objects returns the fields of all objects of one member, and whether some are not known yet.
func (f *flattener) objects(member string, works map[string]*Work) (Objects, bool, error) {
	objects := make(Objects, len(works))
	unknown := false
	for key, work := range works {
		prior, had := f.prior.Works[member][key]
		switch {
		case work.Unknown:
			unknown = true
		case work.Suspended && had:
			objects[key] = prior
		case work.Suspended:
		default:
			fields, err := f.fields(member, key, work, prior)
			if err != nil {
				return nil, false, fmt.Errorf("%s on member %s: %w", key, member, err)
			}
			objects[key] = fields
		}
	}
	return objects, unknown, nil
}

// fields returns what the state shows of one object.
func (f *flattener) fields(member, key string, work *Work, prior manifest.Fields) (manifest.Fields, error) {
	fields, ok := f.flat[work.Object]
	if !ok {
		fields = manifest.Flatten(work.Object)
		f.flat[work.Object] = fields
	}
	if len(work.Sensitive) > 0 {
		shown, err := f.revision(member, key, fields.Only(work.Sensitive), prior)
		if err != nil {
			return nil, err
		}
		fields = fields.Mask(work.Sensitive, shown)
	}
	return keepEquivalent(work.Object, fields, prior), nil
}

// revision returns the revision to show for sensitive content: the one given, else the prior one as long as the content is
// the one that was last sent.
func (f *flattener) revision(member, key string, secret, prior manifest.Fields) (int64, error) {
	if f.settings.SecretsRevision != nil {
		return *f.settings.SecretsRevision, nil
	}
	var sent Digest
	if record, ok := f.prior.Record.Members[member]; ok {
		sent = record.Secrets[key]
	}
	before := max(sent.Revision, revision(prior))
	same, err := f.digests.sent(sent, secret)
	if err != nil {
		return 0, err
	}
	if same && before > 0 {
		return before, nil
	}
	return before + 1, nil
}

// keepEquivalent returns fields, with the prior spelling where the API server takes both for the same value, so that
// 1000m in place of 1 is no change.
func keepEquivalent(obj *unstructured.Unstructured, fields, prior manifest.Fields) manifest.Fields {
	out := fields
	copied := false
	for path, before := range prior {
		now, ok := fields[path]
		if !ok || reflect.DeepEqual(now, before) || !manifest.Same(obj.GroupVersionKind(), path, now, before) {
			continue
		}
		if !copied {
			out, copied = maps.Clone(fields), true
		}
		out[path] = before
	}
	return out
}
