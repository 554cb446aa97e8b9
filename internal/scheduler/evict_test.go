package scheduler

import (
	"maps"
	"slices"
	"testing"
	"time"
)

func fromClusters(evictions []Eviction) []string {
	var out []string
	for _, e := range evictions {
		out = append(out, e.FromCluster)
	}
	return out
}

func TestEvict(t *testing.T) {
	type m = map[string]int64
	tests := map[string]struct {
		placed    m
		evictions []Eviction
		from      string
		want      m
		wantOpen  []string
	}{
		"a member that holds it":  {m{"a": 2, "b": 1}, nil, "a", m{"b": 1}, []string{"a"}},
		"one that does not":       {m{"b": 1}, nil, "a", m{"b": 1}, nil},
		"one beside another":      {m{"a": 2}, []Eviction{{FromCluster: "z"}}, "a", m{}, []string{"z", "a"}},
		"one that is being left":  {m{"a": 2}, []Eviction{{FromCluster: "a", Replicas: 5}}, "a", m{}, []string{"a"}},
		"an object without count": {m{"a": 0}, nil, "a", m{}, []string{"a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			placed, evictions := maps.Clone(tt.placed), slices.Clone(tt.evictions)
			got, open := Evict(placed, evictions, Eviction{FromCluster: tt.from})
			if !maps.Equal(got, tt.want) || !slices.Equal(fromClusters(open), tt.wantOpen) {
				t.Errorf("Evict() = %v, %v, want %v, %v", got, fromClusters(open), tt.want, tt.wantOpen)
			}
			if !maps.Equal(placed, tt.placed) || !slices.Equal(evictions, tt.evictions) {
				t.Error("Evict() changed its arguments")
			}
			if len(open) > len(tt.evictions) && open[len(open)-1].Replicas != tt.placed[tt.from] {
				t.Errorf("eviction of %d replicas, want %d", open[len(open)-1].Replicas, tt.placed[tt.from])
			}
		})
	}
}

func TestAssess(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	yes, no, minute := true, false, int32(60)
	opened := func(ago time.Duration) Eviction { return Eviction{FromCluster: "a", Created: now.Add(-ago)} }
	suppressed := func(e Eviction, suppress *bool) Eviction { e.SuppressDeletion = suppress; return e }
	graced := func(e Eviction) Eviction { e.GracePeriodSeconds = &minute; return e }
	tests := map[string]struct {
		eviction         Eviction
		settled, healthy bool
		over             bool
	}{
		"just opened":                 {Eviction{FromCluster: "a"}, true, true, false},
		"waiting":                     {opened(time.Minute), true, false, false},
		"healthy elsewhere":           {opened(time.Minute), true, true, true},
		"healthy but not settled":     {opened(time.Minute), false, true, false},
		"timed out":                   {opened(11 * time.Minute), false, false, true},
		"at the very end":             {opened(10 * time.Minute), false, false, false},
		"its own grace period":        {graced(opened(2 * time.Minute)), false, false, true},
		"deletion suppressed":         {suppressed(opened(time.Hour), &yes), true, true, false},
		"suppression taken back":      {suppressed(opened(0), &no), false, false, true},
		"suppression of a new one":    {suppressed(Eviction{FromCluster: "a"}, &no), false, false, false},
		"within its own grace period": {graced(opened(30 * time.Second)), true, false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			open, over := Assess([]Eviction{tt.eviction}, Replacement{Now: now, Timeout: DefaultGracePeriod, Settled: tt.settled, Healthy: tt.healthy})
			if (len(over) == 1) != tt.over || len(open)+len(over) != 1 {
				t.Errorf("Assess() = %d open, %d over; want over %v", len(open), len(over), tt.over)
			}
		})
	}
}
