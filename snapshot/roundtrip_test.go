package snapshot

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	oldrand "math/rand"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
)

type (
	position struct{ X, Y float64 }
	tag      struct{}
	padded   struct {
		A bool
		B int64
		C uint8
		D float32
		_ [3]byte
		E complex64
		F [3]int16
	}
	childOf struct{ Strength int32 }
	shape   interface{ Area() float64 }
	square  struct{ Side float64 }
	circle  struct{ r float64 }
	mood    uint8
	list    struct {
		Value int
		Next  *list
	}
	// Embedding an entity lost all sibling fields elsewhere (its MarshalJSON
	// is promoted).
	owned struct {
		ecs.Entity
		Since int
		Note  string
	}
	sink struct {
		Lead    int // a slice that is not first crashed loading elsewhere
		Slice   []int32
		Empty   []string
		NilMap  map[string]int
		Map     map[string][]float64
		ByFloat map[float64]string
		ByPtr   map[*position]int
		Any     any
		Shape   shape
		Ptr     *int64
		Alias   *int64
		Ring    *list
		Bytes   []byte
		Text    string
		C64     complex64
		C128    complex128
		F32     float32
		hidden  map[int]bool
		Mood    mood
		When    time.Time
		Big     *big.Int
		Addr    netip.Addr
		Nested  [2]struct{ S []string }
		Self    map[string]any
	}
	handles_ struct {
		N  int
		F  func() int
		Ch chan int
		Mu sync.Mutex
		P  *handles_
	}
	rules struct {
		Gravity float64
		Names   []string
		Rand    *oldrand.Rand
	}
)

func (s square) Area() float64  { return s.Side * s.Side }
func (c *circle) Area() float64 { return c.r * c.r * math.Pi }

func sinkOf(i int) sink {
	n := int64(1)<<60 + int64(i)
	ring := &list{Value: i}
	ring.Next = &list{i + 1, ring}
	b, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	p := &position{1, 2}
	s := sink{Lead: -i, Slice: []int32{1, 2, int32(i)}, Empty: []string{}, Map: map[string][]float64{"a": {1, math.NaN()}, "": nil, "b": {}},
		ByFloat: map[float64]string{math.NaN(): "n", math.Inf(-1): "i", math.Copysign(0, -1): "z"},
		ByPtr:   map[*position]int{p: 3, {5, 6}: 4}, Any: n, Shape: square{3}, Ptr: &n, Alias: &n, Ring: ring,
		Bytes: []byte("\xff\x00x"), Text: "a\xffb\x00", C64: complex(float32(math.NaN()), -1), C128: complex(math.Inf(1), 2),
		F32: math.Float32frombits(0x7fa00001), hidden: map[int]bool{i: true, 1000: false}, Mood: mood(i),
		When: time.Date(2024, 5, 6, 7, 8, 9, 10, time.Local), Big: b, Addr: netip.MustParseAddr("fe80::1%eth0")}
	s.Nested[1].S = []string{"q", strings.Repeat("x", 256), strings.Repeat("y", 300)}
	if i%2 == 0 {
		s.Any = []any{nil, 1.5, "s", map[string]any{"k": []int{1}}, &position{7, 8}, uint8(3), struct{}{}, mood(4), time.UTC}
		s.Shape = &circle{2}
		s.When = time.Date(2024, 5, 6, 7, 8, 9, 10, time.FixedZone("X", 3600))
	}
	s.Self = map[string]any{"n": i}
	s.Self["self"] = s.Self
	return s
}

