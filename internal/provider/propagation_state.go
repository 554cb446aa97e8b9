package provider

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/propagation"
)

// Keys of the private state.
const (
	recordKey  = "record"
	plannedKey = "planned"
	movesKey   = "moves"
)

// privateReader is the part of a request's private state that is read.
type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// privateWriter is the part of a response's private state that is written.
type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// plannedObjects is what the plan of a create leaves in planned private state: the objects that it wants. Terraform hands
// it to the Delete half of a replacement, and not to a plain destroy; a Delete that finds it keeps these objects.
type plannedObjects struct {
	Name    string              `json:"name"`
	Objects map[string][]string `json:"objects"`           // member -> object keys
	Away    []string            `json:"away,omitempty"`    // members that were away: keep everything on them
	Unknown bool                `json:"unknown,omitempty"` // the plan did not know yet: keep everything
}

// on returns which of the objects of a member are wanted.
func (p *plannedObjects) on(member string, held propagation.Objects) map[string]bool {
	kept := map[string]bool{}
	if p == nil {
		return kept
	}
	for _, key := range p.Objects[member] {
		kept[key] = true
	}
	if p.Unknown || slices.Contains(p.Away, member) {
		for key := range held {
			kept[key] = true
		}
	}
	return kept
}

// readKept returns what readPrior does. Private state that is not there was lost: Terraform keeps none of a resource when the
// provider is killed while it updates that. By then any member may have got objects that the state does not show.
func (r *propagationResource) readKept(ctx context.Context, state propagationModel, private privateReader) (propagation.Prior, diag.Diagnostics) {
	prior, diags := readPrior(ctx, state, private)
	if diags.HasError() {
		return prior, diags
	}
	raw, moreDiags := private.GetKey(ctx, recordKey)
	diags.Append(moreDiags...)
	if len(raw) == 0 {
		members := slices.Collect(maps.Keys(r.fleet.connections))
		prior.Record.Recall(prior.Works, append(members, prior.Members()...))
	}
	return prior, diags
}

// readPrior returns what the state and the private state hold. A null state is an empty prior.
func readPrior(ctx context.Context, state propagationModel, private privateReader) (propagation.Prior, diag.Diagnostics) {
	prior := propagation.Prior{}
	works, diags := stringMap(ctx, state.Works)
	placements, moreDiags := stringMap(ctx, state.Placements)
	diags.Append(moreDiags...)
	var raw []byte
	if private != nil {
		raw, moreDiags = private.GetKey(ctx, recordKey)
		diags.Append(moreDiags...)
	}
	if diags.HasError() {
		return prior, diags
	}
	var err error
	if prior.Works, err = propagation.DecodeWorks(works); err != nil {
		diags.AddError("State cannot be read", sentence(err.Error()))
	}
	if prior.Placements, err = propagation.DecodePlacements(placements); err != nil {
		diags.AddError("State cannot be read", sentence(err.Error()))
	}
	if prior.Record, err = propagation.DecodeRecord(raw); err != nil {
		diags.AddError("State cannot be read", sentence(err.Error()))
	}
	return prior, diags
}

// writeRecord keeps the record in private state.
func writeRecord(ctx context.Context, private privateWriter, record *propagation.Record) diag.Diagnostics {
	return writePrivate(ctx, private, recordKey, record)
}

// writePlanned keeps the objects that a create plans.
func writePlanned(ctx context.Context, private privateWriter, planned plannedObjects) diag.Diagnostics {
	return writePrivate(ctx, private, plannedKey, planned)
}

// writePrivate keeps a value in private state as JSON.
func writePrivate(ctx context.Context, private privateWriter, key string, value any) diag.Diagnostics {
	var diags diag.Diagnostics
	raw, err := json.Marshal(value)
	if err != nil {
		diags.AddError("Private state cannot be written", sentence(err.Error()))
		return diags
	}
	return private.SetKey(ctx, key, raw)
}

// readPlanned returns what writePlanned kept, or nil.
func readPlanned(ctx context.Context, private privateReader) (*plannedObjects, diag.Diagnostics) {
	raw, diags := private.GetKey(ctx, plannedKey)
	if diags.HasError() || len(raw) == 0 {
		return nil, diags
	}
	var planned *plannedObjects
	if err := json.Unmarshal(raw, &planned); err != nil {
		diags.AddError("Private state cannot be read", sentence(err.Error()))
	}
	return planned, diags
}

// dropPlanned takes out what writePlanned kept: it is for one replacement, and Terraform keeps it when that fails.
func dropPlanned(ctx context.Context, private privateWriter) diag.Diagnostics {
	return private.SetKey(ctx, plannedKey, []byte("null"))
}

// writeMoves keeps which objects that a plan removes another propagation takes over: the apply leaves them to it.
func writeMoves(ctx context.Context, private privateWriter, moves objectKeys) diag.Diagnostics {
	return writePrivate(ctx, private, movesKey, moves)
}

// readMoves returns what writeMoves kept.
func readMoves(ctx context.Context, private privateReader) (objectKeys, diag.Diagnostics) {
	raw, diags := private.GetKey(ctx, movesKey)
	var moves objectKeys
	if len(raw) > 0 && json.Unmarshal(raw, &moves) != nil {
		diags.AddError("Private state cannot be read", "What it says of objects that move to another propagation is broken. Plan again.")
	}
	return moves, diags
}

// worksValue returns works as the state holds them. Those of unknown members are unknown.
func worksValue(works propagation.Works, unknown map[string]bool) (types.Map, error) {
	encoded, err := propagation.EncodeWorks(works)
	if err != nil {
		return types.MapNull(types.StringType), err
	}
	elements := make(map[string]attr.Value, len(encoded))
	for name, text := range encoded {
		elements[name] = types.StringValue(text)
	}
	for name, isUnknown := range unknown {
		if isUnknown {
			elements[name] = types.StringUnknown()
		}
	}
	return types.MapValueMust(types.StringType, elements), nil
}

// placementsValue returns placements as the state holds them.
func placementsValue(placements map[string]propagation.Placement) (types.Map, error) {
	encoded, err := propagation.EncodePlacements(placements)
	if err != nil {
		return types.MapNull(types.StringType), err
	}
	return stringMapValue(encoded), nil
}

// stringMap returns the elements of a known map of strings; a null map is empty.
func stringMap(ctx context.Context, value types.Map) (map[string]string, diag.Diagnostics) {
	values := map[string]string{}
	if value.IsNull() || value.IsUnknown() {
		return values, nil
	}
	diags := value.ElementsAs(ctx, &values, false)
	return values, diags
}
