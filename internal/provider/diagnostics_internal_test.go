package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

func TestGatherWarnings(t *testing.T) {
	var diags, want diag.Diagnostics
	diags.AddAttributeWarning(path.Root("policies"), "Policy is read with a change", "One.")
	diags.AddError("Template cannot be placed", "First.")
	diags.AddAttributeWarning(path.Root("templates"), "Fields are not sent", "Two.")
	diags.AddAttributeWarning(path.Root("policies"), "Policy is read with a change", "Three.")
	diags.AddError("Template cannot be placed", "Second.")

	want.AddAttributeWarning(path.Root("policies"), "Policy is read with a change", "One.\n\nThree.")
	want.AddError("Template cannot be placed", "First.")
	want.AddAttributeWarning(path.Root("templates"), "Fields are not sent", "Two.")
	want.AddError("Template cannot be placed", "Second.")
	if gatherWarnings(&diags); !diags.Equal(want) {
		t.Errorf("got %v, want %v", diags, want)
	}
}
