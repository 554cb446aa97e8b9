package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

var _ function.Function = (*divideFunction)(nil)

func newDivideFunction() function.Function { return &divideFunction{} }

// divideFunction is divide: how replicas are divided by weights.
type divideFunction struct{}

// Metadata names the function.
func (f *divideFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "divide"
}

// Definition describes the function.
func (f *divideFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Divide replicas by weights",
		MarkdownDescription: "Divides replicas as a policy with static weights does, by the Webster (Sainte-Laguë) method: each replica goes to the member with the greatest " +
			"weight / (2 × replicas so far + 1). Where two are equal, it goes to the one with fewer replicas so far, then to the first by name. (A propagation " +
			"lets the last by name win for about half of the objects, so that remainders do not all fall on the same member.)",
		Parameters: []function.Parameter{
			function.NumberParameter{Name: "replicas", MarkdownDescription: "How many replicas there are: a whole number."},
			function.MapParameter{Name: "weights", ElementType: types.NumberType, MarkdownDescription: "Weights by member, whole numbers, at least one of them above 0. Those with 0 get none."},
		},
		Return: function.MapReturn{ElementType: types.Int64Type},
	}
}

// Run divides.
func (f *divideFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var replicas types.Number
	var weights map[string]types.Number
	if resp.Error = req.Arguments.Get(ctx, &replicas, &weights); resp.Error != nil {
		return
	}
	seats, err := wholeNumber(replicas)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, "replicas "+err.Error())
		return
	}
	var heaviest int64
	shares := make(map[string]int64, len(weights))
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if shares[name], err = wholeNumber(weights[name]); err != nil {
			resp.Error = function.NewArgumentFuncError(1, fmt.Sprintf("the weight of %s %s", name, err))
			return
		}
		heaviest = max(heaviest, shares[name])
	}
	if seats > 0 && heaviest == 0 {
		resp.Error = function.NewArgumentFuncError(1, fmt.Sprintf("no weight is above 0, so %s would go nowhere: give at least one member 1 or more", spelling.Count(seats, "replica")))
		return
	}
	resp.Error = resp.Result.Set(ctx, scheduler.Divide(seats, shares, nil, ""))
}

// wholeNumber returns a number that is whole, not negative and of at most 63 bits.
func wholeNumber(n types.Number) (int64, error) {
	if n.IsNull() {
		return 0, errors.New("is null: give a whole number of 0 or more")
	}
	value := n.ValueBigFloat()
	whole, accuracy := value.Int64()
	switch {
	case !value.IsInt() || value.Sign() < 0:
		return 0, fmt.Errorf("is %s: give a whole number of 0 or more", value.Text('g', -1))
	case accuracy != big.Exact:
		return 0, fmt.Errorf("is %s: give at most %d", value.Text('g', -1), int64(math.MaxInt64))
	}
	return whole, nil
}
