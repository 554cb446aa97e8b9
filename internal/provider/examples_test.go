package provider_test

import (
	"encoding/pem"
	"fmt"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the root of the source tree.
var root = filepath.Join("..", "..")

// block is a fenced block of a document.
type block struct {
	at       string // document and line
	language string
	text     string
	file     string // the file that the line before it names, as in "`main.tf`:"
	appended bool   // and that line says "Append to"
}

var (
	fence    = regexp.MustCompile("^( *)```(\\w*)$")
	fileName = regexp.MustCompile("`([\\w./-]+\\.\\w+)`:$")
)

// blocks returns the fenced blocks of a Markdown document, without their indentation.
func blocks(t *testing.T, path string) []block {
	t.Helper()
	var all []block
	var open *block
	indent, before := "", ""
	for i, line := range strings.Split(readFile(t, path), "\n") {
		match := fence.FindStringSubmatch(line)
		switch {
		case match != nil && open == nil:
			indent = match[1]
			open = &block{at: fmt.Sprintf("%s:%d", filepath.Base(path), i+1), language: match[2]}
			if name := fileName.FindStringSubmatch(before); name != nil {
				open.file, open.appended = name[1], strings.Contains(before, "Append to")
			}
		case match != nil:
			all = append(all, *open)
			open, before = nil, ""
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		case strings.TrimSpace(line) != "":
			before = line
		}
	}
	if open != nil {
		t.Fatalf("%s is not closed", open.at)
	}
	return all
}

// documents returns the Markdown documents of the project.
func documents(t *testing.T) []string {
	t.Helper()
	paths := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// hcl reports whether a block holds configuration of Terraform, or of its CLI.
func (b block) hcl() bool { return b.language == "terraform" || b.language == "hcl" }

// configuresCLI reports whether a block is for the configuration file of the CLI.
func (b block) configuresCLI() bool { return strings.HasPrefix(b.text, "provider_installation") }

// TestExamplesAreFormatted formats every block of HCL and every file of examples/ as the CLI does.
func TestExamplesAreFormatted(t *testing.T) {
	cli := commandLine(t)
	w := newWorkspace(t, cli, nil)
	for _, document := range documents(t) {
		for _, b := range blocks(t, document) {
			if b.hcl() && !b.configuresCLI() {
				w.write(map[string]string{strings.NewReplacer(":", "-", ".", "-").Replace(b.at) + ".tf": b.text})
			}
		}
	}
	examples, err := filepath.Abs(filepath.Join(root, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{w.dir, examples} {
		if out, code := w.run("fmt", "-check", "-diff", "-recursive", dir); code != 0 {
			t.Errorf("not formatted:\n%s", out)
		}
	}
}

// commandLine returns the CLI for tests that need no members.
func commandLine(t *testing.T) string {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("acceptance tests run with TF_ACC=1: they run Terraform (make acc)")
	}
	return oneCLI(t)
}

// TestBlocksPlan plans every block of HCL that stands for itself: those in the guides that TestGuides follows are run there.
func TestBlocksPlan(t *testing.T) {
	cli := commandLine(t)
	planned := map[string]bool{}
	for _, document := range documents(t) {
		files := map[string]string{} // that the document shows
		for _, b := range blocks(t, document) {
			if !b.hcl() && b.file != "" {
				files[b.file] = b.text
			}
		}
		for _, b := range blocks(t, document) {
			if !b.hcl() || isFollowed(document) || planned[b.text] {
				continue
			}
			planned[b.text] = true
			t.Run(b.at, func(t *testing.T) {
				if b.configuresCLI() {
					configureCLI(t, cli, b.text)
					return
				}
				files["main.tf"] = b.text
				planExample(t, cli, files)
			})
		}
	}
}

// TestPoliciesInHCL compares the policies that the guide for users of Karmada shows in YAML and then in HCL.
func TestPoliciesInHCL(t *testing.T) {
	cli := commandLine(t)
	compared, before := 0, block{}
	for _, b := range blocks(t, guide("from-karmada.md")) {
		if b.hcl() && before.language == "yaml" {
			compared++
			planExample(t, cli, map[string]string{"main.tf": b.text, "karmada.yaml": before.text, "same.tf": `
resource "terraform_data" "same" {
  lifecycle {
    precondition {
      condition     = jsonencode(yamldecode(multicluster_override_policy.demoapp.manifest)) == jsonencode(yamldecode(file("karmada.yaml")))
      error_message = "The policy in HCL is not that in YAML."
    }
  }
}
`})
		}
		before = b
	}
	if compared == 0 {
		t.Error("the guide shows no policy in both")
	}
}

// configureCLI plans with a configuration file of the CLI that runs the provider from a folder.
func configureCLI(t *testing.T, cli, text string) {
	t.Helper()
	w := newWorkspace(t, cli, completed(t, nil))
	config := strings.ReplaceAll(text, "/path/to/terraform-provider-multicluster", filepath.Dir(providerBinary(t)))
	w.write(map[string]string{"cli.tfrc": config})
	w.env = append(w.env, "TF_CLI_CONFIG_FILE="+filepath.Join(w.dir, "cli.tfrc"))
	w.plan()
}

// TestExamplesPlan plans the examples, each of which is a folder.
func TestExamplesPlan(t *testing.T) {
	cli := commandLine(t)
	for _, dir := range exampleFolders(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) { planExample(t, cli, folder(t, dir)) })
	}
}

// exampleFolders returns the folders of the examples that the documentation shows.
func exampleFolders(t *testing.T) []string {
	t.Helper()
	dirs := []string{filepath.Join(root, "examples", "provider")}
	for _, kind := range []string{"resources", "data-sources", "functions"} {
		found, err := filepath.Glob(filepath.Join(root, "examples", kind, "*"))
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, found...)
	}
	return dirs
}

