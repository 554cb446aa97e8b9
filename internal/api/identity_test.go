package api

import "testing"

func TestIdentity(t *testing.T) {
	both, uidOnly := Identity{"1", "sha256:a"}, Identity{"1", "sha256:b"}
	for _, test := range []struct {
		name string
		a, b Identity
		same bool
	}{
		{"as before", both, both, true},
		{"another address", both, uidOnly, true},
		{"another cluster at the address", both, Identity{"2", "sha256:a"}, false},
		{"rights lost", both, Identity{"", "sha256:a"}, true},
		{"rights gained", Identity{"", "sha256:a"}, both, true},
		{"another address, and no rights to look", both, Identity{"", "sha256:b"}, false},
		{"never any rights", Identity{"", "sha256:a"}, Identity{"", "sha256:a"}, true},
	} {
		if got := test.a.Same(test.b); got != test.same || test.b.Same(test.a) != test.same {
			t.Errorf("%s: same %v, want %v", test.name, got, test.same)
		}
	}
	if got := (Identity{"", "sha256:b"}).Or(both); got != uidOnly {
		t.Errorf("got %v, want the UID that was known, and the new fingerprint", got)
	}
}
