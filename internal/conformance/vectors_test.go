package conformance

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// families says how our answer to a vector of a family is computed.
var families = map[string]func(in json.RawMessage) (any, error){
	"affinity":   runAffinity,
	"cluster":    runCluster,
	"divide":     runDivide,
	"eviction":   runEviction,
	"interpret":  runInterpret,
	"manifest":   runManifest,
	"match":      runMatch,
	"override":   runOverride,
	"schedule":   runSchedule,
	"sequence":   runSequence,
	"toleration": runToleration,
	"validate":   runValidate,
}

// vector is one case that was measured on Karmada.
type vector struct {
	Name    string
	Tags    []string
	In, Out json.RawMessage
	Compare string
}

// TestVectors compares our answers with Karmada's. A vector may differ only by one of Differences. The directory is
// testdata, or what VECTORS_DIR names.
func TestVectors(t *testing.T) {
	dir := os.Getenv("VECTORS_DIR")
	if dir == "" {
		dir = "testdata"
	}
	files, err := vectorFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string][]string{}
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		t.Run(name, func(t *testing.T) { testFile(t, name, file, explained) })
	}
	report(t, explained)
}

// report prints the vectors that differ, by difference, and the differences and tags that none of them needed.
func report(t *testing.T, explained map[string][]string) {
	for _, d := range Differences {
		if len(explained[d.Name]) == 0 && len(d.Tags) > 0 {
			t.Logf("no vector needs %s with its tags %s", d.Name, strings.Join(d.Tags, " "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(explained)) {
		t.Logf("%s: %d vectors: %s", name, len(explained[name]), strings.Join(explained[name], " "))
	}
}

// vectorFiles returns the vector files of a directory.
func vectorFiles(dir string) ([]string, error) {
	plain, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	zipped, err := filepath.Glob(filepath.Join(dir, "*.json.gz"))
	if err != nil {
		return nil, err
	}
	files := append(plain, zipped...)
	if len(files) == 0 {
		return nil, fmt.Errorf("no .json or .json.gz in %s", dir)
	}
	slices.Sort(files)
	return files, nil
}

func readVectors(file string) (vectors []vector, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if err := json.NewDecoder(r).Decode(&vectors); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return vectors, nil
}

// familyOf returns the family of a vector: what its name begins with, or else that of its file.
func familyOf(v *vector, file string) string {
	for _, name := range []string{v.Name, file} {
		family, _, _ := strings.Cut(name, "/")
		if _, ok := families[family]; ok {
			return family
		}
	}
	return file
}

func TestFamilyOf(t *testing.T) {
	for _, test := range []struct{ vector, file, want string }{
		{"schedule/static/001", "schedule", "schedule"},
		{"schedule/static/001", "part-2", "schedule"},
		{"sequence", "part-2", "sequence"},
		{"001", "divide", "divide"},
		{"other/001", "part-2", "part-2"},
	} {
		if got := familyOf(&vector{Name: test.vector}, test.file); got != test.want {
			t.Errorf("familyOf(%s in %s) = %s, want %s", test.vector, test.file, got, test.want)
		}
	}
}

func TestAnswerToBrokenVector(t *testing.T) {
	for family, run := range families {
		for _, in := range []string{`{}`, `{"op": "health", "object": null}`, `null`, `[]`, ``} {
			if _, _, same, err := answer(family, run, &vector{In: json.RawMessage(in), Out: json.RawMessage(`{"what": "nobody says"}`)}); same {
				t.Errorf("%s of %q passes (%v)", family, in, err)
			}
		}
	}
}

// testFile runs the vectors of one file and adds those that differ on purpose to explained, by difference.
func testFile(t *testing.T, name, file string, explained map[string][]string) {
	vectors, err := readVectors(file)
	if err != nil {
		t.Fatal(err)
	}
	passed, differing, failed := 0, 0, 0
	for _, v := range vectors {
		family := familyOf(&v, name)
		run, ok := families[family]
		if !ok {
			t.Fatalf("%s: %q belongs to no family that there is a runner for: %s", file, v.Name, strings.Join(slices.Sorted(maps.Keys(families)), ", "))
		}
		got, want, same, err := answer(family, run, &v)
		if err == nil && same {
			passed++
			continue
		}
		if name := explain(family, &v); name != "" {
			explained[name] = append(explained[name], v.Name)
			differing++
			continue
		}
		failed++
		if failed <= 20 {
			t.Errorf("%s %v: %v\n in   %s\n got  %s\n want %s", v.Name, v.Tags, err, shortened(string(v.In)), got, want)
		}
	}
	t.Logf("%-10s %5d vectors: %5d passed, %4d differ on purpose, %d failed", name, len(vectors), passed, differing, failed)
}

// answer runs one vector and returns what we and Karmada say, as texts, and whether it is the same. A vector that lacks what
// its family needs fails alone.
func answer(family string, run func(json.RawMessage) (any, error), v *vector) (gotText, wantText string, same bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	out, err := run(v.In)
	if err != nil {
		return "", string(v.Out), false, err
	}
	ours, err := json.Marshal(out)
	if err != nil {
		return "", string(v.Out), false, err
	}
	got, err := decode(ours)
	if err != nil {
		return "", string(v.Out), false, err
	}
	want, err := decode(v.Out)
	if err != nil {
		return "", string(v.Out), false, err
	}
	trimTexts(got)
	trimTexts(want)
	if slices.Contains(v.Tags, "compare:ignore-condition-times") {
		trimConditions(got)
		trimConditions(want)
	}
	if trim, ok := trims[family]; ok {
		trim(got, want)
	}
	c := comparisonOf(family, v)
	return c.canonical(got), c.canonical(want), c.equal(got, want), nil
}

func shortened(text string) string {
	const limit = 4000
	if len(text) <= limit || testing.Verbose() {
		return text
	}
	return text[:limit] + "..."
}

// comparisonOf returns how a vector is compared.
func comparisonOf(family string, v *vector) comparison {
	c := comparison{mode: v.Compare}
	var in struct{ Op string }
	if json.Unmarshal(v.In, &in) == nil {
		c.pruneZeros = family == "validate" || family == "eviction" || (family == "interpret" && (in.Op == "reflect" || in.Op == "aggregate"))
	}
	return c
}

// trims removes what has no counterpart here, by family: every plan schedules anew, so whether Karmada did is not compared,
// nor what it tried when it did nothing.
var trims = map[string]func(got, want any){
	"schedule": func(got, want any) {
		if object(want)["scheduled"] == false {
			delete(object(got), "attempts")
			delete(object(want), "attempts")
		}
		delete(object(want), "scheduled")
	},
	"sequence": func(_, want any) {
		for _, step := range list(object(want)["steps"]) {
			delete(object(step), "scheduled")
		}
	},
}

// trimTexts removes the texts of errors, which are Karmada's own, and the order that lists of errors have by them.
func trimTexts(out any) {
	o := object(out)
	trimError(o["error"])
	for _, step := range list(o["steps"]) {
		trimError(object(step)["error"])
	}
	for _, attempt := range list(o["attempts"]) {
		trimError(attempt)
	}
	errs := list(o["errors"])
	for _, err := range errs {
		trimError(err)
	}
	exact := comparison{mode: "exact"}
	slices.SortFunc(errs, func(a, b any) int { return cmp.Compare(exact.canonical(a), exact.canonical(b)) })
}

// trimError leaves the class and the place of an error, and a sign that there is one.
func trimError(v any) {
	err := object(v)
	if err == nil {
		return
	}
	for _, text := range []string{"message", "messageUnstable", "reason", "detail"} {
		delete(err, text)
	}
	err["error"] = true
}

// trimConditions leaves type, status and reason of the conditions of a status.
func trimConditions(out any) {
	for _, condition := range list(object(object(out)["status"])["conditions"]) {
		for _, field := range []string{"lastProbeTime", "lastTransitionTime", "message"} {
			delete(object(condition), field)
		}
	}
}

// object returns v as an object, or nil.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// list returns v as a list, or nil.
func list(v any) []any {
	l, _ := v.([]any)
	return l
}
