package testfleet_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

func TestMain(m *testing.M) {
	testfleet.Main(m, testfleet.Options{Members: []string{"east", "west"}, Nodes: true})
}

// viaProxy is a client as the provider would have one: by the fleet's kubeconfig.
func viaProxy(t *testing.T, f *testfleet.Fleet, name string) *kubernetes.Clientset {
	t.Helper()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: f.Kubeconfig},
		&clientcmd.ConfigOverrides{CurrentContext: name}).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.Timeout = 10 * time.Second
	config.Dial = (&net.Dialer{}).DialContext // client-go shares the connections of configurations that look the same
	return kubernetes.NewForConfigOrDie(config)
}

func TestStopLeavesNoProcess(t *testing.T) {
	fleet, err := testfleet.Start(t.Context(), testfleet.Options{Members: []string{"alone"}, ServersOnly: true, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSuffix(fleet.Kubeconfig, "/kubeconfig")
	if got := processesUsing(t, dir); len(got) != 2 {
		t.Errorf("running: %q, want etcd and one API server", got)
	}
	if err := fleet.Stop(); err != nil {
		t.Error(err)
	}
	if got := processesUsing(t, dir); len(got) != 0 {
		t.Errorf("left running: %q", got)
	}
	if err := fleet.Stop(); err != nil {
		t.Errorf("a second Stop: %v", err)
	}
}

func TestFailedStartLeavesNoProcess(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	dir := t.TempDir()
	_, err := testfleet.Start(ctx, testfleet.Options{Members: []string{"a", "b"}, ServersOnly: true, Dir: dir})
	if err == nil {
		t.Fatal("no error, though the start was cancelled")
	}
	if got := processesUsing(t, dir); len(got) != 0 {
		t.Errorf("left running: %q", got)
	}
}

func TestChildrenDieWithTheirParent(t *testing.T) {
	if dir := os.Getenv("TESTFLEET_PARENT_DIR"); dir != "" {
		_, err := testfleet.Start(t.Context(), testfleet.Options{Members: []string{"orphan"}, ServersOnly: true, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		os.Exit(0) // Without Stop.
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChildrenDieWithTheirParent$")
	cmd.Env = append(os.Environ(), "TESTFLEET_PARENT_DIR="+dir)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if _, err := os.Stat(dir + "/kubeconfig"); err != nil {
		t.Fatalf("the parent started no fleet: %v", err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for len(processesUsing(t, dir)) > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("left running: %q", processesUsing(t, dir))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func TestStartRefusesUselessOptions(t *testing.T) {
	for _, test := range []struct {
		options testfleet.Options
		want    string
	}{
		{testfleet.Options{}, "at least one member"},
		{testfleet.Options{Members: []string{"a"}, Nodes: true, ServersOnly: true}, "exclude each other"},
	} {
		fleet, err := testfleet.Start(t.Context(), test.options)
		if err == nil || !strings.Contains(err.Error(), test.want) || fleet != nil {
			t.Errorf("Start(%+v) = %v, %v; want an error with %q", test.options, fleet, err, test.want)
		}
	}
}

// processesUsing returns the command lines of the running processes that name the folder, this one apart.
func processesUsing(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		// A process that is gone, or a zombie, has no command line.
		line, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if err == nil && bytes.Contains(line, []byte(dir)) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}
