package provider_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"
)

// good is a configuration in which nothing is wrong: labs 01 and 02.
func good(t *testing.T) setup {
	t.Helper()
	return setup{
		members:   maps.Clone(twoRegions),
		templates: []string{lab(t, "01-demoapp-deployment.yaml")},
		policies:  []string{lab(t, "02-propagationpolicy.yaml")},
		arguments: map[string]string{},
	}
}

// refusal is a change to a good setup, and what is then said. What is wrong in itself is refused by validate already; what is
// so only in view of everything else, by plan.
type refusal struct {
	name    string
	command string
	change  func(t *testing.T, s *setup)
	want    []string
}

// refused runs the cases on a workspace in which everything was applied. Whatever is refused, no member is written to, and
// the state stays as it is.
func refused(t *testing.T, cases []refusal) {
	t.Helper()
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), good(t).files(t, fleet))
	w.apply()
	state, since := w.rawState(), time.Now()
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			w := w.in(t)
			s := good(t)
			test.change(t, &s)
			w.write(s.files(t, fleet))
			arguments := []string{test.command, "-no-color"}
			if test.command == "apply" {
				arguments = append(arguments, "-auto-approve")
			}
			w.fails(test.want, arguments...)
		})
	}
	if w.rawState() != state {
		t.Error("the state has changed")
	}
	unwritten(t, fleet, since, "kube02", "kube03")
}

func TestBadTemplatesAreRefused(t *testing.T) {
	refused(t, []refusal{
		{"malformed YAML", "validate", template("a: [1,\nb: 2\n"),
			[]string{"templates[1], document 1, line 2: not YAML: did not find expected ',' or ']'"}},
		{"a malformed second document", "validate", template(configMap("a") + "---\nkind: [\n"),
			[]string{"templates[1], document 2, line 6: not YAML"}},
		{"a key twice", "validate", template(configMap("a") + "data: {}\n"),
			[]string{`templates[1], document 1, line 5: key "data" is given twice in one map; keep one`}},
		{"no name", "validate", template("apiVersion: v1\nkind: ConfigMap\n"),
			[]string{"templates[1], document 1, line 1: ConfigMap: metadata.name: missing"}},
		{"no kind", "validate", template("apiVersion: v1\nmetadata: {name: a}\n"),
			[]string{"templates[1], document 1, line 1: a: kind: missing; every document needs apiVersion, kind and metadata.name"}},
		{"no apiVersion", "validate", template("kind: ConfigMap\nmetadata: {name: a}\n"),
			[]string{"templates[1], document 1, line 1: ConfigMap a: apiVersion: missing"}},
		{"generateName", "validate", template(replaced(t, configMap("a-"), "{name", "{generateName")),
			[]string{"templates[1], document 1, line 3: ConfigMap: metadata.generateName: a generated name cannot be planned or found again; give the object a metadata.name"}},
		{"a path", "validate", argument("templates", `["app.yaml"]`),
			[]string{"templates[0], document 1, line 1: this is the path of a file, and its content is wanted: file(\"app.yaml\")"}},
		{"paths", "validate", argument("templates", `toset(["a.yaml", "b.yaml"])`),
			[]string{`[for name in fileset(path.module, "*.yaml") : file("${path.module}/${name}")] for many`}},
		{"a list", "validate", template("- a\n- b\n"),
			[]string{"templates[1], document 1, line 1: want a map, found a list"}},
		{"a List with a nameless item", "validate", template("apiVersion: v1\nkind: List\nitems:\n  - {apiVersion: v1, kind: ConfigMap}\n"),
			[]string{"templates[1], document 1, line 4: ConfigMap: items[0].metadata.name: missing"}},
		{"one name for two objects", "validate", template(configMap("a") + "---\n" + replaced(t, configMap("a"), "value", "other")),
			[]string{"templates[1], document 2: ConfigMap/default/a: also given in templates[1], document 1 with other content; keep one of the two, or name one differently"}},
		{"a field that the kind has not", "validate", template(replaced(t, configMap("a"), "\ndata:", "\ndate:")),
			[]string{"templates[1], document 1, line 4: ConfigMap a: date: unknown field; did you mean data?"}},
		{"a value of a wrong type", "validate", template("apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: \"80\"}]}\n"),
			[]string{"templates[1], document 1, line 4: Service a: spec.ports[0].port: want a whole number, found a string; remove the quotes"}},
		{"a number", "validate", template("42"), []string{"templates[1]: want YAML text or an object, found a number"}},
		{"null", "validate", template("null"), []string{"templates[1] is null. Leave the element out: compact(...) does so for a list of texts, [for e in ..."}},
		{"no name of a namespace", "validate", argument("namespace", `"Shop"`), []string{"namespace", `"Shop" is given to templates and policies that name no namespace`}},
		{"no list", "validate", argument("templates", `"text"`), []string{`such as [file("app.yaml")], and this is a text`}},
		{"a Secret that would be stored", "validate", func(_ *testing.T, s *setup) {
			s.more = `resource "multicluster_template" "a" { yaml = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {key: value}\n" }`
		}, []string{"Secret/a has data, and the text of this resource is stored in the state", "which is write-only"}},
		{"none", "apply", argument("templates", `[]`),
			[]string{"templates holds nothing, and at least one template is needed", "would remove every object it had", "To remove everything, destroy the resource"}},
		{"nothing but comments", "apply", argument("templates", `["# nothing\n---\n"]`), []string{"No templates", "There is no object in templates[0], but blanks, comments or an empty List", "To remove everything, destroy the resource"}},
		{"null for all", "apply", argument("templates", `null`), []string{"templates is null, and at least one template is needed"}},
		{"ignored", "apply", lifecycle("templates"), []string{"ignore_changes hides it: remove templates from lifecycle.ignore_changes"}},
		{"no policy", "apply", template(configMap("a")),
			[]string{"No policy selects: ConfigMap/default/a (templates[1], document 1)", "whose resourceSelectors select them"}},
	})
}

