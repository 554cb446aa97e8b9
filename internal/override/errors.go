package override

import (
	"errors"
	"fmt"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// singleRule is the rule index of the deprecated form, in which the policy itself is the only rule.
const singleRule = -1

// PolicyRef names an override policy. Namespace is empty for a ClusterOverridePolicy.
type PolicyRef struct {
	Kind      string
	Namespace string
	Name      string
}

func refOf(p *api.OverridePolicy) PolicyRef {
	if p.ClusterScoped() {
		return PolicyRef{Kind: api.KindClusterOverridePolicy, Name: p.Name}
	}
	return PolicyRef{Kind: api.KindOverridePolicy, Namespace: p.Namespace, Name: p.Name}
}

// ClusterScoped reports whether r is a ClusterOverridePolicy.
func (r PolicyRef) ClusterScoped() bool { return r.Kind == api.KindClusterOverridePolicy }

// String returns the kind, namespace and name, as in "OverridePolicy default/demoapp".
func (r PolicyRef) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}

// Location says which overrider of which policy failed, on which object for which member. Object and Member are empty
// when the policy alone is at fault.
type Location struct {
	Policy PolicyRef
	// Rule is the index in spec.overrideRules, or -1 for the deprecated single-rule form.
	Rule int
	// Overrider is the field and index within the rule, such as imageOverrider[0].
	Overrider string
	Object    manifest.Key
	Member    string
}

// String names all parts, as in "OverridePolicy default/demoapp, overrideRules[0].overriders.plaintext[1],
// Deployment.apps/default/demoapp on member kube03".
func (l Location) String() string {
	var b strings.Builder
	b.WriteString(l.Policy.String() + ", " + l.path())
	if l.Object != (manifest.Key{}) {
		fmt.Fprintf(&b, ", %s on member %s", l.Object, l.Member)
	}
	return b.String()
}

// path returns the overrider as a path in the spec of the policy.
func (l Location) path() string {
	if l.Rule == singleRule {
		return "overriders." + l.Overrider
	}
	return fmt.Sprintf("overrideRules[%d].overriders.%s", l.Rule, l.Overrider)
}

// Error is an override that cannot be applied. Path is a JSON pointer into the object, empty when no field is at fault.
// Err says why and what to do. Nothing of a Secret's content is in it; of other objects the text of the field at Path may be.
type Error struct {
	Location
	Path string
	Err  error
}

func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s: %v", e.Location, e.Err)
	}
	return fmt.Sprintf("%s, path %s: %v", e.Location, e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// UnknownError means that an override needs a variable of the member whose value is not known yet, so what the member
// receives is not known either.
type UnknownError struct {
	Location
	// Variable is the key in the member's variables.
	Variable string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s: variable %q of the member is not known yet", e.Location, e.Variable)
}

// pathError is a failure at a path of the object.
type pathError struct {
	path string
	err  error
}

func (e *pathError) Error() string { return fmt.Sprintf("path %s: %v", e.path, e.err) }

func (e *pathError) Unwrap() error { return e.err }

// at returns err as the failure of the field at p.
func at(p pointer, err error) error { return &pathError{path: p.String(), err: err} }

// unknownVariable means that the value of a variable is not known yet.
type unknownVariable string

func (v unknownVariable) Error() string {
	return fmt.Sprintf("variable %q is not known yet", string(v))
}

// locate turns err into the exported form.
func locate(err error, l Location) error {
	var variable unknownVariable
	if errors.As(err, &variable) {
		return &UnknownError{Location: l, Variable: string(variable)}
	}
	var field *pathError
	if errors.As(err, &field) {
		return &Error{Location: l, Path: field.path, Err: field.err}
	}
	return &Error{Location: l, Err: err}
}
