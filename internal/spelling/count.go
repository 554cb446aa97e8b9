package spelling

import "fmt"

// Count returns a number of things: 1 object, 2 objects. The noun is in the singular, and gets an s.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
