package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// hoard has planes of every kind: constant, noise, few values in no order,
// counters, bools.
type hoard struct {
	On    bool
	Side  uint8
	Rank  uint16
	HP    int32
	Speed float32
	At    float64
	Turn  complex128
	Tick  int64
	Max   int64
}

// planes is a world whose columns are long enough for planes of their own if
// rows is at least manyRows.
func planes(rows int) *fakeWorld {
	b := newFake(types(typ[hoard](), typ[oldPoint]()), nil)
	r := rand.New(rand.NewPCG(3, 4))
	hoards, points := make([]hoard, rows), make([]oldPoint, rows)
	for i := range hoards {
		hoards[i] = hoard{r.IntN(2) == 0, uint8(r.IntN(4)), uint16(r.IntN(10)), int32(r.IntN(100)) - 50, r.Float32() - 0.5, r.Float64() * 1000,
			complex(r.Float64(), 1), int64(i), -7}
		points[i] = oldPoint{float64(i), float64(i % 5)}
	}
	b.rows(nil, hoards, points)
	return b.w
}

// codecs counts a file's blocks by codec.
func codecs(t *testing.T, data []byte) map[byte]int {
	t.Helper()
	br, err := newBlockReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	n := map[byte]int{}
	for {
		bl, err := br.next()
		if err != nil {
			t.Fatal(err)
		}
		if bl.kind == kindEnd {
			return n
		}
		n[bl.codec]++
	}
}

// Worlds around the sizes at which planes get blocks of their own, and at which
// they are cut in two, come back bit by bit, and their files are always the
// same.
func TestManyRows(t *testing.T) {
	for _, rows := range []int{1000, manyRows, manyRows + 1, laneRows - 1, laneRows, laneRows + 1, 2*laneRows + 5} {
		w := planes(rows)
		data := save(t, w, nil)
		n := codecs(t, data)
		if own := n[codecFill] > 0 && n[codecStored] > 0 && n[codecZstd] > 15; own != (rows >= manyRows) {
			t.Errorf("%d rows: blocks by codec %v", rows, n)
		}
		other := planes(1)
		load(t, data, other, nil)
		if !reflect.DeepEqual(columnOf[hoard](t, w, 0), columnOf[hoard](t, other, 0)) || !reflect.DeepEqual(columnOf[oldPoint](t, w, 0), columnOf[oldPoint](t, other, 0)) ||
			!reflect.DeepEqual(w.img.Pool, other.img.Pool) || !reflect.DeepEqual(w.img.Archetypes[0].Entities, other.img.Archetypes[0].Entities) {
			t.Errorf("%d rows do not come back", rows)
		}
		for range 2 {
			if !bytes.Equal(save(t, w, nil), data) {
				t.Errorf("%d rows: the same world gives other bytes", rows)
			}
		}
	}
}

// A column in many planes is converted like any other.
func TestManyRowsOfAChangedType(t *testing.T) {
	data := save(t, planes(laneRows+9), nil)
	b := newFake(types(typ[hoard](), typ[newPoint]()), nil)
	load(t, data, b.w, &Options{Rename: map[string]string{value.TypeOf(typ[oldPoint]()).ID: value.TypeOf(typ[newPoint]()).ID}})
	for i, p := range columnOf[newPoint](t, b.w, 0) {
		if p != (newPoint{float32(i % 5), float32(i)}) {
			t.Fatalf("row %d is %v", i, p)
		}
	}
}

