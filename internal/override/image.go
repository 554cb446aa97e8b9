package override

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/distribution/reference"
	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// imageOverrider changes one component of the images of a workload, or of the one at path.
type imageOverrider struct {
	path      *pointer
	component api.ImageComponent
	operator  api.OverriderOperator
	value     text
	parsed    *sync.Map // image text -> parsedImage
}

// parsedImage is what parseImage returned for a text. The images of a template are the same for every member, and reading
// one costs more than changing it.
type parsedImage struct {
	image image
	err   error
}

func newImageOverrider(o *api.ImageOverrider) (overrider, error) {
	value, err := parseText(o.Value)
	if err != nil {
		return nil, err
	}
	if err := checkOperator(o.Operator); err != nil {
		return nil, invalid{err}
	}
	if err := checkComponent(o.Component); err != nil {
		return nil, invalid{err}
	}
	c := imageOverrider{component: o.Component, operator: o.Operator, value: value, parsed: &sync.Map{}}
	if o.Predicate == nil {
		return c, nil
	}
	path, err := parsePointer(o.Predicate.Path)
	if err != nil {
		return nil, invalid{err}
	}
	c.path = &path
	return c, nil
}

// checkComponent refuses what is not a component.
func checkComponent(c api.ImageComponent) error {
	switch c {
	case api.ImageRegistry, api.ImageRepository, api.ImageTag:
		return nil
	}
	return fmt.Errorf("component %q is unknown; write Registry, Repository or Tag", c)
}

// apply changes every container of every container list. Karmada 1.19 leaves initContainers, ephemeralContainers and
// CronJobs alone, and looks at the kind without its group.
func (o imageOverrider) apply(e *edit) (bool, error) {
	value, err := o.value.render(e.target)
	if err != nil {
		return false, err
	}
	if o.path != nil {
		return o.applyAt(e, *o.path, value)
	}
	all, err := containers(e.obj)
	if err != nil {
		return false, err
	}
	if len(all) == 0 && !noteUnknownWorkload(e) {
		e.missed = noContainers
	}
	return editContainers(e, all, "image", func(c container) (any, bool, error) {
		old, ok := c.fields["image"].(string)
		if !ok {
			return nil, false, at(c.path("image"), fmt.Errorf("want an image, have %s", typeName(c.fields["image"])))
		}
		next, err := o.change(e, c.path("image"), old, value)
		return next, next != old, err
	})
}

// noteUnknownWorkload notes an object of an unknown kind that looks like it had containers, and reports whether it is one.
func noteUnknownWorkload(e *edit) bool {
	list, _, err := unstructured.NestedFieldNoCopy(e.obj.Object, "spec", "template", "spec", "containers")
	items, ok := list.([]any)
	if err != nil || !ok || len(items) == 0 {
		return false
	}
	e.note("no image is changed: %s %s is not known to run containers; name the field with predicate.path, such as /spec/template/spec/containers/0/image",
		e.obj.GetAPIVersion(), e.obj.GetKind())
	return true
}

// applyAt changes the image at path, in an object of any kind.
func (o imageOverrider) applyAt(e *edit, path pointer, value string) (bool, error) {
	old, err := getString(e.obj.Object, path)
	if err != nil {
		return false, err
	}
	next, err := o.change(e, path, old, value)
	if err != nil || next == old {
		return false, err
	}
	return true, e.put(path, next)
}

// change returns the image with the component changed.
func (o imageOverrider) change(e *edit, path pointer, old, value string) (string, error) {
	image, err := o.parse(old)
	if err != nil {
		return "", at(path, fmt.Errorf("%s is no image: %w", e.quote(old), err))
	}
	switch o.component {
	case api.ImageRegistry:
		image.registry = combine(image.registry, o.operator, value)
	case api.ImageRepository:
		image.repository = combine(image.repository, o.operator, value)
	case api.ImageTag:
		kept, err := image.changeTag(o.operator, value)
		if err != nil {
			return "", at(path, err)
		}
		if kept {
			e.note("image %s at %s keeps its tag or digest: the %s of %q would leave none that is valid", e.quote(old), path, o.operator, value)
		}
	}
	next := image.String()
	if next != old {
		if _, err := o.parse(next); err != nil {
			e.note("image %s at %s becomes %s, which members will not run: %v", e.quote(old), path, e.quote(next), err)
		}
	}
	return next, nil
}

