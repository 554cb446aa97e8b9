package propagation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
	"github.com/multicluster/terraform-provider-multicluster/internal/scheduler"
)

// Unhealthy says what is wrong with a member: a reason of package api. The zero value is a healthy member.
type Unhealthy struct {
	Reason     string
	Message    string
	Since      time.Time // when it was first seen so
	ObservedAt time.Time // when it was last seen so
}

// Healthy reports whether nothing is wrong.
func (u Unhealthy) Healthy() bool { return u.Reason == "" }

// Observe returns what is known after an observation at now that found reason and message, given what was known before.
// The clock goes on while the member stays away, whatever the reason changes to among those that taint; an empty
// reason is a healthy member.
func (u Unhealthy) Observe(reason, message string, now time.Time) Unhealthy {
	if reason == "" {
		return Unhealthy{}
	}
	next := Unhealthy{Reason: reason, Message: message, Since: now.UTC().Truncate(time.Second), ObservedAt: now.UTC().Truncate(time.Second)}
	if u.Reason == reason || (healthTaint(u.Reason) != "" && healthTaint(reason) != "") {
		next.Since = u.Since
	}
	return next
}

// Map returns u as multicluster_member stores it: empty for a healthy member.
func (u Unhealthy) Map() map[string]string {
	if u.Healthy() {
		return map[string]string{}
	}
	return map[string]string{
		"reason":      u.Reason,
		"message":     u.Message,
		"since":       u.Since.Format(time.RFC3339),
		"observed_at": u.ObservedAt.Format(time.RFC3339),
	}
}

// ParseUnhealthy reads what Map writes. A time that does not parse is an error: it must never become an eviction.
func ParseUnhealthy(values map[string]string) (Unhealthy, error) {
	if len(values) == 0 {
		return Unhealthy{}, nil
	}
	u := Unhealthy{Reason: values["reason"], Message: values["message"]}
	if u.Reason == "" {
		return Unhealthy{}, fmt.Errorf("unhealthy has no reason: want {} or reason, message, since and observed_at")
	}
	var err error
	if u.Since, err = timeOf(values, "since"); err != nil {
		return Unhealthy{}, err
	}
	if u.ObservedAt, err = timeOf(values, "observed_at"); err != nil {
		return Unhealthy{}, err
	}
	return u, nil
}

// timeOf reads one of the times of an unhealthy member.
func timeOf(values map[string]string, name string) (time.Time, error) {
	const form = "a time such as 2026-01-31T12:00:00Z"
	value, given := values[name]
	if !given || value == "" {
		return time.Time{}, fmt.Errorf("unhealthy.%s is missing: give %s", name, form)
	}
	t, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return time.Time{}, fmt.Errorf("unhealthy.%s is %q and not %s", name, value, form)
	}
	return t, nil
}

// EffectiveTaints returns the taints a member has: those declared, the cordon taint when it is unschedulable, and a
// NoSchedule and a NoExecute taint with the time since which it is unreachable or not ready. A declared taint wins over
// an automatic one with the same key and effect. The result is sorted by key and effect.
func EffectiveTaints(declared []corev1.Taint, unschedulable bool, unhealthy Unhealthy) []corev1.Taint {
	taints := slices.Clone(declared)
	add := func(taint corev1.Taint) {
		if !slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.MatchTaint(&taint) }) {
			taints = append(taints, taint)
		}
	}
	if unschedulable {
		add(corev1.Taint{Key: scheduler.TaintUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	if key := healthTaint(unhealthy.Reason); key != "" {
		since := metav1.NewTime(unhealthy.Since)
		add(corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &since})
		add(corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute, TimeAdded: &since})
	}
	slices.SortFunc(taints, func(a, b corev1.Taint) int {
		return strings.Compare(a.Key+":"+string(a.Effect), b.Key+":"+string(b.Effect))
	})
	return taints
}

// healthTaint returns the key of the taint that a reason brings, or "".
func healthTaint(reason string) string {
	switch reason {
	case api.ReasonUnreachable:
		return scheduler.TaintUnreachable
	case api.ReasonNotReady:
		return scheduler.TaintNotReady
	default:
		return ""
	}
}
