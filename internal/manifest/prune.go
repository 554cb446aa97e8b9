package manifest

import (
	"maps"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// serverMetadata is what an API server fills in, or what holds in one cluster only.
var serverMetadata = []string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generation",
	"managedFields", "ownerReferences", "resourceVersion", "selfLink", "uid",
}

// Prune returns the object without what belongs to the cluster it came from and
// must not be sent to another, as Karmada 1.19 does: server-made metadata,
// status, and by kind what controllers add. Kinds are told by their name alone.
// A map emptied by this stays as {}. The result shares unchanged parts with obj.
func Prune(obj *unstructured.Unstructured) *unstructured.Unstructured {
	content := maps.Clone(obj.Object)
	delete(content, "status")
	if metadata, ok := content["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		for _, name := range serverMetadata {
			delete(metadata, name)
		}
		content["metadata"] = metadata
	}
	if prune, ok := pruneKind[obj.GetKind()]; ok {
		content = prune(content)
	}
	return &unstructured.Unstructured{Object: content}
}

var pruneKind = map[string]func(map[string]any) map[string]any{
	"Deployment":            pruneDeployment,
	"Job":                   pruneJob,
	"PersistentVolumeClaim": prunePersistentVolumeClaim,
	"Secret":                pruneSecret,
	"Service":               pruneService,
	"ServiceAccount":        pruneServiceAccount,
}

func pruneDeployment(content map[string]any) map[string]any {
	for _, name := range []string{"deployment.kubernetes.io/revision", "deployment.kubernetes.io/revision-history"} {
		content = withoutField(content, "metadata", "annotations", name)
	}
	return content
}

// pruneJob removes the generated selector, and the time to live: a member that
// deletes a finished Job would have it created again.
func pruneJob(content map[string]any) map[string]any {
	content = withoutField(content, "spec", "ttlSecondsAfterFinished")
	if manual, _ := field(content, "spec", "manualSelector"); manual == true {
		return content
	}
	for _, name := range []string{"controller-uid", "batch.kubernetes.io/controller-uid"} {
		content = withoutField(content, "spec", "selector", "matchLabels", name)
	}
	for _, name := range []string{"controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name"} {
		content = withoutField(content, "spec", "template", "metadata", "labels", name)
	}
	return content
}

func prunePersistentVolumeClaim(content map[string]any) map[string]any {
	selectedNode := []string{"metadata", "annotations", "volume.kubernetes.io/selected-node"}
	if node, ok := field(content, selectedNode...); !ok || node == "" {
		return content
	}
	return withoutField(content, selectedNode...)
}

// pruneSecret empties the tokens that a cluster makes for its ServiceAccounts.
func pruneSecret(content map[string]any) map[string]any {
	if content["type"] != "kubernetes.io/service-account-token" {
		return content
	}
	content = withoutField(content, "metadata", "annotations", "kubernetes.io/service-account.uid")
	return withField(content, nil, "data")
}

// pruneService removes allocated addresses; None is a choice of the author.
func pruneService(content map[string]any) map[string]any {
	if clusterIP, ok := field(content, "spec", "clusterIP"); !ok || clusterIP == "None" {
		return content
	}
	content = withoutField(content, "spec", "clusterIP")
	return withoutField(content, "spec", "clusterIPs")
}

// pruneServiceAccount removes the token secrets made for the account. Of
// adjacent ones Karmada keeps every second, and so does this.
func pruneServiceAccount(content map[string]any) map[string]any {
	secrets, ok := content["secrets"].([]any)
	if !ok {
		return content
	}
	name, _ := field(content, "metadata", "name")
	account, _ := name.(string)
	kept := make([]any, 0, len(secrets))
	for i := 0; i < len(secrets); i++ {
		if !isTokenSecret(secrets[i], account) {
			kept = append(kept, secrets[i])
		} else if i++; i < len(secrets) {
			kept = append(kept, secrets[i])
		}
	}
	return withField(content, kept, "secrets")
}

func isTokenSecret(reference any, account string) bool {
	fields, _ := reference.(map[string]any)
	name, _ := fields["name"].(string)
	return strings.HasPrefix(name, account+"-token-")
}

// meant are the fields that Prune takes and that authors write on purpose. What
// else it takes is a server's record of an object, which means nothing elsewhere.
var meant = [][]string{
	{"metadata", "finalizers"}, {"metadata", "ownerReferences"},
	{"spec", "clusterIP"}, {"spec", "clusterIPs"},
	{"data"}, {"secrets"},
}

// Lost returns the paths of what an author wrote in an object and Prune took.
// An object that a cluster exported, which its uid or resourceVersion tells, has
// lost nothing: those fields were that cluster's.
func Lost(obj, pruned *unstructured.Unstructured) []string {
	if obj.GetUID() != "" || obj.GetResourceVersion() != "" {
		return nil
	}
	var paths []string
	for _, names := range meant {
		before, _ := field(obj.Object, names...)
		after, _ := field(pruned.Object, names...)
		if before != "" && !isEmpty(before) && !reflect.DeepEqual(before, after) {
			paths = append(paths, strings.Join(names, "."))
		}
	}
	return paths
}