func TestBadPoliciesAreRefused(t *testing.T) {
	refused(t, []refusal{
		{"malformed YAML", "validate", policy("a: [1,\nb: 2\n"), []string{"policies[1], document 1, line 2: not YAML"}},
		{"unknown fields", "validate", policy(lab(t, "inline-overrides-mistake.yaml")), []string{
			"policies[1], document 1: PropagationPolicy default/wrong is not valid",
			"spec.placement.failover: unknown field: it is spec.failover", "spec.placement.overrides", "write an OverridePolicy",
		}},
		{"null", "validate", policy("null"), []string{"policies[1] is null. Leave the element out: compact"}},
		{"malformed defaults", "apply", func(_ *testing.T, s *setup) { s.provider = `default_policies = ["a: ["]` },
			[]string{"default_policies[0], document 1, line 1: not YAML"}},
		{"none", "apply", argument("policies", `[]`), []string{"policies holds nothing, and at least one policy is needed, such as file(\"policy.yaml\")", "no template goes anywhere"}},
		{"null for all", "validate", argument("policies", `null`), []string{"Must set a configuration value for the policies attribute"}},
		{"ignored", "apply", lifecycle("policies"), []string{"ignore_changes hides it: remove policies from lifecycle.ignore_changes"}},
		{"members that are not there", "apply", func(t *testing.T, s *setup) {
			s.policies[0] = replaced(t, s.policies[0], "[kube02, kube03]", "[kube08, kube09]")
		}, []string{
			"PropagationPolicy default/demoapp names kube08 and kube09 in spec.placement.clusterAffinity.clusterNames", "the members of this propagation are kube02 and kube03", "Check the spelling",
			"0/2 members fit", "Nothing is removed: what runs keeps running",
		}},
		{"an override of a field that there is not", "apply", policy(misspelledOnKube03), []string{
			"overrideRules[0].overriders.plaintext[0]: " + demoapp + " is no valid object any more: spec.replica: unknown field; did you mean replicas? On kube03.",
		}},
		{"an override of what is not there", "apply", policy(replaced(t, misspelledOnKube03, "path: /spec/replica, operator: add", "path: /spec/replica, operator: replace")), []string{
			"OverridePolicy default/misspelled, overrideRules[0].overriders.plaintext[0], " + demoapp + ", path /spec/replica", "On kube03.",
		}},
	})
}