// folder returns the files of a folder.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		files[entry.Name()] = readFile(t, filepath.Join(dir, entry.Name()))
	}
	return files
}

// planExample plans configuration that is part of a greater whole, which is made up around it.
func planExample(t *testing.T, cli string, files map[string]string) {
	t.Helper()
	w := newWorkspace(t, cli, completed(t, files))
	home := t.TempDir()
	writeKubeconfig(t, home, unreachable(t, files))
	w.env = append(w.env, "HOME="+home)
	w.plan()
}

// completed returns files with what they leave out: the provider, members, documents, and a stand-in for whatever comes from
// other providers, which is not known yet at plan. Ephemeral values are known.
func completed(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	out, all := map[string]string{}, ""
	maps.Copy(out, files)
	for name, text := range files {
		if filepath.Ext(name) == ".tf" {
			out[name] = withoutStrangers(text)
			all += out[name]
		}
	}
	rest := "resource \"terraform_data\" \"stranger\" {\n  input = \"x\"\n}\n\n" +
		"variable \"stranger\" {\n  type      = string\n  default   = \"x\"\n  ephemeral = true\n}\n"
	if !strings.Contains(all, "required_providers") {
		rest += "\nterraform {\n  required_providers {\n    multicluster = { source = \"multicluster/multicluster\" }\n  }\n}\n"
	}
	if !strings.Contains(all, `provider "multicluster"`) {
		rest += "\nprovider \"multicluster\" {\n  members = { for name in [\"kube02\", \"kube03\", \"kube04\"] : name => " +
			"{ host = terraform_data.stranger.output, token = var.stranger } }\n}\n"
	}
	if strings.Contains(all, "multicluster_member.fleet") && !strings.Contains(all, `"multicluster_member" "fleet"`) {
		rest += "\nresource \"multicluster_member\" \"fleet\" {\n  for_each = toset([\"kube02\", \"kube03\"])\n  name     = each.key\n}\n"
	}
	out["rest.tf"] = rest
	for _, match := range regexp.MustCompile(`file\("([^"]+)"\)`).FindAllStringSubmatch(all, -1) {
		if _, ok := out[match[1]]; !ok {
			out[match[1]] = document(t, match[1])
		}
	}
	return out
}

