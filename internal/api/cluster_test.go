package api

import (
	"math"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var joined = metav1.NewTime(time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC))

// cluster returns a cluster with its defaults, from spec fields in YAML flow style.
func cluster(t *testing.T, name, spec string) *Cluster {
	t.Helper()
	var c Cluster
	unmarshal(t, "metadata: {name: '"+name+"'}\nspec: {"+spec+"}", &c)
	c.SetDefaults(joined)
	return &c
}

func TestClusterDefaults(t *testing.T) {
	c := cluster(t, "kube01", "zone: a, taints: [{key: x, effect: NoExecute}, {key: y, effect: NoExecute, timeAdded: '2020-01-01T00:00:00Z'}, {key: z, effect: NoSchedule}]")
	if c.Spec.Zone != "" || len(c.Spec.Zones) != 1 || c.Spec.Zones[0] != "a" {
		t.Errorf("zone %q, zones %q", c.Spec.Zone, c.Spec.Zones)
	}
	if added := c.Spec.Taints[0].TimeAdded; added == nil || !added.Equal(&joined) {
		t.Errorf("a new NoExecute taint was added %v", added)
	}
	if added := c.Spec.Taints[1].TimeAdded; added == nil || added.Year() != 2020 {
		t.Errorf("an old NoExecute taint was added %v", added)
	}
	if added := c.Spec.Taints[2].TimeAdded; added != nil {
		t.Errorf("a NoSchedule taint was added %v", added)
	}
	if n := len(c.Spec.ResourceModels); n != 9 {
		t.Errorf("%d default resource models", n)
	}
	if both := cluster(t, "kube01", "zone: a, zones: [b]"); both.Spec.Zone != "a" {
		t.Errorf("a zone beside zones became %q", both.Spec.Zone)
	}
}

func TestClusterDefaultsOpenTheModels(t *testing.T) {
	c := cluster(t, "kube01", "syncMode: Push, resourceModels: [{grade: 5, ranges: [{name: cpu, min: '2', max: '8'}]}, {grade: 3, ranges: [{name: cpu, min: '1', max: '2'}]}]")
	models := c.Spec.ResourceModels
	if models[0].Grade != 3 || models[1].Grade != 5 {
		t.Errorf("grades are ordered %d, %d", models[0].Grade, models[1].Grade)
	}
	if first, last := models[0].Ranges[0], models[1].Ranges[0]; !first.Min.IsZero() || last.Max.Value() != math.MaxInt64 {
		t.Errorf("the models go from %s to %s", first.Min.String(), last.Max.String())
	}
	checkErrors(t, c.Validate(), nil)
}

func TestDefaultResourceModelsAreValid(t *testing.T) {
	models := defaultResourceModels()
	c := Cluster{ObjectMeta: metav1.ObjectMeta{Name: "kube01"}, Spec: ClusterSpec{SyncMode: syncModePush, ResourceModels: models}}
	checkErrors(t, c.Validate(), nil)
	third := models[2].Ranges
	for i, want := range [][2]string{{"2", "4"}, {"16Gi", "32Gi"}} {
		if third[i].Min.Cmp(resource.MustParse(want[0])) != 0 || third[i].Max.Cmp(resource.MustParse(want[1])) != 0 {
			t.Errorf("grade 2 of %s is [%s, %s), want %v", third[i].Name, third[i].Min.String(), third[i].Max.String(), want)
		}
	}
}