func TestBadMembersAreRefused(t *testing.T) {
	const host = `host = "https://127.0.0.1:1"`
	exec := `exec = { api_version = "client.authentication.k8s.io/v1", command = "x" }`
	refused(t, []refusal{
		{"none", "validate", argument("members", `[]`), []string{
			"members holds nothing, and at least one member is needed", "every object would be removed from the members it had", "To remove everything, destroy the resource",
		}},
		{"null", "validate", argument("members", `null`), []string{"Must set a configuration value for the members attribute"}},
		{"one without a name", "validate", argument("members", `[{ region = "beijing" }]`), []string{"Error: Member without a name", "members[0] has no name"}},
		{"one twice", "validate", argument("members", `[{ name = "kube02" }, { name = "kube02" }]`), []string{"members[1]: there is a member kube02 already"}},
		{"ignored", "apply", lifecycle("members"), []string{"ignore_changes hides it: remove members from lifecycle.ignore_changes"}},
		{"everything ignored", "apply", lifecycle("all"), []string{"remove members from lifecycle.ignore_changes"}},
		{"no connection", "apply", connection(""), []string{
			`The provider configuration has no connection for member "kube03"`, "members = { kube03 = { ... } }",
		}},
		{"a misspelt member", "apply", argument("members", `concat(values(multicluster_member.fleet), [{ name = "kub02" }])`), []string{
			`The provider configuration has no connection for member "kub02"; did you mean kube02?`,
		}},
		{"a null connection", "validate", connection("null"), []string{"The connection of member kube03 is null"}},
		{"an empty connection", "validate", connection("{}"), []string{"Member kube03: kubeconfig_path, kubeconfig and host are all missing or empty"}},
		{"an empty host", "validate", connection(`{ host = "", token = "x" }`), []string{"Member kube03", "neither localhost nor the environment is used in their place"}},
		{"two ways to connect", "validate", connection(`{ kubeconfig_path = "kubeconfig", ` + host + ` }`),
			[]string{"Member kube03: kubeconfig_path and host exclude each other"}},
		{"two kinds of credentials", "validate", connection(`{ token = "a", ` + host + `, ` + exec + ` }`), []string{"Member kube03: token and exec exclude each other"}},
		{"no credentials", "validate", connection(`{ ` + host + ` }`), []string{"Member kube03: host has no credentials: give token, client_certificate with client_key, or exec"}},
		{"a token without encryption", "validate", connection(`{ host = "http://127.0.0.1:1", token = "a" }`),
			[]string{"Member kube03: host: token would travel unencrypted over http: use https"}},
		{"a CA that is none", "validate", connection(`{ cluster_ca_certificate = "x", token = "a", ` + host + ` }`),
			[]string{"Member kube03: cluster_ca_certificate: it is not PEM"}},
		{"an inline kubeconfig without the context", "validate", connection(`{ kubeconfig = file("kubeconfig"), context = "kube09" }`),
			[]string{`Member kube03: kubeconfig: it has no context "kube09": set context to one of kube02, kube03`}},
	})
}

// The following functions each return a change to a setup.

func template(element string) func(*testing.T, *setup) {
	return func(_ *testing.T, s *setup) { s.templates = append(s.templates, element) }
}

func policy(element string) func(*testing.T, *setup) {
	return func(_ *testing.T, s *setup) { s.policies = append(s.policies, element) }
}

func argument(name, value string) func(*testing.T, *setup) {
	return func(_ *testing.T, s *setup) { s.arguments[name] = value }
}

func lifecycle(ignored string) func(*testing.T, *setup) {
	if ignored != "all" {
		ignored = "[" + ignored + "]"
	}
	return func(_ *testing.T, s *setup) { s.lifecycle = "lifecycle { ignore_changes = " + ignored + " }" }
}

func connection(ofKube03 string) func(*testing.T, *setup) {
	return func(_ *testing.T, s *setup) { s.connections = map[string]string{"kube03": ofKube03} }
}

// configMap returns a ConfigMap as YAML.
func configMap(name string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata: {key: value}\n"
}

// everywhere returns a ClusterPropagationPolicy that sends every object of the kinds to all members.
func everywhere(kinds ...string) string {
	var b strings.Builder
	b.WriteString("apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterPropagationPolicy\nmetadata: {name: everywhere}\nspec:\n  resourceSelectors:\n")
	for _, kind := range kinds {
		apiVersion, name, _ := strings.Cut(kind, " ")
		fmt.Fprintf(&b, "    - {apiVersion: %s, kind: %s}\n", apiVersion, name)
	}
	return b.String() + "  placement: {}\n"
}

