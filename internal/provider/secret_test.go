package provider_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// disguises returns the forms in which a text may stand in a file: as it is, and in base64, once or twice, wherever in the
// encoded text it begins.
func disguises(text string) [][]byte {
	all := []string{text}
	for range 2 {
		for _, known := range all {
			for shift := range 3 {
				encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + known))
				all = append(all, encoded[4:len(encoded)-4]) // the ends depend on what is beside it
			}
		}
	}
	forms := make([][]byte, len(all))
	for i, form := range all {
		forms[i] = []byte(form)
	}
	return forms
}

func TestDisguises(t *testing.T) {
	for _, before := range []string{"", "1", "12", "123"} {
		once := base64.StdEncoding.EncodeToString([]byte(before + firstSecret + " and more"))
		twice := base64.StdEncoding.EncodeToString([]byte(before + "{" + once + "}"))
		for _, text := range []string{before + firstSecret, "<" + once + ">", "<" + twice + ">"} {
			if !slices.ContainsFunc(disguises(firstSecret), func(form []byte) bool { return bytes.Contains([]byte(text), form) }) {
				t.Errorf("%q is not recognised in %s", firstSecret, text)
			}
		}
	}
}

// discreet fails the test if one of the secrets is in what was printed, or in a file of the workspace that Terraform or the
// provider wrote: state, private state, plan, log.
func (w *workspace) discreet(out string, secrets ...string) {
	w.t.Helper()
	found := func(where string, content []byte) {
		for _, secret := range secrets {
			for _, form := range disguises(secret) {
				if at := bytes.Index(content, form); at >= 0 {
					w.t.Errorf("%s holds %s, as %s:\n%s", where, secret, form, content[max(0, at-300):min(len(content), at+200)])
					break
				}
			}
		}
	}
	found("the output", []byte(out))
	err := filepath.WalkDir(w.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".tf") || strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".tftpl") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found(path, content)
		if archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil {
			for _, file := range archive.File {
				reader, err := file.Open()
				if err != nil {
					return err
				}
				content, err := io.ReadAll(reader)
				if err != nil {
					return err
				}
				found(path+" "+file.Name, content)
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// traced makes everything log all it can, into a file of the workspace.
func (w *workspace) traced() {
	w.env = append(w.env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.dir, "trace.log"))
}

const (
	firstSecret  = "correct-horse-battery-staple"
	secondSecret = "quick-zephyrs-blow-vexing-daft-jim"
)

// secret returns a Secret with a value in stringData, and the same one in data.
func secret(value string) string {
	return "apiVersion: v1\nkind: Secret\nmetadata: {name: password, annotations: {note: shown}}\nstringData: {plain: " + value + "}\n" +
		"data: {encoded: " + base64.StdEncoding.EncodeToString([]byte(value)) + "}\n"
}

// holds fails the test unless kube03 has the value in its Secret.
func (w *workspace) holds(secret any, value string) {
	w.t.Helper()
	if secret != base64.StdEncoding.EncodeToString([]byte(value)) {
		w.t.Errorf("the Secret on kube03 holds %v, want %s", secret, value)
	}
}

// The content of a Secret is in no output, plan, state, private state or log, at no time of its life. A new one shows as a
// new revision.
func TestSecretsAreNowhere(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		s := twoObjects
		s.templates = []string{secret(firstSecret)}
		w := newWorkspace(t, cli, s.files(t, fleet))
		w.traced()
		discreet := func(out string) {
			t.Helper()
			w.discreet(out, firstSecret, secondSecret)
		}
		held := func() any { return live(t, fleet, "kube03", "v1", "Secret", "default", "password", "data", "plain") }

		plan := w.plan("-out=plan")
		says(t, plan, `+ "data.plain" = "(sensitive, rev 1)"`, `+ "data.encoded" = "(sensitive, rev 1)"`, `"metadata.annotations.note" = "shown"`)
		discreet(plan)
		discreet(w.must("show", "-json", "plan"))
		discreet(w.must("apply", "-no-color", "plan"))
		w.holds(held(), firstSecret)
		w.settled()

		w.write(map[string]string{"templates-0.yaml": secret(secondSecret)})
		plan = w.plan("-out=plan")
		says(t, plan, `~ "data.plain" = "(sensitive, rev 1)" -> "(sensitive, rev 2)"`)
		discreet(plan)
		discreet(w.must("apply", "-no-color", "plan"))
		w.holds(held(), secondSecret)
		w.settled()

		patch(t, fleet, "kube03", "v1", "Secret", "password", `{"stringData": {"plain": "`+firstSecret+`", "added": "`+firstSecret+`"}}`)
		plan = w.plan("-out=plan")
		says(t, plan, `~ "data.plain" = "(sensitive, changed on the member)" -> "(sensitive, rev 2)"`)
		discreet(plan)
		discreet(w.must("apply", "-no-color", "plan"))
		w.holds(held(), secondSecret)
		w.settled()

		w.must("state", "rm", app)
		discreet(w.must("import", "-no-color", app, "app"))
		says(t, w.plan(), `~ "data.plain" = "(sensitive, changed on the member)" -> "(sensitive, rev 1)"`)
		discreet(w.apply())
		discreet(w.must("destroy", "-auto-approve", "-no-color"))
	})
}

