package testfleet_test

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// version asks for something cheap, with little patience.
func version(t *testing.T, client *kubernetes.Clientset, patience time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return client.Discovery().RESTClient().Get().AbsPath("/version").Do(ctx).Error()
}

// isTimeout tells that nothing answered in time.
func isTimeout(err error) bool {
	var netErr net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &netErr) && netErr.Timeout()
}

// isRefusal tells that nothing listens.
func isRefusal(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

func TestMemberThatCannotBeReached(t *testing.T) {
	for _, test := range []struct {
		name    string
		disturb func(*testfleet.Member) error
		restore func(*testfleet.Member) error
		want    func(error) bool
		within  time.Duration
	}{
		{
			"cut",
			func(m *testfleet.Member) error { m.Cut(); return nil },
			(*testfleet.Member).Restore,
			isRefusal, 10 * time.Second,
		},
		{"black hole", (*testfleet.Member).BlackHole, (*testfleet.Member).Restore, isTimeout, time.Second},
		{"frozen", (*testfleet.Member).Freeze, (*testfleet.Member).Thaw, isTimeout, time.Second},
		{
			"stopped",
			(*testfleet.Member).Stop,
			func(m *testfleet.Member) error { return m.Start(context.Background()) },
			isRefusal, 10 * time.Second,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			fleet := testfleet.Shared(t)
			east, west := viaProxy(t, fleet, "east"), viaProxy(t, fleet, "west")
			if err := version(t, east, 10*time.Second); err != nil {
				t.Fatal("before:", err)
			}
			if err := test.disturb(fleet.Member("east")); err != nil {
				t.Fatal(err)
			}
			if err := version(t, viaProxy(t, fleet, "east"), test.within); err == nil || !test.want(err) {
				t.Errorf("new client: %v", err)
			}
			// A client that notices its broken connection only when it asks tries again.
			if err := version(t, east, test.within); err == nil || !test.want(err) {
				t.Errorf("client with an open connection: %v", err)
			}
			if err := version(t, west, 10*time.Second); err != nil {
				t.Errorf("other member: %v", err)
			}
			if err := test.restore(fleet.Member("east")); err != nil {
				t.Fatal(err)
			}
			if err := version(t, viaProxy(t, fleet, "east"), 10*time.Second); err != nil {
				t.Error("after:", err)
			}
		})
	}
}

func TestSlow(t *testing.T) {
	fleet := testfleet.Shared(t)
	east := viaProxy(t, fleet, "east")
	if err := version(t, east, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	const latency = 3 * time.Second
	if err := fleet.Member("east").Slow(latency); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := version(t, east, 10*time.Second); err != nil || time.Since(start) < latency {
		t.Errorf("slow: answer after %v: %v", time.Since(start), err)
	}
	if err := fleet.Member("east").Restore(); err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	if err := version(t, east, 10*time.Second); err != nil || time.Since(start) > latency {
		t.Errorf("restored: answer after %v: %v", time.Since(start), err)
	}
}

func TestRestartKeepsDataAndReplaceDoesNot(t *testing.T) {
	fleet := testfleet.Shared(t)
	m := fleet.Member("east")
	client := viaProxy(t, fleet, "east")
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}
	created, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := clusterUID(t, client)

	if err := m.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := m.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	if err != nil || kept.UID != created.UID {
		t.Errorf("after a restart: %v, %v; want UID %s", kept.UID, err, created.UID)
	}
	if got := clusterUID(t, client); got != first {
		t.Errorf("a restart changed the cluster's UID from %s to %s", first, got)
	}

	if err := m.Replace(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := clusterUID(t, client); got == first {
		t.Errorf("the replacement has the UID of what it replaces, %s", got)
	}
	_, err = client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("in the replacement: %v, want not found", err)
	}
}

func clusterUID(t *testing.T, client *kubernetes.Clientset) types.UID {
	t.Helper()
	namespace, err := client.CoreV1().Namespaces().Get(t.Context(), "kube-system", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return namespace.UID
}

func TestDeploymentBecomesReadyAndNodesCanStop(t *testing.T) {
	fleet := testfleet.Shared(t)
	m, client := fleet.Member("east"), viaProxy(t, fleet, "east")
	if _, err := client.AppsV1().Deployments("default").Create(t.Context(), deployment(4), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitReady(t, client, 4)
	if err := m.FreezeNodes(); err != nil {
		t.Fatal(err)
	}
	awaitReady(t, client, 0)
	if err := m.ThawNodes(); err != nil {
		t.Fatal(err)
	}
	awaitReady(t, client, 4)
}

func deployment(replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "example.com/web:1"}}},
			},
		},
	}
}

func awaitReady(t *testing.T, client *kubernetes.Clientset, want int32) {
	t.Helper()
	deadline := time.Now().Add(90 * time.Second)
	for {
		got, err := client.AppsV1().Deployments("default").Get(t.Context(), "web", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Status.ReadyReplicas == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d replicas are ready, want %d", got.Status.ReadyReplicas, want)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func TestUsers(t *testing.T) {
	m := testfleet.Shared(t).Member("east")
	ca := rest.TLSClientConfig{CAData: m.CA}
	certificate := ca
	certificate.CertData, certificate.KeyData = m.ClientCert, m.ClientKey
	for _, test := range []struct {
		name   string
		config rest.Config
		want   func(error) bool
	}{
		{"token", rest.Config{Host: m.Host, TLSClientConfig: ca, BearerToken: m.Token}, func(err error) bool { return err == nil }},
		{"certificate", rest.Config{Host: m.Host, TLSClientConfig: certificate}, func(err error) bool { return err == nil }},
		{"stranger", rest.Config{Host: m.Host, TLSClientConfig: ca, BearerToken: m.StrangerToken}, apierrors.IsForbidden},
		{"anonymous", rest.Config{Host: m.Host, TLSClientConfig: ca}, apierrors.IsForbidden},
		{"wrong token", rest.Config{Host: m.Host, TLSClientConfig: ca, BearerToken: "wrong"}, apierrors.IsUnauthorized},
	} {
		client := kubernetes.NewForConfigOrDie(&test.config)
		if _, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); !test.want(err) {
			t.Errorf("%s lists namespaces: %v", test.name, err)
		}
		// Only a token that is wrong keeps anybody from asking for readiness.
		err := client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(t.Context()).Error()
		if want := test.name != "wrong token"; (err == nil) != want {
			t.Errorf("%s asks for /readyz: %v", test.name, err)
		}
	}
}

func TestOneClusterUnderTwoNames(t *testing.T) {
	m := testfleet.Shared(t).Member("east")
	text, err := testfleet.Kubeconfig(map[string]*testfleet.Member{"one": m, "two": m})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	var uids []types.UID
	for _, name := range []string{"one", "two"} {
		rc, err := clientcmd.NewNonInteractiveClientConfig(*config, name, &clientcmd.ConfigOverrides{}, nil).ClientConfig()
		if err != nil {
			t.Fatal(err)
		}
		uids = append(uids, clusterUID(t, kubernetes.NewForConfigOrDie(rc)))
	}
	if uids[0] != uids[1] {
		t.Errorf("UIDs %q differ", uids)
	}
}
