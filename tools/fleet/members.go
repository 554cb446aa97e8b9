package main

// providerSource is the provider's address in required_providers.
const providerSource = "multicluster/multicluster"

// memberNames are the clusters of "make fleet", "make demo" and "make bench", named as in Karmada's tutorials.
func memberNames() []string {
	return []string{"kube02", "kube03", "kube04"}
}
