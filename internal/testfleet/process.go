package testfleet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// process is one server of the fleet. It can be started again after it was killed.
type process struct {
	name    string
	program string
	args    []string
	logFile string

	cmd  *exec.Cmd
	done chan struct{} // Closed when the running command has ended and was reaped.
}

// spawn runs a function on the one thread that starts all processes. The kernel kills a child with
// the death signal when the thread that made it ends, which without this can be long before the end
// of the program.
var spawn = sync.OnceValue(func() func(func() error) error {
	type job struct {
		run    func() error
		result chan error
	}
	jobs := make(chan job)
	go func() {
		runtime.LockOSThread()
		for j := range jobs {
			j.result <- j.run()
		}
	}()
	return func(run func() error) error {
		j := job{run, make(chan error)}
		jobs <- j
		return <-j.result
	}
})

// start runs the program with its output appended to the log file.
func (p *process) start() error {
	log, err := os.OpenFile(p.logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(p.program, p.args...)
	cmd.Dir = filepath.Dir(p.logFile)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = childAttributes()
	err = spawn()(cmd.Start)
	if err := errors.Join(err, log.Close()); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // How it ended does not matter: it was killed, or failure shows its log.
	}()
	p.cmd, p.done = cmd, done
	return nil
}

// running tells whether the process was started and has not ended.
func (p *process) running() bool {
	if p == nil || p.cmd == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// kill ends the process at once and returns when the kernel has let go of it. It is no error that it
// is not running.
func (p *process) kill() error {
	if !p.running() {
		return nil
	}
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s (process %d): %w", p.name, p.cmd.Process.Pid, err)
	}
	<-p.done
	return nil
}

// failure returns an error with the last lines of the log when the process has ended by itself.
func (p *process) failure() error {
	if p.running() {
		return nil
	}
	text, err := os.ReadFile(p.logFile)
	if err != nil {
		return fmt.Errorf("%s ended and left no log: %w", p.name, err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return fmt.Errorf("%s ended; the end of %s:\n%s", p.name, p.logFile,
		strings.Join(lines[max(0, len(lines)-15):], "\n"))
}
