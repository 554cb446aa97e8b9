package binaries

import (
	"bytes"
	"os"
	"path/filepath"
)

// kwokStages gathers the stages that kwok's own module carries for nodes that beat by lease and for
// Pods that become ready, complete and go at once.
func kwokStages(moduleDir string) (map[string][]byte, error) {
	stages := []string{
		"node/fast/node-initialize.yaml",
		"node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
		"pod/fast/pod-ready.yaml",
		"pod/fast/pod-complete.yaml",
		"pod/fast/pod-delete.yaml",
	}
	var all bytes.Buffer
	for _, stage := range stages {
		text, err := os.ReadFile(filepath.Join(moduleDir, "kustomize", "stage", filepath.FromSlash(stage)))
		if err != nil {
			return nil, err
		}
		all.WriteString("---\n")
		all.Write(text)
	}
	return map[string][]byte{"stages.yaml": all.Bytes()}, nil
}
