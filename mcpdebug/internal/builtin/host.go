package builtin

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/causes"
	"github.com/loupe-ecs/loupe/tools"
)

// Host is what the built-in tools need of the server, all families together.
// Methods may be called from any goroutine unless they say otherwise.
type Host interface {
	appHost
	clockHost
	crashHost
	documentHost
	helpHost
	causes.Host
	profileHost
	scriptHost
	sessionHost
	snapshotHost
}

// appHost knows the host's own interfaces: off the frame only those of an
// App's methods may be called that say so. App is nil without one.
type appHost interface{ App() *tools.App }

// filesHost knows where files may be written.
type filesHost interface{ Limits() Limits }

// Status is a moment's view of the server.
type Status struct {
	State     string        // starting, running, parked, crashed, stalled, closed
	Operation string        // what is suspended while parked
	Since     time.Duration // how long it has been parked, stalled or crashed
	Crash     string        // the traceback while crashed, verbatim
	Frame     uint64        // Polls so far
	Waiting   int           // calls in the queue
	Uptime    time.Duration
}

// Build identifies the running program, so that a client recognises a stale
// process.
type Build struct {
	Module    string `json:"module" jsonschema:"import path of the program's main module"`
	Version   string `json:"version,omitempty" jsonschema:"version of the main module"`
	Revision  string `json:"revision,omitempty" jsonschema:"revision in version control that it was built from"`
	Dirty     bool   `json:"dirty,omitempty" jsonschema:"whether the sources had uncommitted changes"`
	Go        string `json:"go" jsonschema:"version of Go it was built with"`
	PID       int    `json:"pid" jsonschema:"process number"`
	StartedAt string `json:"startedAt" jsonschema:"when the process started, RFC 3339"`
}

// FrameTimes is the speed of the host's loop. P50, P95 and Max are zero where
// neither Guard nor the schedule gives times.
type FrameTimes struct {
	FPS           float64
	P50, P95, Max time.Duration
	Frames        int // how many frames the percentiles are of
}

// LogQuery selects log lines.
type LogQuery struct {
	After    uint64 // lines with a greater number; 0 with Tail
	Tail     bool   // the last ones instead of the first ones after After
	Level    slog.Level
	Contains string // part of message, attributes or logger, in any case
	Limit    int
	MaxBytes int
}

// LogPage is a page of log lines.
type LogPage struct {
	Lines     []LogLine
	Next      uint64 // pass as After to go on
	Dropped   uint64 // lines after the cursor that were discarded before they were read
	Total     int    // lines that match, on this page or after it
	Truncated bool
	Path      string // the bound log file
}

// LogLine is one record.
type LogLine struct {
	N     uint64          `json:"n" jsonschema:"number of the line; grows by one a line"`
	Time  string          `json:"time" jsonschema:"when it was logged, RFC 3339"`
	Level string          `json:"level" jsonschema:"DEBUG, INFO, WARN or ERROR, with an offset where one was used"`
	Msg   string          `json:"msg" jsonschema:"the message"`
	Attrs json.RawMessage `json:"attrs,omitempty" jsonschema:"the attributes as an object"`
}

// StackFrame is one line of a stack.
type StackFrame struct {
	Func string `json:"func" jsonschema:"function, with its package"`
	File string `json:"file" jsonschema:"source file"`
	Line int    `json:"line" jsonschema:"line in the file"`
}

// CallRecord is one of the last calls before a crash.
type CallRecord struct {
	Tool    string  `json:"tool" jsonschema:"name of the tool"`
	Client  string  `json:"client,omitempty" jsonschema:"who called"`
	Frame   uint64  `json:"frame" jsonschema:"host frame it was answered in"`
	Ms      float64 `json:"ms" jsonschema:"milliseconds from arrival to answer"`
	Outcome string  `json:"outcome" jsonschema:"ok, or the code of the refusal"`
}

// Crash is what is known of a crash. It is immutable.
type Crash struct {
	Text       string // verbatim
	Panic      string // the panic value, or the first line of Text
	Frames     []StackFrame
	System     string // system that was running
	Frame      uint64
	At         time.Time
	Count      int // crashes since the world was bound, this one included
	Entity     ecs.Entity
	Locked     bool // a query that was open at the panic still locks the world
	Inspecting bool // crash_inspect is on
	Cleared    bool // the game goes on
	LastCalls  []CallRecord
	LogTail    []LogLine
	Goroutines string // dump of all goroutines, as the runtime prints them
}

// PreviousCrash is how an earlier process ended. Seen is false if it left no
// report: it was killed, or left without closing the server.
type PreviousCrash struct {
	Seen      bool         `json:"seen" jsonschema:"false: its end was not seen (killed, out of memory, or left without closing the server)"`
	Reason    string       `json:"reason" jsonschema:"the fatal error or panic in one line, or that its end was not seen"`
	Frames    []StackFrame `json:"frames,omitempty" jsonschema:"stack of the goroutine that failed"`
	Text      string       `json:"text,omitempty" jsonschema:"the runtime's report, cut at 16 KiB"`
	EndedAt   string       `json:"endedAt,omitempty" jsonschema:"when the report was written, RFC 3339"`
	Build     Build        `json:"build" jsonschema:"which program it was"`
	LastFrame uint64       `json:"lastFrame,omitempty" jsonschema:"a host frame it reached"`
}

// Cleared is what ClearCrash did.
type Cleared struct {
	WasCrashed   bool
	Locked       bool // the world is still locked
	Unlocked     bool // the lock was released
	Acknowledged bool // a previous process's crash was acknowledged
}

// Limits are the server's limits.
type Limits struct {
	QueueLen         int           // calls that may wait
	CallTimeout      time.Duration // of a call, from its arrival
	StallAfter       time.Duration // without a Poll
	MaxReplyBytes    int
	ProtocolVersions []string
	Address          string // of the endpoint; "" without one
	DataDir          string
	CrashFile        string
}
