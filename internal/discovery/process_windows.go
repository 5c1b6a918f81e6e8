package discovery

import (
	"strconv"
	"syscall"
)

const (
	queryLimited = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION
	stillActive  = 259    // STILL_ACTIVE
)

// processStart is the process's creation time.
func processStart(pid int) (string, error) {
	h, err := syscall.OpenProcess(queryLimited, false, uint32(pid))
	if err != nil {
		return "", err
	}
	defer syscall.CloseHandle(h)
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return "", err
	}
	return strconv.FormatInt(created.Nanoseconds(), 10), nil
}

func processAlive(pid int) bool {
	h, err := syscall.OpenProcess(queryLimited, false, uint32(pid))
	if err != nil {
		return err == syscall.ERROR_ACCESS_DENIED
	}
	defer syscall.CloseHandle(h)
	var code uint32
	return syscall.GetExitCodeProcess(h, &code) == nil && code == stillActive
}
