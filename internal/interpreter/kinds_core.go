package interpreter

import "slices"

var coreKinds = table{
	of("v1", "Pod"): {
		podSpec:      path("spec"),
		replicas:     one,
		healthy:      podHealthy,
		dependencies: podDependencies(path("spec")),
		retain:       retainPod,
		aggregate:    aggregatePod,
	},
	of("v1", "ReplicationController"): {podSpec: podTemplate},
	of("v1", "Service"): {
		healthy:   serviceHealthy,
		retain:    retainService,
		reflect:   reflectService,
		aggregate: aggregateService,
	},
	of("v1", "ServiceAccount"): {retain: retainServiceAccount},
	of("v1", "Secret"):         {retain: retainSecret},
	of("v1", "PersistentVolumeClaim"): {
		healthy:   textIn(path("status.phase"), "Bound"),
		retain:    retainClaim,
		aggregate: aggregateClaim,
	},
	of("v1", "PersistentVolume"): {
		retain:    retainVolume,
		aggregate: aggregateVolume,
	},
}

func podHealthy(f *fields) bool {
	switch f.text("status", "phase") {
	case "Succeeded":
		return true
	case "Running":
		return f.condition("Ready") == "True"
	default:
		return false
	}
}

// retainPod keeps what admission and the scheduler have put into a running Pod.
func retainPod(to, from *fields) {
	for _, name := range []string{"nodeName", "serviceAccountName", "volumes"} {
		to.copy(from, "spec", name)
	}
	for _, list := range []string{"containers", "initContainers"} {
		containers := to.objects("spec", list)
		for _, live := range from.objects("spec", list) {
			if i := slices.IndexFunc(containers, named(nameOf(live))); i >= 0 {
				(&fields{content: containers[i]}).copy(&fields{content: live}, "volumeMounts")
			}
		}
	}
}

func aggregatePod(template *fields, members []member) map[string]any {
	if len(members) == 0 {
		return template.object("status")
	}
	status := map[string]any{
		"phase": firstPhase(members, "Failed", "Pending", "Running", "Succeeded"),
	}
	for _, name := range []string{"containerStatuses", "initContainerStatuses"} {
		if containers := containerStates(members, name); containers != nil {
			status[name] = containers
		}
	}
	return status
}

// containerStates lists the containers of all members by their state alone.
func containerStates(members []member, name string) []any {
	var states []any
	for _, m := range members {
		for _, container := range m.objects("status", name) {
			states = append(states, map[string]any{"ready": container["ready"], "state": container["state"]})
		}
	}
	return states
}

func serviceHealthy(f *fields) bool {
	return !loadBalanced(f) || hasAddress(f)
}

func loadBalanced(service *fields) bool {
	return service.text("spec", "type") == "LoadBalancer"
}

func retainService(to, from *fields) {
	if from.text("spec", "clusterIP") != "" {
		to.copy(from, "spec", "clusterIP")
	}
	if from.number("spec", "healthCheckNodePort") > 0 {
		to.copy(from, "spec", "healthCheckNodePort")
	}
}

func reflectService(f *fields) map[string]any {
	if !loadBalanced(f) {
		return nil
	}
	return pick("loadBalancer")(f)
}

func aggregateService(template *fields, members []member) map[string]any {
	if !loadBalanced(template) {
		return template.object("status")
	}
	return aggregateIngress(template, members)
}

// retainServiceAccount keeps the Secrets that the member has made for the account.
func retainServiceAccount(to, from *fields) {
	for _, list := range []string{"secrets", "imagePullSecrets"} {
		merged := to.list(list)
		desired := to.objects(list)
		for _, secret := range from.objects(list) {
			if !slices.ContainsFunc(desired, named(nameOf(secret))) {
				merged = append(merged, secret)
			}
		}
		if len(merged) == 0 {
			to.clear(list)
			continue
		}
		to.set(merged, list)
	}
}

func nameOf(object map[string]any) string {
	name, _ := object["name"].(string)
	return name
}

func named(name string) func(map[string]any) bool {
	return func(object map[string]any) bool { return nameOf(object) == name }
}

// retainSecret keeps the token that the member has issued.
func retainSecret(to, from *fields) {
	if to.text("type") == "kubernetes.io/service-account-token" && from.value("data") != nil {
		to.copy(from, "data")
	}
}

func retainClaim(to, from *fields) {
	if from.text("spec", "volumeName") != "" {
		to.copy(from, "spec", "volumeName")
	}
}

// aggregateClaim is Bound unless a member is not, and Lost if any is.
func aggregateClaim(_ *fields, members []member) map[string]any {
	phase := "Bound"
	for _, m := range members {
		if !m.collected() {
			continue
		}
		switch p := m.text("status", "phase"); p {
		case "Bound":
		case "Lost":
			return map[string]any{"phase": p}
		default:
			phase = p
		}
	}
	return map[string]any{"phase": phase}
}

func retainVolume(to, from *fields) {
	if from.value("spec", "claimRef") != nil {
		to.copy(from, "spec", "claimRef")
	}
}

func aggregateVolume(_ *fields, members []member) map[string]any {
	return map[string]any{
		"phase": firstPhase(members, "Failed", "Pending", "Available", "Bound", "Released"),
	}
}
