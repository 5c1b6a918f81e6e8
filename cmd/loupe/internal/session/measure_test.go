package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func jsonOf(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// resources are what a leak would show in.
type resources struct{ goroutines, files, builds, children int }

func measure(t *testing.T, builds string) (r resources) {
	t.Helper()
	r.goroutines = runtime.NumGoroutine()
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		r.files = len(open)
	}
	if dirs, err := os.ReadDir(builds); err == nil {
		r.builds = len(dirs)
	}
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			r.children++
		}
	}
	return r
}