// document returns a file that an example reads and does not show.
func document(t *testing.T, name string) string {
	t.Helper()
	switch {
	case strings.HasSuffix(name, ".pem"):
		return testCertificate(t)
	case strings.Contains(name, "polic"):
		return "apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterPropagationPolicy\nmetadata: {name: all}\nspec:\n  resourceSelectors:\n" +
			"    - {apiVersion: apps/v1, kind: Deployment}\n    - {apiVersion: v1, kind: ConfigMap}\n    - {apiVersion: v1, kind: Secret}\n"
	default:
		return strings.Replace(deployment, "  namespace: default\n", "", 1)
	}
}

var (
	strangerBlock     = regexp.MustCompile(`(?ms)^(?:resource|data|ephemeral) "(?:aws|google|azurerm|random|terraform_remote)_[^{]*\{(?:\}|.*?^\})\n`)
	moduleBlock       = regexp.MustCompile(`(?ms)^module "[^{]*\{.*?^\}\n`)
	ephemeralStranger = regexp.MustCompile(`\bephemeral\.(?:aws|google|random)_\w+(?:\.\w+|\[\d+\])+`)
	stranger          = regexp.MustCompile(`\b(?:module\.|(?:data\.)?(?:aws|google|azurerm|terraform_remote)_)\w+(?:\.\w+|\[\d+\])+`)
)

// withoutStrangers returns configuration without modules and other providers, with stand-ins for their values.
func withoutStrangers(text string) string {
	text = moduleBlock.ReplaceAllString(strangerBlock.ReplaceAllString(text, ""), "")
	text = ephemeralStranger.ReplaceAllString(text, "var.stranger")
	return stranger.ReplaceAllString(text, "terraform_data.stranger.output")
}

// unreachable returns a kubeconfig with every context that files name, at an address where nothing listens.
func unreachable(t *testing.T, files map[string]string) string {
	t.Helper()
	var contexts strings.Builder
	names := map[string]bool{}
	for _, text := range files {
		for _, match := range regexp.MustCompile(`context\s*=\s*"([^"]+)"`).FindAllStringSubmatch(text, -1) {
			names[match[1]] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&contexts, "  - name: %s\n    context: {cluster: nowhere, user: nobody}\n", name)
	}
	return "apiVersion: v1\nkind: Config\nclusters:\n  - name: nowhere\n    cluster: {server: \"https://127.0.0.1:1\"}\n" +
		"users:\n  - name: nobody\n    user: {token: x}\ncontexts:\n" + contexts.String()
}

// writeKubeconfig writes a kubeconfig where users have theirs.
func writeKubeconfig(t *testing.T, home, text string) {
	t.Helper()
	path := filepath.Join(home, ".kube", "config")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestImportExamples runs every import command of the documentation for what the example of a propagation makes.
func TestImportExamples(t *testing.T) {
	fleet := acceptance(t)
	resources := filepath.Join(root, "examples", "resources")
	scripts, err := filepath.Glob(filepath.Join(resources, "*", "import.sh"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("import commands: %v, %v", scripts, err)
	}
	files := folder(t, filepath.Join(resources, "multicluster_propagation"))
	delete(files, "resource-chart.tf") // its custom resource is of a kind that these members do not serve
	files["provider.tf"] = providerBlock(fleet, "kube02", "kube03")
	w := newWorkspace(t, oneCLI(t), files)
	w.apply()
	for _, script := range scripts {
		command := strings.Fields(strings.ReplaceAll(readFile(t, script), "'", ""))
		if len(command) != 4 || command[0] != "terraform" || command[1] != "import" {
			t.Fatalf("%s is not terraform import ADDRESS ID: %q", script, command)
		}
		w.must("state", "rm", command[2])
		w.must(command[1:]...)
	}
	w.apply()
	w.settled()
	w.destroy()
}

// TestDemo applies the configuration that "make demo" and "make fleet" show.
func TestDemo(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), nil)
	if err := os.CopyFS(w.dir, os.DirFS(filepath.Join(root, "examples", "demo"))); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "TF_VAR_kubeconfig="+fleet.Kubeconfig)
	w.apply()
	w.settled()
	w.destroy()
}

