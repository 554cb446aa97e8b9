package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet"
	"github.com/multicluster/terraform-provider-multicluster/internal/testfleet/binaries"
)

// demonstration shows the provider at work and checks that the clusters hold what it says they do.
type demonstration struct {
	out       io.Writer
	fleet     *testfleet.Fleet
	workspace *workspace
	want      board // What the clusters should run by now.
	steps     int   // Shown so far.
}

// demo runs the demonstration and leaves nothing behind.
func demo(ctx context.Context, out io.Writer, _ []string) (err error) {
	dir, err := os.MkdirTemp("", "multicluster-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	d := &demonstration{out: out}
	d.title("Build the provider and start three clusters: real API servers with controllers and a node each")
	if d.workspace, err = newWorkspace(ctx, out, dir); err != nil {
		return err
	}
	d.fleet, err = testfleet.Start(ctx, testfleet.Options{Members: memberNames(), Nodes: true, Log: out})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, d.fleet.Stop())
		fmt.Fprintln(out, "\nThe clusters are stopped and their data is removed.")
	}()
	d.workspace.env = append(d.workspace.env, "TF_VAR_kubeconfig="+d.fleet.Kubeconfig)

	for _, step := range []func(context.Context) error{
		d.create, d.changeImage, d.repairDrift, d.loseMember, d.regainMember, d.destroy,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *demonstration) create(ctx context.Context) error {
	d.title("Apply examples/demo: one application alike on all clusters, one with another image on kube03, one divided 3 to 1")
	root, err := binaries.Root()
	if err != nil {
		return err
	}
	if err := os.CopyFS(d.workspace.dir, os.DirFS(filepath.Join(root, "examples", "demo"))); err != nil {
		return err
	}
	if _, err := d.workspace.run(ctx, "init", "-no-color"); err != nil {
		return err
	}
	d.want = board{
		{"minimal", "kube02", "4/4", image("v1.0")},
		{"minimal", "kube03", "4/4", image("v1.0")},
		{"minimal", "kube04", "4/4", image("v1.0")},
		{"differences", "kube02", "4/4", image("v1.0")},
		{"differences", "kube03", "4/4", image("v1.1")},
		{"differences", "kube04", "4/4", image("v1.0")},
		{"division", "kube02", "3/3", image("v1.0")},
		{"division", "kube03", "1/1", image("v1.0")},
	}
	d.note("Left out of the plans: the lines of the refresh, the legend, and here every resource but one. An apply does not wait\n" +
		"until Pods are ready; the demo does, before it shows what runs where.")
	if err := d.plan(ctx, onlyResource("multicluster_propagation.division")); err != nil {
		return err
	}
	return d.applyAndShow(ctx)
}

func (d *demonstration) changeImage(ctx context.Context) error {
	d.title("Change the image of differences to v1.2: the plan says where; kube03 keeps its own")
	if err := d.edit("differences/deployment.yaml", "image: "+image("v1.0"), "image: "+image("v1.2")); err != nil {
		return err
	}
	d.want.setImage("differences", "kube02", image("v1.2"))
	d.want.setImage("differences", "kube04", image("v1.2"))
	if err := d.plan(ctx, changes); err != nil {
		return err
	}
	return d.applyAndShow(ctx)
}

func (d *demonstration) repairDrift(ctx context.Context) error {
	d.title("Somebody scales minimal down to 1 on kube02: the next plan sees it and puts it right")
	if err := scale(ctx, d.fleet.Member("kube02"), "minimal", 1); err != nil {
		return err
	}
	d.showEdit("Deployment minimal on kube02", "replicas: 4", "replicas: 1")
	if err := d.plan(ctx, changes); err != nil {
		return err
	}
	return d.applyAndShow(ctx)
}

func (d *demonstration) loseMember(ctx context.Context) error {
	d.title("kube03 goes down while minimal moves to v1.1: the others get it all the same")
	if err := d.fleet.Member("kube03").Stop(); err != nil {
		return err
	}
	if err := d.edit("minimal/deployment.yaml", "image: "+image("v1.0"), "image: "+image("v1.1")); err != nil {
		return err
	}
	d.want.setImage("minimal", "kube02", image("v1.1"))
	d.want.setImage("minimal", "kube04", image("v1.1"))
	d.note("effective_taints keep new replicas off kube03. What runs there stays: nothing is moved away from a member that is down.")
	if err := d.plan(ctx, changes); err != nil {
		return err
	}
	return d.applyAndShow(ctx)
}

func (d *demonstration) regainMember(ctx context.Context) error {
	d.title("kube03 comes back: the change that was held back is planned and made")
	if err := d.fleet.Member("kube03").Start(ctx); err != nil {
		return err
	}
	d.want.setImage("minimal", "kube03", image("v1.1"))
	if err := d.plan(ctx, changes); err != nil {
		return err
	}
	return d.applyAndShow(ctx)
}

func (d *demonstration) destroy(ctx context.Context) error {
	d.title("Destroy")
	d.want = nil
	if err := d.plan(ctx, onlyTotal, "-destroy"); err != nil {
		return err
	}
	return d.applyAndShow(ctx)
}

func (d *demonstration) title(text string) {
	d.steps++
	fmt.Fprintf(d.out, "\n=== %d. %s\n\n", d.steps, text)
}

func (d *demonstration) note(text string) {
	fmt.Fprintf(d.out, "%s\n\n", text)
}

// edit replaces a text in a file of the configuration, as its author would, and shows that.
func (d *demonstration) edit(name, from, to string) error {
	path := filepath.Join(d.workspace.dir, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), from) {
		return fmt.Errorf("%s does not hold %q", path, from)
	}
	d.showEdit(name, from, to)
	return os.WriteFile(path, []byte(strings.ReplaceAll(string(text), from, to)), 0o600)
}

func (d *demonstration) showEdit(where, from, to string) {
	d.note(fmt.Sprintf("%s:\n- %s\n+ %s", where, from, to))
}

// plan saves a plan and prints a view of it.
func (d *demonstration) plan(ctx context.Context, show view, options ...string) error {
	return d.run(ctx, show, append([]string{"plan", "-out=saved.tfplan"}, options...)...)
}

// applyAndShow applies the saved plan and prints what the clusters run then, which must be what is wanted.
func (d *demonstration) applyAndShow(ctx context.Context) error {
	if err := d.run(ctx, changes, "apply", "saved.tfplan"); err != nil {
		return err
	}
	got, err := awaitBoard(ctx, d.fleet, d.want)
	if err != nil && got == nil {
		return err
	}
	fmt.Fprintln(d.out)
	return errors.Join(got.print(d.out, d.fleet), err)
}

func (d *demonstration) run(ctx context.Context, show view, args ...string) error {
	fmt.Fprintf(d.out, "$ %s %s\n", d.workspace.name(), strings.Join(args, " "))
	if !isTerminal(d.out) {
		args = append(args[:1:1], append([]string{"-no-color"}, args[1:]...)...)
	}
	output, err := d.workspace.run(ctx, args...)
	fmt.Fprint(d.out, indent(show(output)))
	return err
}

func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func image(tag string) string {
	return "ikubernetes/demoapp:" + tag
}
