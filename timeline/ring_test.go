package timeline_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/timeline"
)

// Samples are counted: those that are kept and those that memory pushed out are
// all that were taken, and what is kept is the newest of them.
func TestTheRingCountsItsSamples(t *testing.T) {
	for _, memory := range []int64{256 << 10, 64 << 20} {
		s := newScene(t, timeline.Options{Memory: memory})
		s.run(600)
		i := s.rec.Info()
		if i.Samples+i.Pushed != 601 || i.Dropped != 0 {
			t.Errorf("%d KiB: %d kept and %d pushed out of 601, %d dropped", memory>>10, i.Samples, i.Pushed, i.Dropped)
		}
		if wrapped := i.Pushed > 0; wrapped != (memory == 256<<10) {
			t.Errorf("%d KiB: %d pushed out", memory>>10, i.Pushed)
		}
		if i.From != uint64(i.Pushed) || i.To != 600 {
			t.Errorf("%d KiB: ticks %d to %d of %d samples", memory>>10, i.From, i.To, i.Samples)
		}
		if i.Bytes > memory || i.Bytes <= 0 || i.RawBytes < i.Bytes {
			t.Errorf("%d KiB: %d bytes of %d", memory>>10, i.Bytes, i.RawBytes)
		}
		// The memory is used, not half of it.
		if i.Pushed > 0 && i.Bytes < memory/2 {
			t.Errorf("%d bytes of %d are used, and samples pushed out", i.Bytes, memory)
		}
		s.rec.Stop(true)
		if i := s.rec.Info(); i.Samples != 0 || i.Pushed != 0 || i.RawBytes != 0 {
			t.Errorf("discarded: %+v", i)
		}
	}
}

func TestTooLittleMemoryIsToldInMiB(t *testing.T) {
	w := mapworld.New(ecstest.Components()...)
	rec := timeline.NewRecorder(nil)
	rec.Bind(w, nil)
	blob := reflect.TypeFor[ecstest.Blob]()
	id := ecs.TypeID(4)
	if w.Catalog().Components[id].Type.Go != blob {
		t.Fatal("the kit's components have another order")
	}
	n := int(3<<20/blob.Size()) + 1
	if _, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Count: n, Values: []ecs.Value{{Type: id, Value: reflect.New(blob).Elem()}}}}); err != nil {
		t.Fatal(err)
	}
	err := rec.Start(timeline.Options{Memory: 2 << 20}, 0)
	row := w.Catalog().Archetypes[0].BytesPerEntity + 8
	takes := fmt.Sprintf("takes %.1f MiB", float64(n*int(row))/(1<<20))
	if err == nil || !strings.Contains(err.Error(), takes) || !strings.Contains(err.Error(), "2.0 MiB are too little") {
		t.Errorf("%v, and it %s", err, takes)
	}
}

// counted is what a History measures: values behind pointers, of every kind of
// number.
type counted struct {
	Ptr   *int
	Small int8
	Word  uint16
	Share float32
	Label string
}

func TestHistoryMeasuresNumbersOfEveryKind(t *testing.T) {
	w := mapworld.New(reflect.TypeFor[counted]())
	n := 5
	es, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Values: []ecs.Value{{Type: 0, Value: reflect.ValueOf(counted{Ptr: &n})}}}})
	if err != nil {
		t.Fatal(err)
	}
	rec := timeline.NewRecorder(nil)
	rec.Bind(w, nil)
	if err := rec.Start(timeline.Options{}, 0); err != nil {
		t.Fatal(err)
	}
	defer rec.Stop(true)
	var nobody *int
	for tick, c := range []counted{{new(7), 1, 2, 0.5, "a"}, {new(-3), -8, 9, 1.5, "b"}, {new(-3), -8, 9, 1.5, "b"}, {nobody, 3, 1, 0.25, ""}} {
		if _, err := w.Apply([]ecs.Change{{Op: ecs.OpSet, Entity: es[0], Values: []ecs.Value{{Type: 0, Value: reflect.ValueOf(c)}}}}); err != nil {
			t.Fatal(err)
		}
		rec.EndTick(uint64(tick + 1))
		rec.Flush(t.Context())
	}
	var tracks []timeline.Track
	for _, path := range []string{"Ptr", "Small", "Word", "Share", "Label"} {
		tr, err := timeline.FieldTrack(w.Catalog(), es[0], "counted."+path)
		if err != nil {
			t.Fatal(err)
		}
		tracks = append(tracks, tr)
	}
	l := rec.Line()
	refs := l.Refs(0, 4)
	h := l.History(refs[0], refs[len(refs)-1], 9, tracks)
	for path, want := range map[string]string{
		"Ptr":   "5 null -3@2 7@1 3 [1 2 4]",
		"Small": "0 3 -8@2 3@4 3 [1 2 4]",
		"Word":  "0 1 0@0 9@2 3 [1 2 4]",
		"Share": "0 0.25 0@0 1.5@2 3 [1 2 4]",
		"Label": `"" "" @0 @0 3 [1 2 4]`,
	} {
		s := h.Summary["counted."+path]
		if got := fmt.Sprintf("%s %s %s@%d %s@%d %d %v", s.First, s.Last, s.Min, s.MinTick, s.Max, s.MaxTick, s.Changes, s.LastAt); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if _, numbers := h.Numbers["counted."+path]; numbers != (path != "Label") {
			t.Errorf("%s: a number: %v", path, numbers)
		}
	}
	if got := fmt.Sprint(h.Numbers["counted.Ptr"]); got != "[5 7 -3 -3 NaN]" {
		t.Error(got)
	}
	// Few points: the first and the last are among them.
	h = l.History(refs[0], refs[len(refs)-1], 2, tracks[:1])
	if got := fmt.Sprint(h.Ticks, h.Samples); got != "[0 4] 5" {
		t.Error(got)
	}
	if h = l.History(refs[0], refs[len(refs)-1], 1, tracks[:1]); len(h.Ticks) != 1 {
		t.Error(h.Ticks)
	}
}

func TestHistoryOverEntities(t *testing.T) {
	s := newScene(t, timeline.Options{})
	s.run(20)
	l, from, to := s.all()
	plan, err := query.Compile(s.Catalog(), query.Query{Where: "Position.X < 3"})
	if err != nil {
		t.Fatal(err)
	}
	for of, want := range map[string]string{"min Position.X": "0", "max Position.X": "2", "sum Position.X": "3", "avg Position.X": "1", "count": "3"} {
		tr, err := timeline.OverTrack(s.Catalog(), plan, of)
		if err != nil {
			t.Fatal(err)
		}
		h := l.History(from, to, 1000, []timeline.Track{tr})
		if got := string(h.Summary[of].First); got != want {
			t.Errorf("%s: %s, want %s", of, got, want)
		}
		if last := string(h.Summary[of].Last); of != "count" && last != "null" || of == "count" && last != "0" {
			t.Errorf("%s over nobody: %s", of, last)
		}
	}
}
