package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// replaceTree makes docs what was rendered.
func replaceTree(rendered, docs string) error {
	files, err := readTree(rendered)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(docs); err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(docs, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sameTree fails unless docs is what was rendered, and says what to do.
func sameTree(rendered, docs string) error {
	want, err := readTree(rendered)
	if err != nil {
		return err
	}
	got, err := readTree(docs)
	if err != nil {
		return err
	}
	stale := map[string]bool{}
	for name := range want {
		stale[name] = !bytes.Equal(want[name], got[name])
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			stale[name] = true
		}
	}
	maps.DeleteFunc(stale, func(_ string, isStale bool) bool { return !isStale })
	if len(stale) == 0 {
		return nil
	}
	return fmt.Errorf("docs/ is stale: run \"make docs\" and commit what it changes. Not as rendered: %s",
		strings.Join(slices.Sorted(maps.Keys(stale)), ", "))
}

// readTree returns the files below a folder by their relative names. A folder that does not exist has none.
func readTree(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return files, nil
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	return files, err
}
