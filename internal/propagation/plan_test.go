package propagation

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

const everywhere = `
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: everywhere}
spec:
  resourceSelectors:
    - {apiVersion: v1, kind: ConfigMap}
    - {apiVersion: v1, kind: Secret}
    - {apiVersion: apps/v1, kind: Deployment}
    - {apiVersion: batch/v1, kind: Job}
  placement: {}
`

const settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: \"1\"}\n"

const password = "apiVersion: v1\nkind: Secret\nmetadata: {name: password}\nstringData: {password: hunter2}\n"

const settingsKey = "ConfigMap/default/settings"

const passwordKey = "Secret/default/password"

// world is a propagation over several rounds, with members that take what they are sent.
type world struct {
	t       *testing.T
	members []Member
	retired map[string]bool
	prior   Prior
	max     int64

	rebalance, keepGroup bool
}

func newWorld(t *testing.T, names ...string) *world {
	return &world{t: t, members: named(names...), max: 1, prior: Prior{
		Works: Works{}, Placements: map[string]Placement{}, Record: &Record{Members: map[string]*MemberRecord{}},
	}}
}

// plan computes and plans the documents.
func (w *world) plan(documents ...string) (*Planned, []*Problem) {
	w.t.Helper()
	in := input(w.t, w.members, documents...)
	in.Prior, in.Rebalance, in.KeepGroup = w.prior, w.rebalance, w.keepGroup
	planned, problems := Plan(compute(w.t, in), w.members, w.retired, w.prior, Settings{MaxMembersRemoved: w.max})
	return planned, problems
}

// apply plans the documents, lets every member but those that refuse confirm what it is sent, and goes through the encoded
// forms as the state does.
func (w *world) apply(refusing map[string]Outcome, documents ...string) map[string]Change {
	w.t.Helper()
	planned, problems := w.plan(documents...)
	if len(problems) > 0 {
		w.t.Fatal(problems[0])
	}
	changes := map[string]Change{}
	works := Works{}
	for _, name := range memberNames(planned.Objects, w.prior.Works) {
		change := Changes(w.prior, planned, name, false, false)
		changes[name] = change
		held, err := Settle(w.prior.Works[name], planned.Works[name], change, results(change, refusing[name], refusing), w.prior.Record.Member(name), NewSalts())
		if err != nil {
			w.t.Fatal(err)
		}
		works[name] = held
	}
	w.prior = Prior{Works: reload(w.t, works), Placements: planned.Placements, Record: reloadRecord(w.t, w.prior.Record)}
	return changes
}

func results(change Change, outcome Outcome, refusing map[string]Outcome) map[string]Result {
	out := map[string]Result{}
	for _, a := range change.Apply {
		if _, refuses := refusing["all"]; refuses || outcome != NotSent {
			out[a.Key] = Result{Outcome: outcome}
			continue
		}
		out[a.Key] = Result{Outcome: Confirmed, Live: a.Work.Object.DeepCopy()}
	}
	for _, r := range change.Remove {
		out[r.Key] = Result{Outcome: Gone}
	}
	return out
}