func everything() *builder {
	b := newFake(types(typ[position](), typ[tag](), typ[padded](), typ[childOf](), typ[owned](), typ[sink](), typ[[3]int](), typ[int](), typ[string]()),
		types(typ[rules](), typ[int](), typ[map[string]int]()), typ[childOf]())
	root := b.rows(nil, []position{{1, 2}, {math.NaN(), math.Inf(-1)}, {math.Copysign(0, -1), math.Float64frombits(0x7ff8000000001234)}})
	b.rows(nil)
	b.free(3)
	b.rows(nil, []tag{{}, {}, {}, {}})
	pad := make([]padded, 70)
	for i := range pad {
		pad[i] = padded{i%2 == 0, int64(i) << 40, uint8(i), float32(i) / 3, [3]byte{}, complex(1, float32(i)), [3]int16{1, -2, int16(i)}}
	}
	b.rows(nil, pad)
	b.rows([]ecs.Target{{Relation: 3, Entity: root[0]}}, []childOf{{1}, {2}})
	b.rows([]ecs.Target{{Relation: 3, Entity: ecs.Entity{ID: 2, Gen: 99}}}, []childOf{{3}}) // dangling
	b.rows([]ecs.Target{{Relation: 3}}, []childOf{{4}})
	sinks := make([]sink, 20)
	for i := range sinks {
		sinks[i] = sinkOf(i)
	}
	b.rows(nil, sinks, make([]tag, 20))
	b.rows(nil, []owned{{root[1], 5, "five"}, {ecs.Entity{}, 6, ""}})
	b.rows(nil, [][3]int{{1, 2, 3}}, []int{-1}, []string{strings.Repeat("n", 256)})
	r := oldrand.New(oldrand.NewSource(7))
	r.Int()
	b.resource(rules{9.81, []string{"a"}, r})
	b.absent(typ[int]())
	b.resource(map[string]int{"x": 1})
	b.free(2)
	return b
}

