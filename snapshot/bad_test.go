package snapshot

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot/internal/blocks"
)

// small is a world whose file is short enough to spoil byte by byte.
func small() *fakeWorld {
	b := newFake(types(typ[position](), typ[childOf](), typ[list]()), types(typ[int]()), typ[childOf]())
	e := b.rows(nil, []position{{1, 2}, {3, 4}, {5, 6}})
	b.free(2)
	b.rows([]ecs.Target{{Relation: 1, Entity: e[0]}}, []childOf{{1}}, []list{{1, &list{2, nil}}})
	b.resource(5)
	return b.w
}

// unpack opens a file, pack makes one with sound checksums of any header and
// body: what an attacker or a bug in another writer could do.
func unpack(t testing.TB, data []byte) (head, body []byte) {
	t.Helper()
	br, err := blocks.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if head, err = br.Header(); err != nil {
		t.Fatal(err)
	}
	body, err = br.Body(DefaultMaxBytes)
	if err != nil {
		t.Fatal(err)
	}
	return head, body
}

func pack(head, body []byte) []byte {
	var buf bytes.Buffer
	w := blocks.NewWriter(&buf)
	w.Header(head)
	w.Write(body)
	w.Close()
	return buf.Bytes()
}

func TestEveryFlippedByteIsRefused(t *testing.T) {
	for _, w := range []*fakeWorld{small(), planes(manyRows)} {
		data := save(t, w, nil)
		want := cloneImage(&w.img)
		step := max(1, len(data)/500) | 1
		for i := 0; i < len(data); i += step {
			for _, mask := range []byte{0x01, 0x80, 0xff} {
				bad := bytes.Clone(data)
				bad[i] ^= mask
				refused(t, bad, w, refusal.BadSnapshot, nil)
			}
		}
		same(t, w, &want, &w.img)
		t.Logf("%d bytes", len(data))
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	w := small()
	data := save(t, w, nil)
	for n := range data {
		refused(t, data[:n], w, refusal.BadSnapshot, nil)
	}
	refused(t, append(bytes.Clone(data), 0), w, refusal.BadSnapshot, nil)
	refused(t, append(bytes.Clone(data), data...), w, refusal.BadSnapshot, nil)
	refused(t, []byte("PK\x03\x04 something else"), w, refusal.BadSnapshot, nil)
	later := bytes.Clone(data)
	later[len("\x89LOUPE\r\n")] = 9
	if e := refused(t, later, w, refusal.BadSnapshot, nil); !strings.Contains(e.Message, "version 9") {
		t.Errorf("another version: %s", e.Message)
	}
	// Arriving byte by byte it is the same file.
	if _, err := Load(iotest.OneByteReader(bytes.NewReader(data)), w, nil); err != nil {
		t.Error(err)
	}
	if _, err := Load(iotest.TimeoutReader(bytes.NewReader(data)), w, nil); err == nil {
		t.Error("a failing reader goes unnoticed")
	}
}

// With sound checksums a changed byte may give another valid world, or a
// refusal: never a panic, never an image that a world must not be given.
func TestEveryChangedBodyByteIsSoundOrRefused(t *testing.T) {
	for _, w := range []*fakeWorld{small(), everything().w} {
		head, body := unpack(t, save(t, w, nil))
		step := max(1, len(body)/400)
		loaded := 0
		for i := 0; i < len(body); i += step {
			for _, v := range []byte{body[i] + 1, 0, 0xff, body[i] ^ 0x80} {
				bad := bytes.Clone(body)
				bad[i] = v
				s, err := Decode(bytes.NewReader(pack(head, bad)), w.cat, nil)
				if err != nil {
					if strings.Contains(err.Error(), "panicked") && !strings.Contains(err.Error(), "MarshalBinary") {
						t.Fatalf("byte %d = %d: %v", i, v, err)
					}
					continue
				}
				loaded++
				if err := ecs.ValidateImage(w.cat, &s.Image); err != nil {
					t.Fatal(err)
				}
				var c Capture
				c.Image, c.catalog, c.options = s.Image, w.cat, (*Options)(nil).orDefault()
				if _, err := c.Encode(io.Discard); err != nil {
					t.Fatalf("byte %d = %d: loaded, but does not save: %v", i, v, err)
				}
			}
		}
		t.Logf("%d changed bodies were other sound worlds", loaded)
	}
}

// TestBadTables changes single facts of the body in ways that checksums cannot
// notice.
func TestBadTables(t *testing.T) {
	cases := map[string]func(c *Capture){
		"a cycle in the free list": func(c *Capture) {
			p := &c.Image.Pool
			p.Slots[p.Next].ID = p.Next
		},
		"a free list that is too long":  func(c *Capture) { c.Image.Pool.Available++ },
		"a free list that is too short": func(c *Capture) { c.Image.Pool.Available-- },
		"a free slot that is alive":     func(c *Capture) { c.Image.Pool.Next = c.Image.Archetypes[0].Entities[0].ID },
		"a free list out of the table":  func(c *Capture) { c.Image.Pool.Next = math.MaxUint32 },
		"all slots reserved":            func(c *Capture) { c.Image.Pool.Reserved = math.MaxUint32 },
		"an entity that is there twice": func(c *Capture) {
			c.Image.Archetypes[0].Entities[1] = c.Image.Archetypes[0].Entities[0]
		},
		"an entity out of the table": func(c *Capture) { c.Image.Archetypes[0].Entities[1].ID = 1 << 30 },
		"a reserved entity":          func(c *Capture) { c.Image.Archetypes[0].Entities[1].ID = 0 },
		"a target out of the table":  func(c *Capture) { c.Image.Archetypes[1].Targets[0].Entity.ID = 1 << 30 },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			w := small()
			var c Capture
			if err := c.Take(w, nil); err != nil {
				t.Fatal(err)
			}
			spoil(&c)
			var buf bytes.Buffer
			if _, err := c.Encode(&buf); err != nil {
				t.Fatal(err)
			}
			_, err := Load(bytes.NewReader(buf.Bytes()), w, nil)
			if code, ok := err.(*refusal.Error); !ok || code.Code != refusal.BadSnapshot {
				t.Fatalf("%v", err)
			}
			if w.restores > 0 {
				t.Error("the world was touched")
			}
		})
	}
}

