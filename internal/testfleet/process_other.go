//go:build !linux

package testfleet

import "syscall"

// childAttributes leave a child in the group of this program, so that the terminal's Ctrl-C ends both:
// only Linux kills a child when its parent dies.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{}
}
