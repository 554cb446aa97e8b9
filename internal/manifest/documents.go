package manifest

import "strings"

// textPart is one document of a text.
type textPart struct {
	text string
	line int // where the text begins, counted from 0
}

// lineAt turns a line of the part, counted from 1, into a line of the text.
func (p textPart) lineAt(line int) int {
	if line == 0 {
		return 0
	}
	return p.line + line
}

// splitDocuments cuts a text at the lines that begin with --- or .... A text
// cannot hold such a line inside a value: YAML ends the document there.
func splitDocuments(text string) []textPart {
	var parts []textPart
	part := textPart{}
	var body strings.Builder
	flush := func(next int) {
		part.text = body.String()
		if hasContent(part.text) {
			parts = append(parts, part)
		}
		body.Reset()
		part = textPart{line: next}
	}
	number := 0
	for line := range strings.Lines(text) {
		// Files joined to one text bring their byte order marks along.
		line = strings.TrimPrefix(line, "\ufeff")
		switch {
		case isMarker(line, "---"):
			flush(number)
			// Blanks in its place keep what follows on the line where it is.
			body.WriteString("   " + line[3:])
		case isMarker(line, "..."):
			flush(number + 1)
		default:
			body.WriteString(line)
		}
		number++
	}
	flush(number)
	return parts
}

func isMarker(line, marker string) bool {
	rest, ok := strings.CutPrefix(line, marker)
	return ok && (rest == "" || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

// hasContent reports whether a part holds more than comments and directives.
func hasContent(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' && line[0] != '%' {
			return true
		}
	}
	return false
}
