package manifest

import (
	"fmt"
	"slices"
	"strings"
)

func unknownField(name string, s *shape) error {
	known := make([]string, 0, len(s.fields))
	for field := range s.fields {
		known = append(known, field)
	}
	if similar := mostSimilar(name, known); similar != "" {
		return fmt.Errorf("%w; did you mean %s?", ErrUnknownField, similar)
	}
	return fmt.Errorf("%w; remove it, or look up where the API has it", ErrUnknownField)
}

// mostSimilar returns the candidate a writer of name most probably meant, or
// nothing when none is near: at most a third of the letters differ.
func mostSimilar(name string, candidates []string) string {
	slices.Sort(candidates)
	best, bestDistance := "", len(name)/3+1
	for _, candidate := range candidates {
		if d := editDistance(strings.ToLower(name), strings.ToLower(candidate)); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions and replacements of bytes that
// turn a into b (Levenshtein distance).
func editDistance(a, b string) int {
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
