//go:build unix && !linux

package launch

import "syscall"

// groupOfItsOwn gives the child a process group.
func groupOfItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
