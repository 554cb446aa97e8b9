package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// applyMember sends a change to one member. It returns what became of each object.
func (r *propagationResource) applyMember(
	ctx context.Context, name string, a application, change propagation.Change,
) (map[string]propagation.Result, diag.Diagnostics) {
	var diags diag.Diagnostics
	moved := r.moved(name, a, change)
	change.Remove = slices.DeleteFunc(slices.Clone(change.Remove), func(removal propagation.Removal) bool { return slices.Contains(moved, removal.Key) })
	request, err := applyRequest(a, change)
	if err != nil {
		diags.AddError("State cannot be read", sentence(err.Error()))
		return nil, diags
	}
	result := execution.Apply(ctx, r.fleet.session(name), request)
	results := make(map[string]propagation.Result, len(result.Outcomes))
	for key, outcome := range result.Outcomes {
		results[key.String()] = resultOf(outcome)
	}
	for _, key := range moved {
		results[key] = propagation.Result{Outcome: propagation.Gone}
	}
	if result.Err() != nil {
		diags.AddError("Member "+name+" is not as planned", memberErrors(result, a))
	}
	for _, note := range result.Notes {
		diags.AddWarning("Note from member "+name, sentence(note))
	}
	return results, diags
}

// moved returns the objects that a change would delete on a member and that another propagation takes over, as the plan saw it or
// as this run knows by now. They are left to it: deleted they would lose what they hold.
func (r *propagationResource) moved(name string, a application, change propagation.Change) []string {
	deleted := deletions(name, change)
	now := r.fleet.departing(claimant{a.name, a.instance}, deleted)
	return slices.DeleteFunc(slices.Concat(a.moves[name], now[name]), func(key string) bool { return !slices.Contains(deleted, place{name, key}) })
}

// applyRequest turns a change into what is asked of a member.
func applyRequest(a application, change propagation.Change) (execution.ApplyRequest, error) {
	request := execution.ApplyRequest{Propagation: a.name, Instance: a.instance, Adopt: a.adopt}
	for _, application := range change.Apply {
		key, err := manifest.ParseKey(application.Key)
		if err != nil {
			return request, err
		}
		request.Objects = append(request.Objects, execution.ApplyObject{
			Key: key, Manifest: application.Work.Object, Initial: application.Work.Initial, Left: application.Work.Left,
			Conflict: application.Work.Conflict, Ours: application.Ours, Sensitive: len(application.Work.Sensitive) > 0,
		})
	}
	for _, removal := range change.Remove {
		key, err := manifest.ParseKey(removal.Key)
		if err != nil {
			return request, err
		}
		request.Remove = append(request.Remove, execution.RemoveObject{Key: key, APIVersion: removal.APIVersion, Orphan: removal.Orphan})
	}
	return request, nil
}

// resultOf tells a state what became of one object.
func resultOf(outcome execution.Outcome) propagation.Result {
	switch outcome.State {
	case execution.StateApplied:
		return propagation.Result{Outcome: propagation.Confirmed, Live: outcome.Live}
	case execution.StateRemoved, execution.StateReleased, execution.StateForeign:
		return propagation.Result{Outcome: propagation.Gone}
	case execution.StateUnconfirmed:
		return propagation.Result{Outcome: propagation.Unconfirmed}
	default:
		return propagation.Result{Outcome: propagation.NotSent}
	}
}

// memberErrors lists the errors of one member, and says what else was done and how to go on.
func memberErrors(result execution.Result, a application) string {
	err := result.Err()
	errs := flattenErrors(err)
	lines := make([]string, len(errs))
	refused := false
	for i, err := range errs {
		lines[i] = sentence(err.Error())
		object, ok := errors.AsType[*execution.ObjectError](err)
		refused = refused || ok && object.Final()
	}
	others := "Nothing else was done on this member"
	if result.Done() > 0 {
		others = "Everything else on this member is done and kept in the state"
	}
	text := fmt.Sprintf("%s\n\n%s: once this is mended, %s, and just what is missing is done.", strings.Join(lines, "\n\n"), others, a.again())
	if errors.Is(err, context.DeadlineExceeded) {
		text += " The time was up: timeouts on the propagation says how long this may take."
	}
	if refused && !a.asked {
		text += " With validation = \"server\" the plan asks the members first, and shows what they refuse."
	}
	return text
}

