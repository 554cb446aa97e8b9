package override

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// reserved begins a reference to the member. All other braces belong to the text.
const reserved = api.MemberReference

const referenceForms = `{{ member.name }}, .region, .zone, .provider, .labels["key"] or .variables["key"]`

// outsideOfValues refuses a reference in a path or a key, where it would be taken for literal text.
func outsideOfValues(s string) error {
	if !strings.Contains(s, reserved) {
		return nil
	}
	return fmt.Errorf("%q refers to the member, and only values may; write a rule for each member, with targetCluster", s)
}

// text is a string in which {{ member.name }} and its like stand for values of the member.
type text []part

// part is literal text, or a reference when field is not empty.
type part struct {
	literal string
	field   string
	key     string
}

// parseText finds the references in s.
func parseText(s string) (text, error) {
	var t text
	for {
		before, rest, found := strings.Cut(s, reserved)
		if before != "" || (!found && t == nil) {
			t = append(t, part{literal: before})
		}
		if !found {
			return t, nil
		}
		p, after, ok := parseReference(rest)
		if !ok {
			return nil, fmt.Errorf("%s is no reference to the member; write %s", shorten(reserved+rest), referenceForms)
		}
		t, s = append(t, p), after
		if s == "" {
			return t, nil
		}
	}
}

// parseReference reads a reference after its reserved beginning, and returns what follows it.
func parseReference(s string) (part, string, bool) {
	for _, field := range []string{"name", "region", "zone", "provider"} {
		if rest, ok := strings.CutPrefix(s, field); ok {
			after, ok := cutEnd(rest)
			return part{field: field}, after, ok
		}
	}
	for _, field := range []string{"labels", "variables"} {
		if rest, ok := strings.CutPrefix(s, field+`["`); ok {
			key, rest, ok := strings.Cut(rest, `"]`)
			if !ok {
				return part{}, "", false
			}
			after, ok := cutEnd(rest)
			return part{field: field, key: key}, after, ok
		}
	}
	return part{}, "", false
}

// cutEnd returns what follows the closing braces of a reference.
func cutEnd(s string) (string, bool) {
	return strings.CutPrefix(strings.TrimLeft(s, " "), "}}")
}

// shorten returns the beginning of a text for a message: up to its first closing braces, and not more than 60 bytes.
func shorten(s string) string {
	if i := strings.Index(s, "}}"); i >= 0 {
		s = s[:i+2]
	}
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "..."
	}
	return s
}

// fixed reports whether t is the same for every member.
func (t text) fixed() bool {
	return !slices.ContainsFunc(t, func(p part) bool { return p.field != "" })
}

// render returns t for the target.
func (t text) render(target *Target) (string, error) {
	if len(t) == 1 && t[0].field == "" {
		return t[0].literal, nil
	}
	var b strings.Builder
	for _, p := range t {
		value, err := p.value(target)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
	}
	return b.String(), nil
}

// value returns what p stands for. The error is an unknownVariable when that is not known yet.
func (p part) value(target *Target) (string, error) {
	c := target.Cluster
	switch p.field {
	case "name":
		return c.Name, nil
	case "region":
		return declared(target, p.field, c.Spec.Region)
	case "provider":
		return declared(target, p.field, c.Spec.Provider)
	case "zone":
		return zone(target)
	case "labels":
		return lookup(target, p, c.Labels)
	case "variables":
		if target.AllVariablesUnknown || target.UnknownVariables[p.key] {
			return "", unknownVariable(p.key)
		}
		return lookup(target, p, target.Variables)
	}
	return p.literal, nil
}

// declared returns a property of the member that must not be empty.
func declared(target *Target, field, value string) (string, error) {
	if value == "" {
		return "", fmt.Errorf("%s%s }} has no value: member %s declares no %s; declare it, or limit the rule with targetCluster",
			reserved, field, target.Cluster.Name, field)
	}
	return value, nil
}

// zone returns the only zone of the member.
func zone(target *Target) (string, error) {
	zones := target.Cluster.Spec.Zones
	if len(zones) > 1 {
		return "", fmt.Errorf("%szone }} is ambiguous: member %s has zones %s; use a variable instead",
			reserved, target.Cluster.Name, strings.Join(zones, ", "))
	}
	if len(zones) == 1 {
		return zones[0], nil
	}
	return declared(target, "zone", target.Cluster.Spec.Zone)
}

// lookup returns one of the member's labels or variables; the error lists the keys there are.
func lookup(target *Target, p part, values map[string]string) (string, error) {
	if value, ok := values[p.key]; ok {
		return value, nil
	}
	keys := slices.Sorted(maps.Keys(values))
	for key := range target.UnknownVariables {
		if p.field == "variables" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	there := "none"
	if len(keys) > 0 {
		there = strings.Join(keys, ", ")
	}
	return "", fmt.Errorf("%s%s[%q] }} has no value: member %s has no such key (its %s: %s); add it, or limit the rule with targetCluster",
		reserved, p.field, p.key, target.Cluster.Name, p.field, there)
}
