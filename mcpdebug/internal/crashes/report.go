package crashes

import (
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/internal/stacks"
)

// Report is what is known of a crash. It is immutable.
type Report struct {
	Text       string // verbatim
	Panic      string // the panic value, or the first line of Text
	Frames     []stacks.Frame
	System     string // system that was running
	Frame      uint64
	At         time.Time
	Count      int // crashes since the world was bound, this one included
	Entity     ecs.Entity
	Label      string     // of the entity
	Row        []RowValue // of the entity, as the crash left it
	Locked     bool       // a query that was open at the panic still locks the world
	Inspecting bool       // read-only tools look at the world
	Cleared    bool       // the game goes on
	LastCalls  []Call
	LogTail    []logbuf.Line
	Goroutines string // dump of all goroutines, as the runtime prints them
}

// Call is one of the last calls before a crash.
type Call struct {
	Tool    string  `json:"tool" jsonschema:"name of the tool"`
	Client  string  `json:"client,omitempty" jsonschema:"who called"`
	Frame   uint64  `json:"frame" jsonschema:"host frame it was answered in"`
	Ms      float64 `json:"ms" jsonschema:"milliseconds from arrival to answer"`
	Outcome string  `json:"outcome" jsonschema:"ok, or the code of the refusal"`
}

// Previous is how an earlier process ended. Seen is false if it left no
// report: it was killed, or left without closing the server.
type Previous struct {
	Seen      bool           `json:"seen" jsonschema:"false: its end was not seen (killed, out of memory, or left without closing the server)"`
	Reason    string         `json:"reason" jsonschema:"the fatal error or panic in one line, or that its end was not seen"`
	Frames    []stacks.Frame `json:"frames,omitempty" jsonschema:"stack of the goroutine that failed"`
	Text      string         `json:"text,omitempty" jsonschema:"the runtime's report, cut at 16 KiB"`
	EndedAt   string         `json:"endedAt,omitempty" jsonschema:"when the report was written, RFC 3339"`
	Build     buildinfo.Run  `json:"build" jsonschema:"which program it was"`
	LastFrame uint64         `json:"lastFrame,omitempty" jsonschema:"a host frame it reached"`
}

// Cleared is what clearing a crash did.
type Cleared struct {
	WasCrashed   bool
	Locked       bool // the world is still locked
	Unlocked     bool // the lock was released
	Acknowledged bool // a previous process's crash was acknowledged
}

// Crash is a crash as it is kept: immutable but for whether it is inspected.
type Crash struct {
	report     Report
	wire       string
	inspecting atomic.Bool
}

// Wire is the text that blocked calls are answered with.
func (c *Crash) Wire() string { return c.wire }

// Since is how long ago it happened.
func (c *Crash) Since() time.Duration { return time.Since(c.report.At) }

// Inspecting tells whether read-only tools may look at the world.
func (c *Crash) Inspecting() bool { return c.inspecting.Load() }

// Text is the crash, verbatim and whole.
func (c *Crash) Text() string { return c.report.Text }
