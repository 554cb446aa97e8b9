package propagation

import (
	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// Member is a member cluster as a propagation sees it.
type Member struct {
	Cluster   api.Cluster
	Unhealthy Unhealthy

	// Variables are the values that overrides may refer to. Those in UnknownVariables exist but are not known yet; with
	// AllVariablesUnknown even the names are not.
	Variables           map[string]string
	UnknownVariables    []string
	AllVariablesUnknown bool

	// Generation counts the clusters that have stood in for this member on purpose; 0 and 1 are the first.
	Generation int64
}

// Name returns the member's name.
func (m *Member) Name() string { return m.Cluster.Name }
