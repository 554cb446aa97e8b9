package execution

import (
	"fmt"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

func (a *application) note(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.result.Notes = append(a.result.Notes, text)
}

// stays notes that an object is not deleted because it was there before us.
func (a *application) stays(key manifest.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.staying = append(a.staying, key.String())
}

// noteStaying tells of all objects that stay in one note.
func (a *application) noteStaying() {
	if len(a.staying) == 0 {
		return
	}
	slices.Sort(a.staying)
	a.note(fmt.Sprintf("member %s: %s was there before this propagation took it over, so it stays, without our label",
		a.session.Name(), enumerate(a.staying)))
}

// noteWarnings tells what the member itself warns of, each warning once with all objects it is about.
func (a *application) noteWarnings() {
	about := map[string][]string{}
	for key, outcome := range a.result.Outcomes {
		for _, warning := range outcome.Warnings {
			about[warning] = append(about[warning], key.String())
		}
	}
	for warning, keys := range about {
		slices.Sort(keys)
		a.note(fmt.Sprintf("member %s warns of %s: %s", a.session.Name(), enumerate(keys), warning))
	}
}

// noteUnmarked tells of all objects that were to be removed and do not say any more that they are ours in one note.
func (a *application) noteUnmarked() {
	var keys []string
	for key, outcome := range a.result.Outcomes {
		if outcome.State == StateForeign && outcome.Owner.Instance == "" {
			keys = append(keys, key.String())
		}
	}
	if len(keys) == 0 {
		return
	}
	slices.Sort(keys)
	a.note(fmt.Sprintf("member %s: somebody took the annotation %s off %s, so nothing was deleted there: delete by hand what should go",
		a.session.Name(), InstanceAnnotation, enumerate(keys)))
}
