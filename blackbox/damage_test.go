package blackbox_test

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"slices"
	"testing"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/timeline"
)

// blocksOf is where each block of a file begins, and where the last ends.
func blocksOf(t testing.TB, raw []byte) (at []int) {
	t.Helper()
	const prologue, head, tail = 10, 10, 4
	i := prologue
	for i < len(raw) {
		at = append(at, i)
		i += head + int(binary.LittleEndian.Uint32(raw[i+6:])) + tail
	}
	if i != len(raw) {
		t.Fatalf("blocks end at %d of %d", i, len(raw))
	}
	return append(at, i)
}

func read(raw []byte) (*blackbox.File, error) {
	return blackbox.Read(bytes.NewReader(raw), int64(len(raw)), blackbox.Limits{})
}

// A file that is cut off anywhere, or spoiled by one byte in any block, opens up
// to there, and says so.
func TestDamage(t *testing.T) {
	rec, _ := recorded(t, 1, 300)
	raw := written(t, rec)
	whole, err := read(raw)
	if err != nil || whole.Damage != "" || whole.Samples == 0 {
		t.Fatalf("%+v %v", whole, err)
	}
	at := blocksOf(t, raw)
	if len(at) < 8 {
		t.Fatalf("%d blocks are too few to learn from", len(at))
	}
	before := 0
	for k, from := range at[:len(at)-1] {
		to := at[k+1]
		spoiled := bytes.Clone(raw)
		spoiled[(from+to)/2] ^= 0x20
		for what, damaged := range map[string][]byte{"cut before": raw[:from], "cut within": raw[:(from+to)/2], "spoiled": spoiled} {
			f, err := read(damaged)
			switch {
			case err != nil && k > 0:
				t.Errorf("block %d %s: %v", k, what, err)
			case err == nil && f.Damage == "":
				t.Errorf("block %d %s: nothing is said", k, what)
			case err == nil && (f.Samples < before || f.Samples > whole.Samples):
				t.Errorf("block %d %s: %d samples, %d were there before", k, what, f.Samples, before)
			case err == nil && what == "cut before":
				before = f.Samples
			}
		}
	}
	if before == 0 {
		t.Error("no cut file had samples")
	}
}

// FuzzRead: whatever the bytes, reading ends, in bounded memory, without a panic.
func FuzzRead(f *testing.F) {
	rec, _ := recorded(f, 2, 70)
	raw := written(f, rec)
	f.Add(raw)
	f.Add(raw[:len(raw)/2])
	f.Add([]byte("\x89LOUPE\r\n\x02\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := blackbox.Read(bytes.NewReader(b), int64(len(b)), blackbox.Limits{})
		if err == nil && file.Recorder == nil {
			t.Error("neither a file nor an error")
		}
	})
}

type still struct{ X, Y, Dx, Dy float64 }

// A world that stands still is much larger than its file.
func TestALargeWorldInASmallFile(t *testing.T) {
	const rows = 60_000
	w := mapworld.New(reflect.TypeFor[still]())
	changes := slices.Repeat([]ecs.Change{{Op: ecs.OpSpawn, Values: []ecs.Value{{Value: reflect.ValueOf(still{1, 2, 3, 4})}}}}, rows)
	if _, err := w.Apply(changes); err != nil {
		t.Fatal(err)
	}
	rec := timeline.NewRecorder(nil)
	rec.Bind(w, nil)
	if err := rec.Start(timeline.Options{}, 0); err != nil {
		t.Fatal(err)
	}
	for tick := range uint64(5) {
		rec.EndTick(tick + 1)
		rec.Flush(t.Context())
	}
	rec.Stop(false)
	raw := written(t, rec)
	f, err := read(raw)
	if err != nil || f.Damage != "" || f.Samples != rec.Line().Len() || len(raw) > 200_000 {
		t.Fatalf("%d bytes: %v, %q, %d of %d samples", len(raw), err, f.Damage, f.Samples, rec.Line().Len())
	}
	_, last, _ := f.Recorder.Line().Ticks()
	ref, err := f.Recorder.Line().Find(int64(last))
	if err != nil {
		t.Fatal(err)
	}
	if n := f.Recorder.Line().World(ref).Catalog().Entities.Total; n != rows {
		t.Errorf("%d entities of %d", n, rows)
	}
}
