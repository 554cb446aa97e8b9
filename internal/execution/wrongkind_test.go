package execution

import "testing"

// The messages are those of structured-merge-diff 6, each after what was expected.
func TestFoundKind(t *testing.T) {
	for shown, want := range map[string]string{
		", got &value.valueUnstructured{Value:8080}":                                      kindNumber,
		", got &value.valueUnstructured{Value:-1.5e+07}":                                  kindNumber,
		", got &value.valueUnstructured{Value:true}":                                      kindBoolean,
		`, got &value.valueUnstructured{Value:map[string]interface {}{"a":"b"}}`:          kindMap,
		", got &value.valueUnstructured{Value:[]interface {}{1}}":                         kindList,
		" (int or float), got string":                                                     kindText,
		" (int or float), got bool":                                                       kindBoolean,
		" (int or float), got map[string]interface {}":                                    kindMap,
		" (int or float), got []interface {}":                                             kindList,
		", got &{sometimes}":                                                              kindText,
		", got &{8080}":                                                                   kindNumber,
		", got &{[a b]}":                                                                  kindList,
		", got &{map[a:b]}":                                                               kindMap,
		", got &{false}, .spec.b: expected string, got &value.valueUnstructured{Value:1}": kindBoolean,
	} {
		if got := foundKind(shown); got != want {
			t.Errorf("%q: %s, want %s", shown, got, want)
		}
	}
}
