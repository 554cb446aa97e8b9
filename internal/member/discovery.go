package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	discoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// acceptDiscovery asks for all groups in one document (Kubernetes 1.27), and takes the list of groups from older servers.
const acceptDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

// errStale is why a group version that the server itself cannot reach is not known.
var errStale = errors.New("the API server cannot reach what serves it")

// Resource is one kind as a member serves it in one version.
type Resource struct {
	schema.GroupVersionResource
	Kind       string
	Namespaced bool
	Verbs      []string
	Preferred  bool // the first version in which the member serves the kind
}

// GroupVersionKind returns the kind with its version.
func (r Resource) GroupVersionKind() schema.GroupVersionKind {
	return r.GroupVersion().WithKind(r.Kind)
}

// Can reports whether the kind knows the verb, such as list.
func (r Resource) Can(verb string) bool { return slices.Contains(r.Verbs, verb) }

// catalog is what a member serves.
type catalog struct {
	resources []Resource // groups and versions in the member's order of preference, without subresources
	failed    map[schema.GroupVersion]error
	fetched   time.Time
	writes    uint64 // as counted when the fetch began
}

// served returns the versions in which the member serves the kind, the preferred one first.
func (c *catalog) served(kind schema.GroupKind) []Resource {
	var found []Resource
	for _, r := range c.resources {
		if r.Group == kind.Group && r.Kind == kind.Kind {
			found = append(found, r)
		}
	}
	return found
}

// failure returns why the group could not be discovered in whole, or nil.
func (c *catalog) failure(group string) (schema.GroupVersion, error) {
	for _, gv := range c.failures() {
		if gv.Group == group {
			return gv, c.failed[gv]
		}
	}
	return schema.GroupVersion{}, nil
}

// failures returns the group versions that could not be discovered, sorted.
func (c *catalog) failures() []schema.GroupVersion {
	return slices.SortedFunc(maps.Keys(c.failed), func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) })
}

// catalog returns what the member serves, discovered once.
func (s *Session) catalog(ctx context.Context) (*catalog, error) {
	return s.discovery.get(ctx, struct{}{}, s.discover)
}

// discover asks the member what it serves: two requests.
func (s *Session) discover(ctx context.Context) (*catalog, error) {
	c := &catalog{failed: map[schema.GroupVersion]error{}, writes: s.writes.Load()}
	var core, groups answer
	both, bothCtx := errgroup.WithContext(ctx)
	both.Go(func() (err error) { core, err = s.do(bothCtx, discoveryCall("/api")); return err })
	both.Go(func() (err error) { groups, err = s.do(bothCtx, discoveryCall("/apis")); return err })
	if err := both.Wait(); err != nil {
		return nil, err
	}
	if aggregated(core) && aggregated(groups) {
		for _, a := range []answer{core, groups} {
			if err := c.addAggregated(a.body); err != nil {
				return nil, s.garbled("discover", "API groups", err)
			}
		}
	} else if err := s.discoverEach(ctx, c); err != nil {
		return nil, err
	}
	c.markPreferred()
	c.fetched = time.Now()
	return c, nil
}

func discoveryCall(path string) call {
	return call{verb: "discover", object: path, method: http.MethodGet, path: path, accept: acceptDiscovery}
}

func aggregated(a answer) bool {
	_, params, err := mime.ParseMediaType(a.contentType)
	return err == nil && params["as"] == "APIGroupDiscoveryList"
}

// addAggregated adds the groups of an APIGroupDiscoveryList.
func (c *catalog) addAggregated(body []byte) error {
	var list discoveryv2.APIGroupDiscoveryList // v2beta1 has the same fields
	if err := decodeKind(body, "APIGroupDiscoveryList", &list); err != nil {
		return err
	}
	for _, group := range list.Items {
		for _, version := range group.Versions {
			gv := schema.GroupVersion{Group: group.Name, Version: version.Version}
			if version.Freshness == discoveryv2.DiscoveryFreshnessStale {
				c.failed[gv] = errStale
			}
			for _, r := range version.Resources {
				if r.ResponseKind == nil || r.ResponseKind.Kind == "" { // only subresources are served
					continue
				}
				c.resources = append(c.resources, Resource{
					GroupVersionResource: gv.WithResource(r.Resource),
					Kind:                 r.ResponseKind.Kind,
					Namespaced:           r.Scope == discoveryv2.ScopeNamespace,
					Verbs:                r.Verbs,
				})
			}
		}
	}
	return nil
}

