package provider_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// TestEverythingHasAnExample makes sure that the documentation of each resource, data source and function shows one.
func TestEverythingHasAnExample(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, page := range pages {
		if filepath.Base(filepath.Dir(page)) == "guides" {
			continue
		}
		seen++
		if !strings.Contains(readFile(t, page), "## Example Usage\n\n```terraform\n") {
			t.Errorf("%s shows no example: there is none in examples/", page)
		}
	}
	if seen == 0 {
		t.Error("docs/ has no resources")
	}
}

// TestReadmeShowsPlansOfGuides makes sure that what README shows of a plan is what a guide shows, which is compared with the real
// one.
func TestReadmeShowsPlansOfGuides(t *testing.T) {
	hour := readFile(t, guide("first-hour.md"))
	shown := 0
	for _, b := range blocks(t, filepath.Join(root, "README.md")) {
		if b.language == "text" {
			shown++
			if !strings.Contains(hour, "```text\n"+b.text+"```\n") {
				t.Errorf("%s is no block of the guide first-hour", b.at)
			}
		}
	}
	if shown == 0 {
		t.Error("README shows no plan")
	}
}

// TestFirstConfigurationIsShort makes sure that the first configuration needs no more than ten lines beside the blocks that say
// which provider it is and where the members are, and that README shows it whole.
func TestFirstConfigurationIsShort(t *testing.T) {
	own := regexp.MustCompile(`(?ms)^(?:terraform|provider "multicluster") \{.*?^\}\n`)
	for _, document := range []string{filepath.Join(root, "README.md"), guide("first-hour.md")} {
		first := slices.IndexFunc(blocks(t, document), block.hcl)
		if first < 0 {
			t.Fatalf("%s shows no configuration", document)
		}
		text := blocks(t, document)[first].text
		if n := len(own.FindAllString(text, -1)); n != 2 {
			t.Errorf("%s: the first configuration has %d blocks about the provider, want 2", document, n)
		}
		rest := strings.ReplaceAll(own.ReplaceAllString(text, ""), "\n\n", "\n")
		if n := strings.Count(strings.TrimSpace(rest), "\n") + 1; n > 10 {
			t.Errorf("%s: the first configuration has %d lines beside the provider's:\n%s", document, n, rest)
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchor  = regexp.MustCompile(`<a id="([^"]+)">`)
)

// TestLinksLeadSomewhere follows the links between documents, to the heading that they name.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, document := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(readFile(t, document), -1) {
			if strings.HasPrefix(match[1], "https://") {
				continue
			}
			file, place, _ := strings.Cut(match[1], "#")
			target := document
			if file != "" {
				target = filepath.Join(filepath.Dir(document), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", document, match[1])
				continue
			}
			if place != "" && !slices.Contains(places(readFile(t, target)), place) {
				t.Errorf("%s: %s has no place for the link to %s", document, target, match[1])
			}
		}
	}
}

// places returns what a link to a part of a document may name.
func places(text string) []string {
	var names []string
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(match[1]), "")
		names = append(names, strings.ReplaceAll(plain, " ", "-"))
	}
	for _, match := range anchor.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}

// TestDiagnosticsAreDocumented compares the summaries in the source with the table in the guide, both ways.
func TestDiagnosticsAreDocumented(t *testing.T) {
	given := summaries(t, ".", filepath.Join("..", "propagation"))
	documented, last := map[string]bool{}, ""
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(readFile(t, guide("diagnostics.md")), -1) {
		if documented[row[1]] {
			t.Errorf("the guide lists %q twice", row[1])
		}
		if strings.ToLower(row[1]) < last {
			t.Errorf("the guide lists %q after %q", row[1], last)
		}
		documented[row[1]], last = true, strings.ToLower(row[1])
	}
	for summary, where := range given {
		if !documented[summary] {
			t.Errorf("templates/guides/diagnostics.md does not explain %q, which %s gives", summary, where)
		}
	}
	for summary := range documented {
		if given[summary] == "" {
			t.Errorf("templates/guides/diagnostics.md explains %q, which nothing gives", summary)
		}
	}
}

