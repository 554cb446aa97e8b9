// Package spelling finds the name that was probably meant by one that is not known, and writes numbers of things.
package spelling

import (
	"slices"
	"strings"
)

// Nearest returns the candidate that name resembles most: the same letters, a shorter or longer form, a few typing errors (a
// third of its letters, of which two, or a quarter of them), or what name abbreviates. It returns "" when there is none. The order
// of candidates does not matter.
func Nearest(name string, candidates []string) string {
	a := letters(name)
	most := max(min(2, len(a)/3), len(a)/4)
	best, bestEdits := "", most+1
	for _, candidate := range slices.Sorted(slices.Values(candidates)) {
		b := letters(candidate)
		edits := distance(a, b)
		switch {
		case strings.HasPrefix(a, b), strings.HasPrefix(b, a):
			edits = min(edits, 2)
		case abbreviates(a, b):
			edits = min(edits, most)
		}
		if edits < bestEdits {
			best, bestEdits = candidate, edits
		}
	}
	return best
}

// NearestNumbered is Nearest for names that are numbered: one that differs in its number alone, as kube04 from kube03, means
// another thing, and the result is "".
func NearestNumbered(name string, candidates []string) string {
	const digits = "0123456789"
	near := Nearest(name, candidates)
	if len(near) == len(name) && strings.Trim(near, digits) == strings.Trim(name, digits) {
		return ""
	}
	return near
}

// SameLetters returns the candidate that differs from name in case, hyphens and underscores alone, or "".
func SameLetters(name string, candidates []string) string {
	for _, candidate := range candidates {
		if letters(name) == letters(candidate) {
			return candidate
		}
	}
	return ""
}

// Slip returns the candidate that differs from name in case, hyphens, underscores or one slip of the fingers: a letter too many,
// one too few, a wrong one, or two that changed places. It returns "" when there is none. It is for refusing names: much that
// Nearest takes for a resemblance is another thing that somebody knows.
func Slip(name string, candidates []string) string {
	a := letters(name)
	if same := SameLetters(name, candidates); same != "" || len(a) < 3 {
		return same
	}
	for _, candidate := range slices.Sorted(slices.Values(candidates)) {
		if b := letters(candidate); distance(a, b) == 1 || swapped(a, b) {
			return candidate
		}
	}
	return ""
}

// abbreviates reports whether a is b with letters left out, though neither the first nor most of them.
func abbreviates(a, b string) bool {
	const shortest = 6
	if len(a) < shortest || 2*len(a) < len(b) || a[0] != b[0] {
		return false
	}
	rest := a
	for i := 0; i < len(b) && rest != ""; i++ {
		if b[i] == rest[0] {
			rest = rest[1:]
		}
	}
	return rest == ""
}

// swapped reports whether a is b with two neighbouring letters changed round.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

// letters returns a name in lower case, without hyphens and underscores.
func letters(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

// distance is the number of bytes to insert, delete or replace to turn a into b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
