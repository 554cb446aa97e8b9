package binaries

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// project is the provider's own module, whose root holds tools/.
const project = "github.com/multicluster/terraform-provider-multicluster"

// CacheDir returns the folder that holds the built programs: terraform-provider-multicluster under
// $MULTICLUSTER_CACHE, else under the user's cache folder.
func CacheDir() (string, error) {
	dir := os.Getenv("MULTICLUSTER_CACHE")
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("no cache folder for the test programs: %w; set MULTICLUSTER_CACHE", err)
		}
	}
	return filepath.Abs(filepath.Join(dir, "terraform-provider-multicluster"))
}

// Root returns the root folder of the provider's source tree, looked up from the working directory.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(text, []byte("module "+project+"\n")) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod of %s in or above %s: run this inside the source tree", project, start)
		}
	}
}

// source is a tool as the source tree pins it.
type source struct {
	dir     string // The tool's folder under tools/.
	version string // The version of the tool's module.
	key     string // A short hash over all that decides what is built.
}

func locate(tool Tool) (source, error) {
	root, err := Root()
	if err != nil {
		return source{}, err
	}
	s := source{dir: filepath.Join(root, "tools", tool.Name)}
	mod, err := os.ReadFile(filepath.Join(s.dir, "go.mod"))
	if err != nil {
		return source{}, err
	}
	sum, err := os.ReadFile(filepath.Join(s.dir, "go.sum"))
	if err != nil {
		return source{}, err
	}
	if s.version = required(string(mod), tool.Module); s.version == "" {
		return source{}, fmt.Errorf("%s/go.mod requires no version of %s", s.dir, tool.Module)
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s %s %s %q", mod, sum, runtime.GOOS, runtime.GOARCH, linkerFlags(tool, s.version))
	s.key = hex.EncodeToString(hash.Sum(nil))[:10]
	return s, nil
}

// required finds the version of a module in the text of a go.mod.
func required(mod, module string) string {
	for line := range strings.Lines(mod) {
		fields := strings.Fields(strings.TrimPrefix(line, "require "))
		if len(fields) >= 2 && fields[0] == module {
			return fields[1]
		}
	}
	return ""
}
