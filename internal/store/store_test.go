package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

func put(t *testing.T, k *Kind, name, text string) string {
	t.Helper()
	p, n, err := k.Write(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	if err != nil || n != int64(len(text)) {
		t.Fatalf("Write(%q) = %d, %v", name, n, err)
	}
	return p
}

func get(t *testing.T, k *Kind, name string) string {
	t.Helper()
	f, err := k.Open(name)
	if err != nil {
		t.Fatalf("Open(%q): %v", name, err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEveryFormOfANameFindsTheFile(t *testing.T) {
	dir := t.TempDir()
	k := New(filepath.Join(dir, "data")).Kind("snapshots", ".loupe")
	p := put(t, k, "one", "x")
	if want := filepath.Join(dir, "data", "snapshots", "one.loupe"); p != want {
		t.Fatalf("path %s, want %s", p, want)
	}
	for _, name := range []string{"one", "one.loupe", "snapshots/one", "snapshots/one.loupe", "./snapshots/one.loupe", p} {
		if got := get(t, k, name); got != "x" {
			t.Errorf("%s holds %q", name, got)
		}
	}
	put(t, k, "one.loupe", "y")
	if files, _ := k.List(); len(files) != 1 || files[0].Name != "one" || files[0].Size != 1 {
		t.Errorf("a suffix in the name made another file: %+v", files)
	}
}

func TestNamesThatLeadOutAreRefused(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	k := New(dir).Kind("snapshots", ".loupe")
	put(t, k, "one", "x")
	os.WriteFile(filepath.Join(outside, "secret.loupe"), []byte("s"), 0o644)
	os.Symlink(outside, filepath.Join(dir, "snapshots", "out"))
	os.Symlink(filepath.Join(outside, "secret.loupe"), filepath.Join(dir, "snapshots", "link.loupe"))
	os.Mkdir(filepath.Join(dir, "snapshots", "dir.loupe"), 0o755)
	for _, name := range []string{"../evil", "a/b", "out/x", "", ".", "..", ".hidden", "a\x00b", `a\b`, "C:x", "nul", strings.Repeat("n", 300), "\xff"} {
		_, _, err := k.Write(name, func(io.Writer) error { t.Errorf("%q was opened for writing", name); return nil })
		if !errors.Is(err, refusal.InvalidArguments) {
			t.Errorf("Write(%q): %v", name, err)
		}
	}
	for _, name := range []string{"/etc/passwd", "../x", "out/secret", "out/secret.loupe", "link", filepath.Join(outside, "secret.loupe"), "dir", "", dir + "/../x"} {
		f, err := k.Open(name)
		if err == nil {
			f.Close()
		}
		if !errors.Is(err, refusal.InvalidArguments) {
			t.Errorf("Open(%q): %v", name, err)
		}
	}
	files, err := k.List()
	if err != nil || len(files) != 1 {
		t.Errorf("List: %+v, %v", files, err)
	}
	if left, _ := os.ReadDir(outside); len(left) != 1 {
		t.Errorf("something was written outside: %v", left)
	}
}

func TestNotFoundNamesTheNearestFiles(t *testing.T) {
	k := New(t.TempDir()).Kind("snapshots", ".loupe")
	put(t, k, "before-boss", "")
	put(t, k, "menu", "")
	_, err := k.Open("befor-boss")
	var e *refusal.Error
	if !errors.As(err, &e) || e.Code != refusal.NotFound || len(e.Options) == 0 || e.Options[0] != "before-boss" || e.Total != 2 {
		t.Fatalf("%+v", err)
	}
}

func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	k := New(dir).Kind("snapshots", ".loupe")
	// A folder has the name: no trace of the temporary one in the text.
	os.MkdirAll(filepath.Join(dir, "snapshots", "dir.loupe"), 0o755)
	if _, _, err := k.Write("dir", func(io.Writer) error { return nil }); err == nil || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("over a folder: %v", err)
	}
	os.Remove(filepath.Join(dir, "snapshots", "dir.loupe"))
	put(t, k, "one", "old")
	boom := errors.New("boom")
	_, _, err := k.Write("one", func(w io.Writer) error { w.Write(make([]byte, 1<<20)); return boom })
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if got := get(t, k, "one"); got != "old" {
		t.Errorf("the old file holds %q", got)
	}
	left, _ := os.ReadDir(filepath.Join(dir, "snapshots"))
	if len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAFullDiskLeavesTheOldFile(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	c := &counter{w: f}
	if _, err := c.Write([]byte("x")); err == nil || c.err == nil {
		t.Fatalf("the device's error is lost: %v", err)
	}
}

func TestAVanishedFolderIsAnError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	k := New(dir).Kind("snapshots", ".loupe")
	put(t, k, "one", "x")
	os.RemoveAll(dir)
	if _, _, err := k.Write("one", func(io.Writer) error { return nil }); !errors.Is(err, refusal.NotFound) {
		t.Errorf("Write: %v", err)
	}
	if _, err := k.Open("one"); !errors.Is(err, refusal.NotFound) {
		t.Errorf("Open: %v", err)
	}
	if files, err := k.List(); err != nil || len(files) != 0 {
		t.Errorf("List: %v, %v", files, err)
	}
	// It goes while a file is being written.
	k = New(dir).Kind("snapshots", ".loupe")
	_, _, err := k.Write("one", func(w io.Writer) error { return os.RemoveAll(dir) })
	if err == nil {
		t.Error("a file was renamed into a folder that is gone")
	}
}

func TestAFileThatChangesWhileItIsRead(t *testing.T) {
	k := New(t.TempDir()).Kind("snapshots", ".loupe")
	for name, change := range map[string]func(p string) error{
		"longer":  func(p string) error { return os.WriteFile(p, make([]byte, 300), 0o644) },
		"shorter": func(p string) error { return os.Truncate(p, 120) },
	} {
		p := put(t, k, "one", string(make([]byte, 200)))
		f, err := k.Open("one")
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(f, make([]byte, 100))
		if err := change(p); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, f); !errors.Is(err, refusal.BadSnapshot) {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
}

func TestTwoWritersOfOneName(t *testing.T) {
	k := New(t.TempDir()).Kind("shots", ".png")
	done := make(chan error)
	for i := range 8 {
		go func() {
			_, _, err := k.Write("same", func(w io.Writer) error {
				_, err := w.Write(bytes.Repeat([]byte{byte('a' + i)}, 1000))
				return err
			})
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	got := get(t, k, "same")
	if len(got) != 1000 || strings.Trim(got, got[:1]) != "" {
		t.Errorf("a mixture of %d bytes", len(got))
	}
	if files, _ := k.List(); !slices.ContainsFunc(files, func(e Entry) bool { return e.Name == "same" }) || len(files) != 1 {
		t.Errorf("%+v", files)
	}
}

func Example() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	notes := New(dir).Kind("notes", ".txt")
	_, size, err := notes.Write("today", func(w io.Writer) error {
		_, err := fmt.Fprint(w, "all quiet")
		return err
	})
	fmt.Println(size, err)
	_, err = notes.Open("tody")
	fmt.Println(err)
	// Output:
	// 9 <nil>
	// there is no file "tody" in notes
}
