package propagation

import (
	"fmt"
	"slices"
	"strings"
)

// lose notes fields that were written in the template, or by an override, and that no member is sent.
func (b *binding) lose(fields []string) {
	for _, field := range fields {
		if !slices.Contains(b.lost, field) {
			b.lost = append(b.lost, field)
		}
	}
}

// lostFields tells all fields that are written and not sent: one note for all templates.
func lostFields(bindings []*binding) []*Problem {
	const most = 5
	var lines []string
	for _, b := range bindings {
		if len(b.lost) > 0 {
			lines = append(lines, "  "+b.key+": "+strings.Join(b.lost, ", "))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("  and %d more", len(lines)-most))
	}
	note := &Problem{Note: true, Argument: "templates", Summary: "Fields are not sent", Detail: fmt.Sprintf(
		"These fields hold in one cluster only, so no member gets them:\n\n%s\n\nRemove them from the templates and overrides.", strings.Join(lines, "\n"))}
	return []*Problem{note}
}
