package override

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// lookalikePattern finds what a writer of {{ member.name }} gets wrong: the spaces, the case, a dot in front, the dashes of Go
// templates, or no field at all.
var lookalikePattern = regexp.MustCompile(`(?i)\{\{-?\s*\.?member(\s*-?\}\}|\.(name|region|zone|provider)\s*-?\}\}|\.(labels|variables)\b)`)

// lookalike is a text of an overrider that nearly is a reference to the member.
type lookalike struct {
	overrider string
	written   string
}

func (l lookalike) text() string {
	written := l.written
	if !strings.HasSuffix(written, "}}") {
		written += "..."
	}
	return fmt.Sprintf("%s looks like a reference to the member and is sent as it stands; to have the value of the member write exactly %s, "+
		"or leave it if another program replaces it", written, referenceForms)
}

// lookalikes returns the texts of an overrider that nearly are references to the member, each once.
func lookalikes(overrider any) []string {
	raw, err := json.Marshal(overrider)
	if err != nil {
		return nil
	}
	found := lookalikePattern.FindAllString(string(raw), -1)
	found = slices.DeleteFunc(found, func(s string) bool { return strings.HasPrefix(s, reserved) })
	slices.Sort(found)
	return slices.Compact(found)
}
