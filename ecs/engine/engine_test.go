package engine

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

type number struct{ N int }
type text struct{ S []string }

func types() []*value.Type {
	return []*value.Type{value.TypeOf(reflect.TypeFor[number]()), value.TypeOf(reflect.TypeFor[text]())}
}

// What is written into an image and filled in elsewhere is equal and shares no
// memory, whichever column holds pointers; a second capture reuses the first's.
func TestImageRoundTrip(t *testing.T) {
	ts := types()
	numbers, texts := []number{{1}, {2}}, []text{{[]string{"a"}}, {[]string{"b"}}}
	c := Chunk{
		Types: []ecs.TypeID{0, 1}, Rows: []ecs.Entity{{ID: 1}, {ID: 2}}, Relations: []ecs.Target{{Relation: 0}},
		Cols: []ecs.Column{{Base: unsafe.Pointer(&numbers[0]), Stride: unsafe.Sizeof(numbers[0])}, {Base: unsafe.Pointer(&texts[0]), Stride: unsafe.Sizeof(texts[0])}},
	}
	var img ecs.Image
	write := func() {
		w := WriterTo(&img, ts, c.Rows, 7, 1, 1)
		w.Add(&c)
		w.Add(&Chunk{Types: []ecs.TypeID{1}})
		if w.Len() != 2 {
			t.Fatalf("%d archetypes", w.Len())
		}
	}
	write()
	first := img.Archetypes[0].Columns[0].UnsafePointer()
	numbers[0].N, texts[0].S[0] = 10, "changed"
	a := img.Archetypes[0]
	if a.Columns[0].Index(0).Interface() != (number{1}) || a.Columns[1].Index(0).Interface().(text).S[0] != "a" {
		t.Error("the image shares memory with the world")
	}
	outNumbers, outTexts := make([]number, 2), make([]text, 2)
	FillColumn(unsafe.Pointer(&outNumbers[0]), ts[0], a.Columns[0], 2)
	FillColumn(unsafe.Pointer(&outTexts[0]), ts[1], a.Columns[1], 2)
	if outNumbers[1].N != 2 || outTexts[1].S[0] != "b" {
		t.Errorf("%v %v", outNumbers, outTexts)
	}
	outTexts[1].S[0] = "changed"
	if a.Columns[1].Index(1).Interface().(text).S[0] != "b" {
		t.Error("the world shares memory with the image")
	}
	write()
	if img.Archetypes[0].Columns[0].UnsafePointer() != first {
		t.Error("a second capture does not use the first one's memory")
	}
	if p := img.Pool; len(p.Slots) != 2 || p.Next != 7 || p.Available != 1 || p.Reserved != 1 || img.Archetypes[1].Columns[0].Len() != 0 {
		t.Errorf("%+v", img)
	}
}

func TestExchangePutsBack(t *testing.T) {
	var img, before ecs.Image
	for _, c := range []struct {
		panics  int // calls of replace that panic
		now     *ecs.Image
		unlocks int
		message string
	}{
		{0, &img, 0, ""},
		{1, &before, 1, "restoring failed: boom; the world is as it was before"},
		{2, nil, 1, "and so did putting the world back (boom): the world is lost"},
	} {
		var calls []*ecs.Image
		unlocks := 0
		now, err := Exchange(&img, &before, func(i *ecs.Image) {
			if calls = append(calls, i); len(calls) <= c.panics {
				panic("boom")
			}
		}, func() { unlocks++ })
		if now != c.now || unlocks != c.unlocks || calls[0] != &img || len(calls) > 1 && calls[1] != &before {
			t.Errorf("%d panics: now %p, %d unlocks, %d calls", c.panics, now, unlocks, len(calls))
		}
		if c.message == "" && err != nil || c.message != "" && (!errors.Is(err, refusal.Panicked) || !strings.Contains(err.Error(), c.message)) {
			t.Errorf("%d panics: %v", c.panics, err)
		}
	}
}

