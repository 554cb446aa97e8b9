package manifest

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Decode reads the objects of one text: any number of YAML or JSON documents,
// read as sigs.k8s.io/yaml reads them (YAML 1.1, anchors and merge keys
// expanded), except that a key given twice in one map is an error and that a
// map's own keys always win over merged ones. Empty documents are skipped and
// not counted; kind List and typed lists become their items.
//
// source names the text; its Document is set for each object. The error joins
// one *Error for each fault found. The objects are those without a fault, or
// whose only faults are fields their type does not know.
func Decode(source Source, text string) ([]Object, error) {
	d := decoder{source: source}
	for _, part := range splitDocuments(text) {
		d.document(part)
	}
	return d.objects, errors.Join(d.errs...)
}

// FromValue reads the objects of one value that is not text, with the checks
// of Decode. Numbers may be of any integer type or float64; value is not changed.
// unknown holds the paths of the leaves that it lacks, for they are not known yet.
func FromValue(source Source, value map[string]any, unknown []string) ([]Object, error) {
	d := decoder{source: source, unknown: unknown}
	d.value(jsonValue(value), noLine)
	return d.objects, errors.Join(d.errs...)
}

type decoder struct {
	source  Source
	unknown []string
	count   int
	objects []Object
	errs    []error
}

// locator returns the line of the value that steps lead to; 0 is unknown.
type locator func(steps []step) int

func noLine([]step) int { return 0 }

func (d *decoder) document(part textPart) {
	if strings.HasPrefix(strings.TrimLeft(part.text, " \t\r\n"), "{") {
		if documents, ok := jsonDocuments(part.text); ok {
			line := jsonLines(part, len(documents))
			for _, document := range documents {
				d.json(document, line)
			}
			return
		}
	}
	d.yaml(part)
}

func (d *decoder) yaml(part textPart) {
	node, fault := parseYAML(part.text)
	if fault != nil {
		d.countDocument()
		d.fail(part.lineAt(fault.line), part.orUnrendered(fault.line, fault.err))
		return
	}
	if node == nil {
		return
	}
	var reader yamlReader
	value := reader.value(node)
	if len(reader.errs) > 0 {
		d.countDocument()
		for _, fault := range reader.errs {
			err := part.orUnrendered(fault.line, fault.err)
			d.fail(part.lineAt(fault.line), err)
			if errors.Is(err, errUnrendered) {
				return // the other faults are of the same kind
			}
		}
		return
	}
	if value == nil {
		return
	}
	d.value(value, func(steps []step) int { return part.lineAt(lineOf(node, steps)) })
}

func (d *decoder) countDocument() {
	d.source.Document = d.count
	d.count++
}

func (d *decoder) fail(line int, err error) {
	d.errs = append(d.errs, &Error{Source: d.source, Line: line, Err: err})
}

// value takes one document, already decoded.
func (d *decoder) value(value any, line locator) {
	d.countDocument()
	obj, ok := value.(map[string]any)
	if !ok {
		d.fail(line(nil), notAnObject(value))
		return
	}
	d.object(obj, nil, line)
}

// object takes one object, or the items of one list.
func (d *decoder) object(obj map[string]any, at []step, line locator) {
	if items, ok := listItems(obj); ok {
		for i, item := range items {
			at := append(slices.Clip(at), nameStep("items"), indexStep(i))
			itemObj, ok := item.(map[string]any)
			if !ok {
				d.report(nil, []problem{{steps: at, err: wrongType("a map", item)}}, line)
				continue
			}
			d.object(withKindOfList(itemObj, obj), at, line)
		}
		return
	}
	problems := checkObject(obj, nil, at)
	if len(d.unknown) > 0 { // they may tell items apart that look alike
		problems = slices.DeleteFunc(problems, func(p problem) bool { return errors.Is(p.err, errDuplicate) })
	}
	d.report(obj, problems, line)
	if !slices.ContainsFunc(problems, func(p problem) bool { return !errors.Is(p.err, errUnknownField) }) {
		object := Object{Unstructured: &unstructured.Unstructured{Object: obj}, Source: d.source, Unknown: d.unknown}
		if isPolicy(object.GroupVersionKind()) { // of which there are few: the tree of a text is as large as its objects
			object.line = func(steps []step) int { return line(append(slices.Clip(at), steps...)) }
		}
		d.objects = append(d.objects, object)
	}
}

// report turns problems into errors, in the order of their paths, so that the
// same document always gives the same text.
func (d *decoder) report(obj map[string]any, problems []problem, line locator) {
	name := objectName(obj)
	faults := make([]*Error, len(problems))
	for i, p := range problems {
		faults[i] = &Error{Source: d.source, Line: line(p.steps), Object: name, Field: pathOf(p.steps), Err: p.err}
	}
	slices.SortStableFunc(faults, func(a, b *Error) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Field, b.Field)
	})
	for _, fault := range faults {
		d.errs = append(d.errs, fault)
	}
}

func objectName(obj map[string]any) string {
	kind, _ := obj["kind"].(string)
	name, _, _ := unstructured.NestedString(obj, "metadata", "name")
	return strings.TrimSpace(kind + " " + name)
}

// listItems returns the items of kind List, or of a typed list as the API
// returns it. A named object with items is an object of its own kind.
func listItems(obj map[string]any) ([]any, bool) {
	kind, _ := obj["kind"].(string)
	if !strings.HasSuffix(kind, "List") {
		return nil, false
	}
	if name, _, _ := unstructured.NestedString(obj, "metadata", "name"); name != "" {
		return nil, false
	}
	items, ok := obj["items"].([]any)
	if _, given := obj["items"]; !ok && obj["items"] == nil && (given || kind == "List") {
		return nil, true
	}
	return items, ok
}

// withKindOfList completes an item of a typed list, which the API returns
// without kind and version of its own.
func withKindOfList(item, list map[string]any) map[string]any {
	kind, _ := list["kind"].(string)
	kind = strings.TrimSuffix(kind, "List")
	if kind == "" || item["kind"] != nil || item["apiVersion"] != nil {
		return item
	}
	complete := maps.Clone(item)
	complete["apiVersion"], complete["kind"] = list["apiVersion"], kind
	return complete
}
