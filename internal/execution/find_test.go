package execution_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

func TestFind(t *testing.T) {
	b := newBench(t)
	all := objects(t, namespace+"\n---\n"+deployment+"\n---\n"+configMap+"\n---\n"+widgetDefinition+"\n---\n"+widget+
		"\n---\n{apiVersion: v1, kind: Event, metadata: {name: e, namespace: default}, involvedObject: {namespace: default}}")
	b.do(request(all...))
	b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: default, labels: {terraform-provider-multicluster/propagation: q}}}")
	b.restart()
	found, err := execution.Find(t.Context(), b.session, "p")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, obj := range found {
		got = append(got, manifest.KeyOf(obj).String())
	}
	want := []string{
		"ConfigMap/default/settings", "CustomResourceDefinition.apiextensions.k8s.io/widgets.example.io", "Deployment.apps/shop/web",
		"Namespace/shop", "Widget.example.io/shop/w",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	scopes, err := execution.EveryScope(t.Context(), b.session)
	if err != nil {
		t.Fatal(err)
	}
	strays := execution.Read(t.Context(), b.session, execution.ReadRequest{Instance: "i", Scopes: scopes}).Strays
	if got := sortedKeys(strays); !slices.Equal(got, want) {
		t.Errorf("every scope holds %v, want %v", got, want)
	}

	b.grant("list")
	b.session = b.open(b.member.StrangerToken)
	_, err = execution.Find(t.Context(), b.session, "p")
	wantError(t, err, "cannot list resource")
}

// TestOwnedFields: what is read back of an object is what was sent, whatever others and the server added.
func TestOwnedFields(t *testing.T) {
	b := newBench(t)
	b.do(request(objects(t, widgetDefinition)...))
	for name, text := range map[string]string{
		"workload": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default, labels: {app: web, "app.kubernetes.io/name": web}, annotations: {note: x}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {disk: ssd}
      containers:
      - name: web
        image: nginx
        args: [a, b]
        ports: [{containerPort: 80, protocol: TCP}, {containerPort: 80, protocol: UDP, name: dns}]
        env: [{name: B, value: "1"}, {name: A, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}]
        resources: {requests: {cpu: 100m}}
        volumeMounts: [{mountPath: /data, name: data}]
      - {name: side, image: side}
      tolerations: [{key: x, operator: Exists}]
      volumes: [{name: data, emptyDir: {}}]
`,
		"service":         "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default}, spec: {selector: {a: b}, ports: [{port: 80, targetPort: web, protocol: TCP}]}}",
		"data":            "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}, data: {a: b, c.d: e}, binaryData: {x: eA==}}",
		"finalizers":      "{apiVersion: v1, kind: ConfigMap, metadata: {name: f, namespace: default, finalizers: [example.com/a]}}",
		"cluster-scoped":  "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: 'a:b'}, rules: [{apiGroups: [''], resources: [pods], verbs: [get, list]}]}",
		"custom resource": "{apiVersion: example.io/v1, kind: Widget, metadata: {name: w, namespace: default}, spec: {size: 3}}",
		"claim":           "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, namespace: default}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}",
	} {
		t.Run(name, func(t *testing.T) {
			sent := objects(t, "%s", text)[0]
			b.do(request(sent))
			b.patch(sent, `{"metadata":{"labels":{"theirs":"x"},"annotations":{"theirs":"x"}}}`)
			if sent.GetKind() == "Deployment" {
				b.patch(sent, `{"spec":{"paused":true,"template":{"spec":{"securityContext":{"runAsUser":1}}}}}`)
			}
			live := b.live(sent)
			owned, err := execution.OwnedFields(live)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(owned.Object, sent.Object) {
				t.Errorf("got %v\nwant %v", owned.Object, sent.Object)
			}
			owned.SetLabels(map[string]string{"changed": "x"})
			if live.GetLabels()["changed"] != "" {
				t.Error("the live object was changed along")
			}
		})
	}
	theirs := b.have("{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: default}, data: {a: b}}")
	owned, err := execution.OwnedFields(theirs)
	if err != nil || !slices.Equal(slices.Sorted(maps.Keys(owned.Object)), []string{"apiVersion", "kind", "metadata"}) {
		t.Errorf("of somebody else: got %v and %v, want its name only", owned, err)
	}
}

// TestOwnedFieldsShared: of a map that we own as such and others fill, only its being there is ours.
func TestOwnedFieldsShared(t *testing.T) {
	b := newBench(t)
	sent := objects(t, "%s", strings.Replace(deployment, "spec: {containers:", "spec: {securityContext: {}, containers:", 1)+"\n---\n"+namespace)
	b.do(request(sent...))
	b.patch(sent[0], `{"spec":{"template":{"spec":{"securityContext":{"runAsUser":1}}}}}`)
	owned, err := execution.OwnedFields(b.live(sent[0]))
	if err != nil {
		t.Fatal(err)
	}
	got, found, err := unstructured.NestedMap(owned.Object, "spec", "template", "spec", "securityContext")
	if err != nil || !found || len(got) != 0 {
		t.Errorf("got %v, %v and %v, want an empty map", got, found, err)
	}
}