// When a member, or the provider, has to object to a Secret, the content stays untold.
func TestErrorsAboutSecretsAreDiscreet(t *testing.T) {
	fleet := acceptance(t)
	s := twoObjects
	s.templates = []string{secret(firstSecret)}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.traced()
	w.apply()
	for _, test := range []struct {
		name, template string
		want           []string
	}{
		{
			"a type that cannot change",
			secret(secondSecret) + "type: example.com/other\n",
			[]string{"Member kube03: Secret/default/password", "type: cannot change in place"},
		},
		{
			"not base64",
			"apiVersion: v1\nkind: Secret\nmetadata: {name: password}\ndata: {plain: '" + secondSecret + "!'}\n",
			[]string{"Secret password: data.plain: not base64"},
		},
		{
			"not text",
			"apiVersion: v1\nkind: Secret\nmetadata: {name: password}\nstringData: {plain: [" + secondSecret + "]}\n",
			[]string{"Secret password: stringData.plain: want a string, found a list"},
		},
		{
			"a type whose keys are missing",
			"apiVersion: v1\nkind: Secret\nmetadata: {name: tls}\ntype: kubernetes.io/tls\nstringData: {tls.crt: " + secondSecret + "}\n",
			[]string{"Member kube03: Secret/default/tls", "the member refused it with 422 Invalid, at data[tls.key]; the member's own words"},
		},
		{
			"a label that is none",
			"apiVersion: v1\nkind: Secret\nmetadata: {name: password, labels: {a: 'b c'}}\nstringData: {plain: " + secondSecret + "}\n",
			[]string{"Secret password: metadata.labels.a: not a value of a label"},
		},
		{
			"a key that is none",
			"apiVersion: v1\nkind: Secret\nmetadata: {name: password}\nstringData: {'a b': " + secondSecret + "}\n",
			[]string{"Secret password: stringData[\"a b\"]: not a key of a Secret"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := w.in(t)
			w.write(map[string]string{"templates-0.yaml": test.template})
			w.discreet(w.fails(test.want, "apply", "-auto-approve", "-no-color"), firstSecret, secondSecret)
		})
	}
}

// With secrets_revision the number alone says whether the content changed, so ephemeral values may differ each time.
func TestEphemeralSecrets(t *testing.T) {
	eachCLI(t, func(t *testing.T, cli string) {
		fleet := acceptance(t)
		s := twoObjects
		s.more = "variable \"password\" {\n  type      = string\n  ephemeral = true\n}\n"
		s.templates = []string{`templatefile("secret.tftpl", { password = var.password })`}
		w := newWorkspace(t, cli, nil)
		revision := func(n string) {
			w.write(s.with(map[string]string{"secrets_revision": n}).files(t, fleet))
		}
		w.write(map[string]string{"secret.tftpl": "apiVersion: v1\nkind: Secret\nmetadata: {name: password}\nstringData: {plain: '${password}'}\n"})
		w.traced()
		given := func(password string, args ...string) string {
			t.Helper()
			before := w.env
			w.env = append(append([]string{}, before...), "TF_VAR_password="+password)
			defer func() { w.env = before }()
			out := w.must(append(args, "-no-color")...)
			w.discreet(out, password)
			return out
		}
		held := func() any { return live(t, fleet, "kube03", "v1", "Secret", "default", "password", "data", "plain") }

		revision("1")
		says(t, given("planned-and-never-sent", "plan", "-out=plan"), `+ "data.plain" = "(sensitive, rev 1)"`)
		given(firstSecret, "apply", "plan")
		w.holds(held(), firstSecret)
		says(t, given(secondSecret, "plan"), "No changes")
		w.holds(held(), firstSecret)

		revision("2")
		says(t, given("planned-and-never-sent", "plan", "-out=plan"), `~ "data.plain" = "(sensitive, rev 1)" -> "(sensitive, rev 2)"`)
		given(secondSecret, "apply", "plan")
		w.holds(held(), secondSecret)

		patch(t, fleet, "kube03", "v1", "Secret", "password", `{"stringData": {"plain": "stolen"}}`)
		says(t, given(secondSecret, "plan"), `~ "data.plain" = "(sensitive, changed on the member)" -> "(sensitive, rev 2)"`)
		given(secondSecret, "apply", "-auto-approve")
		w.holds(held(), secondSecret)
		given(firstSecret, "destroy", "-auto-approve")
	})
}
