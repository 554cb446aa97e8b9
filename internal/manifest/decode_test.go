package manifest

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

func TestDecodeDocuments(t *testing.T) {
	second := strings.Replace(configMap, "name: a", "name: b", 1)
	tests := map[string]struct {
		text string
		want []string
	}{
		"one":                          {configMap, []string{"ConfigMap/a"}},
		"two":                          {configMap + "---\n" + second, []string{"ConfigMap/a", "ConfigMap/b"}},
		"nothing":                      {"", []string{}},
		"blank":                        {" \n\t\n", []string{}},
		"comments and empty documents": {"# header\n---\n" + configMap + "---\n---\n# end\n", []string{"ConfigMap/a"}},
		"null document":                {"---\n~\n---\n" + configMap, []string{"ConfigMap/a"}},
		"directive":                    {"%YAML 1.1\n---\n" + configMap + "...\n", []string{"ConfigMap/a"}},
		"content after the marker":     {"--- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n--- # b\n" + second, []string{"ConfigMap/a", "ConfigMap/b"}},
		"end marker":                   {configMap + "...\n" + second, []string{"ConfigMap/a", "ConfigMap/b"}},
		"CRLF":                         {strings.ReplaceAll(configMap+"---\n"+second, "\n", "\r\n"), []string{"ConfigMap/a", "ConfigMap/b"}},
		"BOM before each document":     {"\ufeff" + configMap + "\ufeff---\n\ufeff" + second, []string{"ConfigMap/a", "ConfigMap/b"}},
		"marker inside a block":        {configMap + "data:\n  x: |\n    a\n    ---\n    b\n", []string{"ConfigMap/a"}},
		"flow style":                   {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", []string{"ConfigMap/a"}},
		"JSON":                         {`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`, []string{"ConfigMap/a"}},
		"JSON with tabs":               {"{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"ConfigMap\",\n\t\"metadata\": {\"name\": \"a\"}\n}", []string{"ConfigMap/a"}},
		"JSON stream":                  {`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}` + "\n" + `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}`, []string{"ConfigMap/a", "ConfigMap/b"}},
		"List":                         {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- {apiVersion: v1, kind: Service, metadata: {name: b}}", []string{"ConfigMap/a", "Service/b"}},
		"List of a List":               {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]}", []string{"ConfigMap/a"}},
		"empty List":                   {"apiVersion: v1\nkind: List\nmetadata: {resourceVersion: ''}\n", []string{}},
		"typed list":                   {"apiVersion: v1\nkind: ConfigMapList\nitems:\n- {metadata: {name: a}}\n- {metadata: {name: b}}", []string{"ConfigMap/a", "ConfigMap/b"}},
		"custom kind that ends so":     {"apiVersion: example.io/v1\nkind: AllowList\nmetadata: {name: a}\nitems: [{x: 1}]", []string{"AllowList.example.io/a"}},
		"name with a colon":            {"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'system:node'}", []string{"ClusterRole.rbac.authorization.k8s.io/system:node"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			objects, err := Decode(Source{Argument: "templates"}, test.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := keysOf(objects); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestDecodeSources(t *testing.T) {
	text := "# header\n---\n" + configMap + "---\n---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n"
	objects, err := Decode(Source{Argument: "templates", Index: 3}, text)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"templates[3], document 1", "templates[3], document 2"}
	for i, object := range objects {
		if got := object.Source.String(); got != want[i] {
			t.Errorf("object %d is from %s, want %s", i, got, want[i])
		}
	}
}

// Values are read by YAML 1.1 rules, as kubectl does.
func TestDecodeValues(t *testing.T) {
	tests := map[string]struct {
		yaml string
		want any
	}{
		"integer":                   {"x: 3", int64(3)},
		"whole float":               {"x: 3.0", int64(3)},
		"float":                     {"x: 0.5", 0.5},
		"octal":                     {"x: 0644", int64(420)},
		"octal of YAML 1.2":         {"x: 0o644", int64(420)},
		"hexadecimal":               {"x: 0x1F", int64(31)},
		"underscores":               {"x: 1_000", int64(1000)},
		"large":                     {"x: 9007199254740993", int64(9007199254740993)},
		"larger than 64 bits":       {"x: 92233720368547758080", 92233720368547758080.0},
		"yes":                       {"x: yes", true},
		"off":                       {"x: off", false},
		"y":                         {"x: y", true},
		"quoted":                    {"x: 'yes'", "yes"},
		"date":                      {"x: 2001-01-01", "2001-01-01"},
		"version":                   {"x: 1.2.3", "1.2.3"},
		"sexagesimal":               {"x: 1:30", "1:30"},
		"null":                      {"x: ~", nil},
		"tagged string":             {"x: !!str 123", "123"},
		"tagged integer":            {"x: !!int '5'", int64(5)},
		"key on":                    {"x: {on: 1}", map[string]any{"true": int64(1)}},
		"key of digits":             {"x: {8080: a}", map[string]any{"8080": "a"}},
		"literal block with CRLF":   {"x: |\r\n  a\r\n  b\r\n", "a\nb\n"},
		"tab after the colon":       {"x:\t3", int64(3)},
		"anchor":                    {"a: &a {b: 1}\nx: *a", map[string]any{"b": int64(1)}},
		"merge key":                 {"a: &a {b: 1, c: 1}\nx:\n  <<: *a\n  c: 2", map[string]any{"b": int64(1), "c": int64(2)}},
		"merge key last":            {"a: &a {b: 1, c: 1}\nx:\n  c: 2\n  <<: *a", map[string]any{"b": int64(1), "c": int64(2)}},
		"merge list, first wins":    {"a: &a {b: 1}\nc: &c {b: 2, d: 2}\nx: {<<: [*a, *c]}", map[string]any{"b": int64(1), "d": int64(2)}},
		"merge of an inline map":    {"x: {<<: {b: 1}, c: 2}", map[string]any{"b": int64(1), "c": int64(2)}},
		"quoted merge key is a key": {"x: {'<<': 1}", map[string]any{"<<": int64(1)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			objects, err := Decode(Source{Argument: "templates"}, "apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}\n"+test.yaml)
			if err != nil {
				t.Fatal(err)
			}
			if got := objects[0].Object["x"]; !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %#v, want %#v", got, test.want)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
	const widget = "apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}\n"
	tests := map[string]struct {
		text string
		want []string
	}{
		"not a mapping": {"- a\n- b", []string{
			"templates[2], document 1, line 1: want a map, found a list; a document is one object with apiVersion, kind and metadata"}},
		"text": {"hello", []string{
			"templates[2], document 1, line 1: want a map, found a string; a document is one object with apiVersion, kind and metadata"}},
		"nothing needed is there": {"spec: {}", []string{
			"templates[2], document 1, line 1: not a Kubernetes object: it has no apiVersion, kind and metadata, but spec; leave the document out"}},
		"notes": {"1. Get the application URL by running these commands: x\nb: secret\nc: secret\nd: secret", []string{
			"not a Kubernetes object: it has no apiVersion, kind and metadata, but 1. Get the application URL by running th..., b, c and 1 key more"}},
		"an empty map":    {"{}", []string{"not a Kubernetes object: it has no apiVersion, kind and metadata, but nothing"}},
		"an item of List": {"apiVersion: v1\nkind: List\nitems:\n- x-common: {}", []string{"line 4: items[0]: not a Kubernetes object: it has no apiVersion, kind and metadata, but x-common"}},
		"no name": {"apiVersion: v1\nkind: Service\nmetadata:\n  labels: {a: b}", []string{
			"templates[2], document 1, line 3: Service: metadata.name: missing; every document needs apiVersion, kind and metadata.name"}},
		"generateName": {"apiVersion: v1\nkind: Service\nmetadata:\n  generateName: web-", []string{
			"templates[2], document 1, line 4: Service: metadata.generateName: a generated name cannot be planned or found again; give the object a metadata.name"}},
		"name is a number": {"apiVersion: v1\nkind: Service\nmetadata:\n  name: 12", []string{
			"templates[2], document 1, line 4: Service: metadata.name: want a string, found a number; quote it"}},
		"name is a boolean, custom kind": {"apiVersion: example.io/v1\nkind: Widget\nmetadata:\n  name: on", []string{
			"templates[2], document 1, line 4: Widget: metadata.name: want a string, found true or false; quote it"}},
		"name with a slash": {"apiVersion: v1\nkind: Service\nmetadata: {name: a/b}", []string{
			"templates[2], document 1, line 3: Service a/b: metadata.name: not a name of an object of this kind: a lowercase RFC 1123 label must consist of"}},
		"namespace": {"apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: A_B}", []string{
			"templates[2], document 1, line 3: Service a: metadata.namespace: not a name of a namespace: a lowercase RFC 1123 label must consist of"}},
		"apiVersion is a number": {"apiVersion: 1\nkind: Service\nmetadata: {name: a}", []string{
			"templates[2], document 1, line 1: Service a: apiVersion: want a string, found a number; quote it"}},
		"apiVersion with two slashes": {"apiVersion: a/b/c\nkind: Service\nmetadata: {name: a}", []string{
			"templates[2], document 1, line 1: Service a: apiVersion: not an API version; write v1 or group/version, as in apps/v1"}},
		"kind with a slash": {"apiVersion: v1\nkind: apps/Deployment\nmetadata: {name: a}", []string{
			"templates[2], document 1, line 2: apps/Deployment a: kind: not a kind; write one word, as in Deployment"}},
		"ConfigMap data": {configMap + "data:\n  a: true\n  b: 8080\n  c: ok", []string{
			"templates[2], document 1, line 5: ConfigMap a: data.a: want a string, found true or false; quote it",
			"templates[2], document 1, line 6: ConfigMap a: data.b: want a string, found a number; quote it"}},
		"labels and annotations of a custom kind": {"apiVersion: example.io/v1\nkind: Widget\nmetadata:\n  name: a\n  labels: {a/b.c: 1}\n  annotations: {x: no}", []string{
			`templates[2], document 1, line 5: Widget a: metadata.labels["a/b.c"]: want a string, found a number; quote it`,
			"templates[2], document 1, line 6: Widget a: metadata.annotations.x: want a string, found true or false; quote it"}},
		"Secret stringData": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  pin: 0123", []string{
			"templates[2], document 1, line 5: Secret a: stringData.pin: want a string, found a number; quote it"}},
		"Secret data": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata:\n  pin: pässword", []string{
			"templates[2], document 1, line 5: Secret a: data.pin: not base64; encode the content, or for a Secret move it to stringData"}},
		"unknown field": {deployment + "spec:\n  replica: 3\n  template:\n    spec:\n      containers:\n      - name: web\n        imagePullpolicy: Always", []string{
			"templates[2], document 1, line 5: Deployment web: spec.replica: unknown field; did you mean replicas?",
			"templates[2], document 1, line 10: Deployment web: spec.template.spec.containers[0].imagePullpolicy: unknown field; did you mean imagePullPolicy?"}},
		"unknown metadata of a custom kind": {"apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a, lables: {}}", []string{
			"templates[2], document 1, line 3: Widget a: metadata.lables: unknown field; did you mean labels?"}},
		"unknown field like none": {deployment + "zzz: 1", []string{
			"templates[2], document 1, line 4: Deployment web: zzz: unknown field; remove it, or look up where the API has it"}},
		"text for a number": {deployment + "spec: {replicas: '3'}", []string{
			"templates[2], document 1, line 4: Deployment web: spec.replicas: want a whole number, found a string; remove the quotes"}},
		"word for a number": {deployment + "spec: {replicas: eight}", []string{
			"templates[2], document 1, line 4: Deployment web: spec.replicas: want a whole number, found a string"}},
		"fraction as text": {deployment + "spec: {replicas: '1.5'}", []string{
			"templates[2], document 1, line 4: Deployment web: spec.replicas: want a whole number, found a string"}},
		"word for a boolean": {deployment + "spec: {paused: sometimes}", []string{
			"templates[2], document 1, line 4: Deployment web: spec.paused: want true or false, found a string"}},
		"file mode as text": {deployment + "spec:\n  template:\n    spec:\n      volumes:\n      - {name: v, configMap: {defaultMode: '0644'}}", []string{
			"templates[2], document 1, line 8: Deployment web: spec.template.spec.volumes[0].configMap.defaultMode: want a whole number, found a string; remove the quotes (a file mode is written 0644, or 420)"}},
		"fraction": {deployment + "spec: {replicas: 1.5}", []string{
			"templates[2], document 1, line 4: Deployment web: spec.replicas: want a whole number, found a fraction"}},
		"larger than any number": {deployment + "spec: {replicas: 1e26}", []string{
			"templates[2], document 1, line 4: Deployment web: spec.replicas: out of range; want a whole number, and a smaller one"}},
		"out of range": {deployment + "spec: {replicas: 3000000000}", []string{
			"templates[2], document 1, line 4: Deployment web: spec.replicas: out of range; want a whole number from -2147483648 to 2147483647"}},
		"a map for a list": {deployment + "spec: {template: {spec: {containers: {name: web}}}}", []string{
			"spec.template.spec.containers: want a list, found a map"}},
		"a list for a map": {deployment + "spec: []", []string{"spec: want a map, found a list"}},
		"text for a boolean": {deployment + "spec: {paused: 'yes'}", []string{
			"spec.paused: want true or false, found a string; remove the quotes"}},
		"quantity": {deployment + "spec: {template: {spec: {containers: [{name: a, resources: {limits: {cpu: 1x}}}]}}}", []string{
			"spec.template.spec.containers[0].resources.limits.cpu: not a quantity; write one as in 500m, 2 or 1Gi"}},
		"time": {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, creationTimestamp: yesterday}", []string{
			"metadata.creationTimestamp: not a Time"}},
		"empty item": {deployment + "spec: {template: {spec: {containers: [{name: a, args: [a, ]}, ~]}}}", []string{
			"spec.template.spec.containers[1]: an item is empty; remove its dash, or give it a value"}},
		"duplicate key": {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: b", []string{
			`templates[2], document 1, line 5: key "name" is given twice in one map; keep one`}},
		"duplicate key after conversion": {configMap + "data: {1: a, '1': b}", []string{
			`templates[2], document 1, line 4: key "1" is given twice in one map; keep one`}},
		"duplicate key in JSON": {`{"apiVersion":"v1","kind":"ConfigMap","kind":"Secret","metadata":{"name":"a"}}`, []string{
			`templates[2], document 1: duplicate field "kind"; keep one`}},
		"tab": {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a", []string{
			"templates[2], document 1, line 4: not YAML: found character that cannot start any token; YAML is indented with spaces, never with tabs"}},
		"broken second document": {configMap + "---\na: b: c\n---\n" + configMap + "data: {x: 1}", []string{
			"templates[2], document 2, line 5: not YAML: mapping values are not allowed in this context",
			"templates[2], document 3, line 10: ConfigMap a: data.x: want a string, found a number; quote it"}},
		"alias of nothing": {configMap + "data: {password: *hunter2, a: *b}\nx: *c", []string{
			"templates[2], document 1, line 4: not YAML: an alias (*) has no anchor (&) before it in its document, and those of other documents do not count; quote"}},
		"alias of another document": {widget + "x: &a 1\n---\n" + widget + "y: '*a'\nx: [1,\n  *a,\n  2]", []string{"templates[2], document 2, line 11: not YAML: an alias (*) has no anchor (&) before it"}},
		"a star":                    {configMap + "data: {pattern: *.example.com}", []string{"did not find expected alphabetic or numeric character; quote a value that begins with * or &"}},
		"a schedule":                {widget + "schedule: */5 * * * *", []string{"did not find expected alphabetic or numeric character; quote a value that begins with * or &"}},
		"an at sign":                {widget + "x: @a", []string{"found character that cannot start any token; quote a value that begins with @"}},
		"a colon":                   {widget + "x: a: b", []string{"mapping values are not allowed in this context; quote a value that holds a colon and a space"}},
		"tag": {configMap + "data: {password: !hunter2 x}", []string{
			"line 4: YAML tags have no meaning in manifests; remove the tag, or put a value that begins with ! in quotes"}},
		"tag that does not fit": {widget + "x: !!int abc", []string{"line 4: YAML tags have no meaning"}},
		"set":                   {widget + "x: !!set {a}", []string{"line 4: YAML tags have no meaning"}},
		"alias of itself":       {widget + "x: &a [*a]", []string{"line 4: an anchor contains an alias of itself"}},
		"merge of text":         {widget + "x: {<<: a}", []string{"line 4: the merge key << takes a map, an alias of a map, or a list of them"}},
		"infinity":              {widget + "x: .inf", []string{"line 4: not a number that JSON can hold; quote it if it is text"}},
		"path of a file": {"deploy/app.yaml", []string{
			"templates[2], document 1, line 1: this is the path of a file, and its content is wanted: file(\"app.yaml\") for one file, [for name in fileset("}},
		"Helm template": {deployment + "spec:\n  replicas: {{ .Values.replicas }}\n  paused: {{ .Values.paused }}", []string{
			"line 5: this is a Helm template, and what it renders to is wanted"}},
		"Helm template with a condition": {configMap + "{{- if .Values.on }}\ndata: {a: b}\n{{- end }}", []string{"this is a Helm template"}},
		"fault far from what is for Go templates": {configMap + "data:\n  a: |\n    {{ .Labels }}\n    -\n    -\n  b: c: d", []string{
			"line 9: not YAML: mapping values are not allowed in this context"}},
		"a kind of another group":    {"apiVersion: v1\nkind: Deployment\nmetadata: {name: a}", []string{"line 2: Deployment a: kind: no kind of this API; write apiVersion: apps/v1"}},
		"a kind of the core group":   {"apiVersion: apps/v1\nkind: Service\nmetadata: {name: a}", []string{"kind: no kind of this API; write apiVersion: v1"}},
		"a kind of two groups":       {"apiVersion: apps/v1\nkind: Event\nmetadata: {name: a}", []string{"kind: no kind of this API; write apiVersion: events.k8s.io/v1 or v1"}},
		"a kind with newer versions": {"apiVersion: apps/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}", []string{"kind: no kind of this API; write apiVersion: autoscaling/v2"}},
		"misspelt kind":              {"apiVersion: v1\nkind: Servic\nmetadata: {name: a}", []string{"line 2: Servic a: kind: no kind of this API; did you mean Service?"}},
		"kind in lower case":         {"apiVersion: apps/v1\nkind: deployment\nmetadata: {name: a}", []string{"kind: no kind of this API; did you mean Deployment?"}},
		"name of a workload":         {strings.Replace(deployment, "name: web", "name: App_1", 1), []string{"metadata.name: not a name of an object of this kind: a lowercase RFC 1123 subdomain"}},
		"name of a Service":          {"apiVersion: v1\nkind: Service\nmetadata: {name: a.b}", []string{"metadata.name: not a name of an object of this kind: must not contain dots"}},
		"name of a Role":             {"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a/b}", []string{"metadata.name: not a name of an object of this kind: may not contain '/'"}},
		"empty key":                  {widget + "x: {~: 1}", []string{"line 4: a key is empty; write the name of the field, or quote it"}},
		"map as key":                 {widget + "x: {[a]: 1}", []string{"line 4: a key is a list or a map; keys are text"}},
		"item of a List": {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- {apiVersion: v1, kind: Service, metadata: {name: b}, spec: {port: 1}}\n- text", []string{
			"templates[2], document 1, line 5: Service b: items[1].spec.port: unknown field; did you mean ports?",
			"templates[2], document 1, line 6: items[2]: want a map, found a string"}},
		"field of JSON": {"{\n\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\n\"data\":{\"x\":1}}", []string{
			"templates[2], document 1, line 3: ConfigMap a: data.x: want a string, found a number; quote it"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Decode(Source{Argument: "templates", Index: 2}, test.text)
			got := joined(err)
			if len(got) != len(test.want) {
				t.Fatalf("got %d errors, want %d:\n%v", len(got), len(test.want), err)
			}
			for i, fault := range got {
				if !strings.Contains(fault.Error(), test.want[i]) {
					t.Errorf("error %d:\n got %s\nwant %s", i, fault, test.want[i])
				}
			}
			for _, secret := range []string{"hunter2", "0123", "pässword", "yesterday"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows a value: %v", err)
				}
			}
		})
	}
}

