package testfleet

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet/binaries"
)

// programs are the folders of the built programs.
type programs struct {
	etcdDir, kubernetesDir, kwokDir string
}

func findPrograms(ctx context.Context, options Options) (programs, error) {
	var p programs
	var err error
	if p.etcdDir, err = binaries.Ensure(ctx, options.Log, binaries.Etcd); err != nil {
		return p, err
	}
	if p.kubernetesDir, err = binaries.Ensure(ctx, options.Log, binaries.Kubernetes); err != nil {
		return p, err
	}
	if options.Nodes {
		p.kwokDir, err = binaries.Ensure(ctx, options.Log, binaries.Kwok)
	}
	return p, err
}

// etcd is the one store of all members. It listens on sockets in the fleet's folder, so it needs no port,
// and does not wait for the disk, as its data outlives no crash.
func (p programs) etcd(dir string) *process {
	return &process{
		name:    "etcd",
		program: filepath.Join(p.etcdDir, "etcd"),
		args: []string{
			"--data-dir=" + filepath.Join(dir, "etcd"),
			"--listen-client-urls=" + etcdSocket(dir),
			"--advertise-client-urls=http://127.0.0.1:1", // Required, and of no use to a single server.
			"--listen-peer-urls=unix://" + filepath.Join(dir, "peer.sock"),
			"--unsafe-no-fsync", "--log-level=warn",
		},
		logFile: filepath.Join(dir, "etcd.log"),
	}
}

func etcdSocket(dir string) string {
	return "unix://" + filepath.Join(dir, "etcd.sock")
}

// serviceRange has room for the Services of large tests.
const serviceRange = "10.0.0.0/16"

func (m *Member) newAPIServer() *process {
	host, port := m.hostPort()
	return m.process(m.fleet.programs.kubernetesDir, "kube-apiserver",
		"--etcd-servers="+etcdSocket(m.fleet.dir),
		fmt.Sprintf("--etcd-prefix=/%s-%d", m.Name, m.generation),
		"--bind-address="+host, "--secure-port="+port,
		// The address of a server on loopback is not a valid endpoint.
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range="+serviceRange,
		"--tls-cert-file="+m.file("serving.crt"), "--tls-private-key-file="+m.file("serving.key"),
		"--client-ca-file="+m.file("ca.crt"), "--token-auth-file="+m.file("tokens.csv"),
		"--authorization-mode=RBAC", "--allow-privileged",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+m.file("serving.key"),
		"--service-account-signing-key-file="+m.file("serving.key"),
		"--audit-policy-file="+m.file("audit.yaml"), "--audit-log-path="+m.file("audit.log"),
		"--disable-admission-plugins="+m.disabledAdmission(),
	)
}

// disabledAdmission is ServiceAccount where no controller makes service accounts, as it refuses every
// Pod of a Namespace without one.
func (m *Member) disabledAdmission() string {
	if m.fleet.options.ServersOnly {
		return "ServiceAccount"
	}
	return ""
}

func (m *Member) newControllers() *process {
	return m.process(m.fleet.programs.kubernetesDir, "kube-controller-manager",
		"--kubeconfig="+m.file("kube-controller-manager.kubeconfig"),
		"--service-account-private-key-file="+m.file("serving.key"), "--root-ca-file="+m.file("ca.crt"),
		"--leader-elect=false", "--secure-port=0",
		"--kube-api-qps=500", "--kube-api-burst=1000",
		// A node whose heartbeats stop is found out in less than the usual 50 s.
		"--node-monitor-period=2s", "--node-monitor-grace-period=20s",
	)
}

func (m *Member) newScheduler() *process {
	return m.process(m.fleet.programs.kubernetesDir, "kube-scheduler",
		"--kubeconfig="+m.file("kube-scheduler.kubeconfig"),
		"--leader-elect=false", "--secure-port=0",
		"--kube-api-qps=500", "--kube-api-burst=1000",
	)
}

// ownStages add to those that come with kwok.
//
//go:embed stages.yaml
var ownStages []byte

func (m *Member) newKubelets() *process {
	return m.process(m.fleet.programs.kwokDir, "kwok",
		"--kubeconfig="+m.file("kwok.kubeconfig"),
		"--config="+filepath.Join(m.fleet.programs.kwokDir, "stages.yaml"),
		"--config="+m.file("stages.yaml"),
		"--manage-all-nodes=true",
		// The lease is renewed every quarter of this.
		"--node-lease-duration-seconds=16",
	)
}

func (m *Member) process(dir, name string, args ...string) *process {
	return &process{
		name:    name + " of " + m.Name,
		program: filepath.Join(dir, name),
		args:    args,
		logFile: m.file(name + ".log"),
	}
}
