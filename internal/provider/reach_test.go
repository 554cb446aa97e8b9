package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// direct returns a connection by host, CA and token.
func direct(m *testfleet.Member, ca []byte, token string) string {
	return fmt.Sprintf("{ host = %q, cluster_ca_certificate = %q, token = %q }", m.Host, ca, token)
}

// Every way to connect works, and none leaves a credential in the state.
func TestWaysToConnect(t *testing.T) {
	fleet := acceptance(t)
	kube02, kube03, kube04 := fleet.Member("kube02"), fleet.Member("kube03"), fleet.Member("kube04")
	s := good(t)
	s.members["kube04"] = `{ region = "guangzhou" }`
	s.policies[0] = replaced(t, s.policies[0], "kube03]", "kube03, kube04]")
	s.connections = map[string]string{
		"kube02": fmt.Sprintf("{ host = %q, cluster_ca_certificate = base64encode(%q), token = var.token }", kube02.Host, kube02.CA),
		"kube03": `{ kubeconfig = file("kubeconfig"), context = "kube03" }`,
		"kube04": fmt.Sprintf(`{ host = %q, cluster_ca_certificate = %q, exec = {
      api_version = "client.authentication.k8s.io/v1", command = "sh", args = ["-c", "printf '%%s' \"$CREDENTIAL\""],
      env = { CREDENTIAL = jsonencode({ apiVersion = "client.authentication.k8s.io/v1", kind = "ExecCredential", status = { token = %q } }) }
    } }`, kube04.Host, kube04.CA, kube04.Token),
	}
	s.more = "variable \"token\" {\n  type = string\n  ephemeral = true\n}\n"
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.env = append(w.env, "TF_VAR_token="+kube02.Token)
	w.apply()
	w.settled()
	expect(t, fleet, "demoapp", runs{"kube02": sameOnBoth["kube02"], "kube03": sameOnBoth["kube03"], "kube04": sameOnBoth["kube03"]})

	s.connections = map[string]string{
		"kube02": fmt.Sprintf("{ host = %q, cluster_ca_certificate = %q, client_certificate = %q, client_key = %q }", kube02.Host, kube02.CA, kube02.ClientCert, kube02.ClientKey),
	}
	w.write(s.files(t, fleet))
	w.settled()
	key := strings.Split(string(kube02.ClientKey), "\n")[1] // its first line of content
	for _, secret := range []string{kube02.Token, kube03.Token, kube04.Token, key} {
		if strings.Contains(w.rawState(), secret) {
			t.Error("a credential is in the state")
		}
	}
	w.destroy()
	expect(t, fleet, "demoapp", nil)
}

// A member that cannot be used gets nothing. The plan warns of it, the apply ends with one error that says why, and no other
// member is kept from anything: what is missing follows once the connection is mended.
func TestCreateOnAMemberThatCannotBeUsed(t *testing.T) {
	fleet := acceptance(t)
	kube03 := fleet.Member("kube03")
	plugin := func(command string) string {
		return fmt.Sprintf(`{ host = %q, cluster_ca_certificate = %q, exec = { api_version = "client.authentication.k8s.io/v1", command = %q } }`,
			kube03.Host, kube03.CA, command)
	}
	for _, test := range []struct {
		name, connection string
		want             []string
	}{
		{"wrong token", direct(kube03, kube03.CA, "wrong"), []string{"CredentialsFailed: the member refuses the credentials", "check those of the connection"}},
		{"wrong CA", direct(kube03, fleet.Member("kube02").CA, kube03.Token), []string{"Untrusted", "signed by unknown authority", "check the address, the CA"}},
		{"closed port", `{ host = "https://127.0.0.1:1", token = "a" }`, []string{"Unreachable", "127.0.0.1:1", "connection refused"}},
		{"no such kubeconfig", `{ kubeconfig_path = "nowhere", context = "kube03" }`, []string{"kubeconfig_path: nowhere does not exist"}},
		{"no such context", `{ kubeconfig_path = "kubeconfig", context = "kube09" }`, []string{`it has no context "kube09": set context to one of kube02, kube03`}},
		{"no such command", plugin("no-such-command"), []string{"CredentialsFailed", "executable no-such-command not found"}},
		{"a command that fails", plugin("false"), []string{"CredentialsFailed", "executable false failed with exit code 1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := good(t)
			connection(test.connection)(t, &s)
			w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
			says(t, w.plan(), append(test.want, "Warning: Member kube03 is not well")...)
			w.fails(append(test.want, "Error: Member kube03 cannot be written to", "Nothing was sent to member kube03"), "apply", "-auto-approve", "-no-color")
			expect(t, fleet, "demoapp", runs{"kube02": sameOnBoth["kube02"]})
			if w.works("kube02") == nil || w.works("kube03") != nil {
				t.Errorf("the state holds works of kube02 %v and of kube03 %v, want just those of kube02", w.works("kube02"), w.works("kube03"))
			}
			s.connections = nil
			w.write(s.files(t, fleet))
			w.apply()
			expect(t, fleet, "demoapp", sameOnBoth)
			w.destroy()
		})
	}
}

