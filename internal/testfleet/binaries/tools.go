// Package binaries builds the programs that the tests and the demo run and that are not part of the
// provider: a Kubernetes control plane, etcd, kwok, OpenTofu, the linters and the documentation's
// generator. Each is pinned by a Go module under tools/ and built once into a cache outside the source tree.
package binaries

import "fmt"

// Tool is one Go module under tools/ together with the programs built from it.
type Tool struct {
	// Name is the folder under tools/.
	Name string
	// Module is the path of the module whose version the tool has.
	Module string
	// Programs are built in this order.
	Programs []Program

	// variables are set by the linker, as a release build of the tool sets them.
	variables func(version string) []string
	// files are what the tool needs beside its programs, by file name.
	files func(moduleDir string) (map[string][]byte, error)
}

// Program is one executable of a tool.
type Program struct {
	Name    string
	Package string
}

// Kubernetes holds kube-apiserver, kube-controller-manager and kube-scheduler.
var Kubernetes = Tool{
	Name:   "kubernetes",
	Module: "k8s.io/kubernetes",
	Programs: []Program{
		{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"},
		{"kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"},
		{"kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"},
	},
	variables: kubernetesVersion,
}

// Etcd holds etcd.
var Etcd = Tool{
	Name:     "etcd",
	Module:   "go.etcd.io/etcd/server/v3",
	Programs: []Program{{"etcd", "go.etcd.io/etcd/server/v3"}},
}

// Kwok holds kwok, which plays kubelet for nodes that do not exist, and stages.yaml, which tells it how
// nodes and Pods become ready.
var Kwok = Tool{
	Name:     "kwok",
	Module:   "sigs.k8s.io/kwok",
	Programs: []Program{{"kwok", "sigs.k8s.io/kwok/cmd/kwok"}},
	files:    kwokStages,
}

// OpenTofu holds tofu.
var OpenTofu = Tool{
	Name:     "opentofu",
	Module:   "github.com/opentofu/opentofu",
	Programs: []Program{{"tofu", "github.com/opentofu/opentofu/cmd/tofu"}},
	variables: func(string) []string {
		return []string{"github.com/opentofu/opentofu/version.dev=no"}
	},
}

// GolangciLint holds golangci-lint.
var GolangciLint = Tool{
	Name:     "golangci-lint",
	Module:   "github.com/golangci/golangci-lint/v2",
	Programs: []Program{{"golangci-lint", "github.com/golangci/golangci-lint/v2/cmd/golangci-lint"}},
}

// PluginDocs holds tfplugindocs.
var PluginDocs = Tool{
	Name:     "tfplugindocs",
	Module:   "github.com/hashicorp/terraform-plugin-docs",
	Programs: []Program{{"tfplugindocs", "github.com/hashicorp/terraform-plugin-docs/cmd/tfplugindocs"}},
}

// kubernetesVersion sets what the API server answers under /version.
func kubernetesVersion(version string) []string {
	const pkg = "k8s.io/component-base/version."
	variables := []string{pkg + "gitVersion=" + version}
	var major, minor int
	if _, err := fmt.Sscanf(version, "v%d.%d.", &major, &minor); err == nil {
		variables = append(variables, fmt.Sprintf("%sgitMajor=%d", pkg, major), fmt.Sprintf("%sgitMinor=%d", pkg, minor))
	}
	return variables
}
