package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
)

// jsonDocuments cuts a text into the JSON values that follow each other in it.
// It reports false for anything else: YAML may begin with { too.
func jsonDocuments(text string) ([]json.RawMessage, bool) {
	var documents []json.RawMessage
	for reader := json.NewDecoder(strings.NewReader(text)); ; {
		var document json.RawMessage
		switch err := reader.Decode(&document); {
		case errors.Is(err, io.EOF):
			return documents, true
		case err != nil:
			return nil, false
		}
		documents = append(documents, document)
	}
}

func (d *decoder) json(document json.RawMessage, line locator) {
	var value any
	duplicates, err := kjson.UnmarshalStrict(document, &value, kjson.DisallowDuplicateFields)
	if err == nil && len(duplicates) == 0 {
		d.value(jsonValue(value), line)
		return
	}
	d.countDocument()
	if err != nil {
		d.fail(0, errors.New("not JSON that can be read: a number is out of range, or maps are nested too deeply"))
	}
	for _, duplicate := range duplicates {
		d.fail(0, fmt.Errorf("%w; keep one", duplicate))
	}
}

// jsonLines finds lines by reading the text once more, and only when asked, as
// YAML, which JSON nearly always is. The lines of several documents in one text
// are not known.
func jsonLines(part textPart, documents int) locator {
	if documents > 1 {
		return noLine
	}
	root := sync.OnceValue(func() *yaml.Node {
		node, _ := parseYAML(part.text)
		return node
	})
	return func(steps []step) int {
		if root() == nil {
			return 0
		}
		return part.lineAt(lineOf(root(), steps))
	}
}

// jsonValue copies a value into the types that Unstructured holds.
func jsonValue(value any) any {
	switch value := value.(type) {
	case map[string]any:
		fields := make(map[string]any, len(value))
		for name, field := range value {
			fields[name] = jsonValue(field)
		}
		return fields
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			items[i] = jsonValue(item)
		}
		return items
	case int:
		return int64(value)
	case int32:
		return int64(value)
	case float64:
		if number, err := jsonNumber(value); err == nil {
			return number
		}
	}
	return value
}
