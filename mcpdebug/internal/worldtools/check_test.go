package worldtools

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
)

func codesOf(out tooltest.Obj) (codes []string) {
	for _, f := range out["findings"].([]any) {
		codes = append(codes, f.(tooltest.Obj)["code"].(string))
	}
	return codes
}

// What is damaged comes before what may be one day, and hazards are one row
// however many types have them.
func TestWorldCheckPutsDamageFirst(t *testing.T) {
	h := newWorld(t)
	hero := h.First(tooltest.Obj{"with": []string{"Player"}})
	ptr(generic.NewMap1[Position](h.Arche)).NewWith(&Position{math.NaN(), 0})
	h.OK("despawn", tooltest.Obj{"entity": hero})
	out := h.OK("world_check", tooltest.Obj{})
	codes := codesOf(out)
	if want := []string{"non_finite", "dangling_target", "dead_reference", "pointer_hazard"}; len(codes) < 4 || !slices.Equal(codes[:4], want) {
		t.Fatalf("%v, want %v first", codes, want)
	}
	hazard := out["findings"].([]any)[3].(tooltest.Obj)
	types := hazard["types"].([]any)
	if len(types) < 3 || !slices.Contains(types, any("Inventory")) || !slices.Contains(types, any("Title")) || slices.Contains(types, any("Position")) {
		t.Errorf("hazard types %v", types)
	}
	if !strings.Contains(hazard["text"].(string), "Title (Text is a string)") || slices.Contains(codes[4:], "pointer_hazard") {
		t.Errorf("hazards %v in %v", hazard, codes)
	}
}

// A world that is too large for one frame is checked whole, over many of them,
// while the game goes on.
func TestWorldCheckIsSpreadOverFrames(t *testing.T) {
	old := maxCheckSlice
	maxCheckSlice = 0
	defer func() { maxCheckSlice = old }()
	h := newWorld(t)
	m := generic.NewMap1[Position](h.Arche)
	m.NewBatch(5000)
	last := m.NewWith(&Position{0, math.Inf(1)})
	frames := 1
	h.Between = func() {
		frames++
		m.NewWith(&Position{}) // the game spawns meanwhile
	}
	out := h.OK("world_check", tooltest.Obj{})
	if codes := codesOf(out); codes[0] != "non_finite" || out["ended"] != nil {
		t.Errorf("%v, ended %v", codes, out["ended"])
	}
	if f := out["findings"].([]any)[0].(tooltest.Obj); f["subject"] != "Position.Y" || !strings.Contains(f["text"].(string), "on 1 entities ("+archeEntity(last).String()) {
		t.Errorf("%v", f)
	}
	if n := tooltest.Num(t, out["frames"]); n != int64(frames) || n < 10 {
		t.Errorf("%d frames said, %d polled", n, frames)
	}
}

// BenchmarkWorldCheck is the longest part of a check that one frame sees.
func BenchmarkWorldCheck(b *testing.B) {
	h := newWorld(b)
	ptr(generic.NewMap1[Position](h.Arche)).NewBatch(1_000_000)
	longest, start := time.Duration(0), time.Now()
	h.Between = func() { longest, start = max(longest, time.Since(start)), time.Now() }
	for b.Loop() {
		start = time.Now()
		h.OK("world_check", tooltest.Obj{})
	}
	b.ReportMetric(float64(longest.Microseconds())/1e3, "ms/frame")
}
