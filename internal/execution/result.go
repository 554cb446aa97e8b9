package execution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// State says what became of one object.
type State string

// The values of State.
const (
	// StateApplied: the member has the object as it was sent.
	StateApplied State = "applied"

	// StateRemoved: the object is not there any more, or was not there.
	StateRemoved State = "removed"

	// StateReleased: the object stays on the member and bears our marks no longer.
	StateReleased State = "released"

	// StateForeign: the object was to be removed and is not ours; it was left alone.
	StateForeign State = "foreign"

	// StateFailed: the member refused, or a removal did not end in time. What was known of the object stands.
	StateFailed State = "failed"

	// StateNotSent: nothing was sent. What was known of the object stands.
	StateNotSent State = "not sent"

	// StateUnconfirmed: the object was sent, and whether the member took it is not known.
	StateUnconfirmed State = "unconfirmed"
)

// Outcome is what became of one object.
type Outcome struct {
	State State

	// Live is the object as the member has it, where it was applied; Created says that it was not there before.
	Live    *unstructured.Unstructured
	Created bool

	// Owner is whose the object is, where it is foreign.
	Owner Owner

	// Warnings are what the member said beside its answer.
	Warnings []string

	// Err says why the state is failed, not sent or unconfirmed.
	Err error
}

// Result is what became of all objects of a request.
type Result struct {
	Member   string
	Outcomes map[manifest.Key]Outcome

	// Notes are for the user to read and no errors, such as why a Namespace was released and not deleted.
	Notes []string
}

// Done returns of how many objects what was asked for is done.
func (r Result) Done() int {
	done := 0
	for _, outcome := range r.Outcomes {
		if outcome.Err == nil {
			done++
		}
	}
	return done
}

// Err returns one error for everything that went wrong on the member, or nil. An error that several objects share is told
// once: a member that does not answer, a run that was cancelled, a Namespace that others wait for.
func (r Result) Err() error {
	var all []error
	shared := map[string]*sharedError{}
	for _, key := range slices.SortedFunc(maps.Keys(r.Outcomes), compareKeys) {
		outcome := r.Outcomes[key]
		if outcome.Err == nil {
			continue
		}
		cause := r.sharedCause(outcome.Err)
		if cause == "" {
			all = append(all, outcome.Err)
			continue
		}
		if shared[cause] == nil {
			shared[cause] = &sharedError{cause: cause, first: outcome.Err}
			all = append(all, shared[cause])
		}
		shared[cause].add(key, outcome.State)
	}
	return errors.Join(all...)
}

// sharedCause returns the text of an error that is not about one object, or "".
func (r Result) sharedCause(err error) string {
	var object *ObjectError
	var blocked *BlockedError
	var connection *member.ConnectionError
	var request *member.RequestError
	switch {
	case errors.As(err, &object):
		return ""
	case errors.As(err, &blocked):
		return fmt.Sprintf("member %s: %s is not there", r.Member, blocked.By)
	case errors.As(err, &connection):
		return connection.Error()
	case errors.Is(err, context.Canceled):
		return fmt.Sprintf("member %s: the run was cancelled", r.Member)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("member %s: the time is up", r.Member)
	case member.IsUnanswered(err) && errors.As(err, &request):
		return fmt.Sprintf("member %s gives no answer: %v", r.Member, request.Err)
	}
	return ""
}

// sharedError is an error of several objects.
type sharedError struct {
	cause               string
	first               error
	notSent, unanswered []string
}

func (e *sharedError) add(key manifest.Key, state State) {
	if state == StateUnconfirmed {
		e.unanswered = append(e.unanswered, key.String())
	} else {
		e.notSent = append(e.notSent, key.String())
	}
}

// Error returns the cause, and how many objects it hit.
func (e *sharedError) Error() string {
	text := e.cause
	if len(e.notSent) > 0 {
		text += fmt.Sprintf("; nothing was done for %s", enumerate(e.notSent))
	}
	if len(e.unanswered) > 0 {
		text += fmt.Sprintf("; whether it took %s is not known", enumerate(e.unanswered))
	}
	return text
}

// Unwrap returns the error of the first object.
func (e *sharedError) Unwrap() error { return e.first }

// enumerate returns a few of the names of objects and how many there are.
func enumerate(names []string) string {
	const shown = 3
	switch {
	case len(names) <= shown:
		return strings.Join(names, ", ")
	default:
		return fmt.Sprintf("%d objects (%s, ...)", len(names), strings.Join(names[:shown], ", "))
	}
}

func compareKeys(a, b manifest.Key) int {
	return cmp.Compare(a.String(), b.String())
}