func same(t *testing.T, w *fakeWorld, a, b *ecs.Image) {
	t.Helper()
	d, err := Diff(w.cat, a, b, DiffOptions{Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range d.Rows {
		t.Errorf("differs: %+v %s %s", r, r.From, r.To)
	}
	if !d.Same() {
		t.Errorf("not the same: %+v", d)
	}
}

func TestRoundTripIsExact(t *testing.T) {
	b := everything()
	data := save(t, b.w, &Options{Frame: 77, App: "arena"})
	want := cloneImage(&b.w.img)
	other := everything()
	other.w.img = ecs.Image{Pool: ecs.Pool{Slots: []ecs.Entity{{}}, Reserved: 1}}
	rep := load(t, data, other.w, nil)
	if len(rep.Projected) > 0 || len(rep.Skipped) > 0 {
		t.Errorf("an exact load reports %+v", rep)
	}
	if rep.Header.Frame != 77 || rep.Header.App != "arena" || rep.Header.Entities != rep.Entities || rep.Entities != 3+1+4+70+2+1+1+20+2+1 {
		t.Errorf("header %+v", rep.Header)
	}
	got := &other.w.img
	if !reflect.DeepEqual(got.Pool, want.Pool) {
		t.Errorf("pool %+v, want %+v", got.Pool, want.Pool)
	}
	for i := range want.Archetypes {
		x, y := got.Archetypes[i], want.Archetypes[i]
		if !reflect.DeepEqual(x.Entities, y.Entities) || !reflect.DeepEqual(x.Components, y.Components) {
			t.Errorf("archetype %d: rows %v, want %v", i, x.Entities, y.Entities)
		}
		for _, tg := range y.Targets {
			if targetOf(&x, tg.Relation) != tg.Entity {
				t.Errorf("archetype %d: target %v, want %v", i, x.Targets, y.Targets)
			}
		}
	}
	same(t, b.w, &want, got)
	// What a diff of values does not see: sharing, cycles, nil or empty.
	s := columnOf[sink](t, other.w, 7)[3]
	if s.Ptr != s.Alias || s.Ring.Next.Next != s.Ring {
		t.Error("sharing or a cycle is lost")
	}
	if s.Empty == nil || s.NilMap != nil || s.Map[""] != nil || s.Map["b"] == nil {
		t.Error("nil and empty are mixed up")
	}
	if s.Self["self"].(map[string]any)["n"] != 3 {
		t.Error("a map that contains itself is lost")
	}
	if s.Any != any(int64(1)<<60+3) {
		t.Errorf("int64 in an interface: %v", s.Any)
	}
	if math.Float32bits(s.F32) != 0x7fa00001 || len(s.hidden) != 2 || !s.hidden[3] || !s.When.Equal(sinkOf(3).When) || s.When.Location() != time.Local {
		t.Errorf("bits, unexported fields or zone: %x %v %v", math.Float32bits(s.F32), s.hidden, s.When)
	}
	if e := columnOf[owned](t, other.w, 8)[0]; e.Since != 5 || e.Note != "five" || e.Entity != (ecs.Entity{ID: 2, Gen: 2}) {
		t.Errorf("embedded entity: %+v", e)
	}
	r1 := want.Resources[0].Value.Interface().(rules).Rand
	r2 := got.Resources[0].Value.Interface().(rules).Rand
	for range 1000 {
		if a, b := r1.Int63(), r2.Int63(); a != b {
			t.Fatalf("the generator goes on with %d, want %d", b, a)
		}
	}
	// Saving what was loaded gives the same bytes, and once more.
	r1, r2 = nil, nil
	fresh := everything()
	load(t, data, fresh.w, nil)
	if !bytes.Equal(save(t, fresh.w, &Options{Frame: 77, App: "arena"}), data) {
		t.Error("save after load gives other bytes")
	}
}

func TestBytesAreDeterministic(t *testing.T) {
	a := everything()
	want := save(t, a.w, nil)
	for range 5 {
		w := everything().w
		if !bytes.Equal(save(t, w, nil), want) {
			t.Fatal("equal worlds give other bytes")
		}
	}
	// Padding is not part of the world.
	c := columnOf[padded](t, a.w, 3)
	mem := memory(reflect.ValueOf(c).Index(0), reflect.TypeFor[padded]().Size())
	mem[1], mem[5] = 0xee, 0xdd
	if !bytes.Equal(save(t, a.w, nil), want) {
		t.Error("padding reaches the file")
	}
}

func TestRegistrationOrderDoesNotMatter(t *testing.T) {
	b := newFake(types(typ[position](), typ[tag](), typ[childOf]()), types(typ[rules](), typ[int]()), typ[childOf]())
	e := b.rows(nil, []position{{1, 2}, {3, 4}}, []tag{{}, {}})
	b.rows([]ecs.Target{{Relation: 2, Entity: e[0]}}, []childOf{{9}})
	b.resource(5)
	data := save(t, b.w, nil)
	o := newFake(types(typ[childOf](), typ[string](), typ[tag](), typ[position]()), types(typ[int](), typ[rules]()), typ[childOf]())
	load(t, data, o.w, nil)
	if got := columnOf[position](t, o.w, 0); got[1] != (position{3, 4}) {
		t.Errorf("%v", got)
	}
	if got := o.w.img.Archetypes[1].Targets; len(got) != 1 || got[0] != (ecs.Target{Relation: 0, Entity: e[0]}) {
		t.Errorf("targets %v", got)
	}
	if got := o.w.img.Resources; len(got) != 1 || got[0].Value.Interface() != 5 {
		t.Errorf("resources %v", got)
	}
	if !bytes.Equal(save(t, o.w, nil), data) {
		t.Error("the order of registration reaches the file")
	}
}

func TestTypesOfTheSameName(t *testing.T) {
	one := func() reflect.Type { type twin struct{ A int }; return typ[twin]() }()
	two := func() reflect.Type { type twin struct{ B string }; return typ[twin]() }()
	b := newFake(types(one, two), nil)
	x, y := reflect.MakeSlice(reflect.SliceOf(one), 1, 1), reflect.MakeSlice(reflect.SliceOf(two), 1, 1)
	x.Index(0).Field(0).SetInt(4)
	y.Index(0).Field(0).SetString("s")
	b.rows(nil, x.Interface(), y.Interface())
	want := cloneImage(&b.w.img)
	data := save(t, b.w, nil)
	b.w.img.Archetypes = nil
	b.w.img.Pool = ecs.Pool{Slots: []ecs.Entity{{}}, Reserved: 1}
	load(t, data, b.w, nil)
	same(t, b.w, &want, &b.w.img)
}

func TestHandlesAreKeptFromTheLiveWorld(t *testing.T) {
	b := newFake(types(typ[handles_]()), types(typ[handles_]()))
	ch := make(chan int, 1)
	rows := []handles_{{N: 1, F: func() int { return 42 }, Ch: ch}, {N: 2}}
	rows[0].Mu.Lock()
	b.rows(nil, rows)
	b.w.img.Resources = []ecs.ImageResource{{ID: 0, Value: reflect.ValueOf(&handles_{N: 7, F: func() int { return 43 }}).Elem()}}
	data := save(t, b.w, nil)
	columnOf[handles_](t, b.w, 0)[0].N = 100
	rep := load(t, data, b.w, nil)
	h := &columnOf[handles_](t, b.w, 0)[0]
	if h.N != 1 || h.F == nil || h.F() != 42 || h.Ch != ch {
		t.Errorf("not kept: %d %v", h.N, h.Ch)
	}
	if r := b.w.img.Resources[0].Value.Addr().Interface().(*handles_); r.N != 7 || r.F() != 43 {
		t.Error("not kept in a resource")
	}
	text := fmt.Sprint(rep.Skipped)
	for _, f := range []string{"handles_.F", "handles_.Ch", "handles_.Mu"} {
		if !strings.Contains(text, f) {
			t.Errorf("%s is lost silently: %s", f, text)
		}
	}
}

type endless *endless

// Following a type that points at itself never ends: its values are handles.
func TestAPointerToItselfIsKept(t *testing.T) {
	type holder struct {
		N  int
		P  endless
		PP **endless
	}
	b := newFake(types(typ[holder]()), nil)
	var p endless
	p = &p
	b.rows(nil, []holder{{1, p, nil}})
	data := save(t, b.w, nil)
	columnOf[holder](t, b.w, 0)[0].N = 2
	if rep := load(t, data, b.w, nil); len(rep.Skipped) != 2 {
		t.Errorf("%+v", rep.Skipped)
	}
	if h := columnOf[holder](t, b.w, 0)[0]; h.N != 1 || h.P != p {
		t.Errorf("%+v", h)
	}
}

func TestALongListDoesNotRecurse(t *testing.T) {
	b := newFake(types(typ[list]()), nil)
	var head list
	at := &head
	for i := range 200_000 {
		at.Next = &list{Value: i}
		at = at.Next
	}
	w := b.w
	b.rows(nil, []list{head})
	c := Capture{Image: w.img, catalog: w.cat, options: (*Options)(nil).orDefault()}
	var buf bytes.Buffer
	if _, err := c.Encode(&buf); err != nil {
		t.Fatal(err)
	}
	s, err := Decode(&buf, w.cat, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for l := s.Image.Archetypes[0].Columns[0].Interface().([]list)[0].Next; l != nil; l = l.Next {
		if l.Value != n {
			t.Fatalf("element %d is %d", n, l.Value)
		}
		n++
	}
	if n != 200_000 {
		t.Errorf("%d elements", n)
	}
	// Comparing it neither recurses nor spells out a path to its end.
	d, err := Diff(w.cat, &w.img, &s.Image, DiffOptions{})
	if err != nil || !d.Same() {
		t.Errorf("not the same: %+v %v", d, err)
	}
	at.Value++
	d, err = Diff(w.cat, &w.img, &s.Image, DiffOptions{Limit: 5})
	if err != nil || d.Changed != 1 || len(d.Rows) != 1 || len(d.Rows[0].Path) > 1000 {
		t.Errorf("a change at its end: %+v %v", d, err)
	}
}
