package provider_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// setup is a configuration with one propagation, "app". Elements of templates and policies are YAML, each written to a file of
// its own, or an HCL expression when they have just one line.
type setup struct {
	clusters    map[string]string // member -> the fleet's member that stands for it, where the names differ
	connections map[string]string // member -> an HCL object, in place of the fleet's kubeconfig; "" leaves the member out
	provider    string            // more arguments of the provider block
	members     map[string]string // member -> an HCL object with the attributes of its multicluster_member
	templates   []string
	policies    []string
	arguments   map[string]string // more arguments of the propagation, as HCL; they win over those above
	lifecycle   string            // its lifecycle block
	more        string            // more blocks
}

// twoRegions are the members of most labs.
var twoRegions = map[string]string{
	"kube02": `{ region = "beijing", labels = { region = "beijing" } }`,
	"kube03": `{ region = "shanghai", labels = { region = "shanghai" } }`,
}

// files returns the files of the configuration.
func (s setup) files(t *testing.T, fleet *testfleet.Fleet) map[string]string {
	t.Helper()
	files := map[string]string{}
	arguments := map[string]string{"name": `"app"`, "members": "values(multicluster_member.fleet)"}
	for kind, texts := range map[string][]string{"templates": s.templates, "policies": s.policies} {
		elements := make([]string, len(texts))
		for i, text := range texts {
			elements[i] = text
			if strings.Contains(text, "\n") {
				name := fmt.Sprintf("%s-%d.yaml", kind, i)
				files[name] = text
				elements[i] = fmt.Sprintf("file(%q)", name)
			}
		}
		arguments[kind] = "[" + strings.Join(elements, ", ") + "]"
	}
	maps.Copy(arguments, s.arguments)
	files["kubeconfig"] = s.kubeconfig(t, fleet)
	files["main.tf"] = fmt.Sprintf(`terraform {
  required_providers {
    multicluster = { source = "registry.terraform.io/multicluster/multicluster" }
  }
}

provider "multicluster" {
  members = {%s
  }
  %s
}

resource "multicluster_member" "fleet" {
  for_each = {%s
  }
  name       = each.key
  region     = try(each.value.region, null)
  labels     = try(each.value.labels, null)
  variables  = try(each.value.variables, null)
  generation = try(each.value.generation, null)
}

resource "multicluster_propagation" "app" {%s
  %s
}

%s
`, attributes(s.reach()), s.provider, attributes(s.members), attributes(arguments), s.lifecycle, s.more)
	return files
}

// reach returns the connections of all members.
func (s setup) reach() map[string]string {
	connections := map[string]string{}
	for name := range s.members {
		connections[name] = fmt.Sprintf("{ kubeconfig_path = \"kubeconfig\", context = %q }", name)
	}
	maps.Copy(connections, s.connections)
	maps.DeleteFunc(connections, func(_, connection string) bool { return connection == "" })
	return connections
}

// kubeconfig returns a kubeconfig with a context for each member.
func (s setup) kubeconfig(t *testing.T, fleet *testfleet.Fleet) string {
	t.Helper()
	clusters := map[string]*testfleet.Member{}
	for name := range s.members {
		clusters[name] = fleet.Member(name)
		if other, ok := s.clusters[name]; ok {
			clusters[name] = fleet.Member(other)
		}
	}
	text, err := testfleet.Kubeconfig(clusters)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// attributes returns HCL attributes, one a line.
func attributes(values map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, "\n    %s = %s", name, values[name])
	}
	return b.String()
}

// in returns the workspace for a subtest.
func (w *workspace) in(t *testing.T) *workspace {
	sub := *w
	sub.t = t
	return &sub
}

// changes returns the part of a plan's output that says what will change.
func changes(plan string) string {
	_, after, _ := strings.Cut(plan, "will perform the following actions:")
	return after
}

// unwritten fails the test if anyone but the cluster itself has written to one of the members since a time.
func unwritten(t *testing.T, fleet *testfleet.Fleet, since time.Time, members ...string) {
	t.Helper()
	for _, member := range members {
		requests, err := fleet.Member(member).Requests(since)
		if err != nil {
			t.Fatal(err)
		}
		for _, request := range requests {
			if !slices.Contains([]string{"get", "list", "watch"}, request.Verb) {
				t.Errorf("%s was written to: %s %s", member, request.Verb, request.URI)
			}
		}
	}
}

// lab returns a file of testdata/labs.
func lab(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "labs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// replaced returns text with each old string replaced by the new one after it; every old one has to occur.
func replaced(t *testing.T, text string, oldnew ...string) string {
	t.Helper()
	for i := 0; i < len(oldnew); i += 2 {
		if !strings.Contains(text, oldnew[i]) {
			t.Fatalf("there is no %q to replace in:\n%s", oldnew[i], text)
		}
		text = strings.ReplaceAll(text, oldnew[i], oldnew[i+1])
	}
	return text
}
