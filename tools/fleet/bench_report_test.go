package main

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestMedian(t *testing.T) {
	r := result{seconds: []float64{9, 1, 2}}
	if got := r.median(); got != 2 {
		t.Errorf("median = %v, want 2", got)
	}
}

func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		counts map[string]int
		want   string
	}{
		{nil, "0"},
		{map[string]int{"patch": 99, "list": 3}, "102: 3 list, 99 patch"},
	} {
		if got := describe(test.counts); got != test.want {
			t.Errorf("describe(%v) = %q, want %q", test.counts, got, test.want)
		}
	}
}

func TestField(t *testing.T) {
	const status = "Name:\tprovider\nVmPeak:\t   9 kB\nVmHWM:\t   51200 kB\n"
	if got := field(status, "VmHWM:"); got != 51200 {
		t.Errorf("VmHWM = %d, want 51200", got)
	}
	if got := field(status, "VmSwap:"); got != 0 {
		t.Errorf("VmSwap = %d, want 0 for a line that is not there", got)
	}
}

func TestBenchObjects(t *testing.T) {
	kinds := make(map[string]int)
	for document := range strings.SplitSeq(strings.TrimPrefix(benchObjects("v1.0"), "---\n"), "---\n") {
		var object struct {
			Kind string
			Data map[string]string
		}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		kinds[object.Kind]++
		if size := len(object.Data["settings"]); object.Kind == "ConfigMap" && size != 1020 {
			t.Errorf("a ConfigMap of %d bytes", size)
		}
	}
	for _, kind := range []string{"ConfigMap", "Deployment", "Service"} {
		if kinds[kind] != 33 {
			t.Errorf("%d of kind %s, want 33", kinds[kind], kind)
		}
	}
}
