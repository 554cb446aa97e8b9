package interpreter

import "testing"

func TestExtension(t *testing.T) {
	kinds := newInterpreter(t,
		Extension{APIVersion: "example.com/v1", Kind: "Widget", ReplicasPath: ".spec.pool.size", HealthyWhen: &HealthRule{Condition: "Ready"}},
		Extension{APIVersion: "v1", Kind: "Node", HealthyWhen: &HealthRule{Condition: "DiskPressure", Status: "False"}},
		Extension{APIVersion: "batch/v1", Kind: "Job", HealthyWhen: &HealthRule{Condition: "Complete"}},
	)

	widget := `{apiVersion: example.com/v1, kind: Widget, spec: {pool: {size: 3}}}`
	replicas, err := kinds.Replicas(parse(t, widget))
	if err != nil || replicas.Count != 3 || replicas.Requirements != nil {
		t.Errorf("got %+v, %v, want 3", replicas, err)
	}
	revised, _ := kinds.Revise(parse(t, widget), 7)
	checkJSON(t, revised, `{apiVersion: example.com/v1, kind: Widget, spec: {pool: {size: 7}}}`)

	replicas, err = kinds.Replicas(parse(t, `{apiVersion: example.com/v1, kind: Widget}`))
	if err != nil || replicas.Count != 1 {
		t.Errorf("an absent number reads as %+v, %v, want 1", replicas, err)
	}

	// The rest of what is known of a kind stays.
	replicas, err = kinds.Replicas(parse(t, `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 3}}`))
	if err != nil || replicas.Count != 3 {
		t.Errorf("got %+v, %v, want 3", replicas, err)
	}

	if _, err := newInterpreter(t).Replicas(parse(t, widget)); err != nil {
		t.Fatal(err)
	}
	if replicas, _ := newInterpreter(t).Replicas(parse(t, widget)); replicas != nil {
		t.Errorf("another Interpreter knows the kind too: %+v", replicas)
	}
}

func TestExtensionHealth(t *testing.T) {
	condition, status := HealthRule{Condition: "Ready"}, HealthRule{Condition: "Stalled", Status: "False"}
	text, truth, number := HealthRule{Path: "status.phase", Equals: "Running"}, HealthRule{Path: "status.ready", Equals: "true"}, HealthRule{Path: "status.left", Equals: "0"}
	tests := []struct {
		rule   HealthRule
		object string
		want   Health
	}{
		{condition, `status: {conditions: [{type: Other, status: "False"}, {type: Ready, status: "True"}]}`, Healthy},
		{condition, `status: {conditions: [{type: Ready, status: Unknown}]}`, Unhealthy},
		{condition, `metadata: {generation: 2}, status: {observedGeneration: 1, conditions: [{type: Ready, status: "True"}]}`, Unhealthy},
		{condition, `metadata: {generation: 2}, status: {observedGeneration: 2, conditions: [{type: Ready, status: "True"}]}`, Healthy},
		{condition, ``, Unhealthy},
		{condition, `status: {conditions: Ready}`, Unknown},
		{status, `status: {conditions: [{type: Stalled, status: "False"}]}`, Healthy},
		{status, `status: {conditions: [{type: Stalled, status: "True"}]}`, Unhealthy},
		{text, `status: {phase: Running}`, Healthy},
		{text, `status: {phase: Failed}`, Unhealthy},
		{text, `metadata: {generation: 2}, status: {observedGeneration: 1, phase: Running}`, Unhealthy},
		{text, ``, Unhealthy},
		{text, `status: {phase: [Running]}`, Unknown},
		{truth, `status: {ready: true}`, Healthy},
		{truth, `status: {ready: false}`, Unhealthy},
		{number, `status: {left: 0}`, Healthy},
		{number, `status: {left: 0.0}`, Healthy},
		{number, `status: {left: 1}`, Unhealthy},
	}
	for _, tt := range tests {
		kinds := newInterpreter(t, Extension{APIVersion: "example.com/v1", Kind: "Widget", HealthyWhen: &tt.rule})
		if got := kinds.Health(object(t, "example.com/v1 Widget", tt.object)); got != tt.want {
			t.Errorf("%+v: got %s, want %s: %s", tt.rule, got, tt.want, tt.object)
		}
	}
}

func TestExtensionErrors(t *testing.T) {
	widget := func(rule HealthRule) []Extension {
		return []Extension{{APIVersion: "example.com/v1", Kind: "Widget", HealthyWhen: &rule}}
	}
	replicas := func(path string) []Extension {
		return []Extension{{APIVersion: "example.com/v1", Kind: "Widget", ReplicasPath: path}}
	}
	tests := []struct {
		name       string
		extensions []Extension
		texts      []string
	}{
		{"no kind", []Extension{{APIVersion: "v1", ReplicasPath: "spec.replicas"}}, []string{"interpreters[0]", "kind are required"}},
		{"no version", []Extension{{Kind: "Widget", ReplicasPath: "spec.replicas"}}, []string{"interpreters[0]", "required"}},
		{"bad version", []Extension{{APIVersion: "a/b/c", Kind: "Widget", ReplicasPath: "spec.replicas"}}, []string{"interpreters[0]", `"a/b/c"`, "example.com/v1"}},
		{"nothing said", []Extension{{APIVersion: "example.com/v1", Kind: "Widget"}}, []string{"interpreters[0], example.com/v1 Widget", "says nothing"}},
		{"twice", append(replicas("spec.a"), replicas("spec.b")...), []string{"interpreters[1]", "example.com/v1 Widget is declared twice"}},
		{"list item", replicas("spec.pools[0].size"), []string{`replicas path "spec.pools[0].size"`, "items of lists"}},
		{"empty segment", replicas("spec..size"), []string{`"spec..size"`, "separated by dots"}},
		{"JSON pointer", replicas("/spec/size"), []string{`"/spec/size"`, "separated by dots"}},
		{"empty rule", widget(HealthRule{}), []string{"health rule", "either a condition or a path"}},
		{"both", widget(HealthRule{Condition: "Ready", Path: "status.phase"}), []string{"either a condition or a path"}},
		{"condition and equals", widget(HealthRule{Condition: "Ready", Equals: "True"}), []string{"equals belongs to a path"}},
		{"path and status", widget(HealthRule{Path: "status.phase", Status: "True", Equals: "x"}), []string{"status belongs to a condition"}},
		{"path without value", widget(HealthRule{Path: "status.phase"}), []string{"say what status.phase has to equal"}},
		{"bad path", widget(HealthRule{Path: "status.", Equals: "x"}), []string{`path "status."`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(tt.extensions...)
			checkError(t, err, tt.texts...)
		})
	}
}
