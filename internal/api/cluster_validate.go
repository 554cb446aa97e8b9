package api

import (
	"fmt"
	"math"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// MaxClusterName is the greatest length of a cluster's name, in bytes, as in Karmada 1.19.
const MaxClusterName = 48

// The values of ClusterSpec.SyncMode. Here every member is reached from where Terraform runs, which is Push.
const (
	syncModePush = "Push"
	syncModePull = "Pull"
)

// Validate reports what Karmada 1.19 rejects in a cluster that has its defaults. The field paths and types of the errors are
// Karmada's, the surprising ones included (spec.spec, spec.Zones); the texts are not.
func (c *Cluster) Validate() field.ErrorList {
	errs := apivalidation.ValidateObjectMeta(&c.ObjectMeta, false, validateClusterName, field.NewPath("metadata"))
	path, spec := field.NewPath("spec"), &c.Spec
	errs = append(errs, validateSyncMode(spec.SyncMode, path.Child("syncMode"))...)
	errs = append(errs, validateEndpoint(spec.APIEndpoint, path.Child("apiEndpoint"))...)
	errs = append(errs, validateSecretReference(spec.SecretRef, path.Child("secretRef"))...)
	errs = append(errs, validateSecretReference(spec.ImpersonatorSecretRef, path.Child("impersonatorSecretRef"))...)
	errs = append(errs, validateProxy(spec.ProxyURL, path.Child("proxyURL"))...)
	errs = append(errs, validateLabelValue(spec.Provider, path.Child("provider"))...)
	errs = append(errs, validateLabelValue(spec.Region, path.Child("region"))...)
	errs = append(errs, validateZones(spec, path)...)
	errs = append(errs, validateTaints(spec.Taints, path.Child("taints"))...)
	return append(errs, validateModels(spec.ResourceModels, path.Child("resourceModels"))...)
}

func validateClusterName(name string, _ bool) []string {
	if len(name) > MaxClusterName {
		return []string{fmt.Sprintf("must have at most %d characters", MaxClusterName)}
	}
	return validation.IsDNS1123Label(name)
}

func validateSyncMode(mode string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if mode == "" {
		errs = append(errs, field.Required(path, ""))
	}
	if mode != syncModePush && mode != syncModePull {
		errs = append(errs, field.NotSupported(path, mode, []string{syncModePull, syncModePush}))
	}
	return errs
}

// validateEndpoint never shows the URL: it may hold a password.
func validateEndpoint(endpoint string, path *field.Path) field.ErrorList {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return field.ErrorList{field.Invalid(path, noValue, "must be a URL such as https://10.0.0.1:6443")}
	}
	var errs field.ErrorList
	if u.Host == "" {
		errs = append(errs, field.Invalid(path, noValue, "names no host: write a URL such as https://10.0.0.1:6443"))
	}
	if u.User != nil {
		errs = append(errs, field.Invalid(path, noValue, "must not hold a user or password"))
	}
	if u.Fragment != "" {
		errs = append(errs, field.Invalid(path, u.Fragment, "must not hold a fragment"))
	}
	if u.RawQuery != "" {
		errs = append(errs, field.Invalid(path, noValue, "must not hold a query"))
	}
	return errs
}

func validateProxy(proxy string, path *field.Path) field.ErrorList {
	if proxy == "" {
		return nil
	}
	u, err := url.Parse(proxy)
	if err != nil {
		return field.ErrorList{field.Invalid(path, noValue, "must be a URL such as http://proxy.example.com:3128")}
	}
	switch u.Scheme {
	case "http", "https", "socks5":
		return nil
	}
	return field.ErrorList{field.Invalid(path, u.Scheme, "the scheme must be http, https or socks5")}
}

func validateSecretReference(ref *LocalSecretReference, path *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	return append(required(path.Child("namespace"), ref.Namespace), required(path.Child("name"), ref.Name)...)
}

func validateZones(spec *ClusterSpec, path *field.Path) field.ErrorList {
	errs := validateLabelValue(spec.Zone, path.Child("zone"))
	if spec.Zone != "" && len(spec.Zones) > 0 {
		errs = append(errs, field.TypeInvalid(path.Child("spec"), noValue, "zone is deprecated and cannot stand beside zones: keep zones"))
	}
	for _, zone := range spec.Zones {
		errs = append(errs, validateLabelValue(zone, path.Child("Zones"))...)
	}
	return errs
}

// validateLabelValue returns at most one error.
func validateLabelValue(value string, path *field.Path) field.ErrorList {
	if texts := validation.IsValidLabelValue(value); len(texts) > 0 {
		return field.ErrorList{field.Invalid(path, value, strings.Join(texts, "; "))}
	}
	return nil
}

func validateTaints(taints []corev1.Taint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	type identity struct {
		key    string
		effect corev1.TaintEffect
	}
	seen := sets.New[identity]()
	for i, t := range taints {
		at := path.Index(i)
		errs = append(errs, validateLabelKey(t.Key, at.Child("key"))...)
		errs = append(errs, validateLabelValue(t.Value, at.Child("value"))...)
		errs = append(errs, requiredEnum(at.Child("effect"), t.Effect, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)...)
		if id := (identity{t.Key, t.Effect}); seen.Has(id) {
			errs = append(errs, field.Duplicate(at, t.Key+":"+string(t.Effect)))
		} else {
			seen.Insert(id)
		}
	}
	return errs
}

// validateModels returns at most one error, as Karmada does.
func validateModels(models []ResourceModel, path *field.Path) field.ErrorList {
	for i := range models {
		if problem := modelProblem(models, i); problem != "" {
			return field.ErrorList{field.Invalid(path, noValue, fmt.Sprintf("grade %d: %s", models[i].Grade, problem))}
		}
	}
	return nil
}

// modelProblem says what is wrong with the model at index i, compared with the one before it; "" is nothing.
func modelProblem(models []ResourceModel, i int) string {
	model := models[i]
	if i > 0 {
		switch before := models[i-1]; {
		case model.Grade == before.Grade:
			return "is there more than once"
		case len(model.Ranges) != len(before.Ranges):
			return "must have the same resources as the grades before it"
		}
	}
	for j, r := range model.Ranges {
		switch {
		case r.Max.Cmp(r.Min) <= 0:
			return fmt.Sprintf("%s: max must be greater than min", r.Name)
		case i == 0 && !r.Min.IsZero():
			return fmt.Sprintf("%s: min of the first grade must be 0", r.Name)
		case i > 0 && r.Name != models[i-1].Ranges[j].Name:
			return fmt.Sprintf("%s: must have the same resources in the same order as the grades before it", r.Name)
		case i > 0 && r.Min.Cmp(models[i-1].Ranges[j].Max) != 0:
			return fmt.Sprintf("%s: min must be the max of the grade before it", r.Name)
		case i == len(models)-1 && r.Max.Value() != math.MaxInt64:
			return fmt.Sprintf("%s: max of the last grade must be %d", r.Name, int64(math.MaxInt64))
		}
	}
	return ""
}
