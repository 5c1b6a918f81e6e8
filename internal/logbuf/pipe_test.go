//go:build unix

package logbuf

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTailOfAPipeDoesNotWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	r := NewRing(10, 1<<20)
	tail := r.Follow(path)
	done := make(chan struct{})
	go func() { defer close(done); tail.Sync(); tail.Close() }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("reading a pipe that nobody writes into never ends")
	}
	if got := messages(r.Read(Query{})); len(got) != 1 || !strings.Contains(got[0], "not a regular file") {
		t.Errorf("log: %q", got)
	}
}
