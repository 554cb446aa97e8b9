package interpreter

import (
	"cmp"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Reference names one object that another one depends on, or, with LabelSelector instead of Name, several.
type Reference struct {
	APIVersion    string                `json:"apiVersion"`
	Kind          string                `json:"kind"`
	Namespace     string                `json:"namespace,omitempty"`
	Name          string                `json:"name,omitempty"`
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`

	// Optional says that nothing misses the object where it is not there.
	Optional bool `json:"-"`
}

// ErrNameless says that an object refers to another one and does not say to which. An Ingress may: it then leaves the
// certificate to its controller.
var ErrNameless = errors.New("names no object")

// references is a set of names by kind of the core API, each with whether all who refer to it can do without.
type references map[string]map[string]bool

// Dependencies returns what has to be wherever obj is, in a fixed order: the ConfigMaps, Secrets, ServiceAccounts and
// PersistentVolumeClaims of a pod template, each once; the TLS Secrets of an Ingress, for each entry; the Service and
// endpoints derived from a ServiceImport. That is what Karmada 1.19 takes along with propagateDeps: not what these
// depend on in turn, and no Service for a workload. All are in the namespace of obj. The error names the field that is
// malformed. It is ErrNameless when all that is wrong is a reference without a name; the others are returned then.
func (i *Interpreter) Dependencies(obj *unstructured.Unstructured) ([]Reference, error) {
	find := i.kindOf(obj).dependencies
	if find == nil {
		return nil, nil
	}
	f := fieldsOf(obj)
	dependencies := find(f)
	switch {
	case errors.Is(f.err, ErrNameless):
		return dependencies, failed(obj, f.err)
	case f.err != nil:
		return nil, failed(obj, f.err)
	default:
		return dependencies, nil
	}
}

// podDependencies returns the dependencies of the pod specs at the given paths; an object may lack some of them.
func podDependencies(podSpecs ...[]string) func(*fields) []Reference {
	return func(f *fields) []Reference {
		refs := references{}
		for _, podSpec := range podSpecs {
			if pod := decode[corev1.PodSpec](f, podSpec); pod != nil {
				refs.addPod(pod)
			}
		}
		return refs.list(f.text("metadata", "namespace"))
	}
}

// statefulSetDependencies leaves out the claims that the StatefulSet makes for itself.
func statefulSetDependencies(f *fields) []Reference {
	templates := f.objects("spec", "volumeClaimTemplates")
	return slices.DeleteFunc(podDependencies(podTemplate)(f), func(ref Reference) bool {
		return ref.Kind == "PersistentVolumeClaim" && slices.ContainsFunc(templates, func(template map[string]any) bool {
			return (&fields{content: template}).text("metadata", "name") == ref.Name
		})
	})
}

// add adds a name that is needed; an empty one refers to nothing.
func (r references) add(kind, name string) { r.addOptional(kind, name, nil) }

// addOptional adds a name that is needed unless optional is true.
func (r references) addOptional(kind, name string, optional *bool) {
	if name == "" {
		return
	}
	if r[kind] == nil {
		r[kind] = map[string]bool{}
	}
	before, known := r[kind][name]
	r[kind][name] = optional != nil && *optional && (before || !known)
}

func (r references) list(namespace string) []Reference {
	var list []Reference
	for kind, names := range r {
		for name, optional := range names {
			list = append(list, Reference{APIVersion: "v1", Kind: kind, Namespace: namespace, Name: name, Optional: optional})
		}
	}
	slices.SortFunc(list, func(a, b Reference) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// addAccount adds a ServiceAccount. Every namespace has its own default one.
func (r references) addAccount(name string) {
	if name != "default" {
		r.add("ServiceAccount", name)
	}
}

func (r references) addPod(pod *corev1.PodSpec) {
	r.addAccount(pod.ServiceAccountName)
	for _, secret := range pod.ImagePullSecrets {
		r.add("Secret", secret.Name)
	}
	for _, container := range pod.InitContainers {
		r.addContainer(container)
	}
	for _, container := range pod.Containers {
		r.addContainer(container)
	}
	for _, container := range pod.EphemeralContainers {
		r.addContainer(corev1.Container(container.EphemeralContainerCommon))
	}
	for _, volume := range pod.Volumes {
		r.addVolume(volume.VolumeSource)
	}
}

func (r references) addContainer(container corev1.Container) {
	for _, source := range container.EnvFrom {
		if source.ConfigMapRef != nil {
			r.addOptional("ConfigMap", source.ConfigMapRef.Name, source.ConfigMapRef.Optional)
		}
		if source.SecretRef != nil {
			r.addOptional("Secret", source.SecretRef.Name, source.SecretRef.Optional)
		}
	}
	for _, variable := range container.Env {
		switch source := variable.ValueFrom; {
		case source == nil:
		case source.ConfigMapKeyRef != nil:
			r.addOptional("ConfigMap", source.ConfigMapKeyRef.Name, source.ConfigMapKeyRef.Optional)
		case source.SecretKeyRef != nil:
			r.addOptional("Secret", source.SecretKeyRef.Name, source.SecretKeyRef.Optional)
		}
	}
}

func (r references) addVolume(volume corev1.VolumeSource) {
	switch {
	case volume.ConfigMap != nil:
		r.addOptional("ConfigMap", volume.ConfigMap.Name, volume.ConfigMap.Optional)
	case volume.Secret != nil:
		r.addOptional("Secret", volume.Secret.SecretName, volume.Secret.Optional)
	case volume.Projected != nil:
		r.addProjected(volume.Projected)
	case volume.PersistentVolumeClaim != nil:
		r.add("PersistentVolumeClaim", volume.PersistentVolumeClaim.ClaimName)
	case volume.AzureFile != nil:
		r.add("Secret", volume.AzureFile.SecretName)
	default:
		if secret := driverSecret(volume); secret != nil {
			r.add("Secret", secret.Name)
		}
	}
}

func (r references) addProjected(volume *corev1.ProjectedVolumeSource) {
	for _, source := range volume.Sources {
		if source.ConfigMap != nil {
			r.addOptional("ConfigMap", source.ConfigMap.Name, source.ConfigMap.Optional)
		}
		if source.Secret != nil {
			r.addOptional("Secret", source.Secret.Name, source.Secret.Optional)
		}
	}
}

// driverSecret returns the credentials with which a driver mounts the volume.
func driverSecret(volume corev1.VolumeSource) *corev1.LocalObjectReference {
	switch {
	case volume.CSI != nil:
		return volume.CSI.NodePublishSecretRef
	case volume.CephFS != nil:
		return volume.CephFS.SecretRef
	case volume.Cinder != nil:
		return volume.Cinder.SecretRef
	case volume.FlexVolume != nil:
		return volume.FlexVolume.SecretRef
	case volume.ISCSI != nil:
		return volume.ISCSI.SecretRef
	case volume.RBD != nil:
		return volume.RBD.SecretRef
	case volume.ScaleIO != nil:
		return volume.ScaleIO.SecretRef
	case volume.StorageOS != nil:
		return volume.StorageOS.SecretRef
	default:
		return nil
	}
}
