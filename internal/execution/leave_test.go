package execution_test

import (
	"net/http"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/multicluster/terraform-provider-multicluster/internal/execution"
	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
)

// leaving asks for an object of which the fields that patterns name are left to others.
func leaving(t *testing.T, object *unstructured.Unstructured, patterns ...string) execution.ApplyRequest {
	t.Helper()
	req := request(object)
	o := &req.Objects[0]
	for _, text := range patterns {
		pattern, err := manifest.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Left = append(o.Left, pattern)
	}
	var err error
	if o.Manifest, err = manifest.Without(object, o.Left...); err != nil {
		t.Fatal(err)
	}
	o.Initial = object
	return req
}

// owns returns those of the paths that we own of obj.
func (b *bench) owns(obj *unstructured.Unstructured, paths ...string) string {
	b.Helper()
	owned, err := execution.OwnedFields(b.live(obj))
	if err != nil {
		b.Fatal(err)
	}
	fields := manifest.Flatten(owned)
	var ours []string
	for _, path := range paths {
		if _, ok := fields[path]; ok {
			ours = append(ours, path)
		}
	}
	return strings.Join(ours, " ")
}

// shows fails the test unless the object is live with replicas and image.
func (b *bench) shows(obj *unstructured.Unstructured, replicas int64, image string) {
	b.Helper()
	fields := manifest.Flatten(b.live(obj))
	if fields["spec.replicas"] != replicas || fields["spec.template.spec.containers[name=web].image"] != image {
		b.Errorf("got %v replicas of %v, want %d of %s", fields["spec.replicas"], fields["spec.template.spec.containers[name=web].image"], replicas, image)
	}
}

const (
	replicasPath = "spec.replicas"
	imagePath    = "spec.template.spec.containers[name=web].image"
)

// TestLeftFields: what is left to others is sent once, is owned by nobody then, and stays whatever it becomes.
func TestLeftFields(t *testing.T) {
	b := newBench(t)
	all := objects(t, namespace+"\n---\n"+deployment)
	b.do(request(all[0]))
	web := all[1]
	b.do(leaving(t, web, replicasPath, "/spec/template/spec/containers/0/image"))
	b.shows(web, 2, "nginx:1.27")
	if ours := b.owns(web, replicasPath, imagePath); ours != "" {
		t.Errorf("we own %s after the create", ours)
	}
	if ours := b.owns(web, "metadata.labels.app", "spec.template.spec.containers[name=web].ports[containerPort=80]", "spec.selector.matchLabels.app"); strings.Count(ours, " ") != 1 {
		t.Errorf("we own only %s of the rest", ours)
	}

	scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}, Spec: autoscalingv1.ScaleSpec{Replicas: 7}}
	if _, err := b.client.AppsV1().Deployments("shop").UpdateScale(t.Context(), "web", scale, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.patch(web, `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx:1.28"}]}}}}`)
	changed := web.DeepCopy()
	changed.SetLabels(map[string]string{"app": "web", "tier": "front"})
	b.restart()
	b.do(leaving(t, changed, replicasPath, imagePath))
	b.shows(web, 7, "nginx:1.28")
	if got := b.live(web).GetLabels()["tier"]; got != "front" {
		t.Errorf("the rest was not applied: tier is %q", got)
	}
}

// TestLeavingAndTakingBack: a field that was ours keeps its value when it is left, though nobody else owns it, and is ours
// again when it is sent again.
func TestLeavingAndTakingBack(t *testing.T) {
	b := newBench(t)
	all := objects(t, namespace+"\n---\n"+deployment)
	b.do(request(all...))
	web := all[1]
	b.restart()
	if objections := execution.DryRun(t.Context(), b.session, leaving(t, web, replicasPath, imagePath)); len(objections) > 0 {
		t.Errorf("the member objects to what it has: %v", objections)
	}
	quicker := 1
	b.before = func(req *http.Request) {
		if req.Method == http.MethodPatch && req.Header.Get("Content-Type") == "application/merge-patch+json" && quicker > 0 {
			quicker--
			b.patch(web, `{"metadata":{"annotations":{"quicker":"x"}}}`)
		}
	}
	b.do(leaving(t, web, replicasPath, imagePath))
	b.before = nil
	if quicker > 0 {
		t.Error("ownership was not given up by a patch")
	}
	b.shows(web, 2, "nginx:1.27")
	if ours := b.owns(web, replicasPath, imagePath); ours != "" {
		t.Errorf("we own %s still", ours)
	}
	b.before = func(req *http.Request) {
		if req.Header.Get("Content-Type") == "application/merge-patch+json" {
			t.Error("what is left already is given up once more")
		}
	}
	b.do(leaving(t, web, replicasPath, imagePath))
	b.before = nil
	b.patch(web, `{"spec":{"replicas":9}}`)
	b.restart()
	b.do(request(web))
	b.shows(web, 2, "nginx:1.27")
	if ours := b.owns(web, replicasPath, imagePath); ours != replicasPath+" "+imagePath {
		t.Errorf("we own just %s", ours)
	}
}

// TestLeavingAPartOfTheWhole: what the API takes as a whole cannot be left in part; nothing is lost by trying.
func TestLeavingAPartOfTheWhole(t *testing.T) {
	b := newBench(t)
	all := objects(t, namespace+"\n---\n"+deployment)
	b.do(request(all...))
	b.restart()
	result := execution.Apply(t.Context(), b.session, leaving(t, all[1], "spec.selector.matchLabels.app"))
	wantError(t, result.Err(), "member kube02: Deployment.apps/shop/web: the API takes spec.selector as a whole, so no part of it can be left to others")
	wantStates(t, result, map[string]execution.State{"Deployment.apps/shop/web": execution.StateNotSent})
	b.shows(all[1], 2, "nginx:1.27")
}