// parse is parseImage with a memory.
func (o imageOverrider) parse(s string) (image, error) {
	if found, ok := o.parsed.Load(s); ok {
		if p, ok := found.(parsedImage); ok {
			return p.image, p.err
		}
	}
	i, err := parseImage(s)
	o.parsed.Store(s, parsedImage{i, err})
	return i, err
}

// combine returns a registry or repository after an operation: add appends.
func combine(old string, operator api.OverriderOperator, value string) string {
	switch operator {
	case api.OverriderOpAdd:
		return old + value
	case api.OverriderOpReplace:
		return value
	case api.OverriderOpRemove:
		return ""
	}
	return old
}

// image is a reference to a container image: [registry/]repository[:tag][@digest].
type image struct {
	registry   string
	repository string
	tag        string
	digest     string
}

// parseImage reads an image as container runtimes do. The first segment is the registry when it has a dot or a colon or
// is localhost.
func parseImage(s string) (image, error) {
	ref, err := reference.Parse(s)
	if err != nil {
		return image{}, err
	}
	named, ok := ref.(reference.Named)
	if !ok {
		return image{}, errors.New("it has a digest but no name")
	}
	i := image{repository: named.Name()}
	if first, rest, ok := strings.Cut(named.Name(), "/"); ok && (strings.ContainsAny(first, ".:") || first == "localhost") {
		i.registry, i.repository = first, rest
	}
	if t, ok := ref.(reference.Tagged); ok {
		i.tag = t.Tag()
	}
	if d, ok := ref.(reference.Digested); ok {
		i.digest = d.Digest().String()
	}
	return i, nil
}

// String returns the image as it is written in a container.
func (i image) String() string {
	s := i.repository
	if i.registry != "" {
		s = i.registry + "/" + s
	}
	if i.tag != "" {
		s += ":" + i.tag
	}
	if i.digest != "" {
		s += "@" + i.digest
	}
	return s
}

// tagCharacters matches what may be part of a tag, though perhaps not its beginning.
var tagCharacters = regexp.MustCompile(`^[\w.-]*$`)

// maxTagLength is the length of the longest tag, in bytes.
const maxTagLength = 128

// changeTag changes the tag, or the digest when there is no tag. A new tag drops the digest and the other way round, since
// the two would name different images.
//
// kept reports that the image stays as it is, as in Karmada 1.19: there is nothing to append to, a tag cannot begin like
// this, or a digest is not to be appended to. A value that can never be part of a tag is an error, which Karmada ignores.
func (i *image) changeTag(operator api.OverriderOperator, value string) (kept bool, err error) {
	next := value
	switch operator {
	case api.OverriderOpRemove:
		i.tag, i.digest = "", ""
		return false, nil
	case api.OverriderOpAdd:
		next = i.digest + value
		if i.tag != "" {
			next = i.tag + value
		}
	}
	switch {
	case matchesWhole(reference.TagRegexp, next):
		i.tag, i.digest = next, ""
	case matchesWhole(reference.DigestRegexp, next):
		i.tag, i.digest = "", next
	case !tagCharacters.MatchString(value) && !matchesWhole(reference.DigestRegexp, value):
		return false, fmt.Errorf("%q is neither a tag nor a digest; write a tag such as v1.2 or a digest such as sha256: and 64 hexadecimal digits", value)
	case tagCharacters.MatchString(next) && len(next) > maxTagLength:
		return false, fmt.Errorf("the tag %s would be %d bytes long; at most %d are allowed", next, len(next), maxTagLength)
	default:
		return true, nil
	}
	return false, nil
}

// matchesWhole reports whether re matches all of s.
func matchesWhole(re *regexp.Regexp, s string) bool {
	return s != "" && re.FindString(s) == s
}