// An account that may not do what is asked is told which permission it lacks.
func TestCreateWithoutPermission(t *testing.T) {
	fleet := acceptance(t)
	s := good(t)
	kube03 := fleet.Member("kube03")
	connection(direct(kube03, kube03.CA, kube03.StrangerToken))(t, &s)
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.fails([]string{"Member kube03: " + demoapp, "is forbidden", "allow the connection's user to get deployments.apps in namespace default"},
		"apply", "-auto-approve", "-no-color")
	expect(t, fleet, "demoapp", runs{"kube02": sameOnBoth["kube02"]})
}

// Credentials that fail later freeze their member: the others go on, and the change waits.
func TestCredentialsThatFailLater(t *testing.T) {
	fleet := acceptance(t)
	s := good(t)
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	s.templates[0] = replaced(t, s.templates[0], "v1.0", "v1.1")
	kube03 := fleet.Member("kube03")
	connection(direct(kube03, kube03.CA, "expired"))(t, &s)
	w.write(s.files(t, fleet))
	says(t, w.apply(), "Member kube03 is not well", "Changes are held back", "kube03 (CredentialsFailed", demoapp)
	expect(t, fleet, "demoapp", runs{"kube02": "4 ikubernetes/demoapp:v1.1", "kube03": "4 ikubernetes/demoapp:v1.0"})

	s.connections = nil
	w.write(s.files(t, fleet))
	plan := changes(w.plan())
	says(t, plan, `~ "kube03"`, `"ikubernetes/demoapp:v1.0" -> "ikubernetes/demoapp:v1.1"`, "(1 unchanged element hidden)")
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "4 ikubernetes/demoapp:v1.1", "kube03": "4 ikubernetes/demoapp:v1.1"})
	w.settled()
}

// Two names for one cluster would each undo what the other does: neither gets anything.
func TestOneClusterUnderTwoNames(t *testing.T) {
	fleet := acceptance(t)
	s := good(t)
	s.clusters = map[string]string{"kube03": "kube02"}
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	for _, command := range [][]string{{"plan", "-no-color"}, {"apply", "-auto-approve", "-no-color"}} {
		w.fails([]string{"Error: Members are one cluster", "Member kube03 and member kube02 are one cluster", "Give each member a connection of its own"}, command...)
	}
	expect(t, fleet, "demoapp", nil)

	s.clusters = nil
	w.write(s.files(t, fleet))
	w.apply()
	expect(t, fleet, "demoapp", sameOnBoth)
	w.settled()
}

// A member that gets another name is the same cluster: nothing may be removed from it under the old name that comes under the
// new one. With the old name retired everything stays in place.
func TestRenamedMember(t *testing.T) {
	fleet := acceptance(t)
	w := newWorkspace(t, oneCLI(t), twoObjects.files(t, fleet))
	w.apply()
	before := identities(t, fleet, "kube02", "kube03")
	kube03 := fleet.Member("kube03")
	renamed := twoObjects
	renamed.members = map[string]string{"kube02": twoRegions["kube02"], "shanghai": twoRegions["kube03"]}
	renamed.clusters = map[string]string{"shanghai": "kube03"}
	w.write(renamed.files(t, fleet))
	w.fails([]string{"Error: Member without a connection", "or has got another name, set kube03 = { retired = true }"}, "plan", "-no-color")

	past := kube03.Config() // the other way to kube03, past the proxy
	renamed.connections = map[string]string{"kube03": fmt.Sprintf("{ host = %q, cluster_ca_certificate = %q, token = %q }", past.Host, kube03.CA, kube03.Token)}
	w.write(renamed.files(t, fleet))
	one := []string{"Error: Members are one cluster", "Member shanghai and member kube03 are one cluster", "set the old one to { retired = true } in the provider's members"}
	w.fails(one, "plan", "-no-color")
	kube03.Cut()
	w.plan("-out=plan") // it does not answer under its new name
	start(t, fleet, "kube03")
	w.fails(one, "apply", "-no-color", "plan")
	same(t, "objects after what was refused", 4, before, identities(t, fleet, "kube02", "kube03"))

	renamed.connections = map[string]string{"kube03": "{ retired = true }"}
	w.write(renamed.files(t, fleet))
	w.apply()
	w.settled()
	same(t, "objects under the new name", 4, before, identities(t, fleet, "kube02", "kube03"))

	// A name that holds nothing any more binds no cluster.
	renamed.arguments = map[string]string{"members": `[multicluster_member.fleet["kube02"]]`}
	w.write(renamed.files(t, fleet))
	w.apply()
	w.write(twoObjects.files(t, fleet))
	w.apply()
	w.settled()
	greets(t, fleet, map[string]string{"kube02": "hello", "kube03": "hello"})
}

