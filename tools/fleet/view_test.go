package main

import (
	"strings"
	"testing"
)

const planned = `multicluster_member.fleet["kube02"]: Refreshing state... [name=kube02]

Terraform used the selected providers to generate the following execution
plan. Resource actions are indicated with the following symbols:
  ~ update in-place

Terraform will perform the following actions:

  # multicluster_propagation.minimal2 will be updated in-place
  ~ resource "multicluster_propagation" "minimal2" {
    }

  # multicluster_propagation.minimal will be updated in-place
  ~ resource "multicluster_propagation" "minimal" {
      ~ works = {
        }
    }

Plan: 0 to add, 2 to change, 0 to destroy.

Warning: Changes are held back
`

func TestViews(t *testing.T) {
	for _, test := range []struct {
		name string
		show view
		want string
	}{
		{"changes", changes, `
  # multicluster_propagation.minimal2 will be updated in-place
  ~ resource "multicluster_propagation" "minimal2" {
    }

  # multicluster_propagation.minimal will be updated in-place
  ~ resource "multicluster_propagation" "minimal" {
      ~ works = {
        }
    }

Plan: 0 to add, 2 to change, 0 to destroy.

Warning: Changes are held back
`},
		{"only total", onlyTotal, "Plan: 0 to add, 2 to change, 0 to destroy.\n"},
		{"only resource", onlyResource("multicluster_propagation.minimal"), `
  # multicluster_propagation.minimal will be updated in-place
  ~ resource "multicluster_propagation" "minimal" {
      ~ works = {
        }
    }

Plan: 0 to add, 2 to change, 0 to destroy.
`},
	} {
		if got := test.show(planned); got != test.want {
			t.Errorf("%s shows\n%s\nwant\n%s", test.name, got, test.want)
		}
		bold := strings.NewReplacer("Plan:", "\x1b[1mPlan:\x1b[0m", "  # ", "\x1b[1m  # ")
		if got, want := test.show(bold.Replace(planned)), bold.Replace(test.want); got != want {
			t.Errorf("%s shows of a plan in colours\n%q\nwant\n%q", test.name, got, want)
		}
	}
}

func TestIndentLeavesEmptyLinesEmpty(t *testing.T) {
	if got, want := indent("a\n\n  b"), "  a\n\n    b"; got != want {
		t.Errorf("indent = %q, want %q", got, want)
	}
}
