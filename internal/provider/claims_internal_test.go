package provider

import (
	"reflect"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// Objects are contested when two resources plan them, and not when one resource is planned more than once.
func TestClaims(t *testing.T) {
	one, other := objectKeys{"kube02": {"ConfigMap/default/a"}}, objectKeys{"kube03": {"ConfigMap/default/a"}, "kube02": {"ConfigMap/default/b"}}
	type step struct {
		by        claimant
		objects   objectKeys
		contested map[claimant]objectKeys
	}
	is := func(holder claimant) map[claimant]objectKeys { return map[claimant]objectKeys{holder: one} }
	none := map[claimant]objectKeys{}
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
			c := newClaims()
			for i, s := range steps {
				if got := c.claim(s.by, intent{brings: bringing(s.objects, false)}).contested; !reflect.DeepEqual(got, s.contested) {
					t.Errorf("step %d: got %v, want %v", i+1, got, s.contested)
				}
			}
		})
	}
}

// bringing returns what an intent brings.
func bringing(objects objectKeys, takesOver bool) map[place]bool {
	brings := map[place]bool{}
	for _, at := range places(objects) {
		brings[at] = takesOver
	}
	return brings
}

func places(objects objectKeys) []place {
	var all []place
	for member, keys := range objects {
		for _, key := range keys {
			all = append(all, place{member, key})
		}
	}
	return all
}

// An object moves when one resource removes what another takes over. Which of the two hears of it depends on which is planned first.
func TestClaimsOfObjectsThatMove(t *testing.T) {
	one := objectKeys{"kube02": {"ConfigMap/default/a"}}
	from, to := claimant{"from", "i"}, claimant{"to", ""}
	brings, takes, removes := intent{brings: bringing(one, false)}, intent{brings: bringing(one, true)}, intent{removes: places(one)}
	type step struct {
		by        claimant
		intent    intent
		arriving  map[claimant]objectKeys
		departing objectKeys
	}
	none, nothing := map[claimant]objectKeys{}, objectKeys{}
	for name, steps := range map[string][]step{
		"removed first":                  {{from, removes, none, nothing}, {to, takes, map[claimant]objectKeys{from: one}, nothing}},
		"taken over first":               {{to, takes, none, nothing}, {from, removes, none, one}},
		"not taken over, removed first":  {{from, removes, none, nothing}, {to, brings, none, nothing}},
		"not taken over, removed second": {{to, brings, none, nothing}, {from, removes, none, nothing}},
		"replaced":                       {{from, takes, none, nothing}, {from, removes, none, nothing}, {claimant{"from", ""}, takes, none, nothing}},
		"planned again, and kept":        {{from, removes, none, nothing}, {from, intent{}, none, nothing}, {to, takes, none, nothing}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClaims()
			for i, s := range steps {
				if got := c.claim(s.by, s.intent); !reflect.DeepEqual(got.arriving, s.arriving) || !reflect.DeepEqual(got.departing, s.departing) {
					t.Errorf("step %d: got %v, want arriving %v, departing %v", i+1, got, s.arriving, s.departing)
				}
			}
		})
	}
}

// An object that another propagation takes over is not deleted, whether the plan has seen it or only this run knows; one that
// somebody else is to have, or that stays anyway, is no matter of moves.
func TestMoved(t *testing.T) {
	change := propagation.Change{Remove: []propagation.Removal{{Key: "ConfigMap/default/planned"}, {Key: "ConfigMap/default/seen"},
		{Key: "ConfigMap/default/unwanted"}, {Key: "ConfigMap/default/orphan", Orphan: true}}}
	r := propagationResource{fleet: newFleet("", nil, false, nil)}
	takes := objectKeys{"kube02": {"ConfigMap/default/seen", "ConfigMap/default/orphan"}, "kube03": {"ConfigMap/default/unwanted"}}
	r.fleet.claim(claimant{"to", "j"}, intent{brings: bringing(takes, true)})
	a := application{name: "from", instance: "i", moves: objectKeys{"kube02": {"ConfigMap/default/planned", "ConfigMap/default/gone"}}}
	want := []string{"ConfigMap/default/planned", "ConfigMap/default/seen"}
	if got := r.moved("kube02", a, change); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	a.name, a.instance, a.moves = "to", "j", nil
	if got := r.moved("kube02", a, change); len(got) > 0 {
		t.Errorf("got %v, want none for what it brings itself", got)
	}
}
