package manifest

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// step leads from a value to one of its children. A step into a map has only a
// name. A step into a list has an index, an item text such as "name=web", or
// both; an unknown index is negative.
type step struct {
	name  string
	list  bool
	item  string
	index int
}

func nameStep(name string) step { return step{name: name} }

func indexStep(index int) step { return step{list: true, index: index} }

// pathOf writes steps as a path, list items by index.
func pathOf(steps []step) string {
	var path []byte
	for _, s := range steps {
		if s.list {
			path = appendIndex(path, s.index)
		} else {
			path = appendName(path, s.name)
		}
	}
	return string(path)
}

// appendName adds a map key to a path: .name, or ["name"] where the name holds
// a character that has a meaning in paths.
func appendName(path []byte, name string) []byte {
	if !plainText(name, `.[]"\*=`) {
		path = append(path, '[')
		path = strconv.AppendQuote(path, name)
		return append(path, ']')
	}
	if len(path) > 0 {
		path = append(path, '.')
	}
	return append(path, name...)
}

// appendIndex adds a list position to a path: [3].
func appendIndex(path []byte, index int) []byte {
	path = append(path, '[')
	path = strconv.AppendInt(path, int64(index), 10)
	return append(path, ']')
}

// appendItem adds a list item named by its merge keys to a path: [name=web].
func appendItem(path []byte, item string) []byte {
	path = append(path, '[')
	path = append(path, item...)
	return append(path, ']')
}

// plainText reports whether text can stand in a path unquoted: it is not empty
// and holds no special, space or control character.
func plainText(text, special string) bool {
	if text == "" {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c == 0x7f || strings.IndexByte(special, c) >= 0 {
			return false
		}
	}
	return true
}

// parsePath reads what Flatten writes.
func parsePath(path string) ([]step, error) {
	var steps []step
	for token, err := range pathTokens(path) {
		if err != nil {
			return nil, err
		}
		steps = append(steps, token.step)
	}
	return steps, nil
}

// pathToken is one step of a path, as written, and where it ends in the path.
type pathToken struct {
	step step
	text string
	end  int
}

// pathTokens yields the steps of a path, or, at last, why it is not one.
func pathTokens(path string) iter.Seq2[pathToken, error] {
	return func(yield func(pathToken, error) bool) {
		for start, more := 0, true; more; {
			token, err := tokenAt(path, start)
			if err == nil {
				start, more, err = nextToken(path, token.end)
			}
			if err != nil {
				yield(token, fmt.Errorf("path %q: %w", path, err))
				return
			}
			if !yield(token, nil) {
				return
			}
		}
	}
}

func tokenAt(path string, start int) (pathToken, error) {
	length, err := tokenLength(path[start:])
	if err != nil {
		return pathToken{}, err
	}
	token := pathToken{text: path[start : start+length], end: start + length}
	token.step, err = parseToken(token.text)
	return token, err
}

// nextToken returns where the token after end begins, and whether there is one.
func nextToken(path string, end int) (start int, more bool, err error) {
	switch {
	case end == len(path):
		return end, false, nil
	case path[end] == '[':
		return end, true, nil
	case path[end] == '.' && !strings.HasPrefix(path[end+1:], "["):
		return end + 1, true, nil
	default:
		return end, false, fmt.Errorf("want a dot and a name, or a bracket, after %q", path[:end])
	}
}

func tokenLength(text string) (int, error) {
	if !strings.HasPrefix(text, "[") {
		length := strings.IndexAny(text, ".[")
		if length < 0 {
			length = len(text)
		}
		if length == 0 {
			return 0, fmt.Errorf("a name is missing; write spec.replicas, or metadata.labels[\"a.b\"] for a key with a dot")
		}
		return length, nil
	}
	quoted := false
	for i := 1; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == ']' && !quoted:
			return i + 1, nil
		}
	}
	return 0, fmt.Errorf("the bracket of %q is not closed", text)
}

func parseToken(token string) (step, error) {
	inner, bracketed := strings.CutPrefix(token, "[")
	if !bracketed {
		return nameStep(token), nil
	}
	inner = strings.TrimSuffix(inner, "]")
	if strings.HasPrefix(inner, `"`) {
		name, err := strconv.Unquote(inner)
		if err != nil {
			return step{}, fmt.Errorf("%s is not a quoted key", token)
		}
		return nameStep(name), nil
	}
	if index, err := strconv.Atoi(inner); err == nil && index >= 0 {
		return indexStep(index), nil
	}
	if inner == "*" || strings.Contains(inner, "=") {
		return step{list: true, item: inner, index: -1}, nil
	}
	return step{}, fmt.Errorf("%s is neither a position [0], an item [name=web] nor a quoted key [\"a.b\"]", token)
}
