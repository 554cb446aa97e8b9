package scheduler

import (
	"math"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTolerates(t *testing.T) {
	taint := corev1.Taint{Key: "gpu", Value: "a100", Effect: corev1.TaintEffectNoSchedule}
	tests := map[string]struct {
		toleration corev1.Toleration
		want       bool
	}{
		"same value":           {corev1.Toleration{Key: "gpu", Value: "a100"}, true},
		"equal":                {corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpEqual, Value: "a100"}, true},
		"other value":          {corev1.Toleration{Key: "gpu", Value: "t4"}, false},
		"no value":             {corev1.Toleration{Key: "gpu"}, false},
		"exists":               {corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists}, true},
		"other key":            {corev1.Toleration{Key: "cpu", Operator: corev1.TolerationOpExists}, false},
		"every key":            {corev1.Toleration{Operator: corev1.TolerationOpExists}, true},
		"every key, one value": {corev1.Toleration{Value: "a100"}, true},
		"same effect":          {corev1.Toleration{Key: "gpu", Value: "a100", Effect: corev1.TaintEffectNoSchedule}, true},
		"other effect":         {corev1.Toleration{Key: "gpu", Value: "a100", Effect: corev1.TaintEffectNoExecute}, false},
		"unknown operator":     {corev1.Toleration{Key: "gpu", Operator: "Gt", Value: "a100"}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tolerates(&tt.toleration, &taint); got != tt.want {
				t.Errorf("tolerates() = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestUntolerated(t *testing.T) {
	taints := []corev1.Taint{
		{Key: "soft", Effect: corev1.TaintEffectPreferNoSchedule},
		{Key: "a", Effect: corev1.TaintEffectNoSchedule},
		{Key: "b", Effect: corev1.TaintEffectNoExecute},
	}
	exists := func(key string) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists}
	}
	tests := map[string]struct {
		tolerations []corev1.Toleration
		want        string
	}{
		"none":   {nil, "a"},
		"one":    {[]corev1.Toleration{exists("a")}, "b"},
		"both":   {[]corev1.Toleration{exists("b"), exists("a")}, ""},
		"others": {[]corev1.Toleration{exists("soft")}, "a"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if taint := Untolerated(taints, tt.tolerations); taint != nil {
				got = taint.Key
			}
			if got != tt.want {
				t.Errorf("Untolerated() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStayOn(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	taint := func(key string, ago time.Duration) corev1.Taint {
		return corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: now.Add(-ago)}}
	}
	tolerate := func(key string, seconds ...int64) corev1.Toleration {
		out := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists}
		if len(seconds) > 0 {
			out.TolerationSeconds = &seconds[0]
		}
		return out
	}
	timeless := taint("a", 0)
	timeless.TimeAdded = nil
	tests := map[string]struct {
		taints      []corev1.Taint
		tolerations []corev1.Toleration
		want        Stay
	}{
		"no taints":                  {nil, nil, Stay{}},
		"NoSchedule never evicts":    {[]corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoSchedule}}, nil, Stay{}},
		"not tolerated":              {[]corev1.Taint{taint("a", 0)}, nil, Stay{Over: true}},
		"tolerated for ever":         {[]corev1.Taint{taint("a", time.Hour)}, []corev1.Toleration{tolerate("a")}, Stay{}},
		"tolerated a while":          {[]corev1.Taint{taint("a", time.Minute)}, []corev1.Toleration{tolerate("a", 300)}, Stay{Until: now.Add(4 * time.Minute)}},
		"just over":                  {[]corev1.Taint{taint("a", 300*time.Second)}, []corev1.Toleration{tolerate("a", 300)}, Stay{Over: true}},
		"zero seconds":               {[]corev1.Taint{taint("a", 0)}, []corev1.Toleration{tolerate("a", 0)}, Stay{Over: true}},
		"negative seconds":           {[]corev1.Taint{taint("a", 0)}, []corev1.Toleration{tolerate("a", -5)}, Stay{Over: true}},
		"seconds beyond all time":    {[]corev1.Taint{taint("a", 0)}, []corev1.Toleration{tolerate("a", math.MaxInt64)}, Stay{Until: now.Add(time.Duration(math.MaxInt64).Truncate(time.Second))}},
		"the first toleration":       {[]corev1.Taint{taint("a", time.Hour)}, []corev1.Toleration{tolerate("a"), tolerate("a", 1)}, Stay{}},
		"the earliest end":           {[]corev1.Taint{taint("a", 0), taint("b", 0)}, []corev1.Toleration{tolerate("a", 60), tolerate("b", 30)}, Stay{Until: now.Add(30 * time.Second)}},
		"one of two not tolerated":   {[]corev1.Taint{taint("a", 0), taint("b", 0)}, []corev1.Toleration{tolerate("a", 60)}, Stay{Over: true}},
		"no time of addition":        {[]corev1.Taint{timeless}, []corev1.Toleration{tolerate("a", 1)}, Stay{}},
		"no time and not tolerated":  {[]corev1.Taint{timeless}, nil, Stay{Over: true}},
		"a used one counts for both": {[]corev1.Taint{taint("a", 0), taint("b", time.Hour)}, []corev1.Toleration{tolerate("b"), tolerate("", 600)}, Stay{Over: true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := StayOn(tt.taints, tt.tolerations, now); got != tt.want {
				t.Errorf("StayOn() = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestWithDefaultTolerations(t *testing.T) {
	forever := corev1.Toleration{Operator: corev1.TolerationOpExists}
	notReady := corev1.Toleration{Key: TaintNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}
	noSchedule := corev1.Toleration{Key: TaintNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}
	tests := map[string]struct {
		given []corev1.Toleration
		added []string
	}{
		"none":                  {nil, []string{TaintNotReady, TaintUnreachable}},
		"everything tolerated":  {[]corev1.Toleration{forever}, nil},
		"one key mentioned":     {[]corev1.Toleration{notReady}, []string{TaintUnreachable}},
		"another effect":        {[]corev1.Toleration{noSchedule}, []string{TaintNotReady, TaintUnreachable}},
		"something else":        {[]corev1.Toleration{{Key: "gpu"}}, []string{TaintNotReady, TaintUnreachable}},
		"one key, every effect": {[]corev1.Toleration{{Key: TaintUnreachable}}, []string{TaintNotReady}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := WithDefaultTolerations(tt.given)
			added := got[len(tt.given):]
			if len(added) != len(tt.added) {
				t.Fatalf("added %v, want %v", added, tt.added)
			}
			for i, toleration := range added {
				if toleration.Key != tt.added[i] || *toleration.TolerationSeconds != 300 || toleration.Effect != corev1.TaintEffectNoExecute {
					t.Errorf("added %+v, want 300 seconds for %s", toleration, tt.added[i])
				}
			}
		})
	}
}
