package manifest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"

	"k8s.io/apimachinery/pkg/api/resource"
)

// checkLeaf compares a value that is neither absent nor inside a known
// container with the shape it should have.
func checkLeaf(s *shape, value any) error {
	switch s.kind {
	case text:
		if _, ok := value.(string); !ok {
			return wrongType("a string", value)
		}
	case boolean:
		if _, ok := value.(bool); !ok {
			return wrongType("true or false", value)
		}
	case integer:
		return checkInteger(value, s.bits)
	case number:
		switch value.(type) {
		case int64, float64:
		default:
			return wrongType("a number", value)
		}
	case base64Text:
		return checkBase64(value)
	case quantity:
		return checkQuantity(value)
	case intOrText:
		if _, ok := value.(string); !ok {
			return checkInteger(value, 32)
		}
	case custom:
		return checkCustom(s.custom, value)
	}
	return nil
}

func checkInteger(value any, bits int) error {
	if f, ok := value.(float64); ok {
		return notWhole(f)
	}
	i, ok := value.(int64)
	if !ok {
		return wrongType("a whole number", value)
	}
	if limit := int64(1) << (bits - 1); bits < 64 && (i < -limit || i >= limit) {
		return fmt.Errorf("out of range; want a whole number from %d to %d", -limit, limit-1)
	}
	return nil
}

// notWhole says why a number is not one that the API takes as whole.
func notWhole(f float64) error {
	if math.Trunc(f) == f {
		return errors.New("out of range; want a whole number, and a smaller one")
	}
	return errors.New("want a whole number, found a fraction")
}

func checkBase64(value any) error {
	encoded, ok := value.(string)
	if !ok {
		return wrongType("a base64 string", value)
	}
	if _, err := base64.StdEncoding.DecodeString(encoded); err != nil {
		return errors.New("not base64; encode the content, or for a Secret move it to stringData")
	}
	return nil
}

func checkQuantity(value any) error {
	amount, ok := quantityText(value)
	if !ok {
		return wrongType("a quantity", value)
	}
	if _, err := resource.ParseQuantity(amount); err != nil {
		return errors.New("not a quantity; write one as in 500m, 2 or 1Gi")
	}
	return nil
}

// checkCustom lets a type that reads itself from JSON judge the value.
func checkCustom(t reflect.Type, value any) error {
	encoded, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(encoded, reflect.New(t).Interface())
	}
	if err != nil {
		return fmt.Errorf("not a %s", t.Name())
	}
	return nil
}

// wrongType says what a value should be, and how the usual mistake is mended.
func wrongType(want string, value any) error {
	var found string
	switch value.(type) {
	case string:
		found = "a string"
	case bool:
		found = "true or false"
	case int64, float64:
		found = "a number"
	case map[string]any:
		found = "a map"
	case []any:
		found = "a list"
	default:
		found = "nothing"
	}
	return fmt.Errorf("want %s, found %s%s", want, found, advice(want, value))
}

var fileMode = regexp.MustCompile(`^0[0-7]{3}$`)

// advice says what to do with the quotes where they alone are the trouble.
func advice(want string, value any) string {
	switch value := value.(type) {
	case bool, int64, float64:
		if want == "a string" {
			return "; quote it"
		}
	case string:
		switch {
		case want == "a whole number" && fileMode.MatchString(value):
			return "; remove the quotes (a file mode is written 0644, or 420)"
		case fitsUnquoted(want, value):
			return "; remove the quotes"
		}
	}
	return ""
}

// fitsUnquoted reports whether a text would be what is wanted if it stood without quotes.
func fitsUnquoted(want, text string) bool {
	switch plainScalar(text).(type) {
	case int64:
		return want == "a whole number" || want == "a number"
	case float64:
		return want == "a number"
	case bool:
		return want == "true or false"
	}
	return false
}
