package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	kjson "sigs.k8s.io/json"
)

// json reads one or more JSON objects that follow each other. It reports false,
// and has done nothing, when the text is not JSON: YAML may begin with { too.
func (d *decoder) json(part textPart) bool {
	var documents []json.RawMessage
	for decoder := json.NewDecoder(strings.NewReader(part.text)); ; {
		var document json.RawMessage
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false
		}
		documents = append(documents, document)
	}
	for _, document := range documents {
		var value any
		faults, err := kjson.UnmarshalStrict(document, &value, kjson.DisallowDuplicateFields)
		if err != nil {
			faults = append(faults, errors.New("not JSON"))
		}
		if len(faults) > 0 {
			d.countDocument()
			for _, fault := range faults {
				d.fail(0, fmt.Errorf("%w; keep one", fault))
			}
			continue
		}
		d.value(jsonValue(value), jsonLocator(part, documents))
	}
	return true
}

// jsonLocator finds lines by reading the text once more as YAML, which JSON
// nearly always is; several documents in one text have no lines.
func jsonLocator(part textPart, documents []json.RawMessage) locator {
	return func(steps []step) int {
		if len(documents) > 1 {
			return 0
		}
		node, fault := parseYAML(part.text)
		if fault != nil || node == nil {
			return 0
		}
		return part.lineAt(lineOf(node, steps))
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
