package blackbox_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/loupe-ecs/loupe/blackbox"
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