func TestDecodeReturnsSoundObjects(t *testing.T) {
	text := configMap + "---\n" + strings.Replace(configMap, "name: a", "name: b", 1) + "data: {x: 1}\n---\n" +
		strings.Replace(configMap, "name: a", "name: c", 1) + "dota: {}\n"
	objects, err := Decode(Source{Argument: "templates"}, text)
	if got, want := keysOf(objects), []string{"ConfigMap/a", "ConfigMap/c"}; !slices.Equal(got, want) {
		t.Errorf("objects are %v, want %v", got, want)
	}
	faults := joined(err)
	if len(faults) != 2 || errors.Is(faults[0], errUnknownField) || !errors.Is(faults[1], errUnknownField) {
		t.Errorf("errors are %v, want a wrong type and an unknown field", faults)
	}
	var fault *Error
	if !errors.As(faults[1], &fault) || fault.Field != "dota" || fault.Line != 13 || fault.Source.Document != 2 {
		t.Errorf("error is %+v", fault)
	}
}

// A few lines must not become gigabytes.
func TestDecodeBoundsAliases(t *testing.T) {
	text := "apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for _, level := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		previous := string(level[0] - 1)
		text += "a" + level + ": &a" + level + " [" + strings.Repeat("*a"+previous+",", 10) + "]\n"
	}
	if _, err := Decode(Source{Argument: "templates"}, text); !errors.Is(err, errTooLarge) {
		t.Errorf("error is %v, want %v", err, errTooLarge)
	}
}

