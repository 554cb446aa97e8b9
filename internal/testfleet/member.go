package testfleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/Shopify/toxiproxy/v2"
	"k8s.io/client-go/rest"
)

// Member is one running cluster. Its fields are what a user of the cluster gets to know.
type Member struct {
	// Name is the member's name and its context in the fleet's kubeconfig.
	Name string
	// Host is the URL that clients use. It leads through the proxy and stays the same for good.
	Host string
	// CA is the PEM certificate of the authority that signed the server's certificate.
	CA []byte
	// Token belongs to the user "admin", who may do everything.
	Token string
	// StrangerToken belongs to the user "stranger", who is known and may do nothing.
	StrangerToken string
	// ClientCert and ClientKey, both PEM, belong to the user "admin" too.
	ClientCert, ClientKey []byte

	fleet   *Fleet
	dir     string
	address string // Host and port of the API server itself.
	link    *toxiproxy.Proxy
	test    *rest.Config // Direct, as a user whose requests are not counted.

	mu         sync.Mutex
	generation int // Counts replacements. Each has an etcd prefix of its own.
	apiserver  *process
	helpers    []*process // Controllers, scheduler and kubelets.
	kubelets   *process   // The one of the helpers that plays kubelet, nil without nodes.
	baseline   map[objectID]bool
}

func newMember(f *Fleet, name string) (*Member, error) {
	m := &Member{Name: name, fleet: f, dir: filepath.Join(f.dir, name)}
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return nil, err
	}
	listen, err := freePort()
	if err != nil {
		return nil, err
	}
	if m.address, err = freePort(); err != nil {
		return nil, err
	}
	m.Host = "https://" + listen
	m.link = newLink(name, listen, m.address)
	if err := m.issueCredentials(); err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	m.apiserver = m.newAPIServer()
	if !f.options.ServersOnly {
		m.helpers = append(m.helpers, m.newControllers())
	}
	if f.options.Nodes {
		m.kubelets = m.newKubelets()
		m.helpers = append(m.helpers, m.newScheduler(), m.kubelets)
	}
	return m, nil
}

func (m *Member) hostPort() (host, port string) {
	host, port, _ = net.SplitHostPort(m.address) // From freePort, so it has both.
	return host, port
}

func (m *Member) file(name string) string {
	return filepath.Join(m.dir, name)
}

// Config connects straight to the API server, past the proxy and uncounted, as a user who may do
// everything. It is for looking at a member and for playing another client.
func (m *Member) Config() *rest.Config {
	return rest.CopyConfig(m.test)
}

// Start starts the member's processes and its proxy where they do not run, and returns when it is ready,
// with its node if it has one. After Stop it has the same address and the same data.
func (m *Member) Start(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := m.start(ctx); err != nil {
		return fmt.Errorf("member %s: %w", m.Name, err)
	}
	return m.Restore()
}

func (m *Member) start(ctx context.Context) error {
	if err := startAndWait(ctx, m.apiserver, m.serves); err != nil {
		return err
	}
	for _, helper := range m.helpers {
		if helper.running() {
			continue
		}
		if err := helper.start(); err != nil {
			return err
		}
	}
	if m.kubelets != nil {
		if err := m.awaitNode(ctx); err != nil {
			return errors.Join(err, m.failure())
		}
	}
	if m.baseline != nil {
		return nil
	}
	var err error
	m.baseline, err = m.list(ctx)
	return err
}

// failure tells which helper has ended by itself.
func (m *Member) failure() error {
	errs := make([]error, 0, len(m.helpers))
	for _, helper := range m.helpers {
		errs = append(errs, helper.failure())
	}
	return errors.Join(errs...)
}

// Stop kills the member's control plane at once, as a power cut would. Connections are refused until Start.
func (m *Member) Stop() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Cut()
	return m.kill()
}

func (m *Member) kill() error {
	var errs []error
	for _, p := range append(slices.Clone(m.helpers), m.apiserver) {
		errs = append(errs, p.kill())
	}
	return errors.Join(errs...)
}

// PID is the process ID of the API server, 0 when it does not run.
func (m *Member) PID() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.apiserver.running() {
		return 0
	}
	return m.apiserver.cmd.Process.Pid
}

// Freeze halts the API server: connections open, and nothing answers, until Thaw.
func (m *Member) Freeze() error {
	return m.signal(m.apiserver, syscall.SIGSTOP)
}

// Thaw ends Freeze.
func (m *Member) Thaw() error {
	return m.signal(m.apiserver, syscall.SIGCONT)
}

// FreezeNodes halts the kubelets while the API server goes on. After 20 s without a heartbeat the node is
// not ready, and so are its Pods. It is an error without nodes.
func (m *Member) FreezeNodes() error {
	return m.signal(m.kubelets, syscall.SIGSTOP)
}

// ThawNodes ends FreezeNodes.
func (m *Member) ThawNodes() error {
	return m.signal(m.kubelets, syscall.SIGCONT)
}

func (m *Member) signal(p *process, signal syscall.Signal) error {
	if !p.running() {
		return fmt.Errorf("member %s: no such process is running", m.Name)
	}
	return p.cmd.Process.Signal(signal)
}

// Replace puts a new, empty cluster under the member's address and credentials, as when somebody deletes
// a cluster and creates it again by the same name. Only the UIDs tell the two apart.
func (m *Member) Replace(ctx context.Context) error {
	if err := m.Stop(); err != nil {
		return err
	}
	m.mu.Lock()
	m.generation++
	m.apiserver = m.newAPIServer()
	m.baseline = nil
	m.mu.Unlock()
	return m.Start(ctx)
}
