package launch

import "syscall"

// groupOfItsOwn gives the child a process group, and its end if the keeper dies.
func groupOfItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
