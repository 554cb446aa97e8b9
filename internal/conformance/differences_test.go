package conformance

import "testing"

func TestDifferencesAreComplete(t *testing.T) {
	names, tags := map[string]bool{}, map[string]string{}
	for _, d := range Differences {
		if d.Name == "" || d.Karmada == "" || d.Here == "" || d.Why == "" {
			t.Errorf("%q leaves something out: %+v", d.Name, d)
		}
		if names[d.Name] {
			t.Errorf("%s is listed twice", d.Name)
		}
		names[d.Name] = true
		for _, tag := range d.Tags {
			if other, ok := tags[tag]; ok {
				t.Errorf("tag %s belongs to %s and %s", tag, other, d.Name)
			}
			tags[tag] = d.Name
		}
	}
	for family, undoable := range opposites {
		for _, name := range undoable.differences {
			if !names[name] {
				t.Errorf("%s: %s can be undone but is not listed", family, name)
			}
		}
	}
	for name := range concerns {
		if !names[name] {
			t.Errorf("%s has a condition but is not listed", name)
		}
	}
}