func TestWhatLooksOddAndIsFine(t *testing.T) {
	fleet := acceptance(t)
	s := good(t)
	s.templates = []string{
		"# a file of nothing but comments\n",
		"---\n# an empty document\n---\n" + configMap("a") + "---\n---\n",
		"apiVersion: v1\nkind: List\nitems:\n  - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n  - {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}}\n",
		configMap("a"), // once more, the same
		`{ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "d", labels = null }, data = { port = tostring(8080) } }`,
		`{ apiVersion = "v1", kind = "Service", metadata = { name = "e" }, spec = { ports = [{ port = 80 }], selector = { app = "e" } } }`,
	}
	s.policies = nil
	s.provider = `default_policies = [file("default.yaml")]`
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.write(map[string]string{"default.yaml": everywhere("v1 ConfigMap", "v1 Service", "apps/v1 Deployment")})
	silent(t, w.plan(), "with multicluster_propagation.app") // a default policy never warns when it selects nothing
	w.apply()
	w.settled()
	for _, name := range []string{"a", "b", "c", "d"} {
		if !exists(t, fleet, "kube03", "v1", "ConfigMap", "default", name) {
			t.Errorf("kube03 has no ConfigMap %s", name)
		}
	}
	if got := live(t, fleet, "kube02", "v1", "Service", "default", "e", "spec", "ports"); !strings.Contains(fmt.Sprint(got), "port:80") {
		t.Errorf("the Service has ports %v, want 80", got)
	}
}

// Values that are not known at plan stop no plan. Placements stay known unless they depend on the value; then the plan says
// which one keeps them open. Once the values are known everything is sent.
func TestUnknownValues(t *testing.T) {
	fleet := acceptance(t)
	const unknown = "terraform_data.text.output"
	for _, test := range []struct {
		name   string
		change func(t *testing.T, s *setup)
		open   string // what keeps placements open
	}{
		{"a template", template("terraform_data.template.output"), "templates[1]."},
		{"all templates", argument("templates", "terraform_data.templates.output"), "templates."},
		{"a policy", policy("terraform_data.policy.output"), "policies[2]."},
		{"all policies", argument("policies", "terraform_data.policies.output"), "policies."},
		{"a region", func(_ *testing.T, s *setup) { s.members["kube03"] = "{ region = " + unknown + " }" }, "members[1]."},
		{"a name", template(object("v1", "ConfigMap", "data = {}", unknown)), "templates[1].metadata.name."},
		{"a whole spec", template(object("v1", "Service", "spec = terraform_data.spec.output", `"a"`)), "templates[1].spec."},
		{"an item of a List", template(`{ apiVersion = "v1", kind = "List", items = [` + object("v1", "ConfigMap", "data = {}", unknown) + `] }`),
			"templates[1].items[0].metadata.name."},
		{"a member in a policy", template(object("policy.karmada.io/v1alpha1", "ClusterPropagationPolicy",
			`spec = { resourceSelectors = [{ apiVersion = "v1", kind = "Secret" }], placement = { clusterAffinity = { clusterNames = [`+unknown+`] } } }`, `"a"`)),
			"templates[1].spec.placement.clusterAffinity.clusterNames[0]."},
		{"a leaf", template(object("v1", "ConfigMap", "data = { key = "+unknown+" }", `"a"`)), ""},
		{"an annotation", template(`{ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a", annotations = { role = ` + unknown + ` } } }`), ""},
		{"a variable", func(_ *testing.T, s *setup) {
			s.members["kube03"] = "{ variables = { tag = terraform_data.tag.output } }"
			s.policies = append(s.policies, variablePolicy)
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := good(t)
			s.policies = append(s.policies, everywhere("v1 ConfigMap", "v1 Service"))
			test.change(t, &s)
			s.more = `
resource "terraform_data" "text" { input = "shanghai" }
resource "terraform_data" "tag" { input = "v1.0" }
resource "terraform_data" "spec" { input = { ports = [{ port = 80 }], selector = { app = "a" } } }
resource "terraform_data" "template" { input = file("one.yaml") }
resource "terraform_data" "templates" { input = [file("templates-0.yaml")] }
resource "terraform_data" "policy" { input = file("policies-0.yaml") }
resource "terraform_data" "policies" { input = [file("policies-0.yaml")] }
`
			w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
			w.write(map[string]string{"one.yaml": configMap("one")})
			plan := w.plan()
			if test.open == "" {
				says(t, plan, "+ placements = {", `+ "kube03" = (known after apply)`)
			} else {
				says(t, plan, "+ placements = (known after apply)", "Works are known after apply", "Not known yet: "+test.open)
			}
			w.apply()
			expect(t, fleet, "demoapp", sameOnBoth)
			w.settled()
			w.destroy()
		})
	}
}

