package propagation

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/override"
)

// Input is everything that placements and works are computed from.
type Input struct {
	Templates []manifest.Object // with namespaces, each key once
	Policies  *api.Policies     // defaulted and valid
	Shared    map[string]bool   // policies of many propagations, as "Kind namespace/name": they never warn
	Members   []Member          // the candidates
	Retired   map[string]bool   // members that are gone for good: no candidates, and policies may go on naming them
	Prior     Prior             // where everything was before

	// Rebalance divides replicas by capacity as if none were placed yet, and tries the groups of clusterAffinities from the
	// first. KeepGroup never returns to an earlier group.
	Rebalance bool
	KeepGroup bool

	Interpreter *interpreter.Interpreter

	// IgnoreUnmatched lets a template that no policy selects pass, if it never ran anywhere.
	IgnoreUnmatched bool

	// SensitiveTemplates are the keys of templates of which every value but identity and replicas is masked, and
	// SensitivePaths are masked in every object.
	SensitiveTemplates map[string]bool
	SensitivePaths     []manifest.Pattern

	// IgnoreFields are left to others once an object is there.
	IgnoreFields []manifest.Pattern
}

// Work is one object for one member.
type Work struct {
	// Object is what is owned of the object and sent, without our marks. Members that get the same share one; it is never
	// changed.
	Object *unstructured.Unstructured

	// Initial is what is sent in its place where the object is not there yet: with the fields of Left, which are others'
	// once it is. It is nil when Left names nothing of the object.
	Initial *unstructured.Unstructured
	Left    []manifest.Pattern

	Conflict  api.ConflictResolution
	Suspended bool // neither created nor changed now
	Unknown   bool // depends on values that are not known yet; Object is nil

	// Sensitive are the paths that are masked.
	Sensitive []string
}

// Output is where every template goes, and what each member gets.
type Output struct {
	Placements map[string]Placement
	Works      map[string]map[string]*Work // member -> object key -> work

	// Outside holds, by object key, what the object depends on and no template brings.
	Outside map[string][]interpreter.Reference
}

// Compute places all templates and renders the works of each member. It is a pure function: the same input gives the same
// output, in whatever order templates, policies and members come. Problems that are not notes leave the output unusable.
func Compute(in Input) (*Output, []*Problem) {
	bindings, problems := bind(&in)
	byKey := make(map[string]*binding, len(bindings))
	for _, b := range bindings {
		byKey[b.key] = b
	}
	problems = append(problems, place(&in, bindings)...)
	problems = append(problems, attach(&in, bindings, byKey)...)
	scale(&in, bindings, byKey)
	problems = append(problems, missingOverrides(&in, bindings)...)
	problems = append(problems, strangers(&in, bindings)...)
	overrides, err := override.Compile(in.Policies.Override)
	if err != nil {
		problems = append(problems, &Problem{Argument: "policies", Summary: "Override cannot be applied", Detail: sentence(err)})
		return nil, problems
	}
	problems = append(problems, overrideNotes(overrides, &in)...)
	if failed(problems) {
		return nil, problems
	}
	problems = append(problems, unmatchedSelectors(&in)...)
	out, more := renderAll(&in, overrides, bindings)
	problems = append(problems, more...)
	problems = append(problems, unservedVersions(out.Works)...)
	problems = append(problems, lostFields(bindings)...)
	problems = append(problems, missingReplicas(&in, bindings)...)
	return out, append(problems, idlePatterns(&in, bindings, out)...)
}

// renderAll makes the works of all templates that are placed.
func renderAll(in *Input, overrides *override.Set, bindings []*binding) (*Output, []*Problem) {
	out := &Output{
		Placements: make(map[string]Placement, len(bindings)), Works: map[string]map[string]*Work{}, Outside: map[string][]interpreter.Reference{},
	}
	for i := range in.Members {
		out.Works[in.Members[i].Name()] = map[string]*Work{}
	}
	var problems []*Problem
	tally := newOverrideTally()
	for _, b := range bindings {
		if !b.placed() {
			continue
		}
		out.Placements[b.key] = b.finish()
		if len(b.outside) > 0 {
			out.Outside[b.key] = b.outside
		}
		works, more := render(in, overrides, b, tally)
		problems = append(problems, more...)
		for member, work := range works {
			out.Works[member][b.key] = work
		}
	}
	return out, append(problems, tally.idle(in)...)
}

// failed reports whether one of the problems is more than a note.
func failed(problems []*Problem) bool {
	for _, p := range problems {
		if !p.Note {
			return true
		}
	}
	return false
}

// overrideNotes returns what the override policies give reason to say.
func overrideNotes(overrides *override.Set, in *Input) []*Problem {
	templates := make([]*unstructured.Unstructured, len(in.Templates))
	for i := range in.Templates {
		templates[i] = in.Templates[i].Unstructured
	}
	var problems []*Problem
	for _, note := range overrides.Lookalikes() {
		problems = append(problems, &Problem{Note: true, Argument: "policies", Summary: "Override may not do what was meant", Detail: note.String() + "."})
	}
	for _, note := range overrides.Unmatched(templates) {
		if note.Policy.ClusterScoped() || in.Shared[note.Policy.String()] {
			continue
		}
		problems = append(problems, &Problem{Note: true, Argument: "policies", Summary: "Override policy has no effect here", Detail: note.String() + "."})
	}
	return problems
}
