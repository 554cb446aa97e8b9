package conformance

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

// interpretInput is the input of family interpret; each operation uses a part of it.
type interpretInput struct {
	Op        string                     `json:"op"`
	Object    *unstructured.Unstructured `json:"object"`
	Desired   *unstructured.Unstructured `json:"desired"`
	Observed  *unstructured.Unstructured `json:"observed"`
	Template  *unstructured.Unstructured `json:"template"`
	Replicas  int64                      `json:"replicas"`
	Placement api.Placement              `json:"placement"`
	Clusters  map[string]int64           `json:"clusters"`
	Members   []interpretMember          `json:"members"`
}

type interpretMember struct {
	Cluster string                     `json:"cluster"`
	Object  *unstructured.Unstructured `json:"object"`
}

// runInterpret answers family interpret: what is known of the built-in kinds.
func runInterpret(in json.RawMessage) (any, error) {
	var input interpretInput
	if err := json.Unmarshal(in, &input); err != nil {
		return nil, err
	}
	kinds, err := interpreter.New()
	if err != nil {
		return nil, err
	}
	switch input.Op {
	case "replicas":
		return interpretReplicas(kinds, input)
	case "revise":
		return interpretRevise(kinds, input), nil
	case "completions":
		return interpretCompletions(input), nil
	case "health":
		return map[string]any{"health": kinds.Health(input.Object)}, nil
	case "dependencies":
		dependencies, err := kinds.Dependencies(input.Object)
		return outcome("dependencies", append([]interpreter.Reference{}, dependencies...), err), nil
	case "retain":
		object, err := kinds.Retain(input.Desired, input.Observed)
		return outcome("object", object, err), nil
	case "reflect":
		status, err := kinds.ReflectStatus(input.Object)
		return outcome("status", status, err), nil
	case "aggregate":
		return interpretAggregate(kinds, input), nil
	case "prune":
		return map[string]any{"object": manifest.Prune(input.Object)}, nil
	default:
		return nil, fmt.Errorf("unknown operation %q", input.Op)
	}
}

// outcome is a named result or, in its place, an error.
func outcome(name string, result any, err error) map[string]any {
	if err != nil {
		return map[string]any{"error": map[string]any{"message": err.Error()}}
	}
	return map[string]any{name: result}
}

func interpretReplicas(kinds *interpreter.Interpreter, input interpretInput) (any, error) {
	replicas, err := kinds.Replicas(input.Object)
	if err != nil {
		return nil, err
	}
	if replicas == nil {
		return map[string]any{"supported": false}, nil
	}
	return map[string]any{"supported": true, "replicas": replicas.Count, "requirements": replicas.Requirements}, nil
}

func interpretRevise(kinds *interpreter.Interpreter, input interpretInput) any {
	object, supported := kinds.Revise(input.Object, input.Replicas)
	if !supported {
		return map[string]any{"supported": false}
	}
	return map[string]any{"supported": true, "object": object}
}

func interpretCompletions(input interpretInput) any {
	strategy := input.Placement.ReplicaScheduling
	completions, ok := interpreter.Completions(input.Object)
	if !ok || input.Replicas <= 0 || strategy == nil || strategy.ReplicaSchedulingType != api.Divided {
		return map[string]any{"divided": false, "completions": map[string]int64{}}
	}
	shares := scheduler.DivideCompletions(completions, input.Clusters, string(input.Object.GetUID()))
	return map[string]any{"divided": true, "completions": shares}
}

func interpretAggregate(kinds *interpreter.Interpreter, input interpretInput) any {
	members := make([]interpreter.MemberStatus, len(input.Members))
	for i, m := range input.Members {
		members[i].Member = m.Cluster
		if m.Object == nil {
			continue
		}
		status, err := kinds.ReflectStatus(m.Object)
		if err != nil {
			return outcome("status", nil, err)
		}
		members[i].Status = status
	}
	status, supported, err := kinds.AggregateStatus(input.Template, members)
	if err == nil && !supported {
		return map[string]any{"supported": false}
	}
	out := outcome("status", status, err)
	if err == nil {
		out["supported"] = true
	}
	return out
}
