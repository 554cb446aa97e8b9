package manifest

import (
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Whatever others add to a live object where the sent one owns nothing, to any
// map and to any list whose items have names, never shows.
func TestProjectHidesWhatOthersAdd(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for name, text := range soundObjects {
		compareDecorated(t, random, name, mustObject(t, text))
	}
	for i := range 2000 {
		obj := randomObject(random)
		compareDecorated(t, random, fmt.Sprintf("random object %d", i), obj)
	}
}

func compareDecorated(t *testing.T, random *rand.Rand, name string, obj *unstructured.Unstructured) {
	t.Helper()
	owned := Flatten(obj)
	if got := Project(obj, owned); !reflect.DeepEqual(got, owned) {
		t.Fatalf("%s: the projection of the sent object differs:\n%v\n%v\n%v", name, obj.Object, got, owned)
	}
	live := obj.DeepCopy()
	live.Object, _ = decorate(random, shapeOf(obj.GroupVersionKind()), live.Object).(map[string]any)
	if got := Project(live, owned); !reflect.DeepEqual(got, owned) {
		t.Fatalf("%s: sent\n%v\nlive\n%v\ngot\n%v\nwant\n%v", name, obj.Object, live.Object, got, owned)
	}
}

// decorate adds fields and named items below value.
func decorate(random *rand.Rand, s *shape, value any) any {
	switch value := value.(type) {
	case map[string]any:
		if s.isWhole() {
			return value
		}
		for name, field := range value {
			value[name] = decorate(random, s.child(name), field)
		}
		value["added"] = randomValue(random, 2)
		return value
	case []any:
		if allScalars(value) {
			return value
		}
		named := itemNames(s, value) != nil
		for i, item := range value {
			value[i] = decorate(random, s.item(), item)
		}
		if named {
			added := map[string]any{"added": true}
			for _, key := range itemKeys(s) {
				added[key.name] = "added"
			}
			at := random.Intn(len(value) + 1)
			return append(value[:at:at], append([]any{added}, value[at:]...)...)
		}
		return value
	default:
		return value
	}
}

// randomObject returns a Pod, or an object nothing is known of, of any content.
func randomObject(random *rand.Rand) *unstructured.Unstructured {
	obj := map[string]any{"apiVersion": "example.io/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}, "spec": randomValue(random, 5)}
	if random.Intn(2) == 0 {
		obj["apiVersion"], obj["kind"] = "v1", "Pod"
		obj["spec"] = map[string]any{"containers": randomValue(random, 4), "initContainers": randomValue(random, 4), "volumes": randomValue(random, 3)}
	}
	return &unstructured.Unstructured{Object: obj}
}

var randomNames = []string{"name", "env", "ports", "containerPort", "protocol", "mountPath", "volumeMounts", "a.b", "x[0]", "x", `q"`, "", "*"}

func randomValue(random *rand.Rand, depth int) any {
	kind := random.Intn(8)
	if depth == 0 {
		kind = random.Intn(5)
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return random.Intn(2) == 0
	case 2:
		return int64(random.Intn(3))
	case 3, 4:
		return randomNames[random.Intn(len(randomNames))]
	case 5, 6:
		fields := map[string]any{}
		for range random.Intn(4) {
			fields[randomNames[random.Intn(len(randomNames))]] = randomValue(random, depth-1)
		}
		return fields
	default:
		items := []any{}
		for i := range random.Intn(4) {
			item := randomValue(random, depth-1)
			if fields, ok := item.(map[string]any); ok && random.Intn(4) > 0 {
				fields["name"] = fmt.Sprint(i)
			}
			items = append(items, item)
		}
		return items
	}
}
