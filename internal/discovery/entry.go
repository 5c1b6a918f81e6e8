package discovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Entry is what a server says of itself. Announce fills in what belongs to the
// process.
type Entry struct {
	PID       int       `json:"pid"`
	Process   string    `json:"process"` // the system's word for when the process began
	URL       string    `json:"url"`
	App       string    `json:"app"`
	Build     Build     `json:"build"`
	StartedAt time.Time `json:"startedAt"`     // when the server began to listen
	Dir       string    `json:"dir,omitempty"` // working directory
	Token     bool      `json:"token"`         // whether every request needs one
}

// Build identifies the program.
type Build struct {
	Package  string `json:"package,omitempty"` // path of its main package
	Version  string `json:"version,omitempty"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go,omitempty"`
}

// Port is the port of the entry's URL; 0 if it has none.
func (e Entry) Port() int {
	u, err := url.Parse(e.URL)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(u.Port())
	return n
}

// Announcement is the file of one server. A nil one does nothing.
type Announcement struct {
	mu    sync.Mutex
	path  string
	entry Entry
	gone  bool
}

// Announce writes the file of a server of this process.
func Announce(e Entry) (*Announcement, error) {
	dir, err := makeDir()
	if err != nil {
		return nil, err
	}
	e.PID = os.Getpid()
	if e.Process, err = processStart(e.PID); err != nil {
		return nil, fmt.Errorf("when this process began cannot be told: %w", err)
	}
	if e.Dir == "" {
		e.Dir, _ = os.Getwd()
	}
	if e.StartedAt.IsZero() {
		e.StartedAt = time.Now()
	}
	a := &Announcement{path: filepath.Join(dir, fmt.Sprintf("%d-%d.json", e.PID, e.Port())), entry: e}
	return a, a.write()
}

// write replaces the file at once: a reader sees the old or the new one.
func (a *Announcement) write() error {
	b, err := json.MarshalIndent(a.entry, "", "  ")
	if err != nil {
		return err
	}
	temporary := a.path + ".new"
	if err := os.WriteFile(temporary, append(b, '\n'), 0o600); err != nil {
		return err
	}
	if err := os.Rename(temporary, a.path); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}

// SetApp changes the name of the app. Any goroutine; it writes a file.
func (a *Announcement) SetApp(name string) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone || name == "" || name == a.entry.App {
		return nil
	}
	a.entry.App = name
	return a.write()
}

// Remove takes the file away. It may be called twice. Any goroutine.
func (a *Announcement) Remove() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone {
		return nil
	}
	a.gone = true
	if err := os.Remove(a.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// List returns the servers of the user's living processes, the oldest first,
// and removes what dead ones left behind.
func List() []Entry {
	dir, err := directory()
	if err != nil {
		return nil
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var all []Entry
	for _, f := range files {
		head, _, ok := strings.Cut(f.Name(), "-")
		number, err := strconv.Atoi(head)
		if !ok || err != nil || !f.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, f.Name())
		e, readable := read(path)
		switch {
		case strings.HasSuffix(path, ".json") && readable && e.PID == number && e.alive():
			all = append(all, e)
		case !processAlive(number), readable && e.PID == number && !e.alive():
			os.Remove(path)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int {
		if c := a.StartedAt.Compare(b.StartedAt); c != 0 {
			return c
		}
		return a.PID - b.PID
	})
	return all
}

// At returns the server that has a port of this machine.
func At(port int) (Entry, bool) {
	for _, e := range List() {
		if e.Port() == port {
			return e, true
		}
	}
	return Entry{}, false
}

// maxFile is more than any announcement has.
const maxFile = 64 << 10

func read(path string) (e Entry, ok bool) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxFile {
		return e, false
	}
	b, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(b, &e) != nil {
		return e, false
	}
	return e, e.valid()
}

// valid keeps a reader from following a file to another machine.
func (e Entry) valid() bool {
	u, err := url.Parse(e.URL)
	return err == nil && u.Scheme == "http" && net.ParseIP(u.Hostname()) != nil && e.Port() != 0 && e.PID > 0
}

// alive reports whether the process that wrote the entry still runs, and not
// another one that has its number now.
func (e Entry) alive() bool {
	if !processAlive(e.PID) {
		return false
	}
	start, err := processStart(e.PID)
	return err != nil || start == e.Process
}
