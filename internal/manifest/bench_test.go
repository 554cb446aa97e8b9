package manifest

import (
	"fmt"
	"strings"
	"testing"
)

const benchDeployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%d
  namespace: default
  labels: {app: web, "app.kubernetes.io/name": web, "app.kubernetes.io/part-of": shop}
  annotations: {"example.io/owner": team-a}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
    spec:
      serviceAccountName: web
      containers:
      - name: web
        image: nginx:1.25
        ports:
        - containerPort: 80
        - {containerPort: 9090, name: metrics}
        env:
        - {name: LOG, value: debug}
        - {name: PORT, value: "80"}
        - name: POD
          valueFrom: {fieldRef: {fieldPath: metadata.name}}
        resources:
          requests: {cpu: 100m, memory: 128Mi}
          limits: {cpu: 1, memory: 1Gi}
        readinessProbe:
          httpGet: {path: /ready, port: 80}
        volumeMounts:
        - {name: config, mountPath: /etc/web}
      volumes:
      - name: config
        configMap: {name: web, defaultMode: 0644}
`

func benchText(count int) string {
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, "---\n"+benchDeployment, i)
	}
	return text.String()
}

func BenchmarkDecode1000(b *testing.B) {
	text := benchText(1000)
	for b.Loop() {
		if _, err := Decode(Source{Argument: "templates"}, text); err != nil {
			b.Fatal(err)
		}
	}
}

// The part of Decode that compares objects with the Go types of the API.
func BenchmarkCheck1000(b *testing.B) {
	objects := mustDecode(b, benchText(1000))
	for b.Loop() {
		for _, object := range objects {
			if problems := checkObject(object.Object, nil, nil); len(problems) > 0 {
				b.Fatal(problems)
			}
		}
	}
}

func BenchmarkFlatten1000(b *testing.B) {
	objects := mustDecode(b, benchText(1000))
	for b.Loop() {
		for _, object := range objects {
			Flatten(object.Unstructured)
		}
	}
}

func BenchmarkProject1000(b *testing.B) {
	objects := mustDecode(b, benchText(1000))
	owned := make([]Fields, len(objects))
	for i, object := range objects {
		owned[i] = Flatten(object.Unstructured)
	}
	for b.Loop() {
		for i, object := range objects {
			Project(object.Unstructured, owned[i])
		}
	}
}

func BenchmarkPrune1000(b *testing.B) {
	objects := mustDecode(b, benchText(1000))
	for b.Loop() {
		for _, object := range objects {
			Prune(object.Unstructured)
		}
	}
}

func benchWorks(b *testing.B, count int) map[string]Fields {
	works := make(map[string]Fields, count)
	for _, object := range mustDecode(b, benchText(count)) {
		works[object.Key().String()] = Flatten(object.Unstructured)
	}
	return works
}

func BenchmarkEncode2000(b *testing.B) {
	works := benchWorks(b, 2000)
	for b.Loop() {
		if _, err := Encode(works); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeWorks2000(b *testing.B) {
	text, err := Encode(benchWorks(b, 2000))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := DecodeWorks(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	fields := Fields{"data.password": "c2VjcmV0"}
	for b.Loop() {
		if _, err := Digest([]byte("salt"), fields); err != nil {
			b.Fatal(err)
		}
	}
}