// TestPlacementsAreDocumented looks for each field of a placement in the table of the guide, and in the description of the resource.
func TestPlacementsAreDocumented(t *testing.T) {
	table := readFile(t, guide("reading-a-plan.md"))
	described := regexp.MustCompile("(?m)^- `placements` .*$").FindString(readFile(t, filepath.Join(root, "docs", "resources", "propagation.md")))
	for field := range reflect.TypeFor[propagation.Placement]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !strings.Contains(table, "\n| `"+name+"` | ") {
			t.Errorf("the table in templates/guides/reading-a-plan.md has no row for %s", name)
		}
		if !strings.Contains(described, "`"+name+"`") {
			t.Errorf("docs/resources/propagation.md does not describe %s of placements", name)
		}
	}
}

// guide returns the path of the source of a guide.
func guide(name string) string { return filepath.Join("..", "..", "templates", "guides", name) }

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// summaries returns the summaries of all diagnostics that the packages in dirs can give, with one place each. What is put
// into a summary at run time is shown as NAME.
func summaries(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	s := scan{
		t: t, files: token.NewFileSet(), constants: map[string]string{}, found: map[string]string{},
		givers: map[string]int{"AddError": 0, "AddWarning": 0, "AddAttributeError": 1, "AddAttributeWarning": 1},
	}
	var functions []*ast.FuncDecl
	for _, dir := range dirs {
		functions = append(functions, s.read(dir)...)
	}
	for known := 0; known < len(s.givers); { // until no more functions turn out to hand a summary on
		known = len(s.givers)
		for _, function := range functions {
			s.look(function)
		}
	}
	return s.found
}

// scan looks for summaries in source code.
type scan struct {
	t         *testing.T
	files     *token.FileSet
	constants map[string]string
	givers    map[string]int    // name of a function -> which argument is a summary
	found     map[string]string // summary -> place
}

// read returns the functions of a package, and keeps its constants.
func (s *scan) read(dir string) []*ast.FuncDecl {
	s.t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		s.t.Fatal(err)
	}
	var functions []*ast.FuncDecl
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(s.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			s.t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				functions = append(functions, node)
			case *ast.ValueSpec:
				for i, value := range node.Values {
					if text, ok := literal(value); ok && i < len(node.Names) {
						s.constants[node.Names[i].Name] = text
					}
				}
			}
			return true
		})
	}
	return functions
}

// look keeps the summaries that a function gives.
func (s *scan) look(function *ast.FuncDecl) {
	ast.Inspect(function, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			if at, ok := s.givers[called(node)]; ok && at < len(node.Args) {
				s.keep(function, node.Args[at])
			}
		case *ast.CompositeLit:
			if name, ok := node.Type.(*ast.Ident); ok && name.Name == "Problem" {
				s.keepField(function, node)
			}
		}
		return true
	})
}

// keepField notes the summary of a problem.
func (s *scan) keepField(function *ast.FuncDecl, problem *ast.CompositeLit) {
	for _, element := range problem.Elts {
		if field, ok := element.(*ast.KeyValueExpr); ok {
			if name, ok := field.Key.(*ast.Ident); ok && name.Name == "Summary" {
				s.keep(function, field.Value)
			}
		}
	}
}

// keep notes the summary that an expression comes to. A parameter makes its function one that gives summaries; a Summary is
// that of a problem, which is found where the problem is made.
func (s *scan) keep(function *ast.FuncDecl, summary ast.Expr) {
	switch summary := summary.(type) {
	case *ast.SelectorExpr:
		if summary.Sel.Name == "Summary" {
			return
		}
	case *ast.Ident:
		if at := slices.Index(parameters(function), summary.Name); at >= 0 {
			s.givers[function.Name.Name] = at
			return
		}
	}
	text := s.text(summary)
	if text == "NAME" {
		s.t.Errorf("%s: what summary this is cannot be told from the source", s.files.Position(summary.Pos()))
	}
	position := s.files.Position(summary.Pos())
	s.found[text] = filepath.Base(position.Filename) + ":" + strconv.Itoa(position.Line)
}

// text returns what an expression comes to.
func (s *scan) text(e ast.Expr) string {
	if text, ok := literal(e); ok {
		return text
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return s.text(e.X) + s.text(e.Y)
	case *ast.Ident:
		if text, ok := s.constants[e.Name]; ok {
			return text
		}
	}
	return "NAME"
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// called returns the name of the function that is called, without package or receiver.
func called(call *ast.CallExpr) string {
	switch function := call.Fun.(type) {
	case *ast.Ident:
		return function.Name
	case *ast.SelectorExpr:
		return function.Sel.Name
	}
	return ""
}

// parameters returns the names of the parameters of a function, in order.
func parameters(function *ast.FuncDecl) []string {
	var names []string
	for _, field := range function.Type.Params.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}
