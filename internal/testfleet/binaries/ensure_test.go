package binaries

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// tiny is a tool that builds in no time.
var tiny = Tool{
	Name:      "tiny",
	Module:    "example.com/dependency",
	Programs:  []Program{{"tiny", "example.com/tiny"}},
	variables: func(version string) []string { return []string{"main.version=" + version} },
	files: func(moduleDir string) (map[string][]byte, error) {
		return map[string][]byte{"module.txt": []byte(filepath.Base(moduleDir))}, nil
	},
}

// tinyTree makes a source tree that pins the tool and an empty cache, and goes to a folder inside the tree.
func tinyTree(t *testing.T, program string) {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                       "module " + project + "\n",
		"internal/provider/doc.go":     "package provider\n",
		"tools/tiny/go.sum":            "",
		"tools/tiny/main.go":           program,
		"tools/tiny/dependency/go.mod": "module example.com/dependency\n",
		"tools/tiny/go.mod": "module example.com/tiny\n\ngo 1.26.0\n\nrequire example.com/dependency v1.2.3\n\n" +
			"replace example.com/dependency => ./dependency\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(root, "internal", "provider"))
	t.Setenv("MULTICLUSTER_CACHE", t.TempDir())
}

const tinyProgram = "package main\n\nvar version string\n\nfunc main() { print(version) }\n"

func TestEnsureBuildsOnce(t *testing.T) {
	tinyTree(t, tinyProgram)
	var logs [3]bytes.Buffer
	var dirs [3]string
	var group sync.WaitGroup
	for i := range dirs {
		group.Go(func() {
			var err error
			if dirs[i], err = Ensure(t.Context(), &logs[i], tiny); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	if dirs[0] != dirs[1] || dirs[1] != dirs[2] {
		t.Errorf("different folders: %q", dirs)
	}
	all := logs[0].String() + logs[1].String() + logs[2].String()
	if got := strings.Count(all, "built  tiny v1.2.3 in "); got != 1 {
		t.Errorf("built %d times, want once:\n%s", got, all)
	}

	output, err := exec.Command(filepath.Join(dirs[0], "tiny")).CombinedOutput()
	if err != nil || string(output) != "v1.2.3" {
		t.Errorf("the program prints %q, %v; want its version", output, err)
	}
	if text, err := os.ReadFile(filepath.Join(dirs[0], "module.txt")); err != nil || string(text) != "dependency" {
		t.Errorf("the file beside it holds %q, %v", text, err)
	}

	var log bytes.Buffer
	if _, err := Ensure(t.Context(), &log, tiny); err != nil || log.Len() > 0 {
		t.Errorf("with nothing to do: %v, log %q", err, log.String())
	}
}

func TestEnsureBuildsAgainWhenThePinChanges(t *testing.T) {
	tinyTree(t, tinyProgram)
	first, err := Ensure(t.Context(), &bytes.Buffer{}, tiny)
	if err != nil {
		t.Fatal(err)
	}
	sum := filepath.Join("..", "..", "tools", "tiny", "go.sum")
	if err := os.WriteFile(sum, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := Ensure(t.Context(), &bytes.Buffer{}, tiny)
	if err != nil || second == first {
		t.Errorf("after a change: %q, %v; want another folder than %q", second, err, first)
	}
}

func TestEnsureLeavesNothingOfAFailedBuild(t *testing.T) {
	tinyTree(t, "package main\n\nfunc main() { undefined() }\n")
	_, err := Ensure(t.Context(), &bytes.Buffer{}, tiny)
	if err == nil || !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("error %v does not show what the compiler said", err)
	}
	cache, err := CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) != 1 || entries[0].Name() != "tiny.lock" {
		t.Errorf("the cache holds %v, %v; want the lock alone", entries, err)
	}
}

func TestEveryToolIsPinned(t *testing.T) {
	for _, tool := range All {
		src, err := locate(tool)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.HasPrefix(src.version, "v") {
			t.Errorf("%s has version %q", tool.Name, src.version)
		}
	}
}

func TestPathRefusesUnknownPrograms(t *testing.T) {
	if path, err := Path(t.Context(), &bytes.Buffer{}, "sh"); err == nil {
		t.Errorf("got %s", path)
	}
}

func TestRootOutsideTheTree(t *testing.T) {
	t.Chdir(t.TempDir())
	if root, err := Root(); err == nil || !strings.Contains(err.Error(), "source tree") {
		t.Errorf("Root() = %q, %v; want an error that says where to go", root, err)
	}
}

func TestKubernetesVersion(t *testing.T) {
	got := strings.Join(kubernetesVersion("v1.36.3"), " ")
	for _, want := range []string{"gitVersion=v1.36.3", "gitMajor=1", "gitMinor=36"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %s", got, want)
		}
	}
}
