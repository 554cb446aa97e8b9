package testfleet

import "syscall"

// childAttributes make a child die with this program, however it ends, and keep the terminal's Ctrl-C
// from it, so that the fleet ends its processes in order.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
