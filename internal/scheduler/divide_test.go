package scheduler

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDivide(t *testing.T) {
	type m = map[string]int64
	tests := map[string]struct {
		seats            int64
		weights, initial m
		tieKey           string
		want             m
	}{
		"two replicas at two to one":         {2, m{"a": 2, "b": 1}, nil, "", m{"a": 1, "b": 1}},
		"three at two to one":                {3, m{"a": 2, "b": 1}, nil, "", m{"a": 2, "b": 1}},
		"exact shares":                       {5, m{"a": 2, "b": 3}, nil, "", m{"a": 2, "b": 3}},
		"ties go to the first name":          {1, m{"a": 1, "b": 1}, nil, "", m{"a": 1, "b": 0}},
		"an even hash changes nothing":       {1, m{"a": 1, "b": 1}, nil, tieKeyWithHash(0), m{"a": 1, "b": 0}},
		"an odd hash turns ties round":       {1, m{"a": 1, "b": 1}, nil, tieKeyWithHash(1), m{"a": 0, "b": 1}},
		"no weight takes no seat":            {3, m{"a": 0, "b": 1}, nil, "", m{"a": 0, "b": 3}},
		"no weight at all":                   {3, m{"a": 0, "b": 0}, nil, "", m{}},
		"no weight at all keeps what is":     {3, m{"a": 0}, m{"b": 2}, "", m{"b": 2}},
		"no seats":                           {0, m{"a": 1}, nil, "", m{"a": 0}},
		"no seats keeps what is":             {0, m{"a": 1}, m{"b": 2}, "", m{"b": 2}},
		"held seats count":                   {2, m{"a": 1, "b": 1}, m{"a": 2}, "", m{"a": 2, "b": 2}},
		"held without a weight":              {2, m{"a": 1}, m{"z": 7}, "", m{"a": 2, "z": 7}},
		"too many held already":              {1, m{"a": 1, "b": 1}, m{"a": 9}, "", m{"a": 9, "b": 1}},
		"no parties":                         {5, nil, nil, "", m{}},
		"seats and weights beyond 32 bits":   {1 << 40, m{"a": 1 << 50, "b": 1 << 50}, nil, "", m{"a": 1 << 39, "b": 1 << 39}},
		"many seats beside one that has all": {1 << 40, m{"a": 1, "b": 1}, m{"a": 1 << 41}, "", m{"a": 1 << 41, "b": 1 << 40}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Divide(tt.seats, tt.weights, tt.initial, tt.tieKey)
			if !maps.Equal(got, tt.want) {
				t.Errorf("Divide() = %v, want %v", got, tt.want)
			}
		})
	}
}

// tieKeyWithHash returns a key whose FNV-1a hash has the parity.
func tieKeyWithHash(parity uint32) string {
	for i := 0; ; i++ {
		key := fmt.Sprint("key", i)
		h := fnv.New32a()
		_, _ = h.Write([]byte(key))
		if h.Sum32()%2 == parity {
			return key
		}
	}
}

// divideBySteps is the definition itself: one seat after the other, each to the party that stands first.
func divideBySteps(seats int64, weights, initial map[string]int64, tieKey string) map[string]int64 {
	var sum int64
	for _, w := range weights {
		sum += w
	}
	out := copyOf(initial)
	if sum == 0 || (seats == 0 && len(initial) > 0) {
		return out
	}
	names := slices.Sorted(maps.Keys(weights))
	h := fnv.New32a()
	_, _ = h.Write([]byte(tieKey))
	if tieKey != "" && h.Sum32()%2 == 1 {
		slices.Reverse(names)
	}
	for _, name := range names {
		out[name] = initial[name]
	}
	for range seats {
		best, bestQuotient := "", math.Inf(-1)
		for _, name := range names {
			q := float64(weights[name]) / float64(2*out[name]+1)
			if q > bestQuotient || (q == bestQuotient && out[name] < out[best]) {
				best, bestQuotient = name, q
			}
		}
		out[best]++
	}
	return out
}

func TestDivideEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 4000 {
		seats, weights, initial := randomDivision(r)
		key := fmt.Sprint(i)
		got, want := Divide(seats, weights, initial, key), divideBySteps(seats, weights, initial, key)
		if !maps.Equal(got, want) {
			t.Fatalf("Divide(%d, %v, %v, %q) = %v, want %v", seats, weights, initial, key, got, want)
		}
	}
}

