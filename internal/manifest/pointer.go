package manifest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// NotAPointer says what is wrong with a text that stands for a JSON pointer
// (RFC 6901) and does not begin with a slash, and how to write it: as the field
// that it names as a dotted path, or with a slash in front.
func NotAPointer(text string) error {
	if meant := pointerOf(text); meant != "" {
		return fmt.Errorf("does not begin with a slash; write %q", meant)
	}
	return errors.New("does not begin with a slash; write a JSON pointer such as \"/spec/containers/0/image\", with ~1 for a slash within a key")
}

// pointerOf returns the pointer that was probably meant, or "" when the text
// can be read in more than one way, or names an item by its keys.
func pointerOf(text string) string {
	if !strings.ContainsAny(text, ".[") {
		return "/" + text
	}
	path := strings.TrimPrefix(strings.TrimPrefix(text, "$"), ".") // as JSONPath and jq begin it
	var pointer strings.Builder
	for token, err := range pathTokens(path) {
		name := token.step.name
		if token.step.list {
			name = strconv.Itoa(token.step.index)
		}
		slashed := strings.Contains(name, "/") && name == token.text
		if err != nil || slashed || token.step.list && token.step.index < 0 {
			return ""
		}
		pointer.WriteString("/" + pointerEscaper.Replace(name))
	}
	return pointer.String()
}
