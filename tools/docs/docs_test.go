package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/conformance"
)

func TestNormalise(t *testing.T) {
	const want = `{"format_version":"1.0","provider_schemas":{"multicluster":{"provider":{"version":0}}}}`
	for _, registry := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		document := strings.Replace(want, `"multicluster"`, `"`+registry+`/multicluster/multicluster"`, 1)
		got, err := normalise([]byte(document))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v", registry, got, err)
		}
	}
	for _, document := range []string{"", `{"provider_schemas":{}}`, `{"provider_schemas":{"a":{},"b":{}}}`} {
		if got, err := normalise([]byte(document)); err == nil {
			t.Errorf("%q gives %s, want an error", document, got)
		}
	}
}

func TestDifferences(t *testing.T) {
	table := differences()
	if got, want := strings.Count(table, "\n"), len(conformance.Differences)+1; got != want {
		t.Errorf("the table has %d line breaks, want %d: a text may hold one\n%s", got, want, table)
	}
	for line := range strings.Lines(table) {
		if got := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); got != 4 {
			t.Errorf("%d bars, want 4: %s", got, line)
		}
	}
	if got, want := cell("a or b|c"), `A or b\|c.`; got != want {
		t.Errorf("cell gives %q, want %q", got, want)
	}
}

func TestVectorTables(t *testing.T) {
	table, err := vectorTables("=== RUN   TestVectors\n" +
		"    vectors_test.go:136: override     687 vectors:   636 passed,   51 differ on purpose, 0 failed\n" +
		"    vectors_test.go:69: no vector needs tie-key with its tags a b\n" +
		"    vectors_test.go:69: unset-max-groups and tie-key: 2 vectors: schedule/a/1 schedule/b/2\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| override | 687 | 636 | 51 | 0 |\n",
		" | It is no limit. By the same hash of the object's key. | 2 | schedule/a/1 schedule/b/2 |",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
	if table, err := vectorTables("ok\n"); err == nil {
		t.Errorf("of nothing: %s", table)
	}
}

func TestTrees(t *testing.T) {
	rendered, docs := tree(t, "index.md", "guides/a.md"), filepath.Join(t.TempDir(), "docs")
	if err := replaceTree(rendered, docs); err != nil {
		t.Fatal(err)
	}
	if err := sameTree(rendered, docs); err != nil {
		t.Errorf("right after it was written: %v", err)
	}
	for _, test := range []struct {
		name   string
		change func() error
	}{
		{"guides/a.md", func() error { return os.WriteFile(filepath.Join(docs, "guides", "a.md"), []byte("other"), 0o600) }},
		{"guides/a.md", func() error { return os.Remove(filepath.Join(docs, "guides", "a.md")) }},
		{"left.md", func() error { return os.WriteFile(filepath.Join(docs, "left.md"), nil, 0o600) }},
	} {
		if err := test.change(); err != nil {
			t.Fatal(err)
		}
		err := sameTree(rendered, docs)
		if err == nil || !strings.Contains(err.Error(), test.name) || !strings.Contains(err.Error(), "make docs") {
			t.Errorf("error %v does not name %s and say what to do", err, test.name)
		}
		if err := replaceTree(rendered, docs); err != nil {
			t.Fatal(err)
		}
		if err := sameTree(rendered, docs); err != nil {
			t.Errorf("written again after a change of %s: %v", test.name, err)
		}
	}
}

// tree returns a folder with the given files, each holding its own name.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), name); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
