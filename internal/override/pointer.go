package override

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// pointer is a parsed JSON pointer (RFC 6901).
type pointer []string

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// parsePointer reads a JSON pointer; the empty text is the whole document.
func parsePointer(path string) (pointer, error) {
	if path == "" {
		return nil, nil
	}
	if path[0] != '/' {
		return nil, fmt.Errorf("path %q %w", path, manifest.NotAPointer(path))
	}
	if err := outsideOfValues(path); err != nil {
		return nil, err
	}
	tokens := strings.Split(path[1:], "/")
	for i, t := range tokens {
		tokens[i] = pointerUnescaper.Replace(t)
	}
	return tokens, nil
}

// String returns the pointer as it is written.
func (p pointer) String() string {
	var b strings.Builder
	for _, t := range p {
		b.WriteByte('/')
		b.WriteString(pointerEscaper.Replace(t))
	}
	return b.String()
}

// join returns p with further tokens, in a new slice.
func (p pointer) join(tokens ...string) pointer {
	return append(slices.Clone(p), tokens...)
}

// parent returns p without its last token, and that token.
func (p pointer) parent() (pointer, string) {
	return p[:len(p)-1], p[len(p)-1]
}

// get returns the value at p under root.
func get(root any, p pointer) (any, error) {
	for i, token := range p {
		next, err := child(root, token, elementIndex)
		if err != nil {
			return nil, at(p, missing(p[:i], err))
		}
		root = next
	}
	return root, nil
}

// getString returns the string at p under root.
func getString(root any, p pointer) (string, error) {
	v, err := get(root, p)
	if err != nil {
		return "", err
	}
	s, ok := v.(string)
	if !ok {
		return "", at(p, fmt.Errorf("want a string, have %s", typeName(v)))
	}
	return s, nil
}

// update returns root with the value at p exchanged for what change makes of it. What lies on the way to p is copied, all
// else is shared with root, which stays as it is.
func update(root any, p pointer, change func(old any) (any, error)) (any, error) {
	return updateBelow(root, p, 0, change)
}

func updateBelow(node any, p pointer, depth int, change func(old any) (any, error)) (any, error) {
	if depth == len(p) {
		return change(node)
	}
	old, err := child(node, p[depth], relativeIndex)
	if err != nil {
		return nil, at(p, missing(p[:depth], err))
	}
	next, err := updateBelow(old, p, depth+1, change)
	if err != nil {
		return nil, err
	}
	return withChild(node, p[depth], next)
}

// withChild returns a copy of node in which value is what token names; an object need not have it yet.
func withChild(node any, token string, value any) (any, error) {
	switch node := node.(type) {
	case map[string]any:
		node = maps.Clone(node)
		node[token] = value
		return node, nil
	case []any:
		i, err := relativeIndex(token, len(node))
		if err != nil {
			return nil, err
		}
		node = slices.Clone(node)
		node[i] = value
		return node, nil
	}
	return nil, fmt.Errorf("%s has no %q inside", typeName(node), token)
}

// child returns the member or element of node that token names.
func child(node any, token string, index indexer) (any, error) {
	switch node := node.(type) {
	case map[string]any:
		if v, ok := node[token]; ok {
			return v, nil
		}
		return nil, fmt.Errorf("there is no %q, only %s", token, listKeys(node))
	case []any:
		i, err := index(token, len(node))
		if err != nil {
			return nil, err
		}
		return node[i], nil
	}
	return nil, fmt.Errorf("%s has no %q inside", typeName(node), token)
}

// indexer reads a token as an index into a list of n elements.
type indexer func(token string, n int) (int, error)

// elementIndex counts from the beginning. As in Karmada 1.19 leading zeros are accepted.
func elementIndex(token string, n int) (int, error) {
	i, err := strconv.Atoi(token)
	if err != nil {
		return 0, fmt.Errorf("%q is no index of a list", token)
	}
	if i < 0 || i >= n {
		return 0, fmt.Errorf("index %s is outside the list of %d", token, n)
	}
	return i, nil
}

// relativeIndex also counts from the end when the token is negative, as in evanphx/json-patch v5.
func relativeIndex(token string, n int) (int, error) {
	if i, err := strconv.Atoi(token); err == nil && i < 0 && i >= -n {
		return i + n, nil
	}
	return elementIndex(token, n)
}

// missing says that a path leads nowhere, because of err at p.
func missing(p pointer, err error) error {
	if len(p) == 0 {
		return fmt.Errorf("nothing is there: %w", err)
	}
	return fmt.Errorf("nothing is there: in %s %w", p, err)
}

// listKeys names up to ten keys of an object, so that a message shows what could have been meant.
func listKeys(m map[string]any) string {
	keys := slices.Sorted(maps.Keys(m))
	if len(keys) == 0 {
		return "an empty object"
	}
	const most = 10
	if len(keys) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(keys[:most], ", "), len(keys)-most)
	}
	return strings.Join(keys, ", ")
}

// typeName names the JSON type of v.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	default:
		return "a number"
	}
}
