package override

import (
	"fmt"
	"slices"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// commandOverrider appends to or removes from the command or args of the containers of a name.
type commandOverrider struct {
	field     string // command or args
	container string
	operator  api.OverriderOperator
	values    []text
}

func newCommandOverrider(o *api.CommandArgsOverrider) (overrider, error) {
	return compileCommand("command", o)
}

func newArgsOverrider(o *api.CommandArgsOverrider) (overrider, error) {
	return compileCommand("args", o)
}

func compileCommand(field string, o *api.CommandArgsOverrider) (overrider, error) {
	if err := checkOperator(o.Operator); err != nil {
		return nil, invalid{err}
	}
	c := commandOverrider{field: field, container: o.ContainerName, operator: o.Operator}
	for _, v := range o.Value {
		t, err := parseText(v)
		if err != nil {
			return nil, err
		}
		c.values = append(c.values, t)
	}
	return c, nil
}

// apply changes the containers named, as Karmada 1.19 does: not init containers, and only in the kinds of commandKinds. It
// leaves a note where another container has the name, and misses where none has.
func (o commandOverrider) apply(e *edit) (bool, error) {
	values, err := o.render(e.target)
	if err != nil {
		return false, err
	}
	all, err := containers(e.obj)
	if err != nil {
		return false, err
	}
	if !slices.ContainsFunc(all, func(c container) bool { return c.named(o.container) }) {
		e.missed = lacks(o.container, all)
	}
	return editContainers(e, all, o.field, func(c container) (any, bool, error) {
		switch {
		case !c.named(o.container):
			return nil, false, nil
		case !coversCommand(e.obj, c):
			e.note("%s of container %q at %s is not changed: as in Karmada, only those of the containers of Pods, Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs are, without init containers; use plaintext here",
				o.field, o.container, c.path())
			return nil, false, nil
		}
		return o.change(c, values)
	})
}

// commandKinds are the kinds whose command and args are changed.
var commandKinds = map[schema.GroupKind]bool{
	{Kind: "Pod"}:                        true,
	{Group: "apps", Kind: "Deployment"}:  true,
	{Group: "apps", Kind: "ReplicaSet"}:  true,
	{Group: "apps", Kind: "StatefulSet"}: true,
	{Group: "apps", Kind: "DaemonSet"}:   true,
	{Group: "batch", Kind: "Job"}:        true,
}

// coversCommand reports whether command and args of a container of obj are changed.
func coversCommand(obj *unstructured.Unstructured, c container) bool {
	return c.list == "containers" && commandKinds[obj.GroupVersionKind().GroupKind()]
}

// lacks says that none of the containers has the name, and which names they have.
func lacks(name string, all []container) string {
	if len(all) == 0 {
		return noContainers
	}
	names := make([]string, len(all))
	for i, c := range all {
		names[i], _ = c.fields["name"].(string)
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Sprintf("has no container %q (did you mean %q?)", name, near)
	}
	return fmt.Sprintf("has no container %q, only %s", name, strings.Join(names, ", "))
}

func (o commandOverrider) render(target *Target) ([]any, error) {
	values := make([]any, 0, len(o.values))
	for _, t := range o.values {
		s, err := t.render(target)
		if err != nil {
			return nil, err
		}
		values = append(values, s)
	}
	return values, nil
}

// change adds the values to, or removes them from, the list of one container. As in Karmada 1.19 a list that is absent is
// there afterwards, even if empty.
func (o commandOverrider) change(c container, values []any) (any, bool, error) {
	present := c.fields[o.field]
	old, ok := present.([]any)
	if !ok && present != nil {
		return nil, false, at(c.path(o.field), fmt.Errorf("want a list of strings, have %s", typeName(present)))
	}
	next := append([]any{}, old...)
	switch o.operator {
	case api.OverriderOpAdd:
		next = append(next, values...)
	case api.OverriderOpRemove:
		next = slices.DeleteFunc(next, func(v any) bool { return slices.Contains(values, v) })
	}
	return next, present == nil || len(next) != len(old), nil
}
