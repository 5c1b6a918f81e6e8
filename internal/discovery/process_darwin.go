package discovery

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// processStart is the kernel's own record of when a process began.
func processStart(pid int) (string, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", err
	}
	t := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec), nil
}
