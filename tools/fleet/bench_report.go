package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// result is what one operation took.
type result struct {
	operation string
	seconds   []float64        // One per run.
	peakKiB   int              // The provider's largest resident size in any run, 0 where it cannot be read.
	requests  []map[string]int // By verb, one per member, of the last run.
}

func (r *result) median() float64 {
	sorted := slices.Sorted(slices.Values(r.seconds))
	return sorted[len(sorted)/2]
}

// report prints the results.
func (b *benchmark) report(s sizes) error {
	const objects = 99
	copies := int64(objects * len(b.fleet.Members))
	fmt.Fprintf(b.out, "\n%d objects on each of %d members: medians of %d runs, times with %s's own\n\n",
		objects, len(b.fleet.Members), runs, b.workspace.name())
	table := tabwriter.NewWriter(b.out, 0, 0, 3, ' ', 0)
	fmt.Fprint(table, "OPERATION\tSECONDS\tPROVIDER MiB")
	for _, m := range b.fleet.Members {
		fmt.Fprintf(table, "\tREQUESTS TO %s", strings.ToUpper(m.Name))
	}
	fmt.Fprintln(table)
	for _, r := range b.results {
		fmt.Fprintf(table, "%s\t%.2f\t%d", r.operation, r.median(), r.peakKiB/1024)
		for _, counts := range r.requests {
			fmt.Fprintf(table, "\t%s", describe(counts))
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\nstate: %d bytes, %d per object and member; plan of the image change: %d lines\n",
		s.stateBytes, s.stateBytes/copies, s.planLines)
	return nil
}

// describe writes counts as a total and its parts, like "102: 99 patch, 3 list".
func describe(counts map[string]int) string {
	total := 0
	parts := make([]string, 0, len(counts))
	for _, verb := range slices.Sorted(maps.Keys(counts)) {
		total += counts[verb]
		parts = append(parts, fmt.Sprintf("%d %s", counts[verb], verb))
	}
	if total == 0 {
		return "0"
	}
	return fmt.Sprintf("%d: %s", total, strings.Join(parts, ", "))
}
