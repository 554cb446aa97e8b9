package testfleet

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// pollInterval is short, since each wait of a start is on the way of a person who waits.
const pollInterval = 50 * time.Millisecond

// startAndWait starts a process that does not run and waits until it is ready or has ended.
func startAndWait(ctx context.Context, p *process, ready func(context.Context) error) error {
	if !p.running() {
		if err := p.start(); err != nil {
			return err
		}
	}
	return poll(ctx, func() error {
		if err := p.failure(); err != nil {
			return permanent{err}
		}
		return ready(ctx)
	})
}

// permanent is an error that waiting does not cure.
type permanent struct{ error }

// poll calls check until it returns nil or a permanent error, or until the context ends.
func poll(ctx context.Context, check func() error) error {
	for {
		err := check()
		if final, ok := err.(permanent); ok {
			return final.error
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; last seen: %w", ctx.Err(), err)
		case <-time.After(pollInterval):
		}
	}
}

// serves checks the API server's own readiness.
func (m *Member) serves(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(m.test)
	if err != nil {
		return permanent{err}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

// awaitNode adds the member's node and waits until Pods can be scheduled to it.
func (m *Member) awaitNode(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(m.test)
	if err != nil {
		return err
	}
	nodes := client.CoreV1().Nodes()
	name := m.Name + "-node"
	if _, err := nodes.Create(ctx, fakeNode(name), metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create node %s: %w", name, err)
	}
	return poll(ctx, func() error {
		node, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(node.Spec.Taints) > 0 {
			return fmt.Errorf("node %s has taint %s", name, node.Spec.Taints[0].Key)
		}
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
				return nil
			}
		}
		return fmt.Errorf("node %s is not ready", name)
	})
}

func fakeNode(name string) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("8"),
		corev1.ResourceMemory: resource.MustParse("32Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status:     corev1.NodeStatus{Capacity: room, Allocatable: room},
	}
}
