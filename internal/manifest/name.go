package manifest

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

// nameRule returns what is wrong with a name.
type nameRule func(name string) []string

// nameRules holds how the API names objects of its own kinds, as the validation
// of Kubernetes 1.36 has it; where releases differ, the rule that takes more. Of
// kinds that are not here, such as those of RBAC, PodDisruptionBudget and custom
// ones, a name is whatever may be a part of a URL.
var nameRules = map[schema.GroupKind]nameRule{
	{Kind: "Namespace"}: validation.IsDNS1123Label,
	{Kind: "Service"}:   validation.IsDNS1123Label, // before 1.34 it had to begin with a letter

	{Kind: "ConfigMap"}:                                                             validation.IsDNS1123Subdomain,
	{Kind: "LimitRange"}:                                                            validation.IsDNS1123Subdomain,
	{Kind: "PersistentVolume"}:                                                      validation.IsDNS1123Subdomain,
	{Kind: "PersistentVolumeClaim"}:                                                 validation.IsDNS1123Subdomain,
	{Kind: "Pod"}:                                                                   validation.IsDNS1123Subdomain,
	{Kind: "PodTemplate"}:                                                           validation.IsDNS1123Subdomain,
	{Kind: "ReplicationController"}:                                                 validation.IsDNS1123Subdomain,
	{Kind: "ResourceQuota"}:                                                         validation.IsDNS1123Subdomain,
	{Kind: "Secret"}:                                                                validation.IsDNS1123Subdomain,
	{Kind: "ServiceAccount"}:                                                        validation.IsDNS1123Subdomain,
	{Group: "apps", Kind: "DaemonSet"}:                                              validation.IsDNS1123Subdomain,
	{Group: "apps", Kind: "Deployment"}:                                             validation.IsDNS1123Subdomain,
	{Group: "apps", Kind: "ReplicaSet"}:                                             validation.IsDNS1123Subdomain,
	{Group: "apps", Kind: "StatefulSet"}:                                            validation.IsDNS1123Subdomain,
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}:                         validation.IsDNS1123Subdomain,
	{Group: "batch", Kind: "CronJob"}:                                               validation.IsDNS1123Subdomain,
	{Group: "batch", Kind: "Job"}:                                                   validation.IsDNS1123Subdomain,
	{Group: "networking.k8s.io", Kind: "Ingress"}:                                   validation.IsDNS1123Subdomain,
	{Group: "networking.k8s.io", Kind: "IngressClass"}:                              validation.IsDNS1123Subdomain,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:                             validation.IsDNS1123Subdomain,
	{Group: "node.k8s.io", Kind: "RuntimeClass"}:                                    validation.IsDNS1123Subdomain,
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:                             validation.IsDNS1123Subdomain,
	{Group: "storage.k8s.io", Kind: "StorageClass"}:                                 validation.IsDNS1123Subdomain,
	{Group: "storage.k8s.io", Kind: "VolumeAttributesClass"}:                        validation.IsDNS1123Subdomain,
	{Group: "coordination.k8s.io", Kind: "Lease"}:                                   validation.IsDNS1123Subdomain,
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}:                              validation.IsDNS1123Subdomain,
	{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"}:   validation.IsDNS1123Subdomain,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"}: validation.IsDNS1123Subdomain,
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:               validation.IsDNS1123Subdomain,
}

// checkName returns what is wrong with the name of an object of a kind.
func checkName(kind schema.GroupKind, name string) error {
	rule, ok := nameRules[kind]
	if !ok {
		rule = content.IsPathSegmentName
	}
	if reasons := rule(name); len(reasons) > 0 {
		return fmt.Errorf("not a name of an object of this kind: %s", strings.Join(reasons, ", "))
	}
	return nil
}
