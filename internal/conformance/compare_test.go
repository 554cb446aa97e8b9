package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// decode reads a JSON value without losing digits.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return v, nil
}

// comparison is how two values of a vector are compared.
type comparison struct {
	mode       string // see the README of the vectors
	pruneZeros bool   // in mode pruned, zero values count as absent too
}

func (c comparison) equal(a, b any) bool { return c.canonical(a) == c.canonical(b) }

// canonical returns a text that is the same for values that count as equal.
func (c comparison) canonical(v any) string {
	if c.mode == "pruned" {
		v = c.prune(v)
	}
	var text strings.Builder
	c.write(&text, "", v)
	return text.String()
}

func (c comparison) write(text *strings.Builder, key string, v any) {
	switch v := v.(type) {
	case map[string]any:
		text.WriteByte('{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			fmt.Fprintf(text, "%q:", name)
			if key == "resourceRequest" {
				c.write(text, key, v[name])
			} else {
				c.write(text, name, v[name])
			}
			text.WriteByte(',')
		}
		text.WriteByte('}')
	case []any:
		items := make([]string, len(v))
		for i := range v {
			var item strings.Builder
			c.write(&item, key, v[i])
			items[i] = item.String()
		}
		if c.mode == "set" {
			slices.Sort(items)
		}
		fmt.Fprintf(text, "[%s]", strings.Join(items, ","))
	case json.Number:
		text.WriteString(number(v))
	case string:
		text.WriteString(c.scalar(key, v))
	default:
		fmt.Fprintf(text, "%v", v)
	}
}

// scalar writes a string, or in mode quantities the number that it stands for.
func (c comparison) scalar(key, v string) string {
	if c.mode == "quantities" && slices.Contains([]string{"resourceRequest", "min", "max"}, key) {
		if q, err := resource.ParseQuantity(v); err == nil {
			return "quantity " + number(json.Number(q.AsDec().String()))
		}
	}
	return fmt.Sprintf("%q", v)
}

func number(n json.Number) string {
	if r, ok := new(big.Rat).SetString(n.String()); ok {
		return r.RatString()
	}
	return n.String()
}

// prune removes the members of objects that are null or, after pruning, empty objects.
func (c comparison) prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if member = c.prune(member); !c.absent(member) {
				out[name] = member
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = c.prune(v[i])
		}
		return out
	}
	return v
}

func (c comparison) absent(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return c.pruneZeros && len(v) == 0
	case string:
		return c.pruneZeros && v == ""
	case bool:
		return c.pruneZeros && !v
	case json.Number:
		return c.pruneZeros && number(v) == "0"
	}
	return false
}

func TestComparison(t *testing.T) {
	tests := map[string]struct {
		c     comparison
		a, b  string
		equal bool
	}{
		"member order":              {comparison{mode: "exact"}, `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		"list order":                {comparison{mode: "exact"}, `[1,2]`, `[2,1]`, false},
		"list order in a set":       {comparison{mode: "set"}, `[1,2]`, `[2,1]`, true},
		"multiplicity in a set":     {comparison{mode: "set"}, `[1,1,2]`, `[1,2,2]`, false},
		"numbers by value":          {comparison{mode: "exact"}, `[1,1e2]`, `[1.0,100]`, true},
		"numbers beyond float64":    {comparison{mode: "exact"}, `9007199254740993`, `9007199254740992`, false},
		"a number is no string":     {comparison{mode: "exact"}, `1`, `"1"`, false},
		"null is no absence":        {comparison{mode: "exact"}, `{"a":null}`, `{}`, false},
		"null is absence if pruned": {comparison{mode: "pruned"}, `{"a":{"b":null}}`, `{}`, true},
		"list elements stay":        {comparison{mode: "pruned"}, `[{"a":null}]`, `[]`, false},
		"zero is no absence":        {comparison{mode: "pruned"}, `{"a":0}`, `{}`, false},
		"zero as absence":           {comparison{mode: "pruned", pruneZeros: true}, `{"a":0,"b":"","c":false,"d":[]}`, `{}`, true},
		"quantities":                {comparison{mode: "quantities"}, `{"resourceRequest":{"cpu":"1000m"}}`, `{"resourceRequest":{"cpu":"1"}}`, true},
		"quantities elsewhere":      {comparison{mode: "quantities"}, `{"cpu":"1000m"}`, `{"cpu":"1"}`, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a, errA := decode([]byte(tt.a))
			b, errB := decode([]byte(tt.b))
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			if got := tt.c.equal(a, b); got != tt.equal {
				t.Errorf("equal(%s, %s) = %v, want %v", tt.a, tt.b, got, tt.equal)
			}
		})
	}
}
