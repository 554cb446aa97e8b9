package propagation

import "strings"

// Problem is something of the input that a user has to change. A Note does not stop a plan.
type Problem struct {
	Note     bool
	Argument string // the argument it is about: templates, policies, members or, for settings, their name
	Summary  string // a few words
	Detail   string // what, where, why and what to do
}

// Error returns the summary and the detail.
func (p *Problem) Error() string { return p.Summary + ": " + p.Detail }

// list joins items for a sentence: a, b and c; it names at most ten.
func list(items []string) string {
	const most = 10
	switch {
	case len(items) == 0:
		return "none"
	case len(items) == 1:
		return items[0]
	case len(items) > most:
		return strings.Join(items[:most], ", ") + " and others"
	default:
		return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
	}
}