// TestEveryBlockIsTested makes sure that a test looks at each block of the documentation: that the commands are there which
// nothing runs because they build, test or debug this tree, and that the others are in documents that a test runs.
func TestEveryBlockIsTested(t *testing.T) {
	makefile := readFile(t, filepath.Join(root, "GNUmakefile"))
	for _, document := range documents(t) {
		for _, b := range blocks(t, document) {
			name := filepath.Base(document)
			switch {
			case isFollowed(document), b.hcl(): // TestGuides, TestBlocksPlan
			case b.language == "text" && name == "README.md": // TestReadmeShowsPlansOfGuides
			case b.language == "text" && filepath.Base(filepath.Dir(document)) == "functions": // rendered from the schema
			case b.language == "yaml" && b.file != "": // TestBlocksPlan, with the configuration of the document
			case b.language == "yaml" && name == "from-karmada.md": // TestPoliciesInHCL
			case b.language == "shell": // TestImportExamples
				script := filepath.Join(root, "examples", "resources", "multicluster_"+strings.TrimSuffix(name, ".md"), "import.sh")
				if strings.TrimSpace(b.text) != strings.TrimSpace(readFile(t, script)) {
					t.Errorf("%s is not %s", b.at, script)
				}
			case b.language == "sh":
				for line := range strings.Lines(b.text) {
					command, _, _ := strings.Cut(line, "#")
					checkCommand(t, b.at, strings.Fields(command), makefile)
				}
			default:
				t.Errorf("%s: no test looks at this block of %q", b.at, b.language)
			}
		}
	}
}

// isFollowed reports whether TestGuides does what a document says.
func isFollowed(document string) bool {
	return filepath.Base(filepath.Dir(document)) == "guides" && slices.Contains(followed, filepath.Base(document))
}

// checkCommand fails the test unless a command is a make target or runs a Go package and tests that exist.
func checkCommand(t *testing.T, at string, words []string, makefile string) {
	t.Helper()
	for len(words) > 0 && strings.Contains(words[0], "=") { // environment
		words = words[1:]
	}
	switch {
	case len(words) == 0:
	case words[0] == "make" && len(words) == 2:
		if !strings.Contains(makefile, "\n"+words[1]+":") {
			t.Errorf("%s: there is no target %s", at, words[1])
		}
	case words[0] == "go" && len(words) > 2:
		checkGo(t, at, words[1:])
	default:
		t.Errorf("%s: no test knows the command %q", at, strings.Join(words, " "))
	}
}

// checkGo fails the test unless the packages and the tests that a go command names exist.
func checkGo(t *testing.T, at string, words []string) {
	t.Helper()
	dir := root
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "."):
			dir = filepath.Join(root, strings.TrimSuffix(word, "..."))
			if _, err := os.Stat(dir); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		case (word == "-run" || word == "-bench" || word == "-fuzz") && i+1 < len(words):
			name, _, _ := strings.Cut(strings.Trim(words[i+1], ".'^$"), "/")
			if !declares(t, dir, name) {
				t.Errorf("%s: no test in %s is named %s", at, dir, name)
			}
		}
	}
}

// declares reports whether a package has a test, benchmark or fuzz target whose name holds a text.
func declares(t *testing.T, dir, text string) bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	function := regexp.MustCompile(`(?m)^func (?:Test|Benchmark|Fuzz)?\w*` + text)
	return slices.ContainsFunc(names, func(name string) bool { return function.MatchString(readFile(t, name)) })
}

// testCertificate returns a certificate in PEM.
func testCertificate(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}
