package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// pageSize is how many objects a list returns at a time.
const pageSize = 500

// Get returns one object. See IsGone for what its absence is.
func (s *Session) Get(ctx context.Context, r Resource, namespace, name string) (*unstructured.Unstructured, error) {
	c := r.call("get", http.MethodGet, namespace, name)
	a, err := s.do(ctx, c)
	if err != nil {
		return nil, err
	}
	return s.object(c, a)
}

// ListOptions narrow a list.
type ListOptions struct {
	LabelSelector string

	// MetadataOnly leaves out everything but metadata: the content of other people's objects is none of our business.
	MetadataOnly bool
}

// List returns the objects of a kind in a namespace; an empty namespace is all of them. The error of a kind that went away
// since the discovery is a *NoMatchError.
func (s *Session) List(ctx context.Context, r Resource, namespace string, options ListOptions) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	err := s.pages(ctx, r, namespace, options, func(first bool, items []json.RawMessage) error {
		if first {
			objects = nil
		}
		for _, item := range items {
			obj := &unstructured.Unstructured{}
			if err := utiljson.Unmarshal(item, &obj.Object); err != nil {
				return err
			}
			obj.SetGroupVersionKind(r.GroupVersionKind()) // lists leave it out
			objects = append(objects, obj)
		}
		return nil
	})
	if IsNotServed(err) {
		s.discovery.forget(func(struct{}, **catalog) bool { return true })
		if _, gone := s.Mapping(ctx, r.GroupVersionKind()); gone != nil {
			return nil, gone
		}
	}
	return objects, err
}

// page is the part of a list that all kinds share.
type page struct {
	Kind     string            `json:"kind"`
	Metadata metav1.ListMeta   `json:"metadata"`
	Items    []json.RawMessage `json:"items"`
}

// pages calls each with the objects of every page. first is set on the first page, and again when the member has forgotten
// where the list was and it starts anew: what came before is void then.
func (s *Session) pages(
	ctx context.Context, r Resource, namespace string, options ListOptions, each func(first bool, items []json.RawMessage) error,
) error {
	c := r.call("list", http.MethodGet, namespace, "")
	c.query = url.Values{"limit": {strconv.Itoa(pageSize)}}
	if options.LabelSelector != "" {
		c.query.Set("labelSelector", options.LabelSelector)
	}
	if options.MetadataOnly {
		c.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	}
	for {
		a, err := s.do(ctx, c)
		if apierrors.IsResourceExpired(err) && c.query.Has("continue") {
			c.query.Del("continue")
			continue
		}
		if err != nil {
			return err
		}
		var p page
		if err = json.Unmarshal(a.body, &p); err == nil && p.Kind == "" {
			err = errors.New("it is no list")
		}
		if err == nil {
			err = each(!c.query.Has("continue"), p.Items)
		}
		if err != nil {
			return s.garbled("list", c.object, err)
		}
		if p.Metadata.Continue == "" {
			return nil
		}
		c.query.Set("continue", p.Metadata.Continue)
	}
}

// ApplyOptions are those of a server-side apply. Conflicts are forced, and fields that the kind does not know are errors.
type ApplyOptions struct {
	FieldManager string
	DryRun       bool
}

// Apply sends obj as server-side apply and returns the object as the member has it now, with the warnings it gave.
func (s *Session) Apply(ctx context.Context, r Resource, obj *unstructured.Unstructured, options ApplyOptions) (*unstructured.Unstructured, []string, error) {
	c := r.call("apply", http.MethodPatch, obj.GetNamespace(), obj.GetName())
	c.query = url.Values{"fieldManager": {options.FieldManager}, "force": {"true"}, "fieldValidation": {"Strict"}}
	if options.DryRun {
		c.verb = "dry-run apply"
		c.query.Set("dryRun", "All")
	}
	c.contentType = string(types.ApplyPatchType)
	var err error
	if c.body, err = json.Marshal(obj.Object); err != nil {
		return nil, nil, fmt.Errorf("encode %s: %w", c.object, err)
	}
	a, err := s.do(ctx, c)
	if options.DryRun && err == nil {
		live, err := s.object(c, a)
		return live, a.warnings, err
	}
	live, err := s.written(r, c, a, err)
	return live, a.warnings, err
}

