package override

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const sha = "sha256:50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c"

func TestImage(t *testing.T) {
	tests := []struct {
		image, component, operator, value string
		want                              string
		note                              string // part of the only note, if one is wanted
	}{
		// What Karmada does.
		{image: "nginx", component: "Registry", operator: "add", value: "mirror.local:5000", want: "mirror.local:5000/nginx"},
		{image: "docker.io/library/nginx:1.25", component: "Registry", operator: "replace", value: "mirror.local", want: "mirror.local/library/nginx:1.25"},
		{image: "registry.local:5000/app", component: "Registry", operator: "remove", want: "app"},
		{image: "eu.gcr.io/app:1", component: "Registry", operator: "add", value: ".cn", want: "eu.gcr.io.cn/app:1"},
		{image: "localhost/app", component: "Registry", operator: "replace", value: "m.io", want: "m.io/app"},
		{image: "mirror/app", component: "Registry", operator: "replace", value: "m.io", want: "m.io/mirror/app"},
		{image: "library/nginx:1", component: "Repository", operator: "add", value: "-fips", want: "library/nginx-fips:1"},
		{image: "m.io/a/b:1", component: "Repository", operator: "replace", value: "c", want: "m.io/c:1"},
		{image: "nginx", component: "Tag", operator: "add", value: "1.27", want: "nginx:1.27"},
		{image: "nginx:1.25", component: "Tag", operator: "add", value: "-alpine", want: "nginx:1.25-alpine"},
		{image: "nginx:1.25", component: "Tag", operator: "remove", want: "nginx"},
		{image: "app@" + sha, component: "Tag", operator: "replace", value: "v9", want: "app:v9"},
		{image: "app:v1", component: "Tag", operator: "replace", value: sha, want: "app@" + sha},
		{image: "app@" + sha, component: "Tag", operator: "remove", want: "app"},
		{image: "REGISTRY.local/app:V1", component: "Tag", operator: "add", value: "-x", want: "REGISTRY.local/app:V1-x"},
		// Left as it is, as Karmada does, with a note.
		{image: "nginx", component: "Tag", operator: "add", value: "-x", want: "nginx", note: "keeps its tag or digest"},
		{image: "app@" + sha, component: "Tag", operator: "add", value: "1.27", want: "app@" + sha, note: "keeps its tag or digest"},
		{image: "nginx:1.25", component: "Tag", operator: "replace", value: ".x", want: "nginx:1.25", note: "keeps its tag or digest"},
		{image: "nginx:1.25", component: "Tag", operator: "replace", value: "", want: "nginx:1.25", note: "keeps its tag or digest"},
		{image: "nginx:1.2.3", component: "Tag", operator: "add", value: sha, want: "nginx:1.2.3", note: "keeps its tag or digest"},
		// Shipped as Karmada ships it, with a note.
		{image: "m.io/app:1", component: "Repository", operator: "remove", want: "m.io/:1", note: "members will not run"},
		{image: "m.io/app:1", component: "Registry", operator: "replace", value: "https://n.io", want: "https://n.io/app:1", note: "members will not run"},
		// Beside a tag Karmada loses the digest; it is kept unless the tag changes.
		{image: "quay.io/x:v1@" + sha, component: "Registry", operator: "replace", value: "m.io", want: "m.io/x:v1@" + sha},
		{image: "quay.io/x:v1@" + sha, component: "Repository", operator: "add", value: "-y", want: "quay.io/x-y:v1@" + sha},
		{image: "quay.io/x:v1@" + sha, component: "Tag", operator: "replace", value: "v2", want: "quay.io/x:v2"},
		{image: "quay.io/x:v1@" + sha, component: "Tag", operator: "replace", value: strings.ReplaceAll(sha, "c", "d"), want: "quay.io/x@" + strings.ReplaceAll(sha, "c", "d")},
		{image: "quay.io/x:v1@" + sha, component: "Tag", operator: "add", value: "-y", want: "quay.io/x:v1-y"},
		{image: "quay.io/x:v1@" + sha, component: "Tag", operator: "remove", want: "quay.io/x"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.image, tt.component, tt.operator, tt.value), func(t *testing.T) {
			got, notes, err := overridden(t, object(t, `
				apiVersion: v1
				kind: Pod
				metadata: {name: p}
				spec: {containers: [{name: app, image: "`+tt.image+`"}]}`),
				`{imageOverrider: [{component: `+tt.component+`, operator: `+tt.operator+`, value: "`+tt.value+`"}]}`)
			if err != nil {
				t.Fatal(err)
			}
			image, err := getString(got.Object, pointer{"spec", "containers", "0", "image"})
			if err != nil || image != tt.want {
				t.Errorf("image %q (%v), want %q", image, err, tt.want)
			}
			if wanted := tt.note != ""; wanted != (len(notes) == 1) || wanted && !strings.Contains(notes[0], tt.note) {
				t.Errorf("notes %q, want one that holds %q", notes, tt.note)
			}
		})
	}
}

