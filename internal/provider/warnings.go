package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// gatherWarnings puts warnings of one summary into one, in the place of the first: Terraform shows only one of them, and
// counts the rest.
func gatherWarnings(diags *diag.Diagnostics) {
	var gathered diag.Diagnostics
	at := map[string]int{} // summary -> index
	for _, d := range *diags {
		i, again := at[d.Summary()]
		switch {
		case d.Severity() != diag.SeverityWarning:
			gathered = append(gathered, d)
		case again:
			gathered[i] = withMore(gathered[i], d.Detail())
		default:
			at[d.Summary()] = len(gathered)
			gathered = append(gathered, d)
		}
	}
	*diags = gathered
}

// withMore returns a warning with more to say.
func withMore(d diag.Diagnostic, detail string) diag.Diagnostic {
	detail = d.Detail() + "\n\n" + detail
	if located, ok := d.(diag.DiagnosticWithPath); ok {
		return diag.NewAttributeWarningDiagnostic(located.Path(), d.Summary(), detail)
	}
	return diag.NewWarningDiagnostic(d.Summary(), detail)
}
