package provider

import (
	"reflect"
	"testing"
)

// Objects are contested when two resources plan them, and not when one resource is planned more than once.
func TestClaims(t *testing.T) {
	one, other := map[string][]string{"kube02": {"ConfigMap/default/a"}}, map[string][]string{"kube03": {"ConfigMap/default/a"}, "kube02": {"ConfigMap/default/b"}}
	type step struct {
		by        claimant
		objects   map[string][]string
		contested map[claimant]map[string][]string
	}
	is := func(holder claimant) map[claimant]map[string][]string {
		return map[claimant]map[string][]string{holder: one}
	}
	none := map[claimant]map[string][]string{}
	for name, steps := range map[string][]step{
		"two that exist":              {{claimant{"a", "i"}, one, none}, {claimant{"b", "j"}, one, is(claimant{"a", "i"})}},
		"two that exist, one name":    {{claimant{"a", "i"}, one, none}, {claimant{"a", "j"}, one, is(claimant{"a", "i"})}},
		"two new ones":                {{claimant{"a", ""}, one, none}, {claimant{"b", ""}, one, is(claimant{"a", ""})}},
		"two new ones, one name":      {{claimant{"a", ""}, one, none}, {claimant{"a", ""}, one, is(claimant{"a", ""})}},
		"a new one and one there":     {{claimant{"a", "i"}, one, none}, {claimant{"b", ""}, one, is(claimant{"a", "i"})}},
		"other members and objects":   {{claimant{"a", "i"}, one, none}, {claimant{"b", "j"}, other, none}},
		"planned twice":               {{claimant{"a", "i"}, one, none}, {claimant{"a", "i"}, one, none}},
		"replaced":                    {{claimant{"a", "i"}, one, none}, {claimant{"a", ""}, one, none}},
		"replaced, then another":      {{claimant{"a", "i"}, one, none}, {claimant{"a", ""}, one, none}, {claimant{"b", "j"}, one, is(claimant{"a", ""})}},
		"planned again, without them": {{claimant{"a", "i"}, one, none}, {claimant{"a", "i"}, nil, none}, {claimant{"b", "j"}, one, none}},
		"two swap their names":        {{claimant{"b", "i"}, one, none}, {claimant{"a", "j"}, other, none}},
		"a claim stays with the first": {
			{claimant{"a", "i"}, one, none}, {claimant{"b", "j"}, one, is(claimant{"a", "i"})}, {claimant{"c", "k"}, one, is(claimant{"a", "i"})},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := claims{}
			for i, s := range steps {
				if got := c.claim(s.by, s.objects); !reflect.DeepEqual(got, s.contested) {
					t.Errorf("step %d: got %v, want %v", i+1, got, s.contested)
				}
			}
		})
	}
}