// markPreferred marks the first version of each kind.
func (c *catalog) markPreferred() {
	seen := map[schema.GroupKind]bool{}
	for i := range c.resources {
		kind := c.resources[i].GroupVersionKind().GroupKind()
		c.resources[i].Preferred = !seen[kind]
		seen[kind] = true
	}
}

// discoverEach asks for each group version, as servers before Kubernetes 1.27 need. A group version that does not answer
// is recorded as failed.
func (s *Session) discoverEach(ctx context.Context, c *catalog) error {
	versions, err := s.groupVersions(ctx)
	if err != nil {
		return err
	}
	found := make([][]Resource, len(versions))
	failed := make([]error, len(versions))
	each := new(errgroup.Group)
	each.SetLimit(8)
	for i, gv := range versions {
		each.Go(func() error {
			found[i], failed[i] = s.groupVersion(ctx, gv)
			return nil
		})
	}
	_ = each.Wait() // the errors are in failed
	for i, gv := range versions {
		c.resources = append(c.resources, found[i]...)
		if failed[i] != nil {
			c.failed[gv] = failed[i]
		}
	}
	return ctx.Err()
}

// groupVersions returns the group versions that the member serves, the core first, preferred versions before others.
func (s *Session) groupVersions(ctx context.Context) ([]schema.GroupVersion, error) {
	var core metav1.APIVersions
	if err := s.getKind(ctx, "/api", "APIVersions", &core); err != nil {
		return nil, err
	}
	var groups metav1.APIGroupList
	if err := s.getKind(ctx, "/apis", "APIGroupList", &groups); err != nil {
		return nil, err
	}
	var versions []schema.GroupVersion
	for _, version := range core.Versions {
		versions = append(versions, schema.GroupVersion{Version: version})
	}
	for _, group := range groups.Groups {
		preferred := schema.GroupVersion{Group: group.Name, Version: group.PreferredVersion.Version}
		versions = append(versions, preferred)
		for _, version := range group.Versions {
			if version.Version != preferred.Version {
				versions = append(versions, schema.GroupVersion{Group: group.Name, Version: version.Version})
			}
		}
	}
	return versions, nil
}

// groupVersion returns what the member serves in one group version.
func (s *Session) groupVersion(ctx context.Context, gv schema.GroupVersion) ([]Resource, error) {
	var list metav1.APIResourceList
	if err := s.getKind(ctx, groupVersionPath(gv), "APIResourceList", &list); err != nil {
		return nil, err
	}
	var resources []Resource
	for _, r := range list.APIResources {
		if strings.Contains(r.Name, "/") {
			continue
		}
		resources = append(resources, Resource{
			GroupVersionResource: gv.WithResource(r.Name),
			Kind:                 r.Kind,
			Namespaced:           r.Namespaced,
			Verbs:                r.Verbs,
		})
	}
	return resources, nil
}

// getKind decodes what is served under path and has to be of the given kind.
func (s *Session) getKind(ctx context.Context, path, kind string, into any) error {
	a, err := s.do(ctx, call{verb: "get", object: path, method: http.MethodGet, path: path})
	if err != nil {
		return err
	}
	if err := decodeKind(a.body, kind, into); err != nil {
		return s.garbled("get", path, err)
	}
	return nil
}

// decodeKind decodes body, which has to be of the given kind: a document of another kind would read as an empty one.
func decodeKind(body []byte, kind string, into any) error {
	var meta metav1.TypeMeta
	if err := json.Unmarshal(body, &meta); err != nil {
		return err
	}
	if meta.Kind != kind {
		return fmt.Errorf("the kind is %q and not %s", meta.Kind, kind)
	}
	return json.Unmarshal(body, into)
}

// garbled is the error of an answer that is not what the API defines.
func (s *Session) garbled(verb, object string, err error) error {
	return &RequestError{Member: s.name, Verb: verb, Object: object, Err: fmt.Errorf("the answer is not what a Kubernetes API server sends: %w", err)}
}

// groupVersionPath returns the path under which a group version is served.
func groupVersionPath(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.Group + "/" + gv.Version
}