func TestLastHoldsUntilTheSignatureChanges(t *testing.T) {
	var l Last
	ts := types()
	if l.Holds(append(l.Blank(), 1, 2), ts) {
		t.Error("there is no catalog yet")
	}
	l.Catalog = ecs.NewCatalog(ecs.Catalog{})
	for _, sig := range [][]uint64{{1, 2}, {1, 2}} {
		if !l.Holds(append(l.Blank(), sig...), ts) {
			t.Error("an equal signature is taken for a change")
		}
	}
	for _, sig := range [][]uint64{{1, 3}, {1}, {1, 3, 4}} {
		if l.Holds(append(l.Blank(), sig...), ts) {
			t.Errorf("%v is not taken for a change", sig)
		}
	}
	if allocs := testing.AllocsPerRun(10, func() { l.Holds(append(l.Blank(), 1, 3, 4), ts) }); allocs != 0 {
		t.Errorf("%v allocations while nothing changes", allocs)
	}
	stale := *ts[0]
	ts[0] = &stale
	if l.Holds(append(l.Blank(), 1, 3, 4), ts) || ts[0] == &stale {
		t.Error("a new description of a type is not taken up")
	}
}

func TestSignPresentTellsEveryBit(t *testing.T) {
	for i := range 131 {
		values := make([]any, 130)
		if i < 130 {
			values[i] = 0
		}
		sig := SignPresent(nil, values)
		if len(sig) != 3 {
			t.Fatalf("%d numbers", len(sig))
		}
		bits := 0
		for w, s := range sig {
			for b := range 64 {
				if s>>b&1 != 0 {
					bits++
					if w*64+b != i {
						t.Errorf("value %d shows as bit %d", i, w*64+b)
					}
				}
			}
		}
		if want := min(1, 130-i); bits != want {
			t.Errorf("value %d: %d bits", i, bits)
		}
	}
}

// The store is a map: a third engine's could be anything with Get and Add.
type store map[int]any

func (s store) Get(id int) any    { return s[id] }
func (s store) Add(id int, v any) { s[id] = v }

func TestResources(t *testing.T) {
	registered := []reflect.Type{reflect.TypeFor[number](), reflect.TypeFor[text](), reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[bool]()}
	game, kept := &number{1}, 5
	s := store{10: game, 11: (*text)(nil), 12: kept, 13: 3.5}
	r := ResourcesOf(&registered, s,
		func(*[]reflect.Type) []int { return []int{10, 11, 12, 13, 14} },
		func(ts *[]reflect.Type, id int) (reflect.Type, bool) { return (*ts)[id-10], true })
	present := []bool{true, false, true, false, false}
	for i, want := range present {
		if _, ok := r.Value(ecs.TypeID(i)); ok != want {
			t.Errorf("resource %d: %v", i, ok)
		}
	}
	for _, id := range []ecs.TypeID{-1, 5} {
		if _, ok := r.Value(id); ok {
			t.Errorf("there is a resource %d", id)
		}
	}
	var cat ecs.Catalog
	r.AddTo(&cat)
	for i, res := range cat.Resources {
		if res.Present != present[i] || res.Type.Go != registered[i] {
			t.Errorf("resource %d: %+v", i, res)
		}
	}
	var img ecs.Image
	r.Capture(&img)
	// The nil pointer and the float have no content to put back.
	var ids []ecs.TypeID
	for _, x := range img.Resources {
		ids = append(ids, x.ID)
	}
	if !slices.Equal(ids, []ecs.TypeID{0, 2, 4}) {
		t.Errorf("captured %v", ids)
	}
	game.N, s[12], s[14] = 2, 6, true
	objects := r.Keep()
	clear(s)
	r.Restore(&img, objects)
	if s[10] != game || game.N != 1 || s[12] != 5 || s[13] != 3.5 || s[14] != nil {
		t.Errorf("restored %v with %d", s, game.N)
	}
	// An object that the game has removed since comes back as a new one.
	clear(s)
	r.Restore(&img, make([]any, 5))
	if n, ok := s[10].(*number); !ok || n == game || n.N != 1 {
		t.Errorf("restored %v", s[10])
	}
}

func TestHintOrderLeavesOutWhatTheImageLacks(t *testing.T) {
	got := HintOrder([]uint32{9}, 4, []string{"b", "x", "a"}, map[string]uint32{"a": 0, "b": 1})
	if !slices.Equal(got, []uint32{9, 4, 2, 1, 0}) {
		t.Error(got)
	}
}

