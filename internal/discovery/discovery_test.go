package discovery

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// here gives a test a runtime directory of its own.
func here(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Setenv("LOCALAPPDATA", t.TempDir())
	} else {
		t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	}
	dir, err := makeDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

func TestAServerIsFoundUntilItIsRemoved(t *testing.T) {
	dir := here(t)
	a, err := Announce(Entry{URL: "http://127.0.0.1:7103/mcp", App: "first", Token: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetApp("arena"); err != nil {
		t.Fatal(err)
	}
	list := List()
	if len(list) != 1 {
		t.Fatalf("found %v", list)
	}
	wd, _ := os.Getwd()
	e := list[0]
	if e.PID != os.Getpid() || e.App != "arena" || e.Port() != 7103 || !e.Token || e.Dir != wd || time.Since(e.StartedAt) > time.Minute {
		t.Errorf("found %+v", e)
	}
	if at, ok := At(7103); !ok || at.App != "arena" {
		t.Errorf("at its port: %+v %v", at, ok)
	}
	if _, ok := At(7104); ok {
		t.Error("found at a port that it does not have")
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(filepath.Join(dir, files(t, dir)[0]))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	for range 2 {
		if err := a.Remove(); err != nil {
			t.Error(err)
		}
	}
	if err := a.SetApp("late"); err != nil {
		t.Error(err)
	}
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestDeadServersAreCleanedUp: a process that has ended, and one whose number
// another process has now.
func TestDeadServersAreCleanedUp(t *testing.T) {
	dir := here(t)
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	put := func(name string, e Entry) {
		b, _ := json.Marshal(e)
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gone := ended.Process.Pid
	put(number(gone)+"-7100.json", Entry{PID: gone, Process: "1", URL: "http://127.0.0.1:7100/mcp"})
	put(number(gone)+"-7101.json.new", Entry{})
	put(number(os.Getpid())+"-7102.json", Entry{PID: os.Getpid(), Process: "before", URL: "http://127.0.0.1:7102/mcp"})
	put("notes.txt", Entry{})
	if list := List(); len(list) != 0 {
		t.Errorf("found %v", list)
	}
	if left := strings.Join(files(t, dir), " "); left != "notes.txt" {
		t.Errorf("left behind: %s", left)
	}
}

func number(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func TestFilesThatLeadElsewhereAreIgnored(t *testing.T) {
	dir := here(t)
	start, err := processStart(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, number(os.Getpid())+"-1.json")
	for _, url := range []string{"http://example.com:7100/mcp", "https://127.0.0.1:7100/mcp", "http://127.0.0.1/mcp", "file:///etc/passwd", ":"} {
		b, _ := json.Marshal(Entry{PID: os.Getpid(), Process: start, URL: url})
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if list := List(); len(list) != 0 {
			t.Errorf("%s: found %v", url, list)
		}
	}
	if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list := List(); len(list) != 0 {
		t.Errorf("broken JSON: found %v", list)
	}
}

// TestADirectoryThatOthersCanWriteIsNotTrusted: beside everybody's temporary
// files anybody may have made it.
func TestADirectoryThatOthersCanWriteIsNotTrusted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the user's own cache is private")
	}
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", t.TempDir())
	path, _ := place()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Announce(Entry{URL: "http://127.0.0.1:7100/mcp"}); err == nil || !strings.Contains(err.Error(), "others may") {
		t.Errorf("announced all the same: %v", err)
	}
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := Announce(Entry{URL: "http://127.0.0.1:7100/mcp"})
	if err != nil || len(List()) != 1 {
		t.Errorf("%v, found %v", err, List())
	}
	a.Remove()
}
