package execution

import "regexp"

// Kinds of values, as messages name them.
const (
	kindText    = "a string"
	kindNumber  = "a number"
	kindBoolean = "true or false"
	kindList    = "a list"
	kindMap     = "a map"
)

// wantedKinds are the kinds of values by the names that structured-merge-diff has for them.
var wantedKinds = map[string]string{"string": kindText, "numeric": kindNumber, "boolean": kindBoolean, "list": kindList, "map": kindMap}

// foundKinds tell a value from how structured-merge-diff shows it, in one of the notations of Go:
// &value.valueUnstructured{Value:8080}, &{8080}, or the type alone.
var foundKinds = []struct {
	shown *regexp.Regexp
	kind  string
}{
	{regexp.MustCompile(`^map\[`), kindMap},
	{regexp.MustCompile(`^\[`), kindList},
	{regexp.MustCompile(`^(?:true\}|false\}|bool\b)`), kindBoolean},
	{regexp.MustCompile(`^-?[0-9][0-9.e+-]*\}`), kindNumber},
}

var beforeValue = regexp.MustCompile(`^[^,]*, got (?:&value\.\w+\{Value:|&\{)?`)

// foundKind returns the kind of the value that the rest of a message shows, which begins after what was expected. It never
// returns the value, which may be secret.
func foundKind(rest string) string {
	value := beforeValue.ReplaceAllString(rest, "")
	for _, found := range foundKinds {
		if found.shown.MatchString(value) {
			return found.kind
		}
	}
	return kindText
}