// object returns a template as an HCL object; name and rest are HCL.
func object(apiVersion, kind, rest, name string) string {
	return fmt.Sprintf("{ apiVersion = %q, kind = %q, metadata = { name = %s }, %s }", apiVersion, kind, name, rest)
}

const variablePolicy = `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: image, namespace: default}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: demoapp}]
  overrideRules:
    - targetCluster: {clusterNames: [kube03]}
      overriders:
        plaintext: [{path: /spec/template/spec/containers/0/image, operator: replace, value: 'ikubernetes/demoapp:{{ member.variables["tag"] }}'}]
`

// What a member refuses is one error of that member, which names object and field. Everything else is done, there and
// elsewhere, and stays so.
func TestWhatAMemberRefuses(t *testing.T) {
	fleet := acceptance(t)
	s := good(t)
	s.templates = append(s.templates, configMap("fine"),
		replaced(t, configMap("lost"), "{name: lost}", "{name: lost, namespace: nowhere}"),
		"apiVersion: v1\nkind: Service\nmetadata: {name: wrong}\nspec: {ports: [{port: 70000}], selector: {app: a}}\n",
		"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: unserved}\n")
	s.policies = append(s.policies, everywhere("v1 ConfigMap", "v1 Service", "example.com/v1 Widget"), refusedOnKube03)
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	out := w.fails([]string{
		"Error: Member kube02 is not as planned", "Error: Member kube03 is not as planned",
		"Member kube03: ConfigMap/nowhere/lost: namespace nowhere does not exist; add a Namespace to templates",
		"Member kube03: Service/default/wrong: spec.ports[0].port: Invalid value: 70000",
		"Member kube03: Widget.example.com/default/unserved: member kube03 serves no kind Widget in apiVersion example.com/v1",
		"Member kube03: " + demoapp + ": spec.template.spec.containers[0].imagePullPolicy: Unsupported value: \"Sometimes\"",
	}, "apply", "-auto-approve", "-no-color")
	silent(t, out, "Member kube02: "+demoapp)
	expect(t, fleet, "demoapp", runs{"kube02": sameOnBoth["kube02"]})
	for _, member := range []string{"kube02", "kube03"} {
		if !exists(t, fleet, member, "v1", "ConfigMap", "default", "fine") {
			t.Errorf("%s lacks what it did not refuse", member)
		}
		if works := w.works(member); works["ConfigMap/default/fine"] == nil || works["Service/default/wrong"] != nil {
			t.Errorf("the state has %v on %s, want just what was taken", works, member)
		}
	}
	w.destroy()
	if exists(t, fleet, "kube03", "v1", "ConfigMap", "default", "fine") {
		t.Error("kube03 has the ConfigMap still")
	}
}

// A field that cannot change keeps its object as it is, in the state too, and holds nothing else up.
func TestAnImmutableField(t *testing.T) {
	fleet := acceptance(t)
	s := good(t)
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	changed := s
	changed.templates = []string{replaced(t, s.templates[0], "app: demoapp", "app: other"), configMap("fine")}
	changed.policies = append(changed.policies, everywhere("v1 ConfigMap"))
	w.write(changed.files(t, fleet))
	w.fails([]string{"Member kube02: " + demoapp + ": spec.selector", "Member kube03: " + demoapp + ": spec.selector", "field is immutable"},
		"apply", "-auto-approve", "-no-color")
	if !exists(t, fleet, "kube03", "v1", "ConfigMap", "default", "fine") {
		t.Error("kube03 lacks the ConfigMap")
	}
	plan := changes(w.plan())
	says(t, plan, `"spec.selector.matchLabels.app" = "demoapp" -> "other"`)
	silent(t, plan, "ConfigMap")

	changed.templates[0] = s.templates[0]
	w.write(changed.files(t, fleet))
	w.settled()
}

// refusedOnKube03 gives a value that only the server knows to be none.
const refusedOnKube03 = `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: refused, namespace: default}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: demoapp}]
  overrideRules:
    - targetCluster: {clusterNames: [kube03]}
      overriders:
        plaintext: [{path: /spec/template/spec/containers/0/imagePullPolicy, operator: add, value: Sometimes}]
`

const misspelledOnKube03 = `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: misspelled, namespace: default}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: demoapp}]
  overrideRules:
    - targetCluster: {clusterNames: [kube03]}
      overriders:
        plaintext: [{path: /spec/replica, operator: add, value: 4}]
`