func TestRepeatedAndUnknownTypes(t *testing.T) {
	w := small()
	data := save(t, w, nil)
	head, body := unpack(t, data)
	name := []byte(w.cat.Components[0].Type.ID)
	other := bytes.Replace(body, name, []byte(w.cat.Components[1].Type.ID + "nn")[:len(name)], 1) // an unknown name of equal length
	e := refused(t, pack(head, other), w, refusal.BadSnapshot, nil)
	if !strings.Contains(e.Message, "does not know") || len(e.Options) == 0 || !strings.Contains(e.Hint, "AllowUnknown") {
		t.Errorf("%+v", e)
	}
	b := newFake(types(typ[position](), typ[tag]()), nil)
	b.rows(nil, []position{{1, 1}}, []tag{{}})
	_, body = unpack(t, save(t, b.w, nil))
	head, _ = unpack(t, save(t, b.w, nil))
	// Both components are given the first one's name.
	first, second := []byte(value.LayoutOf(typ[position]()).Name), []byte(value.LayoutOf(typ[tag]()).Name)
	twice := bytes.Replace(body, append([]byte{byte(len(second))}, second...), append([]byte{byte(len(first))}, first...), 1)
	at := binary.LittleEndian.Uint64(twice[len(twice)-8:])
	binary.LittleEndian.PutUint64(twice[len(twice)-8:], at+uint64(len(first)-len(second)))
	if e := refused(t, pack(head, twice), b.w, refusal.BadSnapshot, nil); !strings.Contains(e.Message, "twice") {
		t.Error(e.Message)
	}
}

func TestHeaderMustAgreeWithTheBody(t *testing.T) {
	w := small()
	head, body := unpack(t, save(t, w, nil))
	lie := bytes.Replace(head, []byte(`"entities":4`), []byte(`"entities":5`), 1)
	if bytes.Equal(head, lie) {
		t.Fatalf("no count in %s", head)
	}
	refused(t, pack(lie, body), w, refusal.BadSnapshot, nil)
	refused(t, pack([]byte("{"), body), w, refusal.BadSnapshot, nil)
	refused(t, pack(head, nil), w, refusal.BadSnapshot, nil)
}

func TestALargeFileIsRefusedBeforeItIsExpanded(t *testing.T) {
	w := small()
	head, _ := unpack(t, save(t, w, nil))
	bomb := pack(head, make([]byte, 256<<20))
	if len(bomb) > 1<<20 {
		t.Fatalf("not much of a bomb: %d bytes", len(bomb))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	refused(t, bomb, w, refusal.TooLarge, &Options{MaxBytes: 8 << 20})
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d bytes were allocated for it", n)
	}
	if _, err := Save(io.Discard, everything().w, &Options{MaxBytes: 1}); err != nil {
		t.Log(err) // less than a block is never too large
	}
	big := newFake(types(typ[[1 << 16]byte]()), nil)
	big.rows(nil, make([][1 << 16]byte, 64))
	if _, err := Save(io.Discard, big.w, &Options{MaxBytes: 1 << 20}); err == nil {
		t.Error("a save beyond the limit is written")
	}
}

