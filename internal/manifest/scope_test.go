package manifest

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The API types say in a comment which kinds have no namespace. The table must
// say the same of every built-in kind.
func TestClusterScopedKindsAreThoseOfTheAPITypes(t *testing.T) {
	wanted := map[schema.GroupKind]bool{}
	moduleDirs := map[string]string{}
	packages := map[string]map[string]bool{}
	for gvk, goType := range builtinTypes() {
		pkg := goType.PkgPath()
		if packages[pkg] == nil {
			packages[pkg] = clusterScopedTypes(t, moduleDirs, pkg)
		}
		if packages[pkg][goType.Name()] {
			wanted[gvk.GroupKind()] = true
		}
	}
	if len(wanted) < 20 {
		t.Fatalf("found only %d cluster-scoped kinds in the API types", len(wanted))
	}
	for kind := range wanted {
		if !clusterScoped[kind] {
			t.Errorf("clusterScoped lacks {Group: %q, Kind: %q}", kind.Group, kind.Kind)
		}
	}
	for kind := range clusterScoped {
		if !wanted[kind] && kind != (schema.GroupKind{Group: "apiregistration.k8s.io", Kind: "APIService"}) {
			t.Errorf("clusterScoped has %s, the API types say it has a namespace", kind)
		}
	}
}

func clusterScopedTypes(t *testing.T, moduleDirs map[string]string, path string) map[string]bool {
	t.Helper()
	module := "k8s.io/api"
	if !strings.HasPrefix(path, module+"/") {
		module = path
	}
	if moduleDirs[module] == "" {
		pkg, err := build.Import(module, ".", build.FindOnly)
		if err != nil {
			t.Fatal(err)
		}
		moduleDirs[module] = pkg.Dir
	}
	dir := filepath.Join(moduleDirs[module], strings.TrimPrefix(path, module))
	files, err := filepath.Glob(filepath.Join(dir, "types*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no types in %s: %v", dir, err)
	}
	scoped := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		// The tag stands in the doc comment or in one before it.
		previous := token.NoPos
		for _, decl := range file.Decls {
			types, isTypes := decl.(*ast.GenDecl)
			for _, comment := range file.Comments {
				between := comment.Pos() > previous && comment.End() < decl.Pos()
				if isTypes && between && strings.Contains(commentText(comment), "+genclient:nonNamespaced") {
					scoped[typeName(types)] = true
				}
			}
			previous = decl.End()
		}
	}
	return scoped
}

func typeName(decl *ast.GenDecl) string {
	if spec, ok := decl.Specs[0].(*ast.TypeSpec); ok {
		return spec.Name.Name
	}
	return ""
}

func commentText(group *ast.CommentGroup) string {
	var text strings.Builder
	for _, comment := range group.List {
		text.WriteString(comment.Text)
	}
	return text.String()
}

func TestSetNamespace(t *testing.T) {
	crd := func(group, kind, scope string) string {
		return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x." + group + "}\n" +
			"spec: {group: " + group + ", scope: " + scope + ", names: {kind: " + kind + ", plural: x}, versions: []}\n---\n"
	}
	tests := map[string]struct {
		text string
		want string
	}{
		"namespaced, none named":           {"apiVersion: v1\nkind: Service\nmetadata: {name: a}", "Service/shop/a"},
		"namespaced, empty":                {"apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: ''}", "Service/shop/a"},
		"namespaced, named":                {"apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: b}", "Service/b/a"},
		"cluster-scoped":                   {"apiVersion: v1\nkind: Namespace\nmetadata: {name: a}", "Namespace/a"},
		"cluster-scoped with a namespace":  {"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'system:a', namespace: b}", "ClusterRole.rbac.authorization.k8s.io/system:a"},
		"custom, unknown":                  {"apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}", "Widget.example.io/shop/a"},
		"custom, defined cluster-scoped":   {crd("example.io", "Widget", "Cluster") + "apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}", "Widget.example.io/a"},
		"custom, defined namespaced":       {crd("example.io", "Widget", "Namespaced") + "apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}", "Widget.example.io/shop/a"},
		"custom, looked up cluster-scoped": {"apiVersion: example.io/v1\nkind: Gadget\nmetadata: {name: a}", "Gadget.example.io/a"},
	}
	lookup := func(gvk schema.GroupVersionKind) (bool, bool) { return false, gvk.Kind == "Gadget" }
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			objects := mustDecode(t, test.text)
			before := objects[len(objects)-1].DeepCopy()
			result := SetNamespace(objects, "shop", lookup)
			if got := result[len(result)-1].Key().String(); got != test.want {
				t.Errorf("key = %s, want %s", got, test.want)
			}
			assertUnchanged(t, before, objects[len(objects)-1].Unstructured)
		})
	}
}
