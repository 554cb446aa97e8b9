package manifest

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

var (
	filePath   = regexp.MustCompile(`^[\w~@+./ -]+\.(ya?ml|json)$`)
	helmAction = regexp.MustCompile(`\{\{-? *(\.|\$|/\*|(if|with|range|define|include|template|end|else|tpl|toYaml|default|quote)\b)`)
)

// notAnObject says that a document is something else than an object, and what was
// probably meant: the content of the file that a text names.
func notAnObject(value any) error {
	if text, ok := value.(string); ok && filePath.MatchString(text) {
		return errors.New("this is the path of a file, and its content is wanted: file(\"app.yaml\") for one file, " +
			"[for name in fileset(path.module, \"*.yaml\") : file(\"${path.module}/${name}\")] for many")
	}
	return fmt.Errorf("%w; a document is one object with apiVersion, kind and metadata", wrongType("a map", value))
}

// notOfKubernetes returns an error for a map that has nothing of what every object
// has. It shows keys, for they tell what it is, and no values.
func notOfKubernetes(obj map[string]any) error {
	if obj["apiVersion"] != nil || obj["kind"] != nil || obj["metadata"] != nil {
		return nil
	}
	const most, longest = 3, 40
	keys := slices.Sorted(maps.Keys(obj))
	for i, key := range keys {
		if runes := []rune(key); len(runes) > longest {
			keys[i] = string(runes[:longest]) + "..."
		}
	}
	has := "nothing"
	switch {
	case len(keys) > most:
		has = fmt.Sprintf("%s and %s more", strings.Join(keys[:most], ", "), spelling.Count(len(keys)-most, "key"))
	case len(keys) > 0:
		has = strings.Join(keys, ", ")
	}
	return fmt.Errorf("not a Kubernetes object: it has no apiVersion, kind and metadata, but %s; leave the document out (anchors in it reach no other document)", has)
}

var errUnrendered = errors.New("this is a Helm template, and what it renders to is wanted: data.helm_template.NAME.manifest, or the output of helm template")

// orUnrendered returns the fault of a line, which is counted from 1 and may be
// one off, or what is behind it: a Helm template that nobody rendered.
func (p textPart) orUnrendered(line int, err error) error {
	number := 0
	for text := range strings.Lines(p.text) {
		number++
		if number >= line-1 && number <= line+1 && helmAction.MatchString(text) {
			return errUnrendered
		}
	}
	return err
}
