package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	kjson "sigs.k8s.io/json"
)

// Encode returns the works of one member, object key -> fields, as one JSON
// text: keys sorted, numbers exact, HTML characters as they are. The same works
// always give the same text.
func Encode(works map[string]Fields) (string, error) {
	text, err := marshal(works)
	if err != nil {
		return "", fmt.Errorf("encode works: %w", err)
	}
	return text, nil
}

// DecodeWorks reads what Encode wrote. Whole numbers become int64 again.
func DecodeWorks(text string) (map[string]Fields, error) {
	var works map[string]Fields
	if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(text), &works); err != nil {
		return nil, fmt.Errorf("decode works: want a JSON object of objects: %w", err)
	}
	return works, nil
}

func marshal(value any) (string, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}
