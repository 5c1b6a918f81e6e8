package crashes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/internal/words"
)

// File keeps the end of a process for the next one. Three files: the one
// the host named, which the dying runtime writes; NAME.run, which tells that a
// process runs and who it is; NAME.previous, the end of an earlier process
// until somebody has acknowledged it. The zero value keeps nothing.
type File struct {
	mu       sync.Mutex
	log      *slog.Logger
	path     string
	file     *os.File
	previous *Previous
	marked   uint64
}

// runMarker is NAME.run. A server that is closed removes it.
type runMarker struct {
	Build buildinfo.Run `json:"build"`
	Frame uint64        `json:"frame"`
}

const maxCrashReport = 256 << 10

// Open reads what the last process left at path and takes the file over; ""
// keeps nothing.
func (c *File) Open(path string, log *slog.Logger) {
	c.path, c.log = path, log
	if path == "" {
		return
	}
	if err := c.take(); err != nil {
		log.Error("the crash file cannot be used: fatal errors will not be kept", "path", c.path, "err", err)
	}
}

func (c *File) take() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := os.OpenFile(c.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := c.takeOver(f); err != nil {
		f.Close()
		return err
	}
	c.file = f
	return c.writeMarker(0)
}

// takeOver makes f this process's, unless another one that runs has it.
func (c *File) takeOver(f *os.File) error {
	var m runMarker
	if b, err := readSome(c.path + ".run"); err == nil {
		_ = json.Unmarshal(b, &m)
	}
	// The lock ends with the process, however that ends. A process number alone
	// says little: after a restart of the machine it is somebody else's.
	err := lock(f)
	if errors.Is(err, errLocked) || err != nil && m.Build.PID != 0 && m.Build.PID != os.Getpid() && alive(m.Build.PID) {
		return fmt.Errorf("process %d uses it", m.Build.PID)
	}
	left, err := LeftBehind(c.path)
	if err != nil {
		return err
	}
	if left != nil {
		c.log.Warn("the previous process ended badly", "reason", left.Reason, "pid", left.Build.PID)
		if b, err := json.Marshal(left); err == nil {
			if err := os.WriteFile(c.path+".previous", b, 0o600); err != nil {
				return err
			}
		}
	}
	if b, err := readSome(c.path + ".previous"); err == nil {
		var p Previous
		if json.Unmarshal(b, &p) == nil && p.Reason != "" {
			c.previous = &p
		}
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	return debug.SetCrashOutput(f, debug.CrashOptions{})
}

// LeftBehind tells how the process that used the file before ended; nil if it
// ended well.
func LeftBehind(path string) (*Previous, error) {
	var m runMarker
	b, err := readSome(path + ".run")
	ran := err == nil
	if ran {
		_ = json.Unmarshal(b, &m) // a marker that was cut short still says that one ran
	}
	report, err := readSome(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	report = bytes.TrimSpace(report)
	p := &Previous{Build: m.Build, LastFrame: m.Frame}
	switch {
	case len(report) > 0:
		reason, frames := stacks.Fatal(report)
		if len(frames) > maxFrames {
			frames = frames[:maxFrames]
		}
		p.Seen, p.Reason, p.Frames, p.Text = true, words.Clip(reason, 1024), frames, words.Clip(strings.ToValidUTF8(string(report), "\uFFFD"), 16<<10)
		if st, err := os.Stat(path); err == nil {
			p.EndedAt = st.ModTime().Format(time.RFC3339)
		}
	case ran && (m.Build.PID != os.Getpid() || m.Build.StartedAt != buildinfo.Process().StartedAt): // in a container every run may have the same number
		p.Reason = "its end was not seen: it was killed, ran out of memory, or left without closing the server"
		if st, err := os.Stat(path + ".run"); err == nil {
			p.EndedAt = st.ModTime().Format(time.RFC3339)
		}
	default:
		return nil, nil
	}
	return p, nil
}

func (c *File) writeMarker(frame uint64) error {
	b, err := json.Marshal(runMarker{Build: buildinfo.Process(), Frame: frame})
	if err != nil {
		return err
	}
	c.marked = frame
	// Through a temporary name: the process may be killed while it writes.
	if err := os.WriteFile(c.path+".run.tmp", b, 0o600); err != nil {
		return err
	}
	return os.Rename(c.path+".run.tmp", c.path+".run")
}

// Mark notes the frame now and then, so that a killed process tells how far it
// came, and when it was last seen.
func (c *File) Mark(frame uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != nil && frame != c.marked {
		_ = c.writeMarker(frame)
	}
}

// Unread is the unacknowledged end of an earlier process.
func (c *File) Unread() *Previous {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.previous
}

// Acknowledge forgets it.
func (c *File) Acknowledge() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.previous == nil {
		return false
	}
	c.previous = nil
	_ = os.Remove(c.path + ".previous")
	return true
}

// Close gives the runtime's slot back: the process ended its debugging well.
func (c *File) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return
	}
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	_ = os.Remove(c.path + ".run")
	// While the lock is held: whoever comes next must not take a file that goes.
	err := os.Remove(c.path)
	c.file.Close()
	c.file = nil
	if err != nil { // Windows removes no open file
		_ = os.Remove(c.path)
	}
}

func readSome(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxCrashReport))
}

var errLocked = errors.New("another process has it")

// alive reports whether a process runs. Windows answers FindProcess only for
// processes that do and cannot be signalled.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	if runtime.GOOS == "windows" {
		return true
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
