// Package spelling finds the name that was probably meant by one that is not known, and writes numbers of things.
package spelling

import (
	"slices"
	"strings"
)

// Nearest returns the candidate that name resembles most: the same letters, a shorter or longer form, or a few typing errors,
// which are at most two and at most a third of its letters. It returns "" when there is none. The order of candidates does not
// matter.
func Nearest(name string, candidates []string) string {
	a := letters(name)
	best, bestEdits := "", min(2, len(a)/3)+1
	for _, candidate := range slices.Sorted(slices.Values(candidates)) {
		b := letters(candidate)
		edits := distance(a, b)
		if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
			edits = min(edits, 2)
		}
		if edits < bestEdits {
			best, bestEdits = candidate, edits
		}
	}
	return best
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
