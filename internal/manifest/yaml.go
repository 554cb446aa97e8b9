package manifest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxValues bounds one document, aliases expanded. The largest object that etcd
// takes stays far below; a document that multiplies aliases does not.
const maxValues = 1_000_000

// lineError is a fault at a line, counted from 1 within the parsed text.
type lineError struct {
	line int
	err  error
}

// parseYAML returns the first document of text as a tree of nodes, nil when it
// holds nothing but comments.
func parseYAML(text string) (*yaml.Node, *lineError) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return nil, syntaxError(text, err)
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) == 0 {
		return nil, nil
	}
	return document.Content[0], nil
}

var (
	syntaxErrorLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	tabIndent       = regexp.MustCompile(`(?m)^ *\t`)
)

// unknownAnchor begins what the parser says of an alias.
const unknownAnchor = "yaml: unknown anchor"

// syntaxHints say what mostly is behind a message of the parser.
var syntaxHints = map[string]string{
	"did not find expected alphabetic or numeric character": "quote a value that begins with * or &",
	"found character that cannot start any token":           "quote a value that begins with @, % or `",
	"mapping values are not allowed in this context":        "quote a value that holds a colon and a space, or mend the indentation",
}

// syntaxError takes the line out of the parser's message. The message about an
// alias names what follows the *, which may be part of a password.
func syntaxError(text string, err error) *lineError {
	message := err.Error()
	line := 0
	if found := syntaxErrorLine.FindStringSubmatch(message); found != nil {
		line, _ = strconv.Atoi(found[1])
		message = message[len(found[0]):]
	}
	hint, hinted := syntaxHints[message]
	switch {
	case strings.HasPrefix(err.Error(), unknownAnchor):
		line = aliasLine(text)
		message = "an alias (*) has no anchor (&) before it in its document, and those of other documents do not count; quote a value that begins with *"
	case tabIndent.MatchString(text):
		message += "; YAML is indented with spaces, never with tabs"
	case hinted:
		message += "; " + hint
	}
	return &lineError{line: line, err: fmt.Errorf("not YAML: %s", message)}
}

// aliasLine returns the line of the first alias without an anchor: the parser
// complains of one as soon as the text holds that line.
func aliasLine(text string) int {
	lines := slices.Collect(strings.Lines(text))
	return 1 + sort.Search(len(lines), func(i int) bool {
		var document yaml.Node
		err := yaml.Unmarshal([]byte(strings.Join(lines[:i+1], "")), &document)
		return err != nil && strings.HasPrefix(err.Error(), unknownAnchor)
	})
}

// yamlReader turns nodes into JSON values and gathers every fault.
type yamlReader struct {
	values int
	open   map[*yaml.Node]bool
	errs   []lineError
}

var errTooLarge = fmt.Errorf("more than %d values once aliases are expanded; split the document", maxValues)

func (r *yamlReader) fail(node *yaml.Node, err error) any {
	r.errs = append(r.errs, lineError{line: node.Line, err: err})
	return nil
}

func (r *yamlReader) value(node *yaml.Node) any {
	if r.values++; r.values > maxValues {
		if r.values == maxValues+1 {
			r.fail(node, errTooLarge)
		}
		return nil
	}
	switch node.Kind {
	case yaml.AliasNode:
		return r.alias(node)
	case yaml.MappingNode:
		if hasTag(node, "!!map") {
			return r.fail(node, errTag)
		}
		return r.mapping(node)
	case yaml.SequenceNode:
		if hasTag(node, "!!seq") {
			return r.fail(node, errTag)
		}
		list := make([]any, len(node.Content))
		for i, item := range node.Content {
			list[i] = r.value(item)
		}
		return list
	default:
		return r.scalar(node)
	}
}

func (r *yamlReader) alias(node *yaml.Node) any {
	if r.open[node.Alias] {
		return r.fail(node, errors.New("an anchor contains an alias of itself"))
	}
	if r.open == nil {
		r.open = map[*yaml.Node]bool{}
	}
	r.open[node.Alias] = true
	defer delete(r.open, node.Alias)
	return r.value(node.Alias)
}

// mapping reads a map. Its own keys win over merged ones wherever the merge key
// stands, as the YAML merge key specification says.
func (r *yamlReader) mapping(node *yaml.Node) map[string]any {
	object := make(map[string]any, len(node.Content)/2)
	var merges []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if isMerge(key) {
			merges = append(merges, value)
			continue
		}
		name, err := r.key(key)
		if err != nil {
			r.fail(key, err)
			continue
		}
		if _, found := object[name]; found {
			r.fail(key, fmt.Errorf("key %q is given twice in one map; keep one", name))
			continue
		}
		object[name] = r.value(value)
	}
	for _, merge := range merges {
		r.merge(object, merge)
	}
	return object
}

func (r *yamlReader) merge(object map[string]any, node *yaml.Node) {
	if target := dealias(node); target.Kind == yaml.SequenceNode {
		for _, item := range target.Content {
			r.mergeMap(object, item)
		}
		return
	}
	r.mergeMap(object, node)
}

func (r *yamlReader) mergeMap(object map[string]any, node *yaml.Node) {
	if dealias(node).Kind != yaml.MappingNode {
		r.fail(node, errors.New("the merge key << takes a map, an alias of a map, or a list of them"))
		return
	}
	merged, _ := r.value(node).(map[string]any)
	for name, value := range merged {
		if _, found := object[name]; !found {
			object[name] = value
		}
	}
}

func (r *yamlReader) key(node *yaml.Node) (string, error) {
	node = dealias(node)
	if node.Kind != yaml.ScalarNode {
		return "", errors.New("a key is a list or a map; keys are text")
	}
	value, err := scalarValue(node)
	if err != nil {
		return "", err
	}
	return jsonKey(value)
}

func (r *yamlReader) scalar(node *yaml.Node) any {
	value, err := scalarValue(node)
	if f, ok := value.(float64); ok && err == nil {
		value, err = jsonNumber(f)
	}
	if err != nil {
		return r.fail(node, err)
	}
	return value
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.Style&(quotedStyle|yaml.TaggedStyle) == 0
}

func hasTag(node *yaml.Node, allowed string) bool {
	return node.Style&yaml.TaggedStyle != 0 && node.ShortTag() != allowed
}

func dealias(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}
