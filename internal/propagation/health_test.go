package propagation

import (
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

func TestUnhealthyKeepsItsClock(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	first := Unhealthy{}.Observe(api.ReasonUnreachable, "no answer", start)
	second := first.Observe(api.ReasonNotReady, "etcd", start.Add(time.Minute))
	if !second.Since.Equal(start) || !second.ObservedAt.Equal(start.Add(time.Minute)) || second.Reason != api.ReasonNotReady {
		t.Errorf("second observation %+v", second)
	}
	third := second.Observe(api.ReasonCredentialsFailed, "401", start.Add(2*time.Minute))
	if !third.Since.Equal(start.Add(2 * time.Minute)) {
		t.Errorf("failing credentials keep the clock of the member's own trouble: %+v", third)
	}
	if !third.Observe("", "", start.Add(3*time.Minute)).Healthy() {
		t.Error("a member that is well is not healthy")
	}
}

func TestUnhealthyRoundTrips(t *testing.T) {
	want := Unhealthy{}.Observe(api.ReasonUnreachable, "no answer", time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC))
	got, err := ParseUnhealthy(want.Map())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if got, err := ParseUnhealthy(map[string]string{}); err != nil || !got.Healthy() {
		t.Errorf("empty: got %+v, %v", got, err)
	}
	for want, broken := range map[string]map[string]string{
		`unhealthy.since is "yesterday" and not a time such as`: {"reason": "Unreachable", "since": "yesterday", "observed_at": "2026-03-01T12:00:00Z"},
		"unhealthy.observed_at is missing: give a time such as": {"reason": "Unreachable", "since": "2026-03-01T12:00:00Z"},
		"unhealthy has no reason":                               {"since": "2026-03-01T12:00:00Z", "observed_at": "2026-03-01T12:00:00Z"},
	} {
		if _, err := ParseUnhealthy(broken); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got error %v, want %q", broken, err, want)
		}
	}
}

func TestEffectiveTaints(t *testing.T) {
	since := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	declared := []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	for _, test := range []struct {
		name          string
		unschedulable bool
		reason        string
		want          []string
	}{
		{"well", false, "", []string{"dedicated=gpu:NoSchedule"}},
		{"cordoned", true, "", []string{scheduler.TaintUnschedulable + ":NoSchedule", "dedicated=gpu:NoSchedule"}},
		{"unreachable", false, api.ReasonUnreachable, []string{scheduler.TaintUnreachable + ":NoExecute", scheduler.TaintUnreachable + ":NoSchedule", "dedicated=gpu:NoSchedule"}},
		{"not ready", false, api.ReasonNotReady, []string{scheduler.TaintNotReady + ":NoExecute", scheduler.TaintNotReady + ":NoSchedule", "dedicated=gpu:NoSchedule"}},
		{"credentials", false, api.ReasonCredentialsFailed, []string{"dedicated=gpu:NoSchedule"}},
		{"untrusted", false, api.ReasonUntrusted, []string{"dedicated=gpu:NoSchedule"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, taint := range EffectiveTaints(declared, test.unschedulable, Unhealthy{Reason: test.reason, Since: since}) {
				got = append(got, taint.ToString())
				if (taint.TimeAdded != nil) != (taint.Key == scheduler.TaintUnreachable || taint.Key == scheduler.TaintNotReady) {
					t.Errorf("%s: time added %v", taint.ToString(), taint.TimeAdded)
				}
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("taints %v, want %v", got, test.want)
			}
		})
	}
}
