package manifest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/applyconfigurations" //nolint:depguard // It holds the schema of server-side apply.
	"k8s.io/client-go/kubernetes/scheme"   //nolint:depguard // It registers the API types and knows no cluster.
	"sigs.k8s.io/yaml"
)

const podWith = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: a, %s}]}
`

// The code of server-side apply itself judges every case.
func TestDuplicates(t *testing.T) {
	converter := applyconfigurations.NewTypeConverter(scheme.Scheme)
	tests := map[string]struct{ text, want string }{
		"variables":                    {fmt.Sprintf(podWith, "env: [{name: A, value: '1'}, {name: B}, {name: A}]"), "spec.containers[0].env[2]: given twice: the list has an item with name=A already, at [0]; remove one"},
		"ports":                        {fmt.Sprintf(podWith, "ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}]"), "ports[1]: given twice: the list has an item with containerPort=80,protocol=TCP already, at [0]"},
		"ports of two protocols":       {fmt.Sprintf(podWith, "ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]"), ""},
		"ports of one name":            {fmt.Sprintf(podWith, "ports: [{containerPort: 80, name: a}, {containerPort: 81, name: a}]"), ""},
		"mounts at one path":           {fmt.Sprintf(podWith, "volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /a}]"), "volumeMounts[1]: given twice"},
		"mounts of one volume":         {fmt.Sprintf(podWith, "volumeMounts: [{name: a, mountPath: /a}, {name: a, mountPath: /b}]"), ""},
		"a list without keys":          {fmt.Sprintf(podWith, "envFrom: [{configMapRef: {name: a}}, {configMapRef: {name: a}}]"), ""},
		"arguments":                    {fmt.Sprintf(podWith, "args: [-v, -v]"), ""},
		"containers":                   {"apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: a}, {name: a}]}\n", "spec.containers[1]: given twice: the list has an item with name=a already"},
		"ports of a Service":           {"apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{name: a, port: 53, protocol: UDP}, {name: b, port: 53}, {name: c, port: 53, protocol: TCP}]}\n", "spec.ports[2]: given twice: the list has an item with port=53,protocol=TCP already, at [1]"},
		"a set":                        {"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p, validationActions: [Deny, Audit, Deny]}\n", "spec.validationActions[2]: given twice: the list has this value already, at [0]; remove one"},
		"names of a custom kind":       {"apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: w}\nspec: {steps: [{name: a}, {name: a}]}\n", ""},
		"secrets of two names":         {"apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: a}], imagePullSecrets: [{name: a}, {name: b}]}\n", ""},
		"conditions that a server set": {"apiVersion: v1\nkind: Service\nmetadata: {name: web}\nstatus: {conditions: [{type: a}, {type: a}]}\n", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			objects, err := Decode(Source{Argument: "templates"}, test.text)
			if test.want == "" {
				if err != nil || len(objects) != 1 {
					t.Fatalf("got %v, want the object", err)
				}
			} else if !errors.Is(err, errDuplicate) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			sent := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(test.text), &sent.Object); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(sent.GetAPIVersion(), "example.io/") {
				return // Its schema is the member's.
			}
			if _, err := converter.ObjectToTyped(Prune(sent)); (err != nil) != (test.want != "") {
				t.Errorf("server-side apply says %v", err)
			}
		})
	}
}

func TestUnknownKeysMayTellItemsApart(t *testing.T) {
	port := map[string]any{"containerPort": 80}
	value := map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web"},
		"spec": map[string]any{"containers": []any{map[string]any{"name": "web", "ports": []any{port, port}}}},
	}
	if _, err := FromValue(Source{Argument: "templates"}, value, nil); !errors.Is(err, errDuplicate) {
		t.Errorf("got %v, want the port twice", err)
	}
	unknown := []string{"spec.containers[0].ports[1].protocol"}
	objects, err := FromValue(Source{Argument: "templates"}, value, unknown)
	if err != nil || len(objects) != 1 || len(objects[0].Unknown) != 1 {
		t.Errorf("got %v and %v, want the object with what is unknown of it", objects, err)
	}
}
