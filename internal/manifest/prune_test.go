package manifest

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"
)

func TestPrune(t *testing.T) {
	tests := map[string]struct{ object, want string }{
		"server-made metadata and status": {
			`{"kind":"ConfigMap","metadata":{"name":"a","namespace":"b","labels":{"c":"d"},"creationTimestamp":null,"deletionGracePeriodSeconds":1,"deletionTimestamp":"t","finalizers":["f"],"generation":1,"managedFields":[],"ownerReferences":[],"resourceVersion":"1","selfLink":"/","uid":"u"},"data":{"x":"y"},"status":{}}`,
			`{"data":{"x":"y"},"kind":"ConfigMap","metadata":{"labels":{"c":"d"},"name":"a","namespace":"b"}}`},
		"Deployment": {
			`{"kind":"Deployment","metadata":{"annotations":{"deployment.kubernetes.io/revision":"3","deployment.kubernetes.io/revision-history":"1,2","a":"b"}}}`,
			`{"kind":"Deployment","metadata":{"annotations":{"a":"b"}}}`},
		"a map emptied stays": {
			`{"kind":"Deployment","metadata":{"annotations":{"deployment.kubernetes.io/revision":"3"}}}`,
			`{"kind":"Deployment","metadata":{"annotations":{}}}`},
		"Job": {
			`{"kind":"Job","spec":{"ttlSecondsAfterFinished":1,"selector":{"matchLabels":{"controller-uid":"u","batch.kubernetes.io/controller-uid":"u","a":"b"}},"template":{"metadata":{"labels":{"controller-uid":"u","batch.kubernetes.io/controller-uid":"u","job-name":"j","batch.kubernetes.io/job-name":"j","a":"b"}}}}}`,
			`{"kind":"Job","spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}}}}}`},
		"Job with a selector of its own": {
			`{"kind":"Job","spec":{"manualSelector":true,"ttlSecondsAfterFinished":1,"selector":{"matchLabels":{"controller-uid":"u"}}}}`,
			`{"kind":"Job","spec":{"manualSelector":true,"selector":{"matchLabels":{"controller-uid":"u"}}}}`},
		"Service":                         {`{"kind":"Service","spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"]}}`, `{"kind":"Service","spec":{}}`},
		"headless Service":                {`{"kind":"Service","spec":{"clusterIP":"None","clusterIPs":["None"]}}`, `{"kind":"Service","spec":{"clusterIP":"None","clusterIPs":["None"]}}`},
		"Service with clusterIPs alone":   {`{"kind":"Service","spec":{"clusterIPs":["10.0.0.1"]}}`, `{"kind":"Service","spec":{"clusterIPs":["10.0.0.1"]}}`},
		"token Secret":                    {`{"kind":"Secret","type":"kubernetes.io/service-account-token","data":{"token":"dA=="},"metadata":{"annotations":{"kubernetes.io/service-account.uid":"u"}}}`, `{"data":null,"kind":"Secret","metadata":{"annotations":{}},"type":"kubernetes.io/service-account-token"}`},
		"Secret":                          {`{"kind":"Secret","type":"Opaque","data":{"token":"dA=="}}`, `{"data":{"token":"dA=="},"kind":"Secret","type":"Opaque"}`},
		"ServiceAccount":                  {`{"kind":"ServiceAccount","metadata":{"name":"sa"},"secrets":[{"name":"sa-token-a"},{"name":"mine"},{"name":"sa-token-b"}]}`, `{"kind":"ServiceAccount","metadata":{"name":"sa"},"secrets":[{"name":"mine"}]}`},
		"ServiceAccount, adjacent tokens": {`{"kind":"ServiceAccount","metadata":{"name":"sa"},"secrets":[{"name":"sa-token-a"},{"name":"sa-token-b"},{"name":"sa-token-c"}]}`, `{"kind":"ServiceAccount","metadata":{"name":"sa"},"secrets":[{"name":"sa-token-b"}]}`},
		"PersistentVolumeClaim":           {`{"kind":"PersistentVolumeClaim","metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n"}}}`, `{"kind":"PersistentVolumeClaim","metadata":{"annotations":{}}}`},
		"PersistentVolumeClaim, no node":  {`{"kind":"PersistentVolumeClaim","metadata":{"annotations":{"volume.kubernetes.io/selected-node":""}}}`, `{"kind":"PersistentVolumeClaim","metadata":{"annotations":{"volume.kubernetes.io/selected-node":""}}}`},
		"odd types are let be":            {`{"kind":"Job","metadata":1,"spec":{"selector":[],"template":"x"}}`, `{"kind":"Job","metadata":1,"spec":{"selector":[],"template":"x"}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			obj := &unstructured.Unstructured{}
			if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(test.object), &obj.Object); err != nil {
				t.Fatal(err)
			}
			before := obj.DeepCopy()
			if got := jsonOf(t, Prune(obj).Object); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			assertUnchanged(t, before, obj)
		})
	}
}

func TestLost(t *testing.T) {
	tests := map[string]struct {
		object string
		want   []string
	}{
		"an address of a Service":            {`{"kind":"Service","spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"]}}`, []string{"spec.clusterIP", "spec.clusterIPs"}},
		"headless":                           {`{"kind":"Service","spec":{"clusterIP":"None"}}`, nil},
		"an empty address":                   {`{"kind":"Service","spec":{"clusterIP":""}}`, nil},
		"finalizers and owners":              {`{"kind":"ConfigMap","metadata":{"finalizers":["a/b"],"ownerReferences":[{"name":"c"}]},"data":{"a":"b"}}`, []string{"metadata.finalizers", "metadata.ownerReferences"}},
		"empty finalizers":                   {`{"kind":"ConfigMap","metadata":{"finalizers":[],"ownerReferences":null}}`, nil},
		"data of a token":                    {`{"kind":"Secret","type":"kubernetes.io/service-account-token","data":{"token":"dA=="}}`, []string{"data"}},
		"data of another Secret":             {`{"kind":"Secret","type":"Opaque","data":{"token":"dA=="}}`, nil},
		"tokens of an account":               {`{"kind":"ServiceAccount","metadata":{"name":"sa"},"secrets":[{"name":"sa-token-a"},{"name":"b"}]}`, []string{"secrets"}},
		"secrets of an account":              {`{"kind":"ServiceAccount","metadata":{"name":"sa"},"secrets":[{"name":"b"}]}`, nil},
		"what kubectl create --dry-run adds": {`{"kind":"Deployment","metadata":{"creationTimestamp":null},"status":{}}`, nil},
		"what a cleaned export leaves":       {`{"kind":"Deployment","metadata":{"generation":3,"annotations":{"deployment.kubernetes.io/revision":"3"}},"status":{"replicas":1}}`, nil},
		"an export":                          {`{"kind":"Service","metadata":{"uid":"u","resourceVersion":"1","finalizers":["service.kubernetes.io/load-balancer-cleanup"]},"spec":{"clusterIP":"10.0.0.1"}}`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			obj := &unstructured.Unstructured{}
			if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(test.object), &obj.Object); err != nil {
				t.Fatal(err)
			}
			if got := Lost(obj, Prune(obj)); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
