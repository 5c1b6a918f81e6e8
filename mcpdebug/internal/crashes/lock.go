//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package crashes

import (
	"errors"
	"os"
	"syscall"
)

// lock takes f for this process; errLocked: another one has it. Any other error
// means that the file cannot be locked at all.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
