package manifest

import (
	"errors"
	"fmt"
	"strings"
)

// errUnknownField is the fault of a field that the type of a built-in kind does
// not have. The object is returned all the same, so that what else is to be said
// of it can be.
var errUnknownField = errors.New("unknown field")

// Error is one fault of one document. Decode and FromValue join all they find.
// The text never holds a value of the document, for that may be a secret.
type Error struct {
	Source Source
	// Line counts from 1 within the element of the argument; 0 is unknown.
	Line int
	// Object is the kind and name as far as they are known, or empty.
	Object string
	// Field is the path of the faulty field, or empty for the whole document.
	Field string
	// Err says what is wrong and what to do.
	Err error
}

// Error returns the fault with all that is known of its place, as in
// "templates[0], document 2, line 9: Deployment web: spec.replicas: ...".
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString(e.Source.String())
	if e.Line > 0 {
		fmt.Fprintf(&text, ", line %d", e.Line)
	}
	for _, part := range []string{e.Object, e.Field, e.Err.Error()} {
		if part != "" {
			text.WriteString(": ")
			text.WriteString(part)
		}
	}
	return text.String()
}

// Unwrap returns what is wrong without its place.
func (e *Error) Unwrap() error { return e.Err }