// A count must be paid for with bytes.
func TestAbsurdCounts(t *testing.T) {
	w := small()
	head, body := unpack(t, save(t, w, nil))
	huge := binary.AppendUvarint(nil, 1<<40)
	for i := range len(body) - 8 {
		bad := append(append(bytes.Clone(body[:i]), huge...), body[i+1:]...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(bytes.NewReader(pack(head, bad)), w.cat, nil)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 32<<20 {
			t.Fatalf("byte %d: %d bytes allocated (%v)", i, n, err)
		}
	}
}

func TestLockedWorldIsRefused(t *testing.T) {
	w := small()
	data := save(t, w, nil)
	w.locked = true
	_, err := Load(bytes.NewReader(data), w, nil)
	if e, ok := err.(*refusal.Error); !ok || e.Code != refusal.WorldLocked || w.restores != 0 {
		t.Fatal(err)
	}
}

type plainWorld struct{ ecs.World }

func TestWorldsThatCannotBeCaptured(t *testing.T) {
	w := plainWorld{small()}
	if _, err := Save(io.Discard, w, nil); err == nil || err.(*refusal.Error).Code != refusal.NotSupported {
		t.Error(err)
	}
	if _, err := Load(bytes.NewReader(save(t, small(), nil)), w, nil); err == nil || err.(*refusal.Error).Code != refusal.NotSupported {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	w := small()
	all := everything().w
	for _, world := range []*fakeWorld{w, all, planes(manyRows)} {
		data := save(f, world, nil)
		f.Add(data)
		_, body := unpack(f, data)
		f.Add(body)
	}
	head, _ := unpack(f, save(f, w, nil))
	headAll, _ := unpack(f, save(f, all, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := &Options{MaxBytes: 16 << 20}
		if _, err := Decode(bytes.NewReader(data), w.cat, o); err != nil && err.Error() == "" {
			t.Error("an empty refusal")
		}
		ReadHeader(bytes.NewReader(data))
		for _, x := range []struct {
			w    *fakeWorld
			head []byte
		}{{w, head}, {all, headAll}} {
			for _, lax := range []bool{false, true} {
				o := &Options{MaxBytes: 16 << 20, AllowUnknown: lax}
				s, err := Decode(bytes.NewReader(pack(x.head, data)), x.w.cat, o)
				if err != nil {
					if strings.Contains(err.Error(), "panicked") {
						t.Error(err)
					}
					continue
				}
				if err := ecs.ValidateImage(x.w.cat, &s.Image); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

func TestUnknownTypesAreLeftOutOnRequest(t *testing.T) {
	b := newFake(types(typ[position](), typ[owned](), typ[tag]()), types(typ[int](), typ[rules]()))
	b.rows(nil, []position{{1, 1}}, []owned{{Since: 1}})
	b.rows(nil, []position{{2, 2}})
	b.rows(nil, []owned{{Since: 3}}, []tag{{}})
	b.resource(5)
	b.resource(rules{Gravity: 1})
	data := save(t, b.w, nil)
	o := newFake(types(typ[position](), typ[tag]()), types(typ[int]()))
	if e := refused(t, data, o.w, refusal.BadSnapshot, nil); !strings.Contains(e.Message, "owned") {
		t.Error(e.Message)
	}
	rep := load(t, data, o.w, &Options{AllowUnknown: true})
	if got := columnOf[position](t, o.w, 0); !reflect.DeepEqual(got, []position{{1, 1}, {2, 2}}) {
		t.Errorf("%v: archetypes that became equal are one", got)
	}
	if len(rep.Skipped) != 2 || !strings.Contains(rep.Skipped[0].Reason, "2 entities") {
		t.Errorf("%+v", rep.Skipped)
	}
}

// An archetype that no entity is in any more must not tie a file to its types.
func TestUnknownTypesWithoutEntitiesAreNoLoss(t *testing.T) {
	b := newFake(types(typ[position](), typ[owned](), typ[tag]()), types(typ[int](), typ[rules]()))
	b.rows(nil, []position{{1, 1}})
	b.rows(nil, []position{}, []owned{})
	b.rows(nil, []owned{}, []tag{})
	b.rows(nil, []tag{{}})
	b.resource(5)
	b.absent(typ[rules]())
	data := save(t, b.w, nil)
	o := newFake(types(typ[position](), typ[tag]()), types(typ[int]()))
	rep := load(t, data, o.w, nil)
	if got := columnOf[position](t, o.w, 0); !reflect.DeepEqual(got, []position{{1, 1}}) || rep.Entities != 2 || rep.Archetypes != 2 {
		t.Errorf("%v %+v", got, rep)
	}
	if len(rep.Skipped) != 2 {
		t.Errorf("%+v", rep.Skipped)
	}
}
