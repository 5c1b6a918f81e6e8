package builtin

import (
	"encoding/json"
	"time"

	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/causes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/keep"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/operations"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Host is what the built-in tools need of the server, all families together.
// Methods may be called from any goroutine unless they say otherwise.
type Host interface {
	appHost
	crashHost
	documentHost
	helpHost
	operations.Host
	causes.Host
	past.Host
	profileHost
	scriptHost
	sessionHost
	snapshotHost
	// Keeping says where and how often the recording is kept in files.
	Keeping() keep.Options
}

// appHost knows the host's own interfaces: off the frame only those of an
// App's methods may be called that say so. App is nil without one.
type appHost interface{ App() *host.App }

// freshHost knows what the frame has published.
type freshHost interface {
	// Fresh is the published View for an answer off the frame: if the last one
	// does not show what every call that was answered before has done, or is older
	// than a second, and the frame polls, it waits for a new one, at most a quarter
	// of a second. The answer names its frame.
	Fresh(*tools.Call) *loop.View
}

// filesHost knows where files may be written.
type filesHost interface{ Limits() Limits }

// What the server's parts tell, under the names that the families use.
type (
	Status        = loop.Status
	FrameTimes    = loop.FrameTimes
	Build         = buildinfo.Run
	Crash         = crashes.Report
	CallRecord    = crashes.Call
	Cleared       = crashes.Cleared
	PreviousCrash = crashes.Previous
	StackFrame    = stacks.Frame
	LogQuery      = logbuf.Query
)

// LogLine is one record as clients see it.
type LogLine struct {
	N     uint64          `json:"n" jsonschema:"number of the line; grows by one a line"`
	Time  string          `json:"time" jsonschema:"when it was logged, RFC 3339"`
	Level string          `json:"level" jsonschema:"DEBUG, INFO, WARN or ERROR, with an offset where one was used"`
	Msg   string          `json:"msg" jsonschema:"the message"`
	Attrs json.RawMessage `json:"attrs,omitempty" jsonschema:"the attributes as an object"`
}

func logLines(lines []logbuf.Line) []LogLine {
	out := make([]LogLine, len(lines))
	for i, l := range lines {
		out[i] = LogLine{N: l.N, Time: l.Time.Format(time.RFC3339Nano), Level: l.Level.String(), Msg: l.Msg, Attrs: l.Attrs}
	}
	return out
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