// MergePatch changes one object by an RFC 7386 patch and returns the object as the member has it now.
func (s *Session) MergePatch(ctx context.Context, r Resource, namespace, name string, patch []byte, fieldManager string) (*unstructured.Unstructured, error) {
	c := r.call("patch", http.MethodPatch, namespace, name)
	c.query = url.Values{"fieldManager": {fieldManager}}
	c.contentType = string(types.MergePatchType)
	c.body = patch
	a, err := s.do(ctx, c)
	return s.written(r, c, a, err)
}

// Delete deletes the object in the background, if it is still as it was seen, and returns it when it is still there, waiting
// for finalizers or its grace period. The error of an object that somebody changed or replaced since is a conflict.
func (s *Session) Delete(ctx context.Context, r Resource, seen *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	namespace, name, uid, version := seen.GetNamespace(), seen.GetName(), seen.GetUID(), seen.GetResourceVersion()
	c := r.call("delete", http.MethodDelete, namespace, name)
	c.contentType = "application/json"
	background := metav1.DeletePropagationBackground
	var err error
	if c.body, err = json.Marshal(metav1.DeleteOptions{
		TypeMeta:          metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		Preconditions:     &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
		PropagationPolicy: &background,
	}); err != nil {
		return nil, fmt.Errorf("encode the deletion of %s: %w", c.object, err)
	}
	a, err := s.do(ctx, c)
	if err != nil {
		return s.written(r, c, a, err)
	}
	var status metav1.Status
	if json.Unmarshal(a.body, &status) == nil && status.Kind == "Status" {
		s.drop(r, namespace, name)
		return nil, nil
	}
	live, err := s.written(r, c, a, nil)
	if err == nil && live.GetDeletionTimestamp() == nil { // kinds that are deleted at once may answer with what they were
		s.drop(r, namespace, name)
		return nil, nil
	}
	return live, err
}

// written decodes the answer to a write and keeps the shared lists true.
func (s *Session) written(r Resource, c call, a answer, err error) (*unstructured.Unstructured, error) {
	if changesServed(r) {
		s.writes.Add(1)
	}
	var live *unstructured.Unstructured
	if err == nil {
		live, err = s.object(c, a)
	}
	switch {
	case err == nil:
		s.record(r, live)
	case !refused(err):
		s.Invalidate(r)
	}
	return live, err
}

// refused reports whether err means that the write changed nothing, and that the object is as the lists have it.
func refused(err error) bool {
	var request *RequestError
	return errors.As(err, &request) && !request.Unconfirmed && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err)
}

// changesServed reports whether writing the kind changes which kinds the member serves.
func changesServed(r Resource) bool {
	return r.Resource == "customresourcedefinitions" || r.Resource == "apiservices"
}

// object decodes an answer that holds one object.
func (s *Session) object(c call, a answer) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(a.body); err != nil {
		return nil, s.garbled(c.verb, c.object, errors.New("it is no object"))
	}
	return obj, nil
}

// call returns a request for objects of the kind, or for one. Its path is as names are written: escaping is up to the URL.
func (r Resource) call(verb, method, namespace, name string) call {
	path := groupVersionPath(r.GroupVersion())
	object := r.GroupResource().String()
	if namespace != "" {
		path += "/namespaces/" + namespace
		object += " " + namespace
	}
	path += "/" + r.Resource
	switch {
	case name == "":
	case namespace == "":
		object += " " + name
	default:
		object += "/" + name
	}
	if name != "" {
		path += "/" + name
	}
	return call{verb: verb, object: object, method: method, path: path}
}
