package manifest

import "testing"

func TestSetDefaults(t *testing.T) {
	tests := map[string]struct{ kind, spec, want string }{
		"Deployment":                       {"apps/v1 Deployment", "{}", `{"replicas":1}`},
		"Deployment without spec":          {"apps/v1 Deployment", "~", `{"replicas":1}`},
		"Deployment with replicas":         {"apps/v1 Deployment", "{replicas: 0}", `{"replicas":0}`},
		"Deployment with null":             {"apps/v1 Deployment", "{replicas: ~}", `{"replicas":1}`},
		"ReplicaSet":                       {"apps/v1 ReplicaSet", "{minReadySeconds: 3}", `{"minReadySeconds":3,"replicas":1}`},
		"StatefulSet":                      {"apps/v1 StatefulSet", "{}", `{"replicas":1}`},
		"Deployment of another group":      {"example.io/v1 Deployment", "{}", `{}`},
		"DaemonSet":                        {"apps/v1 DaemonSet", "{}", `{}`},
		"Job":                              {"batch/v1 Job", "{}", `{"completions":1,"parallelism":1}`},
		"Job with parallelism":             {"batch/v1 Job", "{parallelism: 3}", `{"parallelism":3}`},
		"Job with completions":             {"batch/v1 Job", "{completions: 3}", `{"completions":3,"parallelism":1}`},
		"Job with both":                    {"batch/v1 Job", "{completions: 3, parallelism: 0}", `{"completions":3,"parallelism":0}`},
		"Service keeps its type to itself": {"v1 Service", "{}", `{}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			obj := mustObject(t, objectText(test.kind, "spec: "+test.spec))
			before := obj.DeepCopy()
			if got := jsonOf(t, SetDefaults(obj).Object["spec"]); got != test.want {
				t.Errorf("spec = %s, want %s", got, test.want)
			}
			assertUnchanged(t, before, obj)
		})
	}
}
