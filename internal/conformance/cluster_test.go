package conformance

import (
	"bytes"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// runCluster handles the request to create a cluster: defaults, then validation. The time of the run is shown as "<now>".
func runCluster(in json.RawMessage) (any, error) {
	var vector struct {
		Cluster api.Cluster `json:"cluster"`
	}
	if err := json.Unmarshal(in, &vector); err != nil {
		return nil, err
	}
	now := metav1.NewTime(time.Date(1999, time.December, 31, 23, 59, 59, 0, time.UTC))
	c := &vector.Cluster
	c.SetDefaults(now)
	errs := fieldErrors(c.Validate())
	out := map[string]any{"allowed": len(errs) == 0, "errors": errs}
	if len(errs) == 0 {
		spec, err := json.Marshal(c.Spec)
		if err != nil {
			return nil, err
		}
		stamp, err := json.Marshal(now)
		if err != nil {
			return nil, err
		}
		out["spec"] = json.RawMessage(bytes.ReplaceAll(spec, stamp, []byte(`"<now>"`)))
	}
	return out, nil
}
