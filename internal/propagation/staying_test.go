package propagation

import (
	"reflect"
	"strings"
	"testing"
)

func TestRemovedObjectsThatStay(t *testing.T) {
	kept := strings.Replace(settings, "{name: settings}", "{name: settings, annotations: {helm.sh/resource-policy: keep}}", 1)
	preserving := strings.Replace(everywhere, "placement: {}", "placement: {}\n  preserveResourcesOnDeletion: true", 1)
	for name, test := range map[string]struct {
		template, policy string
		stays            bool
	}{
		"by its annotation":       {kept, everywhere, true},
		"by its policy":           {settings, preserving, true},
		"nothing says so":         {settings, everywhere, false},
		"another value of Helm's": {strings.Replace(kept, "keep", "delete", 1), everywhere, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "a", "b")
			w.apply(nil, test.template, password, test.policy)
			if got := w.prior.Placements[settingsKey].Preserve; got != test.stays {
				t.Errorf("the placement says preserve %t", got)
			}
			w.max = 2
			planned, problems := w.plan(password, everywhere)
			for _, member := range []string{"a", "b"} {
				want := []Removal{{Key: settingsKey, APIVersion: "v1", Orphan: test.stays}}
				if got := Changes(w.prior, planned, member, false, false).Remove; !reflect.DeepEqual(got, want) {
					t.Errorf("%s: removes %+v, want %+v", member, got, want)
				}
			}
			var told []string
			for _, p := range problems {
				told = append(told, p.Summary+"|"+p.Detail)
			}
			text := strings.Join(told, "\n")
			if got := strings.Contains(text, "Objects stay on their members|") && strings.Contains(text, "\n  "+settingsKey+" on a and b\n"); got != test.stays {
				t.Errorf("told %q", text)
			}
			if note := Staying(w.prior, planned.Works, func(string) bool { return true }); note != nil {
				t.Errorf("told of members that nothing is planned for: %s", note)
			}
		})
	}
}
