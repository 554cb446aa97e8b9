package manifest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
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
