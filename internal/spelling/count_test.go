package spelling

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 objects", 1: "1 object", 2: "2 objects", -1: "-1 objects"} {
		if got := Count(n, "object"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