// readMember reads the objects of one member. The text is why the member as a whole could not be read.
func readMember(
	ctx context.Context, session *member.Session, instance string, objects propagation.Objects, record *propagation.MemberRecord,
) (seen, string) {
	scopes, err := searchScopes(ctx, session, record)
	if err != nil {
		return seen{}, err.Error()
	}
	request := execution.ReadRequest{Instance: instance, Scopes: scopes}
	keys := map[manifest.Key]string{}
	for text, fields := range objects {
		key, err := manifest.ParseKey(text)
		if err != nil {
			continue // an entry that is no object
		}
		apiVersion, _ := fields["apiVersion"].(string)
		request.Objects = append(request.Objects, execution.Ref{Key: key, APIVersion: apiVersion})
		keys[key] = text
	}
	result := execution.Read(ctx, session, request)
	if len(result.Failed) > 0 && len(result.Live)+len(result.Gone) == 0 {
		for _, err := range result.Failed {
			return seen{}, err.Error()
		}
	}
	return seenOf(result), ""
}

// searchScopes returns where to look for objects that the state does not show: at the kinds ever written to, or at all when those
// are not known.
func searchScopes(ctx context.Context, session *member.Session, record *propagation.MemberRecord) ([]execution.Scope, error) {
	switch {
	case record == nil:
		return nil, nil
	case record.Unsearched():
		return execution.EveryScope(ctx, session)
	}
	scopes := make([]execution.Scope, 0, len(record.Kinds))
	for _, kind := range record.Kinds {
		scopes = append(scopes, execution.Scope{GVK: schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind), Namespace: kind.Namespace})
	}
	return scopes, nil
}

// seenOf turns a read into what a refresh wants.
func seenOf(result execution.ReadResult) seen {
	out := seen{failed: map[string]error{}}
	out.Live, out.Gone, out.Foreign = map[string]*unstructured.Unstructured{}, map[string]bool{}, map[string]string{}
	out.Strays = map[string]propagation.Stray{}
	for key, live := range result.Live {
		out.Live[key.String()] = live
	}
	for key := range result.Gone {
		out.Gone[key.String()] = true
	}
	for key, owner := range result.Foreign {
		out.Foreign[key.String()] = owner.String()
		if owner.Instance != "" {
			out.taken = append(out.taken, fmt.Sprintf("%s (%s)", key, owner))
		}
	}
	for key, live := range result.Strays {
		if owned, err := execution.OwnedFields(live); err == nil {
			out.Strays[key.String()] = propagation.Stray{Owned: owned, Sensitive: execution.Sensitive(live)}
		} else {
			out.failed[key.String()] = err
		}
	}
	for key, err := range result.Failed {
		out.failed[key.String()] = err
	}
	return out
}

// found is what a search of one member found of a propagation, or why it could not be searched.
type found struct {
	identity api.Identity
	live     []*unstructured.Unstructured
	err      error
}

// findAll searches every member that the provider knows. A member that cannot be searched is an error: an import that
// misses objects would create them again.
func (r *propagationResource) findAll(ctx context.Context, name string, diags *diag.Diagnostics) map[string]found {
	known := maps.Clone(r.fleet.connections)
	maps.DeleteFunc(known, func(on string, _ connection) bool { return r.fleet.reach(on) != reachKnown })
	all := inParallel(known, func(on string, _ connection) (f found) {
		session := r.fleet.session(on)
		if f.identity, f.err = session.Identity(ctx); f.err == nil {
			f.live, f.err = execution.Find(ctx, session, name)
		}
		return f
	})
	for _, on := range slices.Sorted(maps.Keys(all)) {
		if err := all[on].err; err != nil {
			diags.AddError("Member "+on+" cannot be searched", sentence(err.Error()))
		}
	}
	return all
}
