package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/conformance"
)

// differences returns the points in which answers differ from Karmada's on purpose, as a Markdown table.
func differences() string {
	var table strings.Builder
	table.WriteString("| Karmada 1.19 | Here | Why |\n|---|---|---|\n")
	for _, d := range conformance.Differences {
		fmt.Fprintf(&table, "| %s | %s | %s |\n", cell(d.Karmada), cell(d.Here), cell(d.Why))
	}
	return strings.TrimSuffix(table.String(), "\n")
}

// cell returns a text as a sentence that fits into a cell of a table.
func cell(text string) string {
	text = strings.ReplaceAll(text, "|", `\|`)
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

var (
	familyLine = regexp.MustCompile(`(?m)^ +\S+: (\w+) +(\d+) vectors: +(\d+) passed, +(\d+) differ on purpose, (\d+) failed$`)
	differLine = regexp.MustCompile(`(?m)^ +\S+: ([a-z-]+(?: and [a-z-]+)*): (\d+) vectors: (.+)$`)
)

// vectors runs the conformance test and returns what it printed as two Markdown tables: how many vectors of each family give
// the same answer, and which do not for which difference.
func vectors(ctx context.Context, root string) (string, error) {
	printed, err := output(ctx, root, nil, "go", "test", "./internal/conformance", "-run", "^TestVectors$", "-count=1", "-v")
	if err != nil {
		return "", err
	}
	return vectorTables(string(printed))
}

func vectorTables(printed string) (string, error) {
	families, differing := familyLine.FindAllStringSubmatch(printed, -1), differLine.FindAllStringSubmatch(printed, -1)
	if len(families) == 0 || len(differing) == 0 {
		return "", errors.New("the conformance test prints no numbers of vectors")
	}
	byName := map[string]conformance.Difference{}
	for _, d := range conformance.Differences {
		byName[d.Name] = d
	}
	var table strings.Builder
	table.WriteString("| Family | Vectors | Same answer | Differ on purpose | Differ for another reason |\n|---|--:|--:|--:|--:|\n")
	for _, f := range families {
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", f[1], f[2], f[3], f[4], f[5])
	}
	table.WriteString("\n| Karmada | Here | Vectors | Which |\n|---|---|--:|---|\n")
	for _, line := range differing {
		var karmada, here []string
		for name := range strings.SplitSeq(line[1], " and ") {
			d, ok := byName[name]
			if !ok {
				return "", fmt.Errorf("vectors differ for %s, which is no listed difference", name)
			}
			karmada, here = append(karmada, cell(d.Karmada)), append(here, cell(d.Here))
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", strings.Join(karmada, " "), strings.Join(here, " "), line[2], line[3])
	}
	return strings.TrimSuffix(table.String(), "\n"), nil
}