func reload(t *testing.T, works Works) Works {
	t.Helper()
	encoded, err := EncodeWorks(works)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := DecodeWorks(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

func reloadRecord(t *testing.T, record *Record) *Record {
	t.Helper()
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := DecodeRecord(text)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// refresh lets member a be seen with the given live objects; a nil object is gone.
func (w *world) refresh(live map[string]*unstructured.Unstructured) {
	w.t.Helper()
	seen := Seen{Live: map[string]*unstructured.Unstructured{}, Gone: map[string]bool{}}
	for key, obj := range live {
		if obj == nil {
			seen.Gone[key] = true
		} else {
			seen.Live[key] = obj
		}
	}
	shown, err := Refresh(w.prior.Works["a"], w.prior.Record.Member("a"), seen)
	if err != nil {
		w.t.Fatal(err)
	}
	w.prior.Works["a"] = shown
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	objects, err := manifest.Decode(manifest.Source{Argument: "live"}, text)
	if err != nil {
		t.Fatal(err)
	}
	return manifest.FoldSecret(manifest.SetNamespace(objects, "default", nil)[0].Unstructured)
}

func keysOf(change Change) []string {
	var keys []string
	for _, a := range change.Apply {
		keys = append(keys, a.Key)
	}
	return keys
}

func TestPlanIsStable(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.apply(nil, settings, password, everywhere)
	for name, change := range w.apply(nil, settings, password, everywhere) {
		if !change.Empty() {
			t.Errorf("%s: second apply sends %v", name, keysOf(change))
		}
	}
}

func TestPlanSendsOnlyWhatChanged(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.apply(nil, settings, password, everywhere)
	for name, change := range w.apply(nil, strings.Replace(settings, `"1"`, `"2"`, 1), password, everywhere) {
		if got := keysOf(change); !reflect.DeepEqual(got, []string{settingsKey}) || len(change.Remove) != 0 {
			t.Errorf("%s: sends %v, removes %v", name, got, change.Remove)
		}
	}
}

func TestPlanShowsSecretsByRevision(t *testing.T) {
	w := newWorld(t, "a")
	w.apply(nil, password, everywhere)
	if got := w.prior.Works["a"][passwordKey]["data.password"]; got != "(sensitive, rev 1)" {
		t.Fatalf("password shows as %v", got)
	}
	changed, _ := w.plan(strings.Replace(password, "hunter2", "hunter3", 1), everywhere)
	if got := changed.Works["a"][passwordKey]["data.password"]; got != "(sensitive, rev 2)" {
		t.Errorf("changed password shows as %v", got)
	}
	text, err := json.Marshal([]any{w.prior.Works, w.prior.Record})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hunter2", "aHVudGVyMg"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("state holds %s", secret)
		}
	}
}

func TestRefreshMarksSecretDriftAndItsRepair(t *testing.T) {
	w := newWorld(t, "a")
	w.apply(nil, password, everywhere)
	w.refresh(map[string]*unstructured.Unstructured{passwordKey: object(t, strings.Replace(password, "hunter2", "stolen", 1))})
	if got := w.prior.Works["a"][passwordKey]["data.password"]; got != "(sensitive, changed on the member)" {
		t.Fatalf("drifted password shows as %v", got)
	}
	planned, _ := w.plan(password, everywhere)
	if got := planned.Works["a"][passwordKey]["data.password"]; got != "(sensitive, rev 1)" {
		t.Errorf("repair is planned as %v", got)
	}
	w.refresh(map[string]*unstructured.Unstructured{passwordKey: object(t, password)})
	if got := w.prior.Works["a"][passwordKey]["data.password"]; got != "(sensitive, rev 1)" {
		t.Errorf("repaired password shows as %v", got)
	}
}

func TestRefreshShowsDriftAndHidesTheServersOwnWays(t *testing.T) {
	w := newWorld(t, "a")
	sent := strings.Replace(testdata(t, "01-demoapp-deployment.yaml"), "image: ikubernetes/demoapp:v1.0",
		"image: ikubernetes/demoapp:v1.0\n          env: []\n          resources: {requests: {cpu: 1000m, memory: 1024Mi}}", 1)
	w.apply(nil, sent, everywhere)
	live := object(t, strings.NewReplacer("env: []", "imagePullPolicy: IfNotPresent", "1000m", `"1"`, "1024Mi", "1Gi").Replace(sent))
	before := w.prior.Works["a"][demoapp]
	w.refresh(map[string]*unstructured.Unstructured{demoapp: live})
	if got := w.prior.Works["a"][demoapp]; !reflect.DeepEqual(got, before) {
		t.Errorf("normalised values show as drift: %v, want %v", got, before)
	}
	if err := unstructured.SetNestedField(live.Object, int64(2), "spec", "replicas"); err != nil {
		t.Fatal(err)
	}
	w.refresh(map[string]*unstructured.Unstructured{demoapp: live})
	if got := w.prior.Works["a"][demoapp]["spec.replicas"]; got != int64(2) {
		t.Errorf("scaled Deployment shows %v replicas, want 2", got)
	}
}

func TestSettleRemembersTheServersAnswer(t *testing.T) {
	w := newWorld(t, "a")
	planned, _ := w.plan(settings, everywhere)
	change := Changes(w.prior, planned, "a", false, false)
	answer := object(t, strings.Replace(settings, `"1"`, `"one"`, 1)) // as a mutating webhook would
	record := w.prior.Record.Member("a")
	held, err := Settle(nil, planned.Works["a"], change, map[string]Result{settingsKey: {Confirmed, answer}}, record, NewSalts())
	if err != nil {
		t.Fatal(err)
	}
	w.prior = Prior{Works: reload(t, Works{"a": held}), Placements: planned.Placements, Record: reloadRecord(t, w.prior.Record)}
	w.refresh(map[string]*unstructured.Unstructured{settingsKey: answer})
	if got := w.prior.Works["a"][settingsKey]["data.a"]; got != "1" {
		t.Errorf("recorded answer shows as %v, want the sent 1", got)
	}
	w.refresh(map[string]*unstructured.Unstructured{settingsKey: object(t, strings.Replace(settings, `"1"`, `"two"`, 1))})
	if got := w.prior.Works["a"][settingsKey]["data.a"]; got != "two" {
		t.Errorf("another value shows as %v, want two", got)
	}
}

func TestRefreshDropsOnlyWhatIsCertainlyGone(t *testing.T) {
	w := newWorld(t, "a")
	w.apply(nil, settings, password, everywhere)
	w.refresh(map[string]*unstructured.Unstructured{settingsKey: nil}) // nothing is known of the Secret
	if _, ok := w.prior.Works["a"][settingsKey]; ok {
		t.Error("the deleted ConfigMap is still there")
	}
	if _, ok := w.prior.Works["a"][passwordKey]; !ok {
		t.Error("the Secret that could not be read is gone")
	}
}

func TestRefreshTakesAFinishedJobForDone(t *testing.T) {
	const key = "Job.batch/default/migrate"
	job := "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec:\n  ttlSecondsAfterFinished: 60\n  template:\n    spec:\n      restartPolicy: Never\n" +
		"      containers: [{name: migrate, image: migrate:1}]\n"
	w := newWorld(t, "a")
	w.apply(nil, job, everywhere)
	if got := w.prior.Works["a"][key]["spec.ttlSecondsAfterFinished"]; got != int64(60) {
		t.Errorf("time to live %v, want 60", got)
	}
	w.refresh(map[string]*unstructured.Unstructured{key: nil})
	if change := w.apply(nil, job, everywhere)["a"]; !change.Empty() {
		t.Errorf("a finished Job is sent again: %v", keysOf(change))
	}
}

func TestPlanFreezesUnhealthyMembers(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.apply(nil, settings, everywhere)
	w.members[1].Unhealthy = Unhealthy{Reason: api.ReasonUnreachable, Message: "no answer", Since: time.Now(), ObservedAt: time.Now()}
	changed := strings.Replace(settings, `"1"`, `"2"`, 1)
	planned, _ := w.plan(changed, everywhere)
	if got := planned.Works["b"][settingsKey]["data.a"]; got != "1" {
		t.Errorf("frozen member is planned to hold %v", got)
	}
	if got := planned.Held["b"]; !reflect.DeepEqual(got, []string{settingsKey}) {
		t.Errorf("held back: %v", got)
	}
	changes := w.apply(nil, changed, everywhere)
	if !changes["b"].Empty() || len(changes["a"].Apply) != 1 {
		t.Errorf("changes %v", changes)
	}
	w.members[1].Unhealthy = Unhealthy{}
	if got := keysOf(w.apply(nil, changed, everywhere)["b"]); !reflect.DeepEqual(got, []string{settingsKey}) {
		t.Errorf("after it is back, b is sent %v", got)
	}
}

func TestPlanTellsOfSuspendedChanges(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.apply(nil, settings, everywhere)
	suspending := everywhere + "  suspension: {dispatchingOnClusters: {clusterNames: [b]}}\n"
	if _, problems := w.plan(settings, suspending); len(problems) > 0 {
		t.Errorf("nothing has changed, and the plan says %v", problems[0])
	}
	changed := strings.Replace(settings, `"1"`, `"2"`, 1)
	planned, problems := w.plan(changed, password, suspending)
	if got := planned.Works["b"]; len(got) != 1 || got[settingsKey]["data.a"] != "1" {
		t.Errorf("suspended member is planned to hold %v", got)
	}
	want := "b: " + settingsKey + " and " + passwordKey
	if len(problems) != 1 || !problems[0].Note || !strings.Contains(problems[0].Detail, want) || strings.Contains(problems[0].Detail, "a: ") {
		t.Errorf("problems %v, want one note that says %q", problems, want)
	}
}

func TestPlanFreezesMembersThatCouldNotBeRead(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.apply(nil, settings, everywhere)
	w.prior.Record.Member("b").Unread = "CredentialsFailed: token expired"
	w.members = w.members[:1] // and it is no member any more
	planned, problems := w.plan(settings, everywhere)
	if len(problems) > 0 {
		t.Fatal(problems[0])
	}
	if len(planned.Works["b"]) != 1 || !Changes(w.prior, planned, "b", false, false).Empty() {
		t.Errorf("the objects of a member that cannot be read are planned away: %v", planned.Works["b"])
	}
}

func TestPlanRefusesToEmptyManyMembers(t *testing.T) {
	w := newWorld(t, "a", "b", "c")
	w.apply(nil, settings, everywhere)
	w.members = w.members[:1]
	_, problems := w.plan(settings, everywhere)
	if len(problems) != 1 {
		t.Fatalf("problems %v, want one", problems)
	}
	for _, want := range []string{"b (1 object)", "c (1 object)", "max_members_removed = 2"} {
		if !strings.Contains(problems[0].Detail, want) {
			t.Errorf("detail %q does not say %q", problems[0].Detail, want)
		}
	}
	w.max = 2
	if _, problems = w.plan(settings, everywhere); len(problems) > 0 {
		t.Error(problems[0])
	}
	w.max, w.retired = 1, map[string]bool{"b": true}
	planned, problems := w.plan(settings, everywhere)
	if len(problems) > 0 || planned.Works["b"] != nil {
		t.Errorf("a retired member counts: %v %v", problems, planned.Works["b"])
	}
}

func TestSettleKeepsResultsPerObject(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.apply(map[string]Outcome{"b": Unconfirmed}, settings, password, everywhere)
	if got := w.prior.Works["b"][settingsKey][unconfirmedField]; got != true {
		t.Errorf("an object without an answer is not marked: %v", w.prior.Works["b"])
	}
	changes := w.apply(nil, settings, password, everywhere)
	if len(changes["a"].Apply) != 0 || len(changes["b"].Apply) != 2 {
		t.Errorf("second apply sends a %v, b %v", keysOf(changes["a"]), keysOf(changes["b"]))
	}
	if change := w.apply(nil, settings, password, everywhere)["b"]; !change.Empty() {
		t.Errorf("third apply sends %v", keysOf(change))
	}
}

func TestRaisedGenerationAppliesEverythingAnew(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.apply(nil, settings, everywhere)
	w.prior.Record.Member("b").Identity = api.Identity{UID: "old"}
	w.prior.Record.Member("b").Unread = api.ReasonIdentityChanged + ": another cluster answers"
	w.members[1].Generation = 2
	w.members[1].Unhealthy = Unhealthy{Reason: api.ReasonIdentityChanged}
	changes := w.apply(nil, everywhere, settings)
	if got := keysOf(changes["b"]); !reflect.DeepEqual(got, []string{settingsKey}) || !changes["a"].Empty() {
		t.Errorf("changes: a %v, b %v", keysOf(changes["a"]), got)
	}
	w.members[1].Unhealthy = Unhealthy{}
	w.prior.Record.Member("b").Unread = ""
	if change := w.apply(nil, everywhere, settings)["b"]; !change.Empty() {
		t.Errorf("the next apply sends %v", keysOf(change))
	}
}

func TestChangesRemoveWhatIsNotPlacedAnyMore(t *testing.T) {
	w := newWorld(t, "a")
	w.apply(nil, settings, password, everywhere)
	changes := w.apply(nil, settings, everywhere)
	want := []Removal{{Key: passwordKey, APIVersion: "v1"}}
	if got := changes["a"].Remove; !reflect.DeepEqual(got, want) {
		t.Errorf("removes %v, want %v", got, want)
	}
	if _, ok := w.prior.Works["a"][passwordKey]; ok {
		t.Error("the removed Secret is still there")
	}
}

func uid(uid string) api.Identity { return api.Identity{UID: uid, Fingerprint: "sha256:" + uid} }

func TestIdentities(t *testing.T) {
	record := &Record{Members: map[string]*MemberRecord{"a": {Identity: uid("1")}, "b": {Identity: uid("2")}, "d": {Identity: uid("4")}}}
	raised := Works{"b": Objects{generationKey: manifest.Fields{generationField: int64(2)}}}
	for _, test := range []struct {
		name    string
		planned Works
		admit   [][3]string // member, identity, and a part of why it is refused
	}{
		{"as before", nil, [][3]string{{"a", "1", ""}, {"b", "2", ""}, {"a", "1", ""}}},
		{"another cluster", nil, [][3]string{{"b", "3", "set generation = 2 on the member"}}},
		{"another cluster, on purpose", raised, [][3]string{{"b", "3", ""}}},
		{"a new member", nil, [][3]string{{"c", "3", ""}}},
		{"two new members that are one cluster", nil, [][3]string{{"c", "3", ""}, {"e", "3", "Member e and member c are one cluster (3)"}}},
		{"a cluster that was another member, and may still be", nil, [][3]string{{"c", "4", "Member c and member d are one cluster (4)"}}},
		{"a cluster that was another member, which is another one now", raised, [][3]string{{"c", "2", ""}, {"b", "3", ""}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			identities := NewIdentities(record, test.planned)
			for _, a := range test.admit {
				if got := identities.Admit(a[0], uid(a[1])); (got == "") != (a[2] == "") || !strings.Contains(got, a[2]) {
					t.Errorf("member %s as %s: got %q, want %q", a[0], a[1], got, a[2])
				}
			}
		})
	}
}

// A member that holds nothing pins no cluster: it may go on under another name.
func TestForgetEmpty(t *testing.T) {
	record := &Record{Members: map[string]*MemberRecord{"a": {Identity: uid("1")}, "b": {Identity: uid("2")}, "c": {Identity: uid("3"), Unshown: true}}}
	record.ForgetEmpty(Works{"a": Objects{settingsKey: manifest.Fields{}}})
	identities := NewIdentities(record, nil)
	for other, want := range map[string]string{"1": "member a", "2": "", "3": "member c"} {
		if got := identities.Admit("d", uid(other)); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("member d as %s: got %q, want %q", other, got, want)
		}
	}
}

