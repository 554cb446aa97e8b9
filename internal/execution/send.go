package execution

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// send applies the object as it was seen. When somebody else was quicker, it looks again and decides anew whose the object is.
func (a *application) send(ctx context.Context, resource member.Resource, p *pending) Outcome {
	var outcome Outcome
	for range changeAttempts {
		outcome = a.attempt(ctx, resource, p)
		if !apierrors.IsConflict(outcome.Err) {
			break
		}
		changed, err := a.seeAgain(ctx, resource, p)
		if err != nil {
			outcome.Err = err
			break
		}
		if !changed { // the conflict is about something else, such as a quota
			break
		}
	}
	outcome.Err = explain(p.Key, p.sensitive(), outcome.Err)
	return outcome
}

// seeAgain reads the object, decides whether it may be applied over what is there now, and reports whether that is something
// else than before.
func (a *application) seeAgain(ctx context.Context, resource member.Resource, p *pending) (changed bool, err error) {
	before := p.live
	p.live, err = a.session.Get(ctx, resource, p.Key.Namespace, p.Key.Name)
	switch {
	case member.IsGone(err):
		p.live = nil
	case err != nil:
		return false, err
	}
	p.preexisting, err = a.claim(p.ApplyObject, p.live)
	return versionOf(p.live) != versionOf(before), err
}

// attempt applies the object if it is still as it was seen, and leaves to others what is theirs once it is there. Its error is
// as the member gave it.
func (a *application) attempt(ctx context.Context, resource member.Resource, p *pending) Outcome {
	var err error
	if p.live != nil && p.live.GetDeletionTimestamp() != nil {
		err = a.awaitDeparture(ctx, resource, p)
	}
	if err == nil && p.live != nil {
		p.live, err = a.leave(ctx, resource, p, p.live)
	}
	if err != nil {
		return Outcome{State: StateNotSent, Err: err}
	}
	outcome := a.patch(ctx, resource, p)
	if outcome.Created {
		outcome.Live, outcome.Err = a.leave(ctx, resource, p, outcome.Live)
	}
	return outcome
}

// patch applies the object. A kind that was just defined may not be served by every replica of the API server yet.
func (a *application) patch(ctx context.Context, resource member.Resource, p *pending) Outcome {
	stamped := stamp(p.content(p.live), a.marks(p))
	seen := versionOf(p.live)
	stamped.SetUID(seen.uid)
	stamped.SetResourceVersion(seen.resourceVersion)
	end := time.Now().Add(usableTimeout)
	for {
		live, warnings, err := a.session.Apply(ctx, resource, stamped, member.ApplyOptions{FieldManager: FieldManager})
		if err == nil {
			if p.sensitive() { // its values may be in them
				warnings = nil
			}
			return Outcome{State: StateApplied, Live: live, Created: p.live == nil, Warnings: warnings}
		}
		_, awaited := a.definitions[p.Key.GroupKind()]
		if member.IsNotServed(err) && awaited && time.Now().Before(end) && sleep(ctx, pollInterval) == nil {
			continue
		}
		return Outcome{State: stateAfter(err), Err: err}
	}
}

// version is what an object has to be at so that an apply is taken; else the member answers with a conflict.
type version struct {
	uid             types.UID
	resourceVersion string
}

// versionOf returns the version of an object as it was seen. That of nil is a version that no object is ever at, for clusters
// count from 1 and have written before: the apply can create, and not change what somebody else has made meanwhile.
func versionOf(live *unstructured.Unstructured) version {
	if live == nil {
		return version{resourceVersion: "1"}
	}
	return version{live.GetUID(), live.GetResourceVersion()}
}

// stateAfter returns what a failed write leaves of an object.
func stateAfter(err error) State {
	var request *member.RequestError
	var status *apierrors.StatusError
	switch {
	case errors.As(err, &request) && request.Unconfirmed:
		return StateUnconfirmed
	case errors.As(err, &status):
		return StateFailed
	default:
		return StateNotSent
	}
}