func TestFromValue(t *testing.T) {
	value := map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web"},
		"spec": map[string]any{"replicas": 3.0, "minReadySeconds": 5, "revisionHistoryLimit": int32(2)},
	}
	objects, err := FromValue(Source{Argument: "templates", Index: 1}, value, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"replicas": int64(3), "minReadySeconds": int64(5), "revisionHistoryLimit": int64(2)}
	if got := objects[0].Object["spec"]; !reflect.DeepEqual(got, want) {
		t.Errorf("spec = %#v, want %#v", got, want)
	}
	if spec, ok := value["spec"].(map[string]any); !ok || spec["replicas"] != 3.0 {
		t.Errorf("the input was changed: %v", value)
	}
}

func TestFromValueErrors(t *testing.T) {
	tests := map[string]struct {
		value map[string]any
		want  string
	}{
		"no name": {map[string]any{"apiVersion": "v1", "kind": "ConfigMap"},
			"templates[0], document 1: ConfigMap: metadata.name: missing; every document needs apiVersion, kind and metadata.name"},
		"wrong type": {map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "data": map[string]any{"x": 1.0}},
			"templates[0], document 1: ConfigMap a: data.x: want a string, found a number; quote it"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := FromValue(Source{Argument: "templates"}, test.value, nil); err == nil || err.Error() != test.want {
				t.Errorf("error is %v, want %s", err, test.want)
			}
		})
	}
}