func TestRefreshKnowsWhatTheServerMadeOfSensitiveContent(t *testing.T) {
	w := newWorld(t, "a")
	in := input(t, w.members, strings.Replace(settings, `"1"`, `"1000m"`, 1), everywhere)
	in.SensitiveTemplates = map[string]bool{settingsKey: true}
	planned, problems := Plan(compute(t, in), w.members, nil, w.prior, Settings{MaxMembersRemoved: 1})
	if len(problems) > 0 {
		t.Fatal(problems[0])
	}
	change := Changes(w.prior, planned, "a", false, false)
	answer := object(t, settings) // the server made 1 of 1000m
	held, err := Settle(nil, planned.Works["a"], change, map[string]Result{settingsKey: {Confirmed, answer}}, w.prior.Record.Member("a"), NewSalts())
	if err != nil {
		t.Fatal(err)
	}
	w.prior = Prior{Works: reload(t, Works{"a": held}), Placements: planned.Placements, Record: reloadRecord(t, w.prior.Record)}
	w.refresh(map[string]*unstructured.Unstructured{settingsKey: answer})
	if got := w.prior.Works["a"][settingsKey]["data.a"]; got != "(sensitive, rev 1)" {
		t.Errorf("the server's own form shows as %v", got)
	}
	w.refresh(map[string]*unstructured.Unstructured{settingsKey: object(t, strings.Replace(settings, `"1"`, `"2"`, 1))})
	if got := w.prior.Works["a"][settingsKey]["data.a"]; got != maskDrifted {
		t.Errorf("another value shows as %v", got)
	}
}

