package propagation

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/interpreter"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

const (
	scaledWeb = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}
`
	scaler = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {minReplicas: 2, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
`
	threeToOne = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement:
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [kube02]}, weight: 3}, {targetCluster: {clusterNames: [kube03]}, weight: 1}]}
`
	scalersEverywhere = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: scalers}
spec:
  resourceSelectors: [{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}]
  placement: {}
`
	webKey = "Deployment.apps/default/web"
)

// TestReplicasLeftToOthers: whoever else sets the replicas gets them divided at first, and is left alone from then on.
func TestReplicasLeftToOthers(t *testing.T) {
	const labelled = `labels: {resourcetemplate.karmada.io/retain-replicas: "true"}`
	for name, test := range map[string]struct {
		documents []string
		ignore    string
		left      []string // the members that set the replicas themselves
		scalers   []string
	}{
		"nobody":                                 {documents: []string{scaledWeb, threeToOne}},
		"the user says so":                       {documents: []string{scaledWeb, threeToOne}, ignore: "spec.replicas", left: []string{"kube02", "kube03"}},
		"the user says so by pointer":            {documents: []string{scaledWeb, threeToOne}, ignore: "/spec/replicas", left: []string{"kube02", "kube03"}},
		"an autoscaler":                          {documents: []string{scaledWeb, threeToOne, scaler, scalersEverywhere}, left: []string{"kube02", "kube03"}, scalers: []string{"HorizontalPodAutoscaler.autoscaling/default/web"}},
		"an autoscaler on one member":            {documents: []string{scaledWeb, threeToOne, scaler, strings.Replace(scalersEverywhere, "placement: {}", "placement: {clusterAffinity: {clusterNames: [kube03]}}", 1)}, left: []string{"kube03"}, scalers: []string{"HorizontalPodAutoscaler.autoscaling/default/web"}},
		"an autoscaler on another member":        {documents: []string{scaledWeb, threeToOne, scaler, strings.Replace(scalersEverywhere, "placement: {}", "placement: {clusterAffinity: {clusterNames: [kube04]}}", 1)}},
		"an autoscaler of something else":        {documents: []string{scaledWeb, threeToOne, strings.Replace(scaler, "kind: Deployment", "kind: StatefulSet", 1), scalersEverywhere}},
		"the label":                              {documents: []string{strings.Replace(scaledWeb, "{name: web}", "{name: web, "+labelled+"}", 1), threeToOne}, left: []string{"kube02", "kube03"}},
		"the label with another value":           {documents: []string{strings.Replace(scaledWeb, "{name: web}", "{name: web, "+strings.Replace(labelled, "true", "false", 1)+"}", 1), threeToOne}},
		"the label, from an override, on one":    {documents: []string{scaledWeb, threeToOne, "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {name: web}\nspec: {overrideRules: [{targetCluster: {clusterNames: [kube02]}, overriders: {labelsOverrider: [{operator: add, value: {resourcetemplate.karmada.io/retain-replicas: 'true'}}]}}]}"}, left: []string{"kube02"}},
		"the user, and an autoscaler on one":     {documents: []string{scaledWeb, threeToOne, scaler, strings.Replace(scalersEverywhere, "placement: {}", "placement: {clusterAffinity: {clusterNames: [kube03]}}", 1)}, ignore: "spec.replicas", left: []string{"kube02", "kube03"}, scalers: []string{"HorizontalPodAutoscaler.autoscaling/default/web"}},
		"an autoscaler that no policy places":    {documents: []string{scaledWeb, threeToOne, scaler}},
		"a label on what has no replicas at all": {documents: []string{scaledWeb, threeToOne, strings.Replace(scaler, "{name: web}", "{name: other, "+labelled+"}", 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(t, named("kube02", "kube03", "kube04"), test.documents...)
			in.IgnoreUnmatched = true
			if test.ignore != "" {
				in.IgnoreFields = patterns(t, test.ignore)
			}
			out := compute(t, in)
			for member, replicas := range map[string]int64{"kube02": 3, "kube03": 1} {
				work := out.Works[member][webKey]
				initial := work.Object
				if work.Initial != nil {
					initial = work.Initial
				}
				if got := replicasOf(t, initial); got != replicas {
					t.Errorf("%s starts with %v replicas, want %d", member, got, replicas)
				}
				got := replicasOf(t, work.Object)
				if left := slices.Contains(test.left, member); left != (got == nil) || left != (work.Initial != nil) || left != (len(work.Left) > 0 && len(manifest.Select(initial, work.Left...)) > 0) {
					t.Errorf("%s owns %v replicas, and begins with %v; they are left to others: want %v", member, got, work.Initial, left)
				}
			}
			if got := out.Placements[webKey].Scalers; !slices.Equal(got, test.scalers) {
				t.Errorf("scalers are %q, want %q", got, test.scalers)
			}
		})
	}
}

func replicasOf(t *testing.T, object *unstructured.Unstructured) any {
	t.Helper()
	value, _, err := unstructured.NestedFieldNoCopy(object.Object, "spec", "replicas")
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func patterns(t *testing.T, texts ...string) []manifest.Pattern {
	t.Helper()
	all := make([]manifest.Pattern, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = manifest.ParsePattern(text); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestScalerComesAndGoes: an autoscaler that comes takes the replicas over, one that goes gives them back, and in between
// nothing is sent.
func TestScalerComesAndGoes(t *testing.T) {
	w := newWorld(t, "kube02", "kube03")
	sent := func(documents ...string) []string {
		t.Helper()
		return keysOf(w.apply(nil, documents...)["kube02"])
	}
	if got := sent(scaledWeb, threeToOne); !reflect.DeepEqual(got, []string{webKey}) {
		t.Fatalf("sent %q at first", got)
	}
	if got := sent(scaledWeb, threeToOne, scaler, scalersEverywhere); !reflect.DeepEqual(got, []string{webKey, "HorizontalPodAutoscaler.autoscaling/default/web"}) {
		t.Errorf("sent %q with the autoscaler", got)
	}
	live := w.prior.Works["kube02"][webKey]
	if _, shown := live["spec.replicas"]; shown {
		t.Errorf("the replicas still show: %v", live)
	}
	if got := sent(strings.Replace(scaledWeb, "replicas: 4", "replicas: 8", 1), threeToOne, scaler, scalersEverywhere); len(got) > 0 {
		t.Errorf("sent %q for replicas that are the autoscaler's", got)
	}
	if got := sent(scaledWeb, threeToOne); !reflect.DeepEqual(got, []string{webKey}) || w.prior.Works["kube02"][webKey]["spec.replicas"] != int64(3) {
		t.Errorf("sent %q without the autoscaler, and replicas are %v", got, w.prior.Works["kube02"][webKey]["spec.replicas"])
	}
}

func TestIgnoredPartOfANamelessList(t *testing.T) {
	in := input(t, named("kube02", "kube03"), "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: {rules: [{host: a}]}", `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web}
spec: {resourceSelectors: [{apiVersion: networking.k8s.io/v1, kind: Ingress}], placement: {}}`)
	in.IgnoreFields = patterns(t, "spec.rules[0].host")
	_, problems := Compute(in)
	const want = "Field cannot be left to others: Ingress.networking.k8s.io/default/web: the items of spec.rules have no names, " +
		"so the list is sent as a whole or not at all: name spec.rules itself. On kube02 and kube03."
	if got := details(problems); !slices.Equal(got, []string{want}) || problems[0].Argument != "ignore_fields" {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPathsThatNameNothing(t *testing.T) {
	const named1 = `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: settings}
spec: {overrideRules: [{overriders: {annotationsOverrider: [{operator: add, value: {token: secret}}]}}]}`
	in := input(t, named("kube02"), settings, everywhere, named1)
	in.SensitivePaths = patterns(t, "data.a", "data.b", "metadata.annotations.token")
	in.IgnoreFields = patterns(t, "data.a", "spec.replicas", "apiVersion", "data.a.b")
	_, problems := Compute(in)
	var got []string
	for _, p := range problems {
		if !p.Note || p.Summary != "Path names nothing here" {
			t.Fatal(p)
		}
		path, _, _ := strings.Cut(strings.TrimPrefix(p.Detail, "No template has "), ". ")
		got = append(got, p.Argument+" "+path)
	}
	want := []string{"sensitive_paths data.b", "ignore_fields spec.replicas", "ignore_fields apiVersion", "ignore_fields data.a.b"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}

	in.Templates[0].Unknown = []string{"data.c"} // whatever is not known may have it
	if _, problems = Compute(in); len(problems) > 0 {
		t.Error(problems[0])
	}
}

// TestSensitiveValuesStayOutOfErrors: what an override says of a value that must not show.
func TestSensitiveValuesStayOutOfErrors(t *testing.T) {
	const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {config: 'hunter2{'}\n"
	const broken = `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: settings, namespace: default}
spec: {overrideRules: [{overriders: {fieldOverrider: [{fieldPath: /data/config, json: [{subPath: /a, operator: add, value: 1}]}]}}]}`
	for name, hide := range map[string]func(*Input){
		"the template": func(in *Input) { in.SensitiveTemplates = map[string]bool{settingsKey: true} },
		"the field":    func(in *Input) { in.SensitivePaths = patterns(t, "data.config") },
		"all data":     func(in *Input) { in.SensitivePaths = patterns(t, "data") },
	} {
		in := input(t, named("kube02"), config, everywhere, broken)
		hide(&in)
		_, problems := Compute(in)
		text := strings.Join(details(problems), "\n")
		if strings.Contains(text, "hunter2") || !strings.Contains(text, `fieldOverrider[0], ConfigMap/default/settings, path "/data/config": the value is sensitive`) {
			t.Errorf("%s is sensitive, and the error is %q", name, text)
		}
	}
}

// TestWhatNoTemplateBrings: dependencies that are not among the templates are known by who needs them.
func TestWhatNoTemplateBrings(t *testing.T) {
	const needy = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: runner
      containers: [{name: web, image: nginx, envFrom: [{configMapRef: {name: settings}}, {configMapRef: {name: extra, optional: true}}, {secretRef: {name: password}}]}]
`
	for deps, want := range map[string]string{"true": "Secret/password ServiceAccount/runner", "false": ""} {
		out := compute(t, input(t, named("kube02", "kube03"), needy, settings, strings.Replace(everywhere, "placement: {}", "propagateDeps: "+deps+"\n  placement: {}", 1)))
		var got []string
		for _, reference := range out.Outside[webKey] {
			got = append(got, reference.Kind+"/"+reference.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("with propagateDeps %s, nothing brings %q, want %q", deps, got, want)
		}
	}
}

// TestCertificateOfTheController: an Ingress that names no Secret takes along those that it names.
func TestCertificateOfTheController(t *testing.T) {
	const ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: {tls: [{hosts: [a]}, {secretName: password}]}"
	out, problems := Compute(input(t, named("kube02", "kube03"), ingress, password, `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web}
spec:
  resourceSelectors: [{apiVersion: networking.k8s.io/v1, kind: Ingress}]
  propagateDeps: true
  placement: {clusterAffinity: {clusterNames: [kube03]}}`))
	if len(problems) > 0 {
		t.Fatal(problems[0])
	}
	if _, follows := out.Works["kube03"][passwordKey]; !follows || out.Works["kube02"][passwordKey] != nil {
		t.Errorf("the Secret does not follow: %v", out.Placements[passwordKey])
	}
}

func TestComputeNotesReplicasThatNoTemplateHas(t *testing.T) {
	const worker = "{apiVersion: example.com/v1, kind: Worker, metadata: {name: w}, spec: {count: 7}}\n"
	const workers = "{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: workers}, spec: {resourceSelectors: [{apiVersion: example.com/v1, kind: Worker}]}}\n"
	for path, noted := range map[string]bool{"spec.count": false, "spec.cnt": true} {
		kinds, err := interpreter.New(interpreter.Extension{APIVersion: "example.com/v1", Kind: "Worker", ReplicasPath: path})
		if err != nil {
			t.Fatal(err)
		}
		got := problemsOf(t, named("a"), func(in *Input) { in.Interpreter = kinds }, worker, policy(""), workers)
		if noted != (len(got) == 1 && strings.Contains(got[0], "note=true Path names nothing here: No template of the kind example.com/v1 Worker has the replicas_path spec.cnt")) ||
			!noted && len(got) > 0 {
			t.Errorf("%s: problems %q", path, got)
		}
	}
}
