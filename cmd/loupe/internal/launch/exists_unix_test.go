//go:build unix

package launch

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// exists is an error when no process has that number; one that has ended and is
// not waited for counts as none.
func exists(pid int) error {
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(b), ") Z ") {
		return errors.New("a zombie")
	}
	return syscall.Kill(pid, 0)
}
