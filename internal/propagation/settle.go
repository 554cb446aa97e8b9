package propagation

import (
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// Outcome is what became of one object of a change.
type Outcome int

// The values of Outcome.
const (
	NotSent     Outcome = iota // never sent, or refused: the member holds what it held
	Confirmed                  // applied, as Live says
	Gone                       // removed, released, or not ours any more
	Unconfirmed                // sent, but no answer came
)

// Result is the outcome for one object.
type Result struct {
	Outcome Outcome
	Live    *unstructured.Unstructured // what the server answered, when Confirmed
}

// Settle returns what a member holds after a change of which results are known, and updates what is remembered of it. An
// object without a result was not sent.
func Settle(before, after Objects, change Change, results map[string]Result, record *MemberRecord, salts *Salts) (Objects, error) {
	held := maps.Clone(before)
	if held == nil {
		held = Objects{}
	}
	if raised(after.generation(), before) {
		held = Objects{} // the old cluster's objects count as gone
		*record = MemberRecord{Identity: record.Identity, Kinds: record.Kinds}
	}
	delete(held, generationKey)
	held.setGeneration(after.generation())
	record.Generation = after.generation()

	for _, a := range change.Apply {
		switch result := results[a.Key]; result.Outcome {
		case Confirmed:
			held[a.Key] = after[a.Key]
			if err := remember(record, a, after[a.Key], result.Live, salts); err != nil {
				return nil, err
			}
		case Unconfirmed:
			held[a.Key] = unconfirmed(held[a.Key], after[a.Key])
		}
	}
	for _, r := range change.Remove {
		switch results[r.Key].Outcome {
		case Gone:
			delete(held, r.Key)
			record.forget(r.Key)
		case Unconfirmed:
			held[r.Key] = unconfirmed(held[r.Key], held[r.Key])
		}
	}
	return held, nil
}

// unconfirmed returns the fields before, or after where there were none, with a mark that makes the next plan differ.
func unconfirmed(before, after manifest.Fields) manifest.Fields {
	fields := maps.Clone(before)
	if fields == nil {
		fields = maps.Clone(after)
	}
	fields[unconfirmedField] = true
	return fields
}

// remember keeps what a refresh needs to tell drift from the server's own ways: what the server made of what was sent,
// and a digest of what must not be shown.
func remember(record *MemberRecord, a Application, shown manifest.Fields, live *unstructured.Unstructured, salts *Salts) error {
	record.forget(a.Key)
	record.Touch(KindNamespace{APIVersion: a.Work.Object.GetAPIVersion(), Kind: a.Work.Object.GetKind(), Namespace: a.Work.Object.GetNamespace()})
	sent := manifest.Flatten(a.Work.Object)
	answered := manifest.Project(live, sent)
	if answers := answersOf(sent, shown, answered); len(answers) > 0 {
		if record.Answers == nil {
			record.Answers = map[string]map[string]Answer{}
		}
		record.Answers[a.Key] = answers
	}
	if len(a.Work.Sensitive) > 0 {
		_, secret := maskAs(answered, shown)
		digest, err := salts.digest(a.Key, sent.Only(a.Work.Sensitive), secret, revision(shown))
		if err != nil {
			return err
		}
		if record.Secrets == nil {
			record.Secrets = map[string]Digest{}
		}
		record.Secrets[a.Key] = digest
	}
	if finishes(a.Work.Object) {
		record.Finished = append(record.Finished, a.Key)
	}
	return nil
}

// answersOf returns, by path, where the live value is not the one sent; shown is what the state says of the sent one. What
// is masked is no part of it.
func answersOf(sent, shown, live manifest.Fields) map[string]Answer {
	answers := map[string]Answer{}
	public, _ := maskAs(live, shown)
	for path, value := range sent {
		if now := live[path]; !hidden(shown[path]) && !reflect.DeepEqual(now, value) {
			answers[path] = Answer{Sent: shown[path], Live: now}
		}
	}
	for path, now := range public {
		if _, ok := sent[path]; !ok && !hidden(now) {
			answers[path] = Answer{Live: now}
		}
	}
	return answers
}

// finishes reports whether an object goes away by itself: a Job with a time to live.
func finishes(obj *unstructured.Unstructured) bool {
	gvk := obj.GroupVersionKind()
	if gvk.Group != "batch" || gvk.Kind != "Job" {
		return false
	}
	_, found, err := unstructured.NestedFieldNoCopy(obj.Object, "spec", "ttlSecondsAfterFinished")
	return found && err == nil
}
