package blackbox

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/snapshot"
)

// peakOf is the most heap that f has in use.
func peakOf(f func()) (top uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	base := m.HeapInuse
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				top = max(top, m.HeapInuse)
			}
		}
	}()
	f()
	close(stop)
	<-done
	return max(top, base) - base
}

// A few bytes that unpack to lists of a great many things of which each takes a
// byte or two in the file: a file of 10 MiB takes 64 MiB, not gigabytes.
func TestHostileListsTakeLittleMemory(t *testing.T) {
	const room = 17 << 20 // of a block
	type block struct {
		kind byte
		raw  []byte
	}
	num := func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
	many := func(n int, one ...byte) []byte { return bytes.Repeat(one, n) }
	join := func(p ...[]byte) []byte { return bytes.Join(p, nil) }
	part := func(name, text string) block {
		return block{kindPart, join(num(len(name)), []byte(name), []byte(text))}
	}
	list := func(before, item, after string) string {
		return before + strings.Repeat(item+",", (15<<20)/(len(item)+1)) + item + after
	}
	types := func(components ...componentDoc) block {
		raw, err := json.Marshal(typesDoc{Types: []typeDoc{{Text: "x", Name: "x", Kind: "struct", Flat: true}}, Components: append([]componentDoc{}, components...), Resources: []componentDoc{}})
		if err != nil {
			t.Fatal(err)
		}
		return block{kindTypes, raw}
	}
	samples := func(n int, parts ...[]byte) block {
		return block{kindSamples, join(append([][]byte{num(n), {0}}, parts...)...)}
	}
	cases := map[string][]block{
		"lines":    {part(PartLog, list("[", "{}", "]"))},
		"numbers":  {part(PartLog, list("[", "1", "]"))},
		"marks":    {part(PartFacts, list(`{"marks":[`, "{}", "]}"))},
		"branches": {part(PartFacts, list(`{"branches":[`, "{}", "]}"))},
		"types":    {{kindTypes, []byte(list(`{"types":[`, "{}", "]}"))}},
		"fields":   {{kindTypes, []byte(list(`{"types":[{"fields":[`, "{}", "]}]}"))}},
		"texts":    {types(), samples(1, num(room), many(room, 0))},
		"blobs":    {types(), samples(1, num(0), num(room), many(room, 0))},
		"tables":   {types(), samples(1, num(0), num(0), num(0), num(room/2), many(room, 0))},
		"shapes":   {types(), samples(1, num(0), num(0), num(0), num(0), num(room), many(room, 0))},
	}
	for i := range 30 {
		cases["long lines"] = append(cases["long lines"], part(PartLog, `[{"msg":"`+strings.Repeat("x", 4<<20)+`"}]`))
		cases["long names"] = append(cases["long names"], part(strings.Repeat("n", 4<<20)+fmt.Sprint(i), ""))
	}
	// A hundred tables that are long one after the other.
	var heads, columns []byte
	for i := range 100 {
		heads = append(heads, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0)
		if i == 0 {
			heads = append(heads, 1, 2)
		} else {
			heads = join(heads, []byte{2}, num(1+i), num(0), []byte{1})
		}
		heads = append(heads, num(400_000)...)
		index := join(num(i), []byte{0, 0, 0})
		columns = join(columns, num(len(index)), index, []byte{0, 0})
	}
	cases["rows"] = []block{types(), samples(100, []byte{1, 0, 1, 0, 0}, num(100), many(100, 0, 0), []byte{1, 0}, num(len(heads)), heads, []byte{0, 1, 0}, many(6, 0), columns)}
	// Labels that are all different, chunk after chunk.
	cases["labels"] = []block{types(componentDoc{Label: true})}
	for i := range 10 {
		var s snapshot.StreamWriter
		labels, n := []byte{}, 4000
		for k := range n {
			label := strings.Repeat("x", 1000) + fmt.Sprint(i, k)
			raw, err := s.Append(nil, reflect.TypeFor[string](), unsafe.Pointer(&label), 1)
			if err != nil {
				t.Fatal(err)
			}
			labels = append(append(labels, num(len(raw))...), raw...)
		}
		cases["labels"] = append(cases["labels"], samples(0, many(5, 0), num(0), []byte{1, 0}, num(n), labels, num(len(s.Types())), s.Types(), many(6, 0)))
	}
	for name, blocks := range cases {
		var buf bytes.Buffer
		w, err := NewWriter(&buf, Header{})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			if err := w.blocks.block(b.kind, b.raw); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var f *File
		peak := peakOf(func() {
			f, err = Read(&buf, 10<<20, Limits{})
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if peak > 64<<20 {
			t.Errorf("%s: %d MiB, %s", name, peak>>20, f.Damage)
		}
	}
}