func TestValidateCluster(t *testing.T) {
	model := func(models string) string { return "syncMode: Push, resourceModels: [" + models + "]" }
	const badModels = "spec.resourceModels Invalid"
	tests := map[string]struct {
		name, spec string
		want       []string
	}{
		"least":                  {"kube01", "syncMode: Push", nil},
		"no name":                {"", "syncMode: Push", []string{"metadata.name Required"}},
		"48 characters":          {strings.Repeat("a", 48), "syncMode: Push", nil},
		"49 characters":          {strings.Repeat("a", 49), "syncMode: Push", []string{"metadata.name Invalid"}},
		"dotted name":            {"kube.01", "syncMode: Push", []string{"metadata.name Invalid"}},
		"no mode":                {"kube01", "", []string{"spec.syncMode Required", "spec.syncMode NotSupported"}},
		"other mode":             {"kube01", "syncMode: push", []string{"spec.syncMode NotSupported"}},
		"endpoint":               {"kube01", "syncMode: Push, apiEndpoint: 'https://10.0.0.1:6443/path'", nil},
		"endpoint without host":  {"kube01", "syncMode: Push, apiEndpoint: 'kube01:6443'", []string{"spec.apiEndpoint Invalid"}},
		"endpoint that is none":  {"kube01", "syncMode: Push, apiEndpoint: '://'", []string{"spec.apiEndpoint Invalid"}},
		"endpoint with the rest": {"kube01", "syncMode: Push, apiEndpoint: 'https://u:p@h/?q#f'", []string{"spec.apiEndpoint Invalid", "spec.apiEndpoint Invalid", "spec.apiEndpoint Invalid"}},
		"secrets":                {"kube01", "syncMode: Push, secretRef: {namespace: a}, impersonatorSecretRef: {name: b}", []string{"spec.secretRef.name Required", "spec.impersonatorSecretRef.namespace Required"}},
		"proxy":                  {"kube01", "syncMode: Push, proxyURL: 'socks5://p:1080'", nil},
		"proxy scheme":           {"kube01", "syncMode: Push, proxyURL: 'ftp://p'", []string{"spec.proxyURL Invalid"}},
		"proxy that is none":     {"kube01", "syncMode: Push, proxyURL: '://'", []string{"spec.proxyURL Invalid"}},
		"labels of the place":    {"kube01", "syncMode: Push, provider: a b, region: a/b, zones: [a, b c, d e]", []string{"spec.provider Invalid", "spec.region Invalid", "spec.Zones Invalid", "spec.Zones Invalid"}},
		"zone and zones":         {"kube01", "syncMode: Push, zone: a b, zones: [a]", []string{"spec.zone Invalid", "spec.spec TypeInvalid"}},
		"taints":                 {"kube01", "syncMode: Push, taints: [{key: a b, effect: NoSchedule}, {key: a, value: b c, effect: NoExecute}, {key: b, effect: PreferNoSchedule}, {key: c}]", []string{"spec.taints[0].key Invalid", "spec.taints[1].value Invalid", "spec.taints[2].effect NotSupported", "spec.taints[3].effect Required"}},
		"taint twice":            {"kube01", "syncMode: Push, taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoExecute}, {key: a, value: b, effect: NoSchedule}]", []string{"spec.taints[2] Duplicate"}},
		"models without ranges":  {"kube01", model("{grade: 1}, {grade: 2}"), nil},
		"grade twice":            {"kube01", model("{grade: 1}, {grade: 1}"), []string{badModels}},
		"models of any resource": {"kube01", model("{grade: 0, ranges: [{name: example.com/gpu, min: '0', max: '1'}]}"), nil},
		"other resources":        {"kube01", model("{grade: 1, ranges: [{name: cpu, min: '0', max: '1'}]}, {grade: 2, ranges: [{name: memory, min: '1', max: '2'}]}"), []string{badModels}},
		"fewer resources":        {"kube01", model("{grade: 1, ranges: [{name: cpu, min: '0', max: '1'}]}, {grade: 2}"), []string{badModels}},
		"gap":                    {"kube01", model("{grade: 1, ranges: [{name: cpu, min: '0', max: '1'}]}, {grade: 2, ranges: [{name: cpu, min: '2', max: '3'}]}"), []string{badModels}},
		"same bound, other form": {"kube01", model("{grade: 1, ranges: [{name: cpu, min: '0', max: '1'}]}, {grade: 2, ranges: [{name: cpu, min: 1000m, max: '3'}]}"), nil},
		"empty range":            {"kube01", model("{grade: 1, ranges: [{name: cpu, min: '0', max: '0'}]}, {grade: 2, ranges: [{name: cpu, min: '0', max: '3'}]}"), []string{badModels}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			checkErrors(t, cluster(t, tt.name, tt.spec).Validate(), tt.want)
		})
	}
}

// Models that were never given their defaults have to start at 0 and end at the greatest number themselves.
func TestValidateModelsWithoutDefaults(t *testing.T) {
	one := func(from, to int64) *Cluster {
		r := ResourceModelRange{Name: "cpu", Min: *resource.NewQuantity(from, resource.DecimalSI), Max: *resource.NewQuantity(to, resource.DecimalSI)}
		return &Cluster{ObjectMeta: metav1.ObjectMeta{Name: "kube01"}, Spec: ClusterSpec{SyncMode: syncModePull, ResourceModels: []ResourceModel{{Ranges: []ResourceModelRange{r}}}}}
	}
	checkErrors(t, one(0, math.MaxInt64).Validate(), nil)
	checkErrors(t, one(1, math.MaxInt64).Validate(), []string{"spec.resourceModels Invalid"})
	checkErrors(t, one(0, 8).Validate(), []string{"spec.resourceModels Invalid"})
}

func TestClusterErrorsHideCredentials(t *testing.T) {
	c := cluster(t, "kube01", "syncMode: Push, apiEndpoint: 'https://user:hunter2@?hunter2', proxyURL: 'ftp://user:hunter2@p'")
	errs := c.Validate()
	if len(errs) == 0 || strings.Contains(errs.ToAggregate().Error(), "hunter2") {
		t.Errorf("got %v", errs)
	}
}
