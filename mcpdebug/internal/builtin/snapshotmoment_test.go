package builtin

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/timeline"
)

// snapshot_load takes a tick of a recording's file: the live game becomes what
// another one was then.
func TestSnapshotLoadTakesATickOfAFile(t *testing.T) {
	h, host, w := snapshotHarness(t)
	id := arche.ComponentID[snapPos](w)
	e := w.NewEntity(id)
	pos := (*snapPos)(w.Get(e, id))
	rec := timeline.NewRecorder(nil)
	rec.Bind(h.World, nil)
	if err := rec.Start(timeline.Options{}, 0); err != nil {
		t.Fatal(err)
	}
	for tick := range uint64(5) {
		pos.X = float64(tick + 1)
		rec.EndTick(tick + 1)
		rec.Flush(context.Background())
	}
	rec.Stop(false)
	if err := os.MkdirAll(filepath.Join(host.dir, "recordings"), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(host.dir, "recordings", "box.loupe"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := blackbox.NewWriter(f, blackbox.Header{})
	if err != nil || out.Record(rec) != nil || out.Close() != nil || f.Close() != nil {
		t.Fatal("the file could not be written", err)
	}
	for _, name := range []string{"box@99", "box@soon", "bax@3"} {
		if _, err := h.Call("snapshot_load", `{"name":"`+name+`"}`); err == nil {
			t.Errorf("%s was loaded", name)
		}
	}
	if pos.X != 5 {
		t.Fatalf("a refusal changed the world: %v", pos.X)
	}
	if r := h.OK("snapshot_load", `{"name":"box@3"}`); r["path"] != f.Name()+"@3" {
		t.Errorf("%v", r["path"])
	}
	if x := (*snapPos)(w.Get(e, id)).X; x != 3 {
		t.Errorf("X is %v, at tick 3 it was 3", x)
	}
}

// A name, or a folder, with an @ in it is no tick of a recording.
func TestSnapshotLoadTakesNamesWithAnAt(t *testing.T) {
	h, host, w := snapshotHarness(t)
	host.dir = filepath.Join(host.dir, "me@work")
	id := arche.ComponentID[snapPos](w)
	pos := (*snapPos)(w.Get(w.NewEntity(id), id))
	for i, name := range []string{"boss@home", "boss@3"} {
		want := float64(i + 1)
		pos.X = want
		path := h.OK("snapshot_save", `{"name":"`+name+`"}`)["path"].(string)
		for _, named := range []string{name, path} {
			pos.X = 77
			if r := h.OK("snapshot_load", `{"name":"`+named+`"}`); r["path"] != path || pos.X != want {
				t.Errorf("%s: %v, X is %v", named, r["path"], pos.X)
			}
		}
	}
}