func TestChunkBounds(t *testing.T) {
	rows := []ecs.Entity{{ID: 3}, {ID: 4}}
	c := &Chunk{Types: []ecs.TypeID{1}, Cols: []ecs.Column{{Stride: 8}}}
	c.SetRows(unsafe.Pointer(&rows[0]), 2)
	if c.Entity(-1) != (ecs.Entity{}) || c.Entity(2) != (ecs.Entity{}) || c.Entity(1) != rows[1] || c.Len() != 2 {
		t.Error("a row beyond the chunk")
	}
	if got := c.AppendEntities(nil, -5, 99); !slices.Equal(got, rows) {
		t.Error(got)
	}
	if got := c.AppendEntities(nil, 2, 1); got != nil {
		t.Error(got)
	}
	if _, ok := c.Column(1); ok {
		t.Error("a column without an address")
	}
	if _, ok := c.Column(2); ok {
		t.Error("a column of a type that is not there")
	}
	if _, row, ok := FindSlot([]*Chunk{{}, c}, 4); !ok || row != 1 {
		t.Error(row, ok)
	}
	if _, _, ok := FindSlot([]*Chunk{c}, 5); ok {
		t.Error("an entity that is not there")
	}
	if c.SetRows(nil, 0); c.Len() != 0 {
		t.Error(c.Len())
	}
}

func TestCatalogSums(t *testing.T) {
	ts := types()
	cat := ecs.Catalog{Archetypes: []ecs.Archetype{
		Measured(ecs.Archetype{Components: []ecs.TypeID{0}, Entities: 3, Capacity: 4}, ts),
		Measured(ecs.Archetype{Components: []ecs.TypeID{0, 1}, Capacity: 2}, ts),
	}}
	AddComponents(&cat, ts, []bool{false, true})
	if a := cat.Archetypes[1]; a.BytesPerEntity != 8+8+24 || a.Bytes != 80 {
		t.Errorf("%+v", a)
	}
	n, s := cat.Components[0], cat.Components[1]
	if n.Entities != 3 || n.Archetypes != 1 || n.Bytes != 48 || n.Relation || s.Entities != 0 || s.Archetypes != 0 || s.Bytes != 48 || !s.Relation {
		t.Errorf("%+v %+v", n, s)
	}
}

// A catalog holds while nothing that it tells has changed: which archetypes there
// are, how many rows they have, and which entities they target, also where another
// target takes the place of one with as many rows.
func TestACatalogIsStaleWhenATargetChanges(t *testing.T) {
	ts := types()
	chunk := Chunk{ID: 3, Types: []ecs.TypeID{0}, Rows: []ecs.Entity{{ID: 9}}, Relations: []ecs.Target{{Relation: 0, Entity: ecs.Entity{ID: 4, Gen: 1}}}}
	var l Last
	sign := func(c Chunk, values ...any) bool {
		held := l.Holds(SignPresent(SignChunk(l.Blank(), &c), values), ts)
		if !held {
			l.Catalog = ecs.NewCatalog(ecs.Catalog{})
		}
		return held
	}
	if sign(chunk, 1, nil) {
		t.Error("the first catalog is held")
	}
	other, reborn, more, elsewhere := chunk, chunk, chunk, chunk
	other.Relations = []ecs.Target{{Relation: 0, Entity: ecs.Entity{ID: 5, Gen: 1}}}
	reborn.Relations = []ecs.Target{{Relation: 0, Entity: ecs.Entity{ID: 4, Gen: 2}}}
	more.Rows = append(more.Rows, ecs.Entity{ID: 10})
	elsewhere.ID = 2
	for name, c := range map[string]Chunk{"another target": other, "the target's slot has another entity": reborn, "another row": more, "another archetype": elsewhere} {
		for range 2 {
			sign(chunk, 1, nil)
		}
		if !sign(chunk, 1, nil) {
			t.Error("nothing has changed, and the catalog is made anew")
		}
		if sign(c, 1, nil) {
			t.Errorf("%s: the old catalog is held", name)
		}
	}
	sign(chunk, 1, nil)
	if sign(chunk, 1, 2) || sign(chunk, nil, 2) {
		t.Error("a resource came or went: the old catalog is held")
	}
	// Bits of many values do not run into each other.
	many := make([]any, 65)
	many[63] = 1
	first := SignPresent(nil, many)
	many[63], many[64] = nil, 1
	if second := SignPresent(nil, many); slices.Equal(first, second) || len(second) != 2 {
		t.Errorf("%v and %v", first, second)
	}
}
