//go:build unix

package discovery

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// place names the directory: in the session's runtime directory, which the
// system gives to one user, or else beside everybody's temporary files. Both
// are of this machine and end with it.
func place() (path string, private bool) {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "loupe"), true
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("loupe-%d", os.Getuid())), false
}

func oursAlone(info os.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return errors.New("it belongs to another user")
	}
	if info.Mode().Perm()&0o077 != 0 {
		return errors.New("others may read or write it: chmod 700")
	}
	return nil
}

func processAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
