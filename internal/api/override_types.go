package api

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OverridePolicy is an OverridePolicy or, with kind ClusterOverridePolicy, its cluster-scoped form.
type OverridePolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              OverrideSpec `json:"spec"`
}

// ClusterScoped reports whether p is a ClusterOverridePolicy.
func (p *OverridePolicy) ClusterScoped() bool { return p.Kind == KindClusterOverridePolicy }

// OverrideSpec says what differs on which members. TargetCluster and Overriders are the deprecated single-rule form.
type OverrideSpec struct {
	ResourceSelectors []ResourceSelector `json:"resourceSelectors,omitempty"`
	OverrideRules     []RuleWithCluster  `json:"overrideRules,omitempty"`
	TargetCluster     *ClusterAffinity   `json:"targetCluster,omitempty"`
	Overriders        Overriders         `json:"overriders,omitempty"`
}

// RuleWithCluster applies Overriders on the members that match; a nil TargetCluster matches all.
type RuleWithCluster struct {
	TargetCluster *ClusterAffinity `json:"targetCluster,omitempty"`
	Overriders    Overriders       `json:"overriders"`
}

// Overriders are applied in the fixed order image, command, args, labels, annotations, field, plaintext.
type Overriders struct {
	Plaintext            []PlaintextOverrider       `json:"plaintext,omitempty"`
	ImageOverrider       []ImageOverrider           `json:"imageOverrider,omitempty"`
	CommandOverrider     []CommandArgsOverrider     `json:"commandOverrider,omitempty"`
	ArgsOverrider        []CommandArgsOverrider     `json:"argsOverrider,omitempty"`
	LabelsOverrider      []LabelAnnotationOverrider `json:"labelsOverrider,omitempty"`
	AnnotationsOverrider []LabelAnnotationOverrider `json:"annotationsOverrider,omitempty"`
	FieldOverrider       []FieldOverrider           `json:"fieldOverrider,omitempty"`
}

// OverriderOperator is add, remove or replace.
type OverriderOperator string

// The values of OverriderOperator.
const (
	OverriderOpAdd     OverriderOperator = "add"
	OverriderOpRemove  OverriderOperator = "remove"
	OverriderOpReplace OverriderOperator = "replace"
)

// PlaintextOverrider is one RFC 6902 operation. A nil Value was not written; Value "null" was.
type PlaintextOverrider struct {
	Path     string            `json:"path"`
	Operator OverriderOperator `json:"operator"`
	Value    json.RawMessage   `json:"value,omitempty"`
}

// ImageComponent is Registry, Repository or Tag (tag or digest).
type ImageComponent string

// The values of ImageComponent.
const (
	ImageRegistry   ImageComponent = "Registry"
	ImageRepository ImageComponent = "Repository"
	ImageTag        ImageComponent = "Tag"
)

// ImageOverrider changes a component of the images of a workload, or of the one at Predicate.Path.
type ImageOverrider struct {
	Predicate *ImagePredicate   `json:"predicate,omitempty"`
	Component ImageComponent    `json:"component"`
	Operator  OverriderOperator `json:"operator"`
	Value     string            `json:"value,omitempty"`
}

// ImagePredicate names one image field by JSON pointer.
type ImagePredicate struct {
	Path string `json:"path"`
}

// CommandArgsOverrider appends to or removes from the command or args of the containers named.
type CommandArgsOverrider struct {
	ContainerName string            `json:"containerName"`
	Operator      OverriderOperator `json:"operator"`
	Value         []string          `json:"value,omitempty"`
}

// LabelAnnotationOverrider changes labels or annotations of the object's own metadata.
type LabelAnnotationOverrider struct {
	Operator OverriderOperator `json:"operator"`
	Value    map[string]string `json:"value,omitempty"`
}

// FieldOverrider patches a JSON or YAML document that is held in a string field; exactly one of JSON and YAML is set.
type FieldOverrider struct {
	FieldPath string                `json:"fieldPath"`
	JSON      []FieldPatchOperation `json:"json,omitempty"`
	YAML      []FieldPatchOperation `json:"yaml,omitempty"`
}

// FieldPatchOperation is one RFC 6902 operation inside the document of a FieldOverrider.
type FieldPatchOperation struct {
	SubPath  string            `json:"subPath"`
	Operator OverriderOperator `json:"operator"`
	Value    json.RawMessage   `json:"value,omitempty"`
}
