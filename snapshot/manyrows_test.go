package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot/internal/blocks"
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

// codecs counts a file's blocks by codec: stored, zstd, fill. The layout is that
// of package blocks.
func codecs(data []byte) (n [3]int) {
	for rest := data[len("\x89LOUPE\r\n")+2:]; len(rest) > 0; {
		n[rest[1]]++
		rest = rest[10+binary.LittleEndian.Uint32(rest[6:])+4:]
	}
	return n
}

// Worlds around the sizes at which planes get blocks of their own, and at which
// they are cut in two, come back bit by bit, and their files are always the
// same.
func TestManyRows(t *testing.T) {
	for _, rows := range []int{1000, manyRows, manyRows + 1, blocks.LaneRows - 1, blocks.LaneRows, blocks.LaneRows + 1, 2*blocks.LaneRows + 5} {
		w := planes(rows)
		data := save(t, w, nil)
		n := codecs(data)
		if own := n[2] > 0 && n[0] > 0 && n[1] > 15; own != (rows >= manyRows) {
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
	data := save(t, planes(blocks.LaneRows+9), nil)
	b := newFake(types(typ[hoard](), typ[newPoint]()), nil)
	load(t, data, b.w, &Options{Rename: map[string]string{value.TypeOf(typ[oldPoint]()).ID: value.TypeOf(typ[newPoint]()).ID}})
	for i, p := range columnOf[newPoint](t, b.w, 0) {
		if p != (newPoint{float32(i % 5), float32(i)}) {
			t.Fatalf("row %d is %v", i, p)
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
	w := planes(blocks.LaneRows)
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
