package archeworld

import (
	"encoding/binary"
	"reflect"
	"testing"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
)

// Hints come from files: whatever they say, the restored world is the image's
// and the engine goes on.
func FuzzHints(f *testing.F) {
	w := newFixture(f).World.(*World)
	rel := []loupe.Value{{Type: 0, Value: reflect.Zero(reflect.TypeFor[childOf]())}}
	spawn := func(target loupe.Entity) loupe.Entity {
		es, err := w.Apply([]loupe.Change{{Op: loupe.OpSpawn, Count: 2, Values: rel, Targets: []loupe.Target{{Relation: 0, Entity: target}}}})
		if err != nil {
			f.Fatal(err)
		}
		return es[0]
	}
	parent := spawn(loupe.Entity{})
	child := spawn(parent)
	spawn(child)
	var img loupe.Image
	if err := w.Capture(&img); err != nil {
		f.Fatal(err)
	}
	hash := ecstest.Hash(w)
	own := make([]byte, 0, 4*len(img.Hints))
	for _, h := range img.Hints {
		own = binary.LittleEndian.AppendUint32(own, h)
	}
	f.Add(own)
	f.Add([]byte{1, 0, 0, 0})
	f.Add([]byte{1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		forged := img
		forged.Hints = nil
		for ; len(b) >= 4 && len(forged.Hints) < 1000; b = b[4:] {
			forged.Hints = append(forged.Hints, binary.LittleEndian.Uint32(b))
		}
		if err := w.Restore(&forged); err != nil {
			t.Fatal(err)
		}
		if ecstest.Hash(w) != hash {
			t.Fatalf("hints %v restore another world", forged.Hints)
		}
		es, err := w.Apply([]loupe.Change{{Op: loupe.OpSpawn, Values: rel, Targets: []loupe.Target{{Relation: 0, Entity: parent}}},
			{Op: loupe.OpDespawn, Entity: child}, {Op: loupe.OpDespawn, Entity: parent}})
		if err != nil || !w.Alive(es[0]) {
			t.Fatalf("after hints %v: %v", forged.Hints, err)
		}
	})
}
