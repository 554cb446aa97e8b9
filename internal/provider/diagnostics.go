package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
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

// addInputError adds one error per joined error of an input element.
func addInputError(diags *diag.Diagnostics, argument string, index int, err error) {
	at := argumentPath(argument)
	if argument == "policies" {
		at = at.AtListIndex(index)
	}
	for _, err := range flattenErrors(err) {
		diags.AddAttributeError(at, "Document cannot be read", sentence(err.Error()))
	}
}

// argumentPath returns the path of an argument of the resource; default policies are the provider's.
func argumentPath(argument string) path.Path {
	if argument == "default_policies" {
		argument = "policies"
	}
	return path.Root(argument)
}

// flattenErrors returns the errors that err joins, or err itself.
func flattenErrors(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flattenErrors(e)...)
	}
	return all
}

// sentence returns text as a sentence of a diagnostic. What begins with the name of an argument, such as templates[0], keeps
// it as it is written.
func sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if first != "" && !strings.ContainsAny(first, "[_.=") {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}

// addProblems adds one diagnostic per problem, at its argument.
func addProblems(diags *diag.Diagnostics, problems []*propagation.Problem) {
	for _, p := range problems {
		if p.Note {
			diags.AddAttributeWarning(argumentPath(p.Argument), p.Summary, p.Detail)
			continue
		}
		diags.AddAttributeError(argumentPath(p.Argument), p.Summary, p.Detail)
	}
}

// abbreviated joins keys, the first few by name.
func abbreviated(keys []string) string {
	const most = 5
	if len(keys) <= most {
		return strings.Join(keys, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(keys[:most], ", "), len(keys)-most)
}