func TestLinesOfPolicies(t *testing.T) {
	const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: List\nitems:\n- apiVersion: policy.karmada.io/v1alpha1\n" +
		"  kind: PropagationPolicy\n  metadata:\n    name: web\n    labels:\n      a/b: c\n  spec:\n    resourceSelectors:\n    - apiVersion: v1\n      kind: Secret\n    placement: {}\n"
	objects, err := Decode(Source{Argument: "policies"}, text)
	if err != nil || len(objects) != 2 {
		t.Fatalf("%d objects, error %v", len(objects), err)
	}
	for field, want := range map[string]int{
		"spec": 14, "spec.resourceSelectors[0].kind": 17, "spec.resourceSelectors[1]": 15, "spec.placement.clusterAffinity.clusterNames[0]": 18, "spec.x[a=b]": 14,
		"metadata.labels[a/b]": 12, `metadata.labels["a/b"]`: 13, "": 8,
	} {
		if got := objects[1].Line(field); got != want {
			t.Errorf("%q is at line %d, want %d", field, got, want)
		}
	}
	if got := objects[0].Line("metadata"); got != 0 {
		t.Errorf("a template gives line %d", got)
	}
	given, err := FromValue(Source{Argument: "policies"}, objects[1].Object, nil)
	if err != nil || len(given) != 1 || given[0].Line("spec") != 0 {
		t.Errorf("a policy that is not text: %v, error %v, want line 0", given, err)
	}
}
