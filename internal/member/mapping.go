package member

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// freshFor is how long a discovery is good enough to say that a kind is not served.
const freshFor = time.Second

// NoMatchError says that a member, which was asked just now, does not serve a kind in a version.
type NoMatchError struct {
	Member string
	GVK    schema.GroupVersionKind

	// Served holds the versions in which it does serve the kind, the preferred one first.
	Served []string
}

// Error returns the member, the kind, and what is served instead.
func (e *NoMatchError) Error() string {
	apiVersion := e.GVK.GroupVersion().String()
	if len(e.Served) == 0 {
		return fmt.Sprintf("member %s serves no kind %s in apiVersion %s, nor in another version of the group: check the spelling, or install its CustomResourceDefinition",
			e.Member, e.GVK.Kind, apiVersion)
	}
	return fmt.Sprintf("member %s serves no kind %s in apiVersion %s: it serves it in %s", e.Member, e.GVK.Kind, apiVersion, strings.Join(e.Served, ", "))
}

// DiscoveryError says that the member does not know at present what it serves in a group version: whether a kind is
// there cannot be said.
type DiscoveryError struct {
	Member       string
	GroupVersion schema.GroupVersion
	Err          error
}

// Error returns the member, the group version and the cause.
func (e *DiscoveryError) Error() string {
	return fmt.Sprintf("member %s: apiVersion %s cannot be discovered: %v; look at the APIService %s.%s",
		e.Member, e.GroupVersion, e.Err, e.GroupVersion.Version, e.GroupVersion.Group)
}

// Unwrap returns the cause.
func (e *DiscoveryError) Unwrap() error { return e.Err }

// Mapping returns how the member serves a kind. A kind that is not found is looked for again unless the discovery is
// younger than a second and than the last write of a CustomResourceDefinition. The error is a *NoMatchError only after a
// successful discovery of the group; a *DiscoveryError when the group could not be discovered.
func (s *Session) Mapping(ctx context.Context, gvk schema.GroupVersionKind) (Resource, error) {
	c, err := s.catalog(ctx)
	if err != nil {
		return Resource{}, err
	}
	if r, err := s.find(c, gvk); err == nil {
		return r, nil
	}
	s.discovery.forget(func(_ struct{}, known **catalog) bool {
		return known != nil && (time.Since((*known).fetched) > freshFor || (*known).writes != s.writes.Load())
	})
	if c, err = s.catalog(ctx); err != nil {
		return Resource{}, err
	}
	return s.find(c, gvk)
}

// find looks the kind up.
func (s *Session) find(c *catalog, gvk schema.GroupVersionKind) (Resource, error) {
	served := c.served(gvk.GroupKind())
	for _, r := range served {
		if r.Version == gvk.Version {
			return r, nil
		}
	}
	if gv, err := c.failure(gvk.Group); err != nil {
		return Resource{}, &DiscoveryError{s.name, gv, err}
	}
	e := &NoMatchError{Member: s.name, GVK: gvk}
	for _, r := range served {
		e.Served = append(e.Served, r.GroupVersion().String())
	}
	return Resource{}, e
}

// Served returns every kind that the member serves, in all versions. Groups that could not be discovered are in the
// error, a *DiscoveryError each, joined; what was found is returned all the same.
func (s *Session) Served(ctx context.Context) ([]Resource, error) {
	s.discovery.forget(func(_ struct{}, known **catalog) bool { return known != nil && (*known).writes != s.writes.Load() })
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Clone(c.resources), s.discoveryErrors(c)
}

// discoveryErrors returns what could not be discovered, or nil.
func (s *Session) discoveryErrors(c *catalog) error {
	var all []error
	for _, gv := range c.failures() {
		all = append(all, &DiscoveryError{s.name, gv, c.failed[gv]})
	}
	return errors.Join(all...)
}
