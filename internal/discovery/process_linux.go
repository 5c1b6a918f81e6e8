package discovery

import (
	"bytes"
	"fmt"
	"os"
)

// processStart is the start time in /proc/PID/stat: field 22, in clock ticks
// since the machine was started (proc_pid_stat(5)). The second field, the
// program's name, may hold spaces and brackets itself.
func processStart(pid int) (string, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	const start = 22 - 3 // the fields that follow the name begin with the third
	if len(fields) <= start {
		return "", fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields)+2)
	}
	if state := fields[0][0]; state == 'Z' || state == 'X' {
		return "dead", nil
	}
	return string(fields[start]), nil
}
