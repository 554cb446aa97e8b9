package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memoryInterval is short against the life of a provider process, and long against a look at /proc.
const memoryInterval = 25 * time.Millisecond

// memoryWatch follows the peak resident size of the processes of one executable. The CLI starts several, one after
// the other, and keeps their accounts to itself.
type memoryWatch struct {
	quit chan struct{}
	peak chan int
}

func watchMemory(executable string) memoryWatch {
	w := memoryWatch{make(chan struct{}), make(chan int)}
	go func() {
		peak := 0
		ticker := time.NewTicker(memoryInterval)
		defer ticker.Stop()
		for {
			select {
			case <-w.quit:
				w.peak <- peak
				return
			case <-ticker.C:
				peak = max(peak, peakKiB(executable))
			}
		}
	}()
	return w
}

// stop returns the peak in KiB, 0 on a system without /proc.
func (w memoryWatch) stop() int {
	close(w.quit)
	return <-w.peak
}

// peakKiB is the largest peak among the running processes of an executable. The kernel keeps the peak, so only
// growth in a process's very last moments is missed.
func peakKiB(executable string) int {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return 0
	}
	peak := 0
	for _, link := range links {
		if target, err := os.Readlink(link); err != nil || target != executable {
			continue
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(link), "status"))
		if err != nil {
			continue // It has just ended.
		}
		peak = max(peak, field(string(status), "VmHWM:"))
	}
	return peak
}

// field returns the number after a name in the text of /proc/PID/status.
func field(status, name string) int {
	_, rest, found := strings.Cut(status, name)
	words := strings.Fields(rest)
	if !found || len(words) == 0 {
		return 0
	}
	number, err := strconv.Atoi(words[0])
	if err != nil {
		return 0
	}
	return number
}
