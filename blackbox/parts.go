package blackbox

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/loupe-ecs/loupe/timeline"
)

// Header comes first in a file.
type Header struct {
	Build   json.RawMessage `json:"build"` // what the server tells of its build
	App     string          `json:"app,omitempty"`
	Written time.Time       `json:"written"`
	Why     string          `json:"why"`   // record_save, panic, stall, interval
	Ticks   bool            `json:"ticks"` // the host has a clock; else ticks are frames
}

// Facts is what a recording has beside its samples. Later facts in a file
// replace earlier ones.
type Facts struct {
	Every    int               `json:"every"`
	Tick     uint64            `json:"tick"` // of the live world
	Frame    uint64            `json:"frame"`
	Branches []timeline.Branch `json:"branches"`
	Current  int               `json:"current"`
	Marks    []timeline.Mark   `json:"marks"`
	State    string            `json:"state"` // running, crashed, stalled, parked
}

// Line is a line of the log.
type Line struct {
	Time  time.Time       `json:"time"`
	Level slog.Level      `json:"level"`
	Msg   string          `json:"msg"`
	Attrs json.RawMessage `json:"attrs,omitempty"`
}

// Names of parts. A part that comes again replaces the one before, lines of the
// log follow each other.
const (
	PartFacts      = "facts"      // JSON: Facts
	PartLog        = "log"        // JSON: []Line
	PartCrash      = "crash"      // JSON, as the server keeps a crash
	PartGoroutines = "goroutines" // text, as the runtime dumps them
	PartFrames     = "frames"     // JSON, as the host tells frame times
	PartSystems    = "systems"    // JSON
	PartScreen     = "screen"     // PNG
	PartCPU        = "cpu"        // pprof
	PartHeap       = "heap"       // pprof
)
