package main

import (
	"regexp"
	"strings"
)

// view picks what the demonstration shows of the output of a plan or an apply, colours included.
type view func(output string) string

var (
	refreshing = regexp.MustCompile(`(?m)^.*: Refreshing state\.\.\..*\n`)
	legend     = regexp.MustCompile(`(?s)\n*[^\n]* used the selected providers.* will perform the following actions:[^\n]*\n`)
	total      = regexp.MustCompile(`(?m)^.*Plan:.* to destroy\..*\n`)
)

// changes leaves out the lines of the refresh and the legend of the symbols.
func changes(output string) string {
	return legend.ReplaceAllString(refreshing.ReplaceAllString(output, ""), "")
}

// onlyTotal keeps the line that counts the changes.
func onlyTotal(output string) string {
	return total.FindString(output)
}

// onlyResource keeps what is planned for one resource, and the count of all changes.
func onlyResource(address string) view {
	block := regexp.MustCompile(`(?ms)^[^\n]*# ` + regexp.QuoteMeta(address) + `\b.*?^    }\n`)
	return func(output string) string {
		return "\n" + block.FindString(output) + "\n" + onlyTotal(output)
	}
}

// indent sets text off from what the demonstration says itself.
func indent(text string) string {
	var indented strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			indented.WriteString("  ")
		}
		indented.WriteString(line)
	}
	return indented.String()
}
