package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
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
			function.Int64Parameter{Name: "replicas", MarkdownDescription: "How many replicas there are."},
			function.MapParameter{Name: "weights", ElementType: types.Int64Type, MarkdownDescription: "Weights by member. Those with 0 get none."},
		},
		Return: function.MapReturn{ElementType: types.Int64Type},
	}
}

// Run divides.
func (f *divideFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var replicas int64
	var weights map[string]int64
	if resp.Error = req.Arguments.Get(ctx, &replicas, &weights); resp.Error != nil {
		return
	}
	if replicas < 0 {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("%d replicas cannot be divided: give 0 or more", replicas))
		return
	}
	for name, weight := range weights {
		if weight < 0 {
			resp.Error = function.NewArgumentFuncError(1, fmt.Sprintf("the weight of %s is %d: give 0 or more", name, weight))
			return
		}
	}
	resp.Error = resp.Result.Set(ctx, scheduler.Divide(replicas, weights, nil, ""))
}