func TestImageErrors(t *testing.T) {
	const first = "/spec/containers/0/image"
	tests := []struct {
		name, containers, overrider string
		path                        string
		says                        string
	}{
		{"a tag with a space", `[{image: nginx}]`, `{component: Tag, operator: replace, value: "bad tag!"}`, first, `"bad tag!" is neither a tag nor a digest`},
		{"a digest with an at sign", `[{image: nginx}]`, `{component: Tag, operator: replace, value: "@` + sha + `"}`, first, "neither a tag nor a digest"},
		{"a suffix with a space", `[{image: "nginx:1"}]`, `{component: Tag, operator: add, value: " x"}`, first, "neither a tag nor a digest"},
		{"a tag that is too long", `[{image: "nginx:1"}]`, `{component: Tag, operator: replace, value: ` + strings.Repeat("x", 129) + `}`, first, "at most 128"},
		{"upper case", `[{image: "Foo/Bar:v1"}]`, `{component: Tag, operator: remove}`, first, `"Foo/Bar:v1" is no image: repository name must be lowercase`},
		{"an empty image", `[{image: ""}]`, `{component: Tag, operator: remove}`, first, "is no image"},
		{"no image", `[{name: app}]`, `{component: Tag, operator: remove}`, first, "want an image, have null"},
		{"a made-up list", `oops`, `{component: Tag, operator: remove}`, "/spec/containers", "want a list of containers, have a string"},
		{"a made-up container", `[oops]`, `{component: Tag, operator: remove}`, "/spec/containers/0", "want a container, have a string"},
		{"a path past the end", `[{image: nginx}]`, `{predicate: {path: /spec/containers/1/image}, component: Tag, operator: remove}`, "/spec/containers/1/image", "in /spec/containers index 1 is outside the list of 1"},
		{"a negative index", `[{image: nginx}]`, `{predicate: {path: /spec/containers/-1/image}, component: Tag, operator: remove}`, "/spec/containers/-1/image", "outside the list"},
		{"a path that leads nowhere", `[{image: nginx}]`, `{predicate: {path: /spec/template/image}, component: Tag, operator: remove}`, "/spec/template/image", `there is no "template", only containers`},
		{"a path to a list", `[{image: nginx}]`, `{predicate: {path: /spec/containers}, component: Tag, operator: remove}`, "/spec/containers", "want a string, have a list"},
		{"a component that is none", `[{image: nginx}]`, `{component: tag, operator: remove}`, "", `component "tag" is unknown`},
		{"a path without a slash", `[{image: nginx}]`, `{predicate: {path: spec}, component: Tag, operator: remove}`, "", `write "/spec"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := overridden(t, object(t, `
				apiVersion: v1
				kind: Pod
				metadata: {name: p}
				spec: {containers: `+tt.containers+`}`), `{imageOverrider: [`+tt.overrider+`]}`)
			wantError(t, err, tt.path, tt.says, "ClusterOverridePolicy p, overrideRules[0].overriders.imageOverrider[0], Pod/p on member kube03")
		})
	}
}

// TestImageKinds checks that all containers of all kinds with a pod template are covered, and of these kinds only.
func TestImageKinds(t *testing.T) {
	const containers = `containers: [{image: "a:1"}, {image: "b:1"}], initContainers: [{image: "c:1"}], ephemeralContainers: [{image: "d:1"}]`
	tests := []struct {
		apiVersion, kind, spec string
		changed                bool
		note                   bool
	}{
		{"v1", "Pod", `{` + containers + `}`, true, false},
		{"apps/v1", "Deployment", `{template: {spec: {` + containers + `}}}`, true, false},
		{"apps/v1", "ReplicaSet", `{template: {spec: {` + containers + `}}}`, true, false},
		{"apps/v1", "StatefulSet", `{template: {spec: {` + containers + `}}}`, true, false},
		{"apps/v1", "DaemonSet", `{template: {spec: {` + containers + `}}}`, true, false},
		{"batch/v1", "Job", `{template: {spec: {` + containers + `}}}`, true, false},
		{"batch/v1", "CronJob", `{jobTemplate: {spec: {template: {spec: {` + containers + `}}}}}`, true, false},
		{"v1", "ReplicationController", `{template: {spec: {` + containers + `}}}`, true, false},
		{"example.com/v1", "Deployment", `{template: {spec: {` + containers + `}}}`, false, true},
		{"v1", "Service", `{ports: []}`, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.apiVersion+" "+tt.kind, func(t *testing.T) {
			text := `{apiVersion: ` + tt.apiVersion + `, kind: ` + tt.kind + `, metadata: {name: x}, spec: ` + tt.spec + `}`
			got, notes, err := overridden(t, object(t, text), `{imageOverrider: [{component: Tag, operator: replace, value: "2"}]}`)
			if err != nil {
				t.Fatal(err)
			}
			if tt.changed {
				text = strings.ReplaceAll(text, `:1"`, `:2"`)
			}
			if want := object(t, text); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %v\nwant %v", got.Object, want.Object)
			}
			if tt.note != (len(notes) == 1) {
				t.Errorf("notes %q, want one: %v", notes, tt.note)
			}
		})
	}
}

func TestImagePredicate(t *testing.T) {
	widget := `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {"a/b": [{image: "x:1"}, {image: "y:1"}]}}`
	got, notes, err := overridden(t, object(t, widget), `{imageOverrider: [{predicate: {path: /spec/a~1b/01/image}, component: Tag, operator: replace, value: "2"}]}`)
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	if want := object(t, strings.Replace(widget, "y:1", "y:2", 1)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want only the second image changed", got.Object)
	}
}
