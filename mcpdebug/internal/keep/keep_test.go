package keep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

type quiet struct{}

func (quiet) App() *host.App                              { return nil }
func (quiet) Build() buildinfo.Run                        { return buildinfo.Run{} }
func (quiet) Crash() *crashes.Report                      { return nil }
func (quiet) Logs(logbuf.Query) (p logbuf.Page, _ string) { return p, "" }
func (quiet) Status() (s loop.Status)                     { return s }
func (quiet) Logger() *slog.Logger                        { return slog.New(slog.DiscardHandler) }

func recording(t *testing.T) (rec *timeline.Recorder, tick func(uint64)) {
	rec = timeline.NewRecorder(nil)
	rec.Bind(mapworld.New(reflect.TypeFor[ecstest.Position]()), nil)
	if err := rec.Start(timeline.Options{}, 0); err != nil {
		t.Fatal(err)
	}
	tick = func(n uint64) {
		rec.EndTick(n)
		rec.Flush(context.Background())
	}
	tick(1)
	return rec, tick
}

// The oldest files go: neither the one that is written, whatever the clock says,
// nor one that a client gave a name like theirs.
func TestPruneKeepsTheFileInHandAndThoseOfClients(t *testing.T) {
	dir := t.TempDir()
	rec, _ := recording(t)
	defer rec.Stop(false)
	k := New(quiet{}, rec, Options{Dir: dir, Files: 2, Bytes: 1 << 20})
	names := []string{"blackbox-1.loupe", "blackbox-the-boss.loupe", "other.loupe"}
	for i := range 3 {
		names = append(names, fmt.Sprintf("blackbox-21000101-00000%d-7-1.loupe", i)) // of a clock that was ahead
	}
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := &box{keeper: k}
	if err := b.write("interval"); err != nil {
		t.Fatal(err)
	}
	own := filepath.Base(b.file.Name())
	b.close()
	var left []string
	entries, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{own, "blackbox-1.loupe", "blackbox-21000101-000002-7-1.loupe", "blackbox-the-boss.loupe", "other.loupe"}
	slices.Sort(want)
	slices.Sort(left)
	if !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
}

// A file that is removed while the game runs is followed by one with all that is
// recorded.
func TestARemovedFileIsFollowedByAnother(t *testing.T) {
	dir := t.TempDir()
	rec, tick := recording(t)
	defer rec.Stop(false)
	b := &box{keeper: New(quiet{}, rec, Options{Dir: dir, Files: 2, Bytes: 1 << 20})}
	if err := b.write("interval"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, folder)); err != nil {
		t.Skip(err) // a system that holds open files
	}
	tick(2)
	if err := b.write("interval"); err != nil {
		t.Fatal(err)
	}
	path := b.file.Name()
	b.close()
	f, err := blackbox.Open(path, blackbox.Limits{})
	if err != nil || f.Damage != "" || f.Samples != rec.Line().Len() {
		t.Errorf("%v, %+v, %d samples are recorded", err, f, rec.Line().Len())
	}
}

// Saves come one after another, and one whose client has left writes nothing.
func TestSavesWaitAndEndWithTheirCall(t *testing.T) {
	dir := t.TempDir()
	rec, _ := recording(t)
	defer rec.Stop(false)
	k := New(quiet{}, rec, Options{Dir: dir})
	k.saving <- struct{}{} // another is at it
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := k.save(&tools.Call{Context: ctx}, saveArgs{Name: "late"})
		ended <- err
	}()
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("one that waited: %v", err)
	}
	<-k.saving
	if _, err := k.save(&tools.Call{Context: ctx}, saveArgs{Name: "late"}); err == nil {
		t.Error("a save of a client that has left is done")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, folder, "*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	if r, err := k.save(&tools.Call{Context: t.Context()}, saveArgs{Name: "next"}); err != nil || r.Samples != 2 {
		t.Errorf("the next one: %+v, %v", r, err)
	}
}
