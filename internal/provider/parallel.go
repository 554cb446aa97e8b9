package provider

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// inParallel does the same with every entry, such as with what concerns each member, all at the same time: one that is slow
// holds up no other. It returns the results under the names of the entries.
func inParallel[E, R any](entries map[string]E, do func(name string, entry E) R) map[string]R {
	var mu sync.Mutex
	var group sync.WaitGroup
	results := make(map[string]R, len(entries))
	for name, entry := range entries {
		group.Go(func() {
			result := do(name, entry)
			mu.Lock()
			defer mu.Unlock()
			results[name] = result
		})
	}
	group.Wait()
	return results
}

// questionTimeout bounds what a plan asks of one member to warn of something, once it is known to be well.
const questionTimeout = 10 * time.Second

// ask puts to each member, if it is well, a question about what is given for it, and returns the answers by member. A plan may
// ask for diagnostics, and never for a value.
func ask[A, R any](
	ctx context.Context, f *fleet, about map[string]A, timeout time.Duration, question func(ctx context.Context, session *member.Session, about A) R,
) map[string]R {
	reachable := make(map[string]A, len(about))
	for name, subject := range about {
		if f.reach(name) == reachKnown {
			reachable[name] = subject
		}
	}
	return inParallel(reachable, func(name string, subject A) (answer R) {
		session := f.session(name)
		if health, err := session.Probe(ctx, member.ProbeSettings{}); err != nil || !health.Healthy() {
			return answer
		}
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return question(ctx, session, subject)
	})
}

// inOrder returns the lines of all members, in the order of their names.
func inOrder(lines map[string][]string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		all = append(all, lines[name]...)
	}
	return all
}