func TestWithholdKeepsTrackOfWhatAPlanCannotShow(t *testing.T) {
	w := newWorld(t, "one", "two")
	w.apply(nil, everywhere, settings)
	held := w.prior
	w.prior = newWorld(t, "one", "two").prior // a replacement: nothing was there before
	w.members[1].Unhealthy = Unhealthy{Reason: api.ReasonUnreachable, Message: "no answer", Since: time.Now(), ObservedAt: time.Now()}
	planned, problems := w.plan(everywhere, settings)
	if len(problems) > 0 {
		t.Fatal(problems[0])
	}
	if err := planned.Withhold(held.Works, w.prior.Record); err != nil {
		t.Fatal(err)
	}
	if _, shown := held.Works["two"]; shown || len(held.Works["one"]) != 1 {
		t.Errorf("works are %v, want those of member one alone", held.Works)
	}
	w.prior.Works["one"] = held.Works["one"]
	if got := w.prior.Members(); !reflect.DeepEqual(got, []string{"one", "two"}) {
		t.Errorf("members are %v, want both", got)
	}
	if kinds := w.prior.Record.Member("two").Kinds; !reflect.DeepEqual(kinds, []KindNamespace{{APIVersion: "v1", Kind: "ConfigMap", Namespace: "default"}}) {
		t.Errorf("kinds are %v, want ConfigMaps in default", kinds)
	}

	stray := object(t, settings)
	shown, err := Refresh(nil, w.prior.Record.Member("two"), Seen{Strays: map[string]Stray{settingsKey: {Owned: stray}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(shown) != 1 || w.prior.Record.Member("two").Unshown {
		t.Errorf("after a refresh member two shows %v", shown)
	}
}

// When the record was lost, the members are searched for what the state does not show, and known from then on.
func TestRecallAfterALostRecord(t *testing.T) {
	w := newWorld(t, "one", "two")
	w.apply(nil, everywhere, settings)
	w.prior.Works["one"].setGeneration(2)
	delete(w.prior.Works, "two")
	w.prior.Record = &Record{Members: map[string]*MemberRecord{}}
	w.prior.Record.Recall(w.prior.Works, []string{"one", "two"})

	if got := w.prior.Members(); !reflect.DeepEqual(got, []string{"one", "two"}) {
		t.Errorf("members are %v, want both", got)
	}
	one, two := w.prior.Record.Member("one"), w.prior.Record.Member("two")
	if one.Generation != 2 || two.Generation != 1 || !one.Unsearched() || !two.Unsearched() {
		t.Errorf("records are %+v and %+v", one, two)
	}
	live := object(t, settings)
	for name, seen := range map[string]Seen{
		"one": {Live: map[string]*unstructured.Unstructured{settingsKey: live}},
		"two": {Strays: map[string]Stray{settingsKey: {Owned: live}}},
	} {
		record := w.prior.Record.Member(name)
		shown, err := Refresh(w.prior.Works[name], record, seen)
		if err != nil {
			t.Fatal(err)
		}
		if shown[settingsKey] == nil || record.Unshown || record.Unsearched() {
			t.Errorf("member %s shows %v and is remembered as %+v", name, shown, record)
		}
		if want := []KindNamespace{{APIVersion: "v1", Kind: "ConfigMap", Namespace: "default"}}; !reflect.DeepEqual(record.Kinds, want) {
			t.Errorf("kinds on member %s are %v, want %v", name, record.Kinds, want)
		}
	}
}

// What is found and was applied as sensitive is hidden whole.
func TestStrayFields(t *testing.T) {
	settings := object(t, settings)
	if got := (Stray{Owned: settings}).Fields()["data.a"]; got != "1" {
		t.Errorf("data.a shows as %v", got)
	}
	for path, value := range (Stray{Owned: settings, Sensitive: true}).Fields() {
		if path != "apiVersion" && value != manifest.Masked(0) {
			t.Errorf("%s of a sensitive object shows as %v", path, value)
		}
	}
}

func TestRescaled(t *testing.T) {
	const web, worker, fresh, left, plain = "Deployment.apps/default/web", "Deployment.apps/default/worker", "Deployment.apps/default/fresh",
		"Deployment.apps/default/left", "ConfigMap/default/plain"
	replicas := func(n int64) manifest.Fields { return manifest.Fields{"spec.replicas": n} }
	prior := Prior{Works: Works{"a": {web: replicas(1), worker: replicas(2), left: replicas(3), plain: manifest.Fields{"data.a": "1"}}}}
	planned := &Planned{Works: Works{"a": {
		web: replicas(4), worker: replicas(2), fresh: replicas(1), left: manifest.Fields{"spec.paused": true}, plain: manifest.Fields{"data.a": "2"},
	}}}
	want := []manifest.Key{{Group: "apps", Kind: "Deployment", Namespace: "default", Name: "web"}}
	if got := Rescaled(prior, planned, "a"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Rescaled(prior, planned, "b"); len(got) > 0 {
		t.Errorf("got %v on a member that has nothing", got)
	}
}
