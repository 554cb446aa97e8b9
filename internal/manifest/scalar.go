package manifest

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// plainWords are the unquoted words that YAML 1.1 reads as something other than
// text. Kubernetes reads manifests so, with "on", "yes" and "n" as booleans.
var plainWords = map[string]any{
	"": nil, "~": nil, "null": nil, "Null": nil, "NULL": nil,
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true,
	"true": true, "True": true, "TRUE": true,
	"on": true, "On": true, "ON": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false,
	"false": false, "False": false, "FALSE": false,
	"off": false, "Off": false, "OFF": false,
	".nan": math.NaN(), ".NaN": math.NaN(), ".NAN": math.NaN(),
	".inf": math.Inf(1), ".Inf": math.Inf(1), ".INF": math.Inf(1),
	"+.inf": math.Inf(1), "+.Inf": math.Inf(1), "+.INF": math.Inf(1),
	"-.inf": math.Inf(-1), "-.Inf": math.Inf(-1), "-.INF": math.Inf(-1),
}

var plainFloat = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// plainScalar returns the value of an unquoted YAML scalar as sigs.k8s.io/yaml
// reads it, before conversion to JSON: nil, bool, int64, float64 or string.
// 0644 is octal as in YAML 1.1, 0o644 is too; a date is text.
func plainScalar(text string) any {
	if value, ok := plainWords[text]; ok {
		return value
	}
	switch c := text[0]; {
	case c == '.':
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f
		}
	case c >= '0' && c <= '9', c == '+', c == '-':
		return plainNumber(text)
	}
	return text
}

func plainNumber(text string) any {
	digits := strings.ReplaceAll(text, "_", "")
	if i, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return i
	}
	if u, err := strconv.ParseUint(digits, 0, 64); err == nil {
		return float64(u)
	}
	if plainFloat.MatchString(digits) {
		if f, err := strconv.ParseFloat(digits, 64); err == nil {
			return f
		}
	}
	return text
}

// jsonNumber returns f as the JSON decoder of Kubernetes would: a whole number
// that fits is an int64. A number that JSON cannot hold is an error.
func jsonNumber(f float64) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errors.New("not a number that JSON can hold; quote it if it is text")
	}
	if i, err := strconv.ParseInt(strconv.FormatFloat(f, 'f', -1, 64), 10, 64); err == nil {
		return i, nil
	}
	return f, nil
}

// jsonKey returns a YAML map key as the text that sigs.k8s.io/yaml makes of it.
func jsonKey(key any) (string, error) {
	switch key := key.(type) {
	case string:
		return key, nil
	case bool:
		return strconv.FormatBool(key), nil
	case int64:
		return strconv.FormatInt(key, 10), nil
	case float64:
		switch text := strconv.FormatFloat(key, 'g', -1, 32); text {
		case "+Inf":
			return ".inf", nil
		case "-Inf":
			return "-.inf", nil
		case "NaN":
			return ".nan", nil
		default:
			return text, nil
		}
	default:
		return "", errors.New("a key is empty; write the name of the field, or quote it")
	}
}

// errTag does not show the tag: an unquoted password may begin with !.
var errTag = errors.New("YAML tags have no meaning in manifests; remove the tag, or put a value that begins with ! in quotes")

const quotedStyle = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// scalarValue returns the value of a scalar as plainScalar does; quotes and the
// tag !!str make it text.
func scalarValue(node *yaml.Node) (any, error) {
	if node.Style&yaml.TaggedStyle == 0 {
		if node.Style&quotedStyle != 0 {
			return node.Value, nil
		}
		return plainScalar(node.Value), nil
	}
	value := plainScalar(node.Value)
	fits := false
	switch node.ShortTag() {
	case "!!str":
		return node.Value, nil
	case "!!null":
		fits = value == nil
	case "!!bool":
		_, fits = value.(bool)
	case "!!int":
		_, fits = value.(int64)
	case "!!float":
		switch value.(type) {
		case int64, float64:
			fits = true
		}
	}
	if !fits {
		return nil, errTag
	}
	return value, nil
}
