package member

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// loadKubeconfig returns the connection that the kubeconfig's context describes.
func (c Connection) loadKubeconfig() (*rest.Config, error) {
	config, err := c.readKubeconfig()
	if err != nil {
		return nil, err
	}
	context, err := chooseContext(config, c.Context)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.kubeconfigName(), err)
	}
	if err := completeContext(config, context); err != nil {
		return nil, fmt.Errorf("%s: context %q: %w", c.kubeconfigName(), context, err)
	}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*config, context, &clientcmd.ConfigOverrides{}, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("%s: context %q: %w", c.kubeconfigName(), context, err)
	}
	return cfg, nil
}

// readKubeconfig returns the file or the text, with the paths in it made absolute.
func (c Connection) readKubeconfig() (*clientcmdapi.Config, error) {
	if c.KubeconfigPath == "" {
		config, err := clientcmd.Load([]byte(c.Kubeconfig))
		if err != nil {
			return nil, fmt.Errorf("kubeconfig cannot be read: %w", err)
		}
		return config, refuseRelativePaths(config)
	}
	path, err := expandHome(c.KubeconfigPath)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig_path: %w", err)
	}
	config, err := clientcmd.LoadFromFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("kubeconfig_path: %s does not exist", path)
	}
	if err != nil {
		return nil, fmt.Errorf("kubeconfig_path: %s cannot be read: %w", path, err)
	}
	if err := clientcmd.ResolveLocalPaths(config); err != nil {
		return nil, fmt.Errorf("kubeconfig_path: %w", err)
	}
	return config, nil
}

// kubeconfigName is what errors call the kubeconfig.
func (c Connection) kubeconfigName() string {
	if c.KubeconfigPath == "" {
		return "kubeconfig"
	}
	return "kubeconfig_path " + c.KubeconfigPath
}

// chooseContext returns the context that is asked for, else the only one. The current context of a kubeconfig with several
// is whatever somebody worked with last, so it never counts.
func chooseContext(config *clientcmdapi.Config, wanted string) (string, error) {
	names := slices.Sorted(maps.Keys(config.Contexts))
	_, exists := config.Contexts[wanted]
	switch {
	case exists:
		return wanted, nil
	case len(names) == 0:
		return "", errors.New("it holds no context")
	case wanted == "" && len(names) == 1:
		return names[0], nil
	case wanted == "":
		return "", fmt.Errorf("it has several contexts: set context to one of %s", strings.Join(names, ", "))
	default:
		return "", fmt.Errorf("it has no context %q: set context to one of %s", wanted, strings.Join(names, ", "))
	}
}

// completeContext names what the context lacks, and gives its server a scheme: client-go's own message for an empty server
// advises an environment variable, and it takes an address without a scheme for unencrypted and drops the credentials.
func completeContext(config *clientcmdapi.Config, name string) error {
	context := config.Contexts[name]
	cluster := config.Clusters[context.Cluster]
	switch {
	case cluster == nil:
		return fmt.Errorf("its cluster %q is not in the kubeconfig", context.Cluster)
	case strings.TrimSpace(cluster.Server) == "":
		return fmt.Errorf("its cluster %q has no server", context.Cluster)
	case context.AuthInfo != "" && config.AuthInfos[context.AuthInfo] == nil:
		return fmt.Errorf("its user %q is not in the kubeconfig", context.AuthInfo)
	}
	server, err := parseHost(cluster.Server)
	if err != nil {
		return fmt.Errorf("the server of its cluster %q: %w", context.Cluster, err)
	}
	cluster.Server = server.String()
	return nil
}

// refuseRelativePaths keeps an inline kubeconfig from depending on the folder that the process happens to run in.
func refuseRelativePaths(config *clientcmdapi.Config) error {
	var paths []*string
	for _, cluster := range config.Clusters {
		paths = append(paths, clientcmd.GetClusterFileReferences(cluster)...)
	}
	for _, user := range config.AuthInfos {
		paths = append(paths, clientcmd.GetAuthInfoFileReferences(user)...)
	}
	for _, path := range paths {
		if *path != "" && !filepath.IsAbs(*path) {
			return fmt.Errorf("kubeconfig refers to the file %s, which is relative to nothing: embed the content (the ...-data fields), or use kubeconfig_path", *path)
		}
	}
	return nil
}

// expandHome replaces a leading ~ by the home directory.
func expandHome(path string) (string, error) {
	rest, found := strings.CutPrefix(path, "~")
	if !found || (rest != "" && !os.IsPathSeparator(rest[0])) {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%s: the home directory is not known: %w", path, err)
	}
	return filepath.Join(home, rest), nil
}
