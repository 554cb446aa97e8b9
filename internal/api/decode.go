package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

var policyKinds = []string{KindPropagationPolicy, KindClusterPropagationPolicy, KindOverridePolicy, KindClusterOverridePolicy}

// decodePolicy returns doc as the type of its kind, without defaults.
func decodePolicy(doc map[string]any) (policy, field.ErrorList) {
	into, errs := newPolicy(doc)
	if len(errs) > 0 {
		return nil, errs
	}
	if errs := checkShape(doc, reflect.TypeOf(into).Elem()); len(errs) > 0 {
		return nil, errs
	}
	data, err := json.Marshal(doc)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return nil, field.ErrorList{field.TypeInvalid(field.NewPath("document"), field.OmitValueType{}, err.Error())}
	}
	return into, nil
}

// newPolicy returns an empty policy of the kind that doc names.
func newPolicy(doc map[string]any) (policy, field.ErrorList) {
	apiVersion, _ := doc["apiVersion"].(string)
	kind, _ := doc["kind"].(string)
	if hint, ok := otherKinds[kind]; ok && strings.Contains(apiVersion, ".karmada.io/") {
		return nil, field.ErrorList{field.Invalid(field.NewPath("kind"), kind, "is not a policy: "+hint)}
	}
	var errs field.ErrorList
	if apiVersion != PolicyAPIVersion {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), doc["apiVersion"], "must be "+PolicyAPIVersion))
	}
	switch kind {
	case KindPropagationPolicy, KindClusterPropagationPolicy:
		return &PropagationPolicy{}, errs
	case KindOverridePolicy, KindClusterOverridePolicy:
		return &OverridePolicy{}, errs
	}
	return nil, append(errs, field.Invalid(field.NewPath("kind"), doc["kind"], "is not a policy: "+suggest(kind, policyKinds)))
}

// otherKinds says, for the other kinds of Karmada, what does their work here.
var otherKinds = map[string]string{
	"Cluster":                          "declare a multicluster_member",
	"ClusterTaintPolicy":               "declare the taints on the multicluster_member; those for a member that is not ready or unreachable come from its probe",
	"FederatedResourceQuota":           "there is no control plane that could count over members; give each member its own ResourceQuota by an OverridePolicy",
	"WorkloadRebalancer":               "change rebalance_trigger of the multicluster_propagation",
	"ResourceBinding":                  "bindings are computed, see placements of the multicluster_propagation",
	"ClusterResourceBinding":           "bindings are computed, see placements of the multicluster_propagation",
	"Work":                             "works are computed, see works of the multicluster_propagation",
	"ResourceInterpreterCustomization": "describe the kind in interpreters of the multicluster_propagation",
	"FederatedHPA":                     "there is no control plane that could scale over members; propagate a HorizontalPodAutoscaler",
	"CronFederatedHPA":                 "there is no control plane that could scale over members; change the replicas of the template",
	"MultiClusterService":              "propagate Services and join them by a mesh or a load balancer",
	"MultiClusterIngress":              "propagate Ingresses and join them by a load balancer",
	"Remedy":                           "declare a taint on the multicluster_member",
}

// Alternative says what does the work of an object of Karmada's own here, or "" for a kind that has none.
func Alternative(kind string) string { return otherKinds[kind] }

// renamePurgeModes replaces the purge modes that Karmada renamed in 1.15, and returns a note for each.
func (p *PropagationPolicy) renamePurgeModes() []string {
	var notes []string
	rename := func(mode *PurgeMode, path string) {
		var now PurgeMode
		switch *mode {
		case "Graciously":
			now = PurgeGracefully
		case "Immediately":
			now = PurgeDirectly
		default:
			return
		}
		notes = append(notes, fmt.Sprintf("%s: %s is now called %s and is read as that", path, *mode, now))
		*mode = now
	}
	if f := p.Spec.Failover; f != nil && f.Application != nil {
		rename(&f.Application.PurgeMode, "spec.failover.application.purgeMode")
	}
	if f := p.Spec.Failover; f != nil && f.Cluster != nil {
		rename(&f.Cluster.PurgeMode, "spec.failover.cluster.purgeMode")
	}
	return notes
}
