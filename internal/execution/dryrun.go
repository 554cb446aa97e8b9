package execution

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// DryRun asks the member what it would say to the objects of req, and returns its objections by object. Nothing is
// changed. Objects of a kind or in a Namespace that the request itself brings cannot be asked about yet, and are left out.
func DryRun(ctx context.Context, session *member.Session, req ApplyRequest) map[manifest.Key]error {
	a := newApplication(session, req)
	seen := a.look(ctx)
	a.each(a.admit(seen), func(p *pending) {
		if !a.brought(p, seen) {
			a.set(p.Key, Outcome{State: StateNotSent, Err: a.rehearse(ctx, p)})
		}
	})
	objections := map[manifest.Key]error{}
	for key, outcome := range a.result.Outcomes {
		if outcome.Err != nil {
			objections[key] = outcome.Err
		}
	}
	return objections
}

// brought reports whether the object needs a kind or a Namespace that is not there and comes with the request.
func (a *application) brought(p *pending, seen ReadResult) bool {
	namespace := manifest.Key{Kind: namespaceKind.Kind, Name: p.Key.Namespace}
	_, kind := a.definitions[p.Key.GroupKind()]
	return kind && p.live == nil || p.Key.Namespace != "" && seen.Gone[namespace]
}

// rehearse applies the object without effect.
func (a *application) rehearse(ctx context.Context, p *pending) error {
	resource, err := a.mapping(ctx, p.Key, p.Manifest.GroupVersionKind())
	if err != nil {
		return err
	}
	stamped := stamp(p.rehearsed(), a.marks(p))
	_, _, err = a.session.Apply(ctx, resource, stamped, member.ApplyOptions{FieldManager: FieldManager, DryRun: true})
	return explain(p.Key, p.sensitive(), err)
}

// rehearsed returns what is sent, given what is there. Fields that are about to be left to others are still ours, so they
// have to be in it, or else the member would take them away.
func (p *pending) rehearsed() *unstructured.Unstructured {
	if p.live != nil && p.Initial != nil {
		if _, less, err := disown(p.live, p.Left); less || err != nil {
			return p.Initial
		}
	}
	return p.content(p.live)
}