// randomDivision returns weights of several magnitudes, equal ones and zeros among them, and sometimes held seats.
func randomDivision(r *rand.Rand) (seats int64, weights, initial map[string]int64) {
	weights, initial = map[string]int64{}, map[string]int64{}
	span := []int64{1, 2, 5, 100, 1 << 20, 1 << 60}[r.IntN(6)]
	for i := range r.IntN(25) {
		name := fmt.Sprintf("m%02d", i)
		weights[name] = r.Int64N(span + 1)
		if r.IntN(4) == 0 {
			initial[name] = r.Int64N(40)
		}
	}
	if r.IntN(2) == 0 {
		clear(initial)
	}
	return r.Int64N(200), weights, initial
}

func FuzzDivide(f *testing.F) {
	f.Add(int64(7), int64(1), int64(2), int64(3), int64(0), int64(2), "a key")
	f.Fuzz(func(t *testing.T, seats, a, b, c, heldA, heldB int64, key string) {
		abs := func(n, limit int64) int64 { return max(n%limit, -(n % limit)) }
		weights := map[string]int64{"a": abs(a, 1<<40), "b": abs(b, 1<<40), "c": abs(c, 1<<40)}
		initial := map[string]int64{"a": abs(heldA, 300), "b": abs(heldB, 300)}
		seats = abs(seats, 500)
		got, want := Divide(seats, weights, initial, key), divideBySteps(seats, weights, initial, key)
		if !maps.Equal(got, want) {
			t.Errorf("Divide(%d, %v, %v, %q) = %v, want %v", seats, weights, initial, key, got, want)
		}
	})
}

func TestDivideSumsUpAndIsMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		seats, weights, _ := randomDivision(r)
		if len(newParties(weights, nil)) == 0 {
			continue
		}
		before := Divide(seats, weights, nil, "k")
		if got := sum(before); got != seats {
			t.Fatalf("Divide(%d, %v) hands out %d seats", seats, weights, got)
		}
		after := Divide(seats+1, weights, nil, "k")
		for name := range before {
			if after[name] < before[name] {
				t.Fatalf("%s loses a seat as %d become %d among %v", name, seats, seats+1, weights)
			}
		}
	}
}

func TestDivideCapped(t *testing.T) {
	type m = map[string]int64
	tests := map[string]struct {
		seats         int64
		weights, caps m
		want, full    m
		left          int64
	}{
		"no caps":                       {4, m{"a": 1, "b": 1}, nil, m{"a": 2, "b": 2}, nil, 0},
		"the rest goes to the others":   {9, m{"a": 1, "b": 1, "c": 1}, m{"a": 1}, m{"a": 1, "b": 4, "c": 4}, m{"a": 1}, 0},
		"a cap that is not reached":     {4, m{"a": 1, "b": 3}, m{"a": 3}, m{"a": 1, "b": 3}, nil, 0},
		"a cap that is just reached":    {4, m{"a": 1, "b": 1}, m{"a": 2}, m{"a": 2, "b": 2}, nil, 0},
		"one cap brings on another":     {10, m{"a": 3, "b": 1, "c": 1}, m{"a": 2, "b": 3}, m{"a": 2, "b": 3, "c": 5}, m{"a": 2, "b": 3}, 0},
		"nobody is left":                {7, m{"a": 1, "b": 1}, m{"a": 1, "b": 2}, m{"a": 1, "b": 2}, m{"a": 1, "b": 2}, 4},
		"nothing may be taken":          {2, m{"a": 1, "b": 1}, m{"a": 0}, m{"a": 0, "b": 2}, m{"a": 0}, 0},
		"a cap on a party that is away": {2, m{"a": 1}, m{"z": 0}, m{"a": 2}, nil, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, full, left := divideCapped(tt.seats, tt.weights, tt.caps, "")
			if !maps.Equal(got, tt.want) || !maps.Equal(full, tt.full) || left != tt.left {
				t.Errorf("divideCapped() = %v, full %v and %d left, want %v, %v and %d", got, full, left, tt.want, tt.full, tt.left)
			}
		})
	}
}

// BenchmarkDivide divides 1,000 replicas among 100 members.
func BenchmarkDivide(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	weights := map[string]int64{}
	for i := range 100 {
		weights[fmt.Sprintf("member-%03d", i)] = 1 + r.Int64N(1000)
	}
	for b.Loop() {
		Divide(1000, weights, nil, "Deployment.apps/default/web")
	}
}
