package propagation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// Placement says where one template goes and why.
type Placement struct {
	Policy   string              `json:"policy"`             // kind and name of the winning policy, or of the dependents' referrers
	Clusters map[string]Replicas `json:"clusters"`           // member -> replicas
	Group    string              `json:"group,omitempty"`    // the clusterAffinities term used
	Reason   string              `json:"reason,omitempty"`   // how the replicas came about
	Rejected map[string]string   `json:"rejected,omitempty"` // member -> why it is not chosen
	Preserve bool                `json:"preserve,omitempty"` // when it is removed, the object stays on the member

	// Required are the members that its policy does not choose and that it goes to because an object there refers to it.
	Required []string `json:"required,omitempty"`

	// Scalers are the autoscalers that set its replicas, wherever they are with it, once it is there.
	Scalers []string `json:"scalers,omitempty"`

	// Suspended are the members on which the object is neither created nor changed now.
	Suspended []string `json:"suspended,omitempty"`
}

// stays reports whether a placement is the prior one. Where capacity had a part in it, or groups that were passed over, what
// was said of that then is still how it came about: capacity changes all the time, and neither is even looked at once all
// replicas have a place.
func (p *Placement) stays(prior Placement) bool {
	return p.Policy == prior.Policy && p.Group == prior.Group && maps.Equal(p.Clusters, prior.Clusters)
}

// leftOut says that a member is a candidate, and that the spread constraints select others.
const leftOut = "was left out by the spread constraints"

// explainAs explains a placement that stays as the prior one was explained, as far as that is about candidates.
func (p *Placement) explainAs(prior Placement, candidates []string) {
	p.Reason = prior.Reason
	for _, member := range candidates {
		delete(p.Rejected, member)
		if prior.Rejected[member] == leftOut {
			p.Rejected[member] = leftOut
		}
	}
}

// Replicas is a number of replicas, or none where the object has no such thing (a Service, a ConfigMap). Its JSON is a
// number or null.
type Replicas struct {
	Count int64
	None  bool
}

// MarshalJSON returns the number, or null.
func (r Replicas) MarshalJSON() ([]byte, error) {
	if r.None {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, r.Count, 10), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Replicas) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte("null")) {
		*r = Replicas{None: true}
		return nil
	}
	count, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("replicas: %w", err)
	}
	*r = Replicas{Count: count}
	return nil
}

// EncodePlacements returns placements as the state holds them: object key -> JSON.
func EncodePlacements(placements map[string]Placement) (map[string]string, error) {
	encoded := make(map[string]string, len(placements))
	for key, p := range placements {
		var text strings.Builder
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(p); err != nil {
			return nil, fmt.Errorf("placement of %s: %w", key, err)
		}
		encoded[key] = strings.TrimSuffix(text.String(), "\n")
	}
	return encoded, nil
}

// DecodePlacements reads what EncodePlacements returns.
func DecodePlacements(encoded map[string]string) (map[string]Placement, error) {
	placements := make(map[string]Placement, len(encoded))
	for key, text := range encoded {
		var p Placement
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return nil, fmt.Errorf("placement of %s: %w", key, err)
		}
		placements[key] = p
	}
	return placements, nil
}
