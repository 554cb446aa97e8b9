package override

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// fieldOverrider patches the JSON or YAML document in one string field. Libraries and results are those of Karmada 1.19,
// to the byte.
type fieldOverrider struct {
	path   pointer
	format *format // nil when there is nothing to patch
	ops    []fieldOp
	patch  jsonpatch.Patch // of the ops, when it is the same for all members
}

// fieldOp is one RFC 6902 operation on the document.
type fieldOp struct {
	op    api.OverriderOperator
	path  string
	value value
}

// format is one way in which the document may be written.
type format struct {
	name  string
	apply func(patch jsonpatch.Patch, document string) (string, error)
}

var (
	jsonFormat = &format{"JSON", patchJSON}
	yamlFormat = &format{"YAML", patchYAML}
)

func newFieldOverrider(o *api.FieldOverrider) (overrider, error) {
	path, err := parsePointer(o.FieldPath)
	if err != nil {
		return nil, invalid{err}
	}
	c := fieldOverrider{path: path}
	if len(o.YAML) > 0 {
		return c.compile(yamlFormat, o.YAML)
	}
	if len(o.JSON) > 0 {
		return c.compile(jsonFormat, o.JSON)
	}
	return c, nil
}

// compile adds the operations.
func (o fieldOverrider) compile(f *format, operations []api.FieldPatchOperation) (overrider, error) {
	o.format = f
	fixed := true
	for i, op := range operations {
		if err := checkOperator(op.Operator); err != nil {
			return nil, invalid{err}
		}
		if err := outsideOfValues(op.SubPath); err != nil {
			return nil, invalid{err}
		}
		v, err := compileValue(op.Value)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", strings.ToLower(f.name), i, err)
		}
		fixed = fixed && v.fixed
		o.ops = append(o.ops, fieldOp{op: op.Operator, path: op.SubPath, value: v})
	}
	if !fixed {
		return o, nil
	}
	patch, err := o.render(nil)
	if err != nil {
		return nil, invalid{err}
	}
	o.patch = patch
	return o, nil
}

// render returns the operations for the target as one patch.
func (o fieldOverrider) render(target *Target) (jsonpatch.Patch, error) {
	type operation struct {
		Op    api.OverriderOperator `json:"op"`
		Path  string                `json:"path"`
		Value json.RawMessage       `json:"value"`
	}
	operations := make([]operation, len(o.ops))
	for i, op := range o.ops {
		value, err := op.value.renderJSON(target)
		if err != nil {
			return nil, err
		}
		operations[i] = operation{op.op, op.path, value}
	}
	raw, err := json.Marshal(operations)
	if err != nil {
		return nil, err
	}
	return jsonpatch.DecodePatch(raw)
}

// apply exchanges the text of the field.
func (o fieldOverrider) apply(e *edit) (bool, error) {
	document, err := getString(e.obj.Object, o.path)
	if err != nil || o.format == nil {
		return false, err
	}
	patch := o.patch
	if patch == nil {
		if patch, err = o.render(e.target); err != nil {
			return false, at(o.path, err)
		}
	}
	patched, err := o.format.apply(patch, document)
	if err != nil {
		return false, at(o.path, e.hide(err, o.format.name))
	}
	return patched != document, e.put(o.path, patched)
}

// patchJSON returns compact JSON in which members keep their order and untouched literals their spelling.
func patchJSON(patch jsonpatch.Patch, document string) (string, error) {
	if strings.TrimSpace(document) == "" {
		return "", errors.New("the field is empty, so there is no JSON document to patch; put {} there or use plaintext")
	}
	if err := checkJSON(document); err != nil {
		return "", err
	}
	patched, err := patch.Apply([]byte(document))
	return string(patched), err
}

// checkJSON says where the document is not JSON.
func checkJSON(document string) error {
	var v any
	if err := json.Unmarshal([]byte(document), &v); err != nil {
		return fmt.Errorf("the field holds no JSON document: %w", err)
	}
	return nil
}

// patchYAML returns YAML in which keys are sorted and comments are lost. Karmada 1.19 silently drops all documents but the
// first; here more than one is an error.
func patchYAML(patch jsonpatch.Patch, document string) (string, error) {
	if err := checkSingleDocument(document); err != nil {
		return "", err
	}
	asJSON, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		return "", fmt.Errorf("the field holds no YAML document: %w", err)
	}
	patched, err := patch.Apply(asJSON)
	if err != nil {
		return "", err
	}
	asYAML, err := yaml.JSONToYAML(patched)
	return string(asYAML), err
}

// checkSingleDocument fails when a second YAML document follows the first.
func checkSingleDocument(text string) error {
	if !strings.Contains(text, "---") {
		return nil
	}
	documents := 0
	reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if hasContent(document) {
			documents++
		}
		if documents > 1 {
			return errors.New("the field holds several YAML documents and only the first could be kept; split them over several fields or use plaintext")
		}
	}
}

// hasContent reports whether a YAML document is more than comments and blank lines.
func hasContent(document []byte) bool {
	for line := range bytes.Lines(document) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !bytes.HasPrefix(line, []byte("---")) {
			return true
		}
	}
	return false
}
