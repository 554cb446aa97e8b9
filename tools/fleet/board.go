package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
)

// settleTimeout is how long Pods may take to become ready, on a machine that is busy.
const settleTimeout = 90 * time.Second

// board is what runs where.
type board []entry

// entry is one Deployment on one member. Ready is like 3/4.
type entry struct {
	name, member, ready, image string
}

func (b board) setImage(name, member, image string) {
	for i := range b {
		if b[i].name == name && b[i].member == member {
			b[i].image = image
		}
	}
}

// awaitBoard reads the members that run until they hold what is wanted of them. It returns what it read last.
func awaitBoard(ctx context.Context, fleet *testfleet.Fleet, want board) (board, error) {
	var reachable board
	for _, e := range want {
		if fleet.Member(e.member).PID() != 0 {
			reachable = append(reachable, e)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	for {
		got, err := readBoard(ctx, fleet)
		if err != nil {
			return nil, err
		}
		if slices.Equal(got.sorted(), reachable.sorted()) {
			return got, nil
		}
		select {
		case <-ctx.Done():
			return got, fmt.Errorf("the clusters should run %v by now: %w", reachable.sorted(), ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func readBoard(ctx context.Context, fleet *testfleet.Fleet) (board, error) {
	var b board
	for _, m := range fleet.Members {
		if m.PID() == 0 {
			continue
		}
		deployments, err := deploymentsOf(m)
		if err != nil {
			return nil, err
		}
		list, err := deployments.List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("member %s: %w", m.Name, err)
		}
		for _, d := range list.Items {
			b = append(b, newEntry(m.Name, d))
		}
	}
	return b, nil
}

func newEntry(member string, d appsv1.Deployment) entry {
	e := entry{name: d.Name, member: member}
	if containers := d.Spec.Template.Spec.Containers; len(containers) > 0 {
		e.image = containers[0].Image
	}
	// Pods of the previous template are still counted as ready.
	ready := min(d.Status.ReadyReplicas, d.Status.UpdatedReplicas)
	if d.Status.ObservedGeneration < d.Generation {
		ready = 0
	}
	if d.Spec.Replicas != nil {
		e.ready = fmt.Sprintf("%d/%d", ready, *d.Spec.Replicas)
	}
	return e
}

func (b board) sorted() board {
	return slices.SortedFunc(slices.Values(b), func(x, y entry) int {
		return strings.Compare(x.name+" "+x.member, y.name+" "+y.member)
	})
}

// print writes the board as a table, and names the members that cannot be asked.
func (b board) print(out io.Writer, fleet *testfleet.Fleet) error {
	if len(b) == 0 {
		fmt.Fprintln(out, "  No Deployment is left on any cluster.")
	} else if err := b.printTable(out); err != nil {
		return err
	}
	for _, m := range fleet.Members {
		if m.PID() == 0 {
			fmt.Fprintf(out, "  %s is down: what it runs cannot be read.\n", m.Name)
		}
	}
	return nil
}

func (b board) printTable(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "  OBJECT\tMEMBER\tREADY\tIMAGE")
	for _, e := range b.sorted() {
		fmt.Fprintf(table, "  Deployment %s\t%s\t%s\t%s\n", e.name, e.member, e.ready, e.image)
	}
	return table.Flush()
}

// deploymentsOf is a client past the proxy, whose requests are not counted.
func deploymentsOf(m *testfleet.Member) (appsclient.DeploymentInterface, error) {
	client, err := kubernetes.NewForConfig(m.Config())
	if err != nil {
		return nil, err
	}
	return client.AppsV1().Deployments("default"), nil
}

// scale changes the replicas of a Deployment, as "kubectl scale" does.
func scale(ctx context.Context, m *testfleet.Member, name string, replicas int) error {
	deployments, err := deploymentsOf(m)
	if err != nil {
		return err
	}
	patch := fmt.Appendf(nil, `{"spec": {"replicas": %d}}`, replicas)
	_, err = deployments.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "kubectl"}, "scale")
	return err
}
