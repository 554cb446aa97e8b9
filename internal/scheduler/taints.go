package scheduler

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// The taints that a member's health and its cordon bring, as Karmada names them.
const (
	TaintNotReady      = "cluster.karmada.io/not-ready"
	TaintUnreachable   = "cluster.karmada.io/unreachable"
	TaintUnschedulable = "cluster.karmada.io/unschedulable"
)

// DefaultTolerationSeconds is how long an object stays on an unhealthy member unless its policy says otherwise: what
// Kubernetes gives Pods on an unhealthy node, and Karmada gave until 1.14.
const DefaultTolerationSeconds int64 = 300

// WithDefaultTolerations returns tolerations, and for each health taint whose NoExecute effect they do not mention one
// more that lasts DefaultTolerationSeconds.
func WithDefaultTolerations(tolerations []corev1.Toleration) []corev1.Toleration {
	out := append([]corev1.Toleration(nil), tolerations...)
	seconds := DefaultTolerationSeconds
	for _, key := range []string{TaintNotReady, TaintUnreachable} {
		if !mentions(tolerations, key) {
			out = append(out, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			})
		}
	}
	return out
}

// mentions reports whether a toleration is about the NoExecute effect of the key, or of every key.
func mentions(tolerations []corev1.Toleration, key string) bool {
	for i := range tolerations {
		t := &tolerations[i]
		if (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "") {
			return true
		}
	}
	return false
}

// tolerates reports whether the toleration covers the taint, whatever its seconds: an empty effect or key covers every
// one, Exists every value, Equal (or no operator) the same value. Other operators cover nothing.
func tolerates(toleration *corev1.Toleration, taint *corev1.Taint) bool {
	if toleration.Effect != "" && toleration.Effect != taint.Effect {
		return false
	}
	if toleration.Key != "" && toleration.Key != taint.Key {
		return false
	}
	switch toleration.Operator {
	case "", corev1.TolerationOpEqual:
		return toleration.Value == taint.Value
	case corev1.TolerationOpExists:
		return true
	}
	return false
}

// Untolerated returns the first taint that keeps new replicas away, or nil. NoSchedule and NoExecute both do;
// toleration seconds do not matter here.
func Untolerated(taints []corev1.Taint, tolerations []corev1.Toleration) *corev1.Taint {
	for i := range taints {
		taint := &taints[i]
		if taint.Effect != corev1.TaintEffectNoSchedule && taint.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		if firstToleration(taint, tolerations) == nil {
			return taint
		}
	}
	return nil
}

// Stay says how long an object may stay on a tainted member. The zero value is for ever.
type Stay struct {
	Over  bool      // it has to leave now
	Until time.Time // when it will have to leave; zero if never, or if it has to now
}

// StayOn returns how long an object with the tolerations may stay, at now, on a member with the taints. Only NoExecute
// taints evict: at once when not tolerated, else when the seconds of a toleration have passed since the taint was added.
// As in Karmada 1.19, a toleration that is used for one taint counts for every other it covers, and a tolerated taint
// without a time of addition never evicts.
func StayOn(taints []corev1.Taint, tolerations []corev1.Toleration, now time.Time) Stay {
	noExecute := noExecuteTaints(taints)
	var stay Stay
	for i := range noExecute {
		used := firstToleration(&noExecute[i], tolerations)
		if used == nil {
			return Stay{Over: true}
		}
		if end := tolerationEnd(used, noExecute); !end.IsZero() && (stay.Until.IsZero() || end.Before(stay.Until)) {
			stay.Until = end
		}
	}
	if !stay.Until.IsZero() && !stay.Until.After(now) {
		return Stay{Over: true}
	}
	return stay
}

// mostSeconds is the longest time that a time.Duration holds, some 292 years.
const mostSeconds = int64(math.MaxInt64 / time.Second)

// tolerationEnd returns when the toleration ends for the first of the taints it covers; zero if it never does.
func tolerationEnd(t *corev1.Toleration, taints []corev1.Taint) time.Time {
	var first time.Time
	if t.TolerationSeconds == nil {
		return first
	}
	seconds := time.Duration(min(max(*t.TolerationSeconds, 0), mostSeconds)) * time.Second
	for i := range taints {
		if taints[i].TimeAdded == nil || !tolerates(t, &taints[i]) {
			continue
		}
		if end := taints[i].TimeAdded.Add(seconds); first.IsZero() || end.Before(first) {
			first = end
		}
	}
	return first
}

func noExecuteTaints(taints []corev1.Taint) []corev1.Taint {
	var out []corev1.Taint
	for i := range taints {
		if taints[i].Effect == corev1.TaintEffectNoExecute {
			out = append(out, taints[i])
		}
	}
	return out
}

func firstToleration(taint *corev1.Taint, tolerations []corev1.Toleration) *corev1.Toleration {
	for i := range tolerations {
		if tolerates(&tolerations[i], taint) {
			return &tolerations[i]
		}
	}
	return nil
}