// A cluster that was replaced is another one: nothing is written to it, and nothing counts as gone, until the member's
// generation says that it is meant.
func TestAReplacedClusterWaitsForItsGeneration(t *testing.T) {
	fleet := acceptance(t)
	s := good(t)
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	if err := fleet.Member("kube03").Replace(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.templates[0] = replaced(t, s.templates[0], "v1.0", "v1.1")
	w.write(s.files(t, fleet))
	for _, options := range [][]string{nil, {"-refresh=false"}} {
		says(t, w.apply(options...), "Changes are held back", "kube03 (IdentityChanged: another cluster answers", "set generation = 2 on the member")
		expect(t, fleet, "demoapp", runs{"kube02": "4 ikubernetes/demoapp:v1.1"})
		if w.works("kube03")[demoapp] == nil {
			t.Error("the state has forgotten what the old cluster held")
		}
	}

	s.members["kube03"] = `{ region = "shanghai", generation = 2 }`
	w.write(s.files(t, fleet))
	plan := changes(w.plan())
	says(t, plan, "+ generation = 2", `~ "kube03" = jsonencode(`, "(1 unchanged element hidden)")
	silent(t, plan, "Changes are held back")
	w.apply()
	expect(t, fleet, "demoapp", runs{"kube02": "4 ikubernetes/demoapp:v1.1", "kube03": "4 ikubernetes/demoapp:v1.1"})
	w.settled()
	w.destroy()
	expect(t, fleet, "demoapp", nil)
}

// Another name is another member: what is known of the one, such as which cluster it is, does not count for the other.
func TestAnotherNameIsAnotherMember(t *testing.T) {
	fleet := acceptance(t)
	named := func(name string) map[string]string {
		return map[string]string{
			"main.tf": providerBlock(fleet, "kube02", "kube03") + fmt.Sprintf("\nresource \"multicluster_member\" \"one\" {\n  name = %q\n}\n", name),
		}
	}
	w := newWorkspace(t, oneCLI(t), named("kube02"))
	w.apply()
	w.apply() // reads the identity
	w.write(named("kube03"))
	says(t, w.apply(), "1 added, 0 changed, 1 destroyed")
	silent(t, w.apply(), "Member kube03 is not well")
	w.settled()

	w.write(named("kube04"))
	silent(t, w.fails([]string{"Error: Member without a connection", `no connection for member "kube04". Add it:`}, "plan", "-no-color"),
		"propagations may have objects on it")
}

// Rights that come and go do not make another cluster of a member: what was seen of its identity is compared with what can
// be seen of it now.
func TestRightsThatChange(t *testing.T) {
	fleet := acceptance(t)
	grant(t, fleet, "kube03", "stranger", map[string]any{"apiGroups": []any{"", "apps"}, "resources": []any{"configmaps", "deployments"}, "verbs": []any{"*"}})
	s := good(t)
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	kube03 := fleet.Member("kube03")
	for i, token := range []string{kube03.StrangerToken, kube03.Token, kube03.StrangerToken} {
		version := fmt.Sprintf("v1.%d", i+1)
		s.templates[0] = replaced(t, good(t).templates[0], "v1.0", version)
		connection(direct(kube03, kube03.CA, token))(t, &s)
		w.write(s.files(t, fleet))
		silent(t, w.apply(), "Member kube03 is not well", "held back")
		expect(t, fleet, "demoapp", runs{"kube02": "4 ikubernetes/demoapp:" + version, "kube03": "4 ikubernetes/demoapp:" + version})
		w.settled()
	}
}

// grant lets a user do more on a member.
func grant(t *testing.T, fleet *testfleet.Fleet, member, user string, rule map[string]any) {
	t.Helper()
	name := map[string]any{"name": "granted"}
	create(t, fleet, member, map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": name, "rules": []any{rule}})
	create(t, fleet, member, map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": name,
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "granted"},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}},
	})
}

// A retired member is never dialled, and what it held is forgotten.
func TestRetiredMember(t *testing.T) {
	fleet := acceptance(t)
	s := good(t)
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	if err := fleet.Member("kube03").Stop(); err != nil {
		t.Fatal(err)
	}
	s.connections = map[string]string{"kube03": "{ retired = true }"}
	w.write(s.files(t, fleet))
	plan := w.plan()
	says(t, plan, `- "kube03" = jsonencode(`, "(1 unchanged element hidden)", "0 to add, 1 to change, 0 to destroy")
	says(t, plan, "Warning: Objects stay on retired members", "kube03: ")
	silent(t, plan, "Warning: Policy", "Warning: Member")
	w.apply()
	w.settled()

	delete(s.members, "kube03")
	s.connections = nil
	w.write(s.files(t, fleet))
	w.apply()
	w.settled()
	w.destroy()
	if err := fleet.Member("kube03").Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, fleet, "demoapp", runs{"kube03": sameOnBoth["kube03"]})
}

// A destroy forgets what a retired member held.
func TestDestroyWithARetiredMember(t *testing.T) {
	fleet := acceptance(t)
	s := good(t)
	w := newWorkspace(t, oneCLI(t), s.files(t, fleet))
	w.apply()
	s.connections = map[string]string{"kube03": "{ retired = true }"}
	w.write(s.files(t, fleet))
	says(t, w.plan("-destroy"), "Warning: Objects stay on retired members", "kube03: ")
	w.destroy()
	expect(t, fleet, "demoapp", runs{"kube03": sameOnBoth["kube03"]})
}
