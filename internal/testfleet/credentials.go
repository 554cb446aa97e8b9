package testfleet

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
)

// auditPolicy logs every request that comes from outside: not those of the control plane itself and not
// those of the tests' own client.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
  - level: None
    users:
      - testfleet
      - kwok
      - system:apiserver
      - system:kube-controller-manager
      - system:kube-scheduler
  - level: None
    userGroups: [system:serviceaccounts]
  - level: Metadata
`

// administrators may do everything on a cluster with RBAC, from its first request on.
const administrators = "system:masters"

// issueCredentials makes the member's keys, certificates, tokens and kubeconfigs, and writes those that
// its processes read.
func (m *Member) issueCredentials() error {
	ca, err := newAuthority(m.Name)
	if err != nil {
		return err
	}
	if m.CA, err = ca.pem(); err != nil {
		return err
	}
	serving, err := ca.serving()
	if err != nil {
		return err
	}
	admin, err := ca.client("admin", administrators)
	if err != nil {
		return err
	}
	m.ClientCert, m.ClientKey = admin.cert, admin.key
	m.Token, m.StrangerToken = rand.Text(), rand.Text()
	tokens := fmt.Sprintf("%s,admin,admin,%q\n%s,stranger,stranger\n", m.Token, administrators, m.StrangerToken)

	test, err := ca.client("testfleet", administrators)
	if err != nil {
		return err
	}
	m.test = &rest.Config{
		Host:            "https://" + m.address,
		TLSClientConfig: rest.TLSClientConfig{CAData: m.CA, CertData: test.cert, KeyData: test.key},
		QPS:             -1, // No throttling on the client's side.
	}
	return errors.Join(
		m.write("ca.crt", m.CA),
		m.write("serving.crt", serving.cert),
		m.write("serving.key", serving.key),
		m.write("tokens.csv", []byte(tokens)),
		m.write("audit.yaml", []byte(auditPolicy)),
		m.write("stages.yaml", ownStages),
		m.writeKubeconfig(ca, "kube-controller-manager", "system:kube-controller-manager"),
		m.writeKubeconfig(ca, "kube-scheduler", "system:kube-scheduler"),
		m.writeKubeconfig(ca, "kwok", "kwok"),
	)
}

func (m *Member) writeKubeconfig(ca *authority, program, user string) error {
	credentials, err := ca.client(user, administrators)
	if err != nil {
		return err
	}
	text, err := m.componentKubeconfig(credentials)
	if err != nil {
		return err
	}
	return m.write(program+".kubeconfig", text)
}

func (m *Member) write(name string, text []byte) error {
	return os.WriteFile(m.file(name), text, 0o600)
}
