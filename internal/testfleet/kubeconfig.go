package testfleet

import (
	"maps"
	"slices"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig returns a kubeconfig with one context per entry, each named by its key; the first in
// alphabetical order is the current one. Listing a member twice gives one cluster two names.
func Kubeconfig(members map[string]*Member) ([]byte, error) {
	config := clientcmdapi.NewConfig()
	names := slices.Sorted(maps.Keys(members))
	for _, name := range names {
		m := members[name]
		addContext(config, name, m.Host, m.CA, &clientcmdapi.AuthInfo{Token: m.Token})
	}
	if len(names) > 0 {
		config.CurrentContext = names[0]
	}
	return clientcmd.Write(*config)
}

// componentKubeconfig is for a program of the member's own control plane, which bypasses the proxy.
func (m *Member) componentKubeconfig(user pair) ([]byte, error) {
	config := clientcmdapi.NewConfig()
	addContext(config, m.Name, "https://"+m.address, m.CA,
		&clientcmdapi.AuthInfo{ClientCertificateData: user.cert, ClientKeyData: user.key})
	config.CurrentContext = m.Name
	return clientcmd.Write(*config)
}

func addContext(config *clientcmdapi.Config, name, host string, ca []byte, user *clientcmdapi.AuthInfo) {
	config.Clusters[name] = &clientcmdapi.Cluster{Server: host, CertificateAuthorityData: ca}
	config.AuthInfos[name] = user
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
}
