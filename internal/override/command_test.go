package override

import (
	"reflect"
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	tests := []struct {
		name       string
		container  string
		overriders string
		want       string
	}{
		{"add appends", `{name: app, command: [a]}`, `{commandOverrider: [{containerName: app, operator: add, value: [b, c]}]}`, `{name: app, command: [a, b, c]}`},
		{"add creates", `{name: app}`, `{argsOverrider: [{containerName: app, operator: add, value: [b]}]}`, `{name: app, args: [b]}`},
		{"add to null", `{name: app, args: null}`, `{argsOverrider: [{containerName: app, operator: add, value: [b]}]}`, `{name: app, args: [b]}`},
		{"remove takes out every equal element", `{name: app, args: [-c, x, -c, z]}`, `{argsOverrider: [{containerName: app, operator: remove, value: [-c, z, none]}]}`, `{name: app, args: [x]}`},
		{"remove from nothing leaves an empty list", `{name: app}`, `{commandOverrider: [{containerName: app, operator: remove, value: [x]}]}`, `{name: app, command: []}`},
		{"remove of what is not there", `{name: app, command: [a]}`, `{commandOverrider: [{containerName: app, operator: remove, value: [x]}]}`, `{name: app, command: [a]}`},
		{"another container", `{name: app, command: [a]}`, `{commandOverrider: [{containerName: ghost, operator: add, value: [x]}]}`, `{name: app, command: [a]}`},
		{"the member's values", `{name: app}`, `{argsOverrider: [{containerName: app, operator: add, value: ["--cluster={{ member.name }}"]}]}`, `{name: app, args: [--cluster=kube03]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pod := func(container string) string {
				return `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: other}, ` + container + `, {name: last}]}}`
			}
			got, notes, err := overridden(t, object(t, pod(tt.container)), tt.overriders)
			if err != nil || len(notes) > 0 {
				t.Fatal(err, notes)
			}
			if want := object(t, pod(tt.want)); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %v\nwant %v", got.Object, want.Object)
			}
		})
	}
}

// TestCommandNotCovered has containers that Karmada does not change: they stay, and a note says so.
func TestCommandNotCovered(t *testing.T) {
	tests := []struct{ name, object string }{
		{"an init container", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {initContainers: [{name: app}]}}`},
		{"an ephemeral container", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {ephemeralContainers: [{name: app}]}}`},
		{"a CronJob", `{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: app}]}}}}}}`},
		{"a ReplicationController", `{apiVersion: v1, kind: ReplicationController, metadata: {name: c}, spec: {template: {spec: {containers: [{name: app}]}}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			template := object(t, tt.object)
			got, notes, err := overridden(t, template, `{commandOverrider: [{containerName: app, operator: add, value: [x]}]}`)
			if err != nil {
				t.Fatal(err)
			}
			if got != template {
				t.Errorf("got %v, want the template", got.Object)
			}
			if len(notes) != 1 || !strings.Contains(notes[0], `command of container "app"`) {
				t.Errorf("notes %q, want one about the command", notes)
			}
		})
	}
}

func TestCommandErrors(t *testing.T) {
	pod := object(t, `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: app, args: oops}]}}`)
	_, _, err := overridden(t, pod, `{argsOverrider: [{containerName: none, operator: add}, {containerName: app, operator: add, value: [x]}]}`)
	wantError(t, err, "/spec/containers/0/args", "argsOverrider[1]", "want a list of strings, have a string")
}