// Literals are a zstd frame as any other.
func TestLiteralsAreZstd(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	_, dec := compressors()
	for _, values := range []int{2, 3, 10, 60, 200} {
		for _, n := range []int{1, 100, 300, 2048, 5000, laneRows} {
			raw := make([]byte, n)
			for i := range raw {
				raw[i] = byte(math.Sqrt(float64(r.IntN(values * values))))
			}
			out, ok := appendLiterals([]byte("before"), raw)
			if !ok {
				if n >= 2048 && values <= 60 {
					t.Errorf("%d bytes of %d values are not compressed", n, values)
				}
				continue
			}
			got, err := dec.DecodeAll(out[6:], make([]byte, 0, n))
			if err != nil || !bytes.Equal(got, raw) || string(out[:6]) != "before" {
				t.Fatalf("%d bytes of %d values: %v", n, values, err)
			}
		}
	}
	for _, raw := range [][]byte{nil, make([]byte, 5000)} {
		if _, ok := appendLiterals(nil, raw); ok {
			t.Error("what has no Huffman code gets one")
		}
	}
}

// Literals are for bytes without order; zstd's search is spared where it finds
// nothing.
func TestFormsOfPlanes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		what string
		at   func(i int) byte
		want planeForm
	}{
		{"noise", func(int) byte { return byte(r.Uint32()) }, asNoise},
		{"four values", func(int) byte { return byte(r.IntN(4)) }, asLiterals},
		{"twenty values", func(int) byte { return byte(r.IntN(20)) }, asLiterals},
		{"a hundred values", func(int) byte { return byte(r.IntN(100)) }, asNoise},
		{"a counter", func(i int) byte { return byte(i) }, asSearched},
		{"a pattern", func(i int) byte { return byte(i % 5) }, asSearched},
		{"noise, then nothing", func(i int) byte { return byte(r.Uint32()) * byte(1-i/10_000) }, asSearched},
		{"long runs", func(i int) byte { return byte(i / 500) }, asSearched},
	} {
		raw := make([]byte, 20_000)
		for i := range raw {
			raw[i] = c.at(i)
		}
		if got := planeFormOf(raw, make([]byte, 3, 10_000)); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// A fill is one byte for at most laneRows: a head that says otherwise is
// refused although its checksum is right.
func TestFillsAreBounded(t *testing.T) {
	for _, c := range []struct {
		raw    uint32
		stored []byte
		ok     bool
	}{
		{1, []byte{7}, true}, {laneRows, []byte{7}, true}, {laneRows + 1, []byte{7}, false}, {blockSize, []byte{0}, false},
		{5, []byte{1, 2}, false}, {5, nil, false}, {0, []byte{1}, false},
	} {
		head := binary.LittleEndian.AppendUint32([]byte{kindBody, codecFill}, c.raw)
		head = binary.LittleEndian.AppendUint32(head, uint32(len(c.stored)))
		file := binary.LittleEndian.AppendUint16([]byte(magic), version)
		file = append(append(file, head...), c.stored...)
		file = binary.LittleEndian.AppendUint32(file, blockSum(0, head, c.stored))
		br, err := newBlockReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		bl, err := br.next()
		if (err == nil) != c.ok {
			t.Errorf("%d bytes from %v: %v", c.raw, c.stored, err)
		}
		if err != nil {
			continue
		}
		if got, err := bl.expand(nil); err != nil || !bytes.Equal(got, bytes.Repeat(c.stored, int(c.raw))) {
			t.Errorf("%d bytes from %v: %v", c.raw, c.stored, err)
		}
	}
}

type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.left)
	if d.left -= n; n < len(p) {
		return n, errors.New("no space left")
	}
	return n, nil
}

// A save that fails midway leaves nothing running that reads the world.
func TestAFailedSaveEnds(t *testing.T) {
	w := planes(laneRows)
	size := len(save(t, w, nil))
	var c Capture
	for _, left := range []int{0, 5, 300, 100_000, size - 1} {
		if err := c.Take(w, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Encode(&fullDisk{left}); err == nil {
			t.Errorf("a writer that takes %d of %d bytes goes unnoticed", left, size)
		}
		clear(columnOf[hoard](t, &fakeWorld{img: c.Image}, 0)) // a race if something still reads
	}
	if err := c.Take(w, &Options{MaxBytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Encode(io.Discard); err == nil {
		t.Error("a save beyond the limit is written")
	}
	clear(columnOf[hoard](t, &fakeWorld{img: c.Image}, 0))
}
