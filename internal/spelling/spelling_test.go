package spelling

import (
	"math/rand/v2"
	"testing"
)

func TestNearest(t *testing.T) {
	candidates := []string{"containers", "initContainers", "replicas", "image", "imagePullPolicy", "args", "env", "affinityName"}
	tests := map[string]string{
		"Replicas": "replicas", "imagePullpolicy": "imagePullPolicy", "image_pull_policy": "imagePullPolicy", // the same letters
		"container": "containers", "affinity": "affinityName", "containersOfPod": "containers", // shorter and longer forms
		"arg": "args", "envs": "env", "relpicas": "replicas", // typing errors
		"relpicsa": "", "x": "", "": "", "foo": "", "en": "", "______": "", // too many of them
	}
	for name, want := range tests {
		rand.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
		if got := Nearest(name, candidates); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

// Fields of the API are long, and abbreviated in ever new ways; what resembles none is not answered.
func TestNearestOfLongNames(t *testing.T) {
	candidates := []string{"minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds", "podManagementPolicy", "replicas", "selector", "strategy", "template", "paused",
		"serviceAccountName", "serviceName", "terminationGracePeriodSeconds", "topologySpreadConstraints", "hostAliases", "hostNetwork", "nodeSelector", "tolerations"}
	tests := map[string]string{
		"minReadySecs": "minReadySeconds", "revHistoryLimit": "revisionHistoryLimit", "podMgmtPolicy": "podManagementPolicy", "svcAccountName": "serviceAccountName", // abbreviations
		"progressDeadlineSec": "progressDeadlineSeconds", "terminationGracePeriodSecs": "terminationGracePeriodSeconds", "topologySpreadConstrains": "topologySpreadConstraints",
		"progresDeadlneSecond": "progressDeadlineSeconds", // a quarter of the letters
		"hosts":                "", "restartPolicy": "", "imagePullSecrets": "", "serviceAccounts": "", "nodePool": "", "securityContext": "", "tolerance": "", "selected": "selector",
		"parallelism": "", "completions": "", "schedule": "", "storage": "", "metadata": "", "volumeClaimTemplates": "", "priorityClassName": "", "minReplicas": "", "maxSurge": "",
	}
	for name, want := range tests {
		if got := Nearest(name, candidates); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNearestNumbered(t *testing.T) {
	for name, want := range map[string]string{"kube04": "", "kub03": "kube03", "kube-03": "kube03", "kube3": "kube03", "east": "", "": ""} {
		if got := NearestNumbered(name, []string{"kube03", "west"}); got != want {
			t.Errorf("NearestNumbered(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestSameLetters(t *testing.T) {
	candidates := []string{"clusterAffinity", "exclude"}
	for name, want := range map[string]string{"cluster_affinity": "clusterAffinity", "EXCLUDE": "exclude", "excludes": "", "": ""} {
		if got := SameLetters(name, candidates); got != want {
			t.Errorf("SameLetters(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestSlip(t *testing.T) {
	candidates := []string{"Pod", "PodTemplate", "Service", "ServiceAccount", "ConfigMap", "ResourceClaim"}
	tests := map[string]string{
		"service": "Service", "config-map": "ConfigMap", // the same letters
		"Servic": "Service", "Services": "Service", "Sarvice": "Service", "Sevrice": "Service", "Serviec": "Service", // one slip
		"PodX": "Pod", "Po": "", "": "",
		"ServiceCIDR": "", "Pods2": "", "ResourceClass": "", "Sreivce": "", "PodTemplateSpec": "", // another thing, or more than one
	}
	for name, want := range tests {
		rand.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
		if got := Slip(name, candidates); got != want {
			t.Errorf("Slip(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
