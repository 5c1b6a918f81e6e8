package builtin

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// sessionHost is what the tools that orient a client need of the server.
type sessionHost interface {
	App() *host.App
	// Status is the server's state now.
	Status() Status
	// Build tells which program this is.
	Build() Build
	freshHost
	// FrameTimes tells the speed of the loop.
	FrameTimes() FrameTimes
	// Logs reads the ring of log lines, and names the log file that is followed.
	Logs(LogQuery) (page logbuf.Page, path string)
	PreviousCrash() *PreviousCrash
	// Recording tells of the file that is shown; nil: a game runs.
	Recording() *Recording
}

// Recording is the file that a server shows instead of a game.
type Recording struct {
	File    string `json:"file" jsonschema:"which file"`
	Written string `json:"written" jsonschema:"when it was begun, RFC 3339"`
	Why     string `json:"why" jsonschema:"record_save, panic, stall or interval"`
	State   string `json:"state" jsonschema:"what the game was in when it was written last"`
	From    uint64 `json:"fromTick" jsonschema:"the first tick"`
	To      uint64 `json:"toTick" jsonschema:"the last one, which is read where at says no other"`
	Samples int    `json:"samples" jsonschema:"recorded moments"`
	Crashed bool   `json:"crashed,omitempty" jsonschema:"it holds a crash: crash_report"`
	Damage  string `json:"damage,omitempty" jsonschema:"why the file ends early"`
}

func sessionTools(h sessionHost) []*tools.Tool {
	return []*tools.Tool{pingTool(h), contextTool(h), getLogsTool(h)}
}

type pingResult struct {
	OK        bool    `json:"ok" jsonschema:"always true: the server answers; state tells about the game"`
	State     string  `json:"state" jsonschema:"starting, running, parked, crashed, stalled or closed"`
	Operation string  `json:"operation,omitempty" jsonschema:"what is suspended midway while parked"`
	ForMs     float64 `json:"forMs,omitempty" jsonschema:"how long it has been parked, crashed or stalled" debug:"unit=ms"`
	Crashed   string  `json:"crashed,omitempty" jsonschema:"the traceback while crashed"`
	Frame     uint64  `json:"frame" jsonschema:"frames so far: how often the game has polled"`
	Waiting   int     `json:"waiting,omitempty" jsonschema:"calls that wait for the frame"`
	UptimeMs  int64   `json:"uptimeMs" jsonschema:"since the server was made" debug:"unit=ms"`
	Build     Build   `json:"build" jsonschema:"which program this is; tells a stale process from a new one"`
}

func pingTool(h sessionHost) *tools.Tool {
	return tools.NewOff(tools.Spec{
		Name: "ping", Group: "session", Effect: tools.ReadOnly, Idempotent: true, Example: `{}`,
		Description: "The game's state, frame and build, at once. If it does not run: crash_report, goroutines.",
	}, func(c *tools.Call, _ struct{}) (pingResult, error) {
		st := h.Status()
		return pingResult{OK: true, State: st.State, Operation: st.Operation, ForMs: millis(st.Since), Crashed: st.Crash, Frame: st.Frame,
			Waiting: st.Waiting, UptimeMs: st.Uptime.Milliseconds(), Build: h.Build()}, nil
	})
}

type contextResult struct {
	World      *contextWorld   `json:"world" jsonschema:"the bound world as it was in its frame; null without one"`
	State      string          `json:"state" jsonschema:"starting, running, parked, crashed, stalled or closed"`
	Operation  string          `json:"operation,omitempty" jsonschema:"what is suspended midway while parked"`
	Frame      uint64          `json:"frame" jsonschema:"the frame that world, paused and app are of: the newest, unless none comes"`
	FPS        float64         `json:"fps" jsonschema:"frames in the last second"`
	FrameMs    *contextTimes   `json:"frameMs,omitempty" jsonschema:"time that the game's update takes; absent if nothing measures it"`
	Paused     *bool           `json:"paused,omitempty" jsonschema:"whether the clock or the top state is paused; absent without both"`
	Held       *host.Held      `json:"held,omitempty" jsonschema:"why time stands still"`
	App        json.RawMessage `json:"app,omitempty" jsonschema:"what the host says of itself"`
	AppName    string          `json:"appName,omitempty" jsonschema:"the host's name"`
	LogFile    string          `json:"logFile,omitempty" jsonschema:"the log file that get_logs follows"`
	EventKinds []string        `json:"eventKinds" jsonschema:"kinds of event that send_event takes"`
	Build      Build           `json:"build" jsonschema:"which program this is"`
	Recording  *Recording      `json:"recording,omitempty" jsonschema:"set: this is a recording from a file, not a running game"`
	Previous   string          `json:"previousRun,omitempty" jsonschema:"how an earlier run ended, if it ended badly; crash_report has it whole"`
}

type contextWorld struct {
	Entities    int    `json:"entities" jsonschema:"living entities"`
	Archetypes  int    `json:"archetypes" jsonschema:"archetypes, empty ones included"`
	Components  int    `json:"components" jsonschema:"registered component types"`
	Resources   int    `json:"resources" jsonschema:"registered resource types"`
	MemoryBytes int64  `json:"memoryBytes" jsonschema:"reserved by the engine" debug:"unit=bytes"`
	Locked      bool   `json:"locked" jsonschema:"whether a query was open in that frame"`
	Frame       uint64 `json:"frame" jsonschema:"the frame these were gathered in"`
	Engine      string `json:"engine" jsonschema:"the ECS engine"`
}

type contextTimes struct {
	P50    float64 `json:"p50" jsonschema:"median" debug:"unit=ms"`
	P95    float64 `json:"p95" jsonschema:"95th percentile" debug:"unit=ms"`
	Max    float64 `json:"max" jsonschema:"greatest" debug:"unit=ms"`
	Frames int     `json:"frames" jsonschema:"of how many frames"`
}

func contextTool(h sessionHost) *tools.Tool {
	return tools.NewOff(tools.Spec{
		Name: "context", Group: "session", Effect: tools.ReadOnly, Idempotent: true, Example: `{}`,
		Description: "What runs here: world, state, speed, the host's summary. Call it first; then query.",
	}, func(c *tools.Call, _ struct{}) (contextResult, error) {
		v := h.Fresh(c)
		cat := v.Catalog
		st, app := h.Status(), v.App
		r := contextResult{State: st.State, Operation: st.Operation, Frame: v.Frame, Build: h.Build(), EventKinds: []string{}, Recording: h.Recording()}
		if cat != nil {
			r.World = &contextWorld{Entities: cat.Entities.Alive, Archetypes: len(cat.Archetypes), Components: len(cat.Components),
				Resources: len(cat.Resources), MemoryBytes: cat.MemoryBytes, Locked: cat.Locked, Frame: v.Frame, Engine: cat.Engine.Name}
		}
		t := h.FrameTimes()
		r.FPS = float64(int(t.FPS*10+0.5)) / 10
		if t.Frames > 0 {
			r.FrameMs = &contextTimes{millis(t.P50), millis(t.P95), millis(t.Max), t.Frames}
		}
		r.App, r.Paused, r.Held = v.Summary, v.Paused, v.Held
		if app != nil {
			r.AppName = app.Name
			if app.Events != nil {
				for _, k := range app.Events.Kinds() {
					r.EventKinds = append(r.EventKinds, k.Name)
				}
			}
		}
		_, r.LogFile = h.Logs(LogQuery{Tail: true, Limit: 1})
		if p := h.PreviousCrash(); p != nil {
			r.Previous = p.Reason
		}
		return r, nil
	})
}

type getLogsArgs struct {
	After    string `json:"after,omitempty" jsonschema:"next of an answer before"`
	Level    string `json:"level,omitempty" jsonschema:"least level" debug:"enum=debug|info|warn|error,default=debug"`
	Contains string `json:"contains,omitempty" jsonschema:"part of message or attributes"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many lines" debug:"min=1,max=1000,default=100"`
	MaxBytes int    `json:"maxBytes,omitempty" jsonschema:"at most" debug:"min=1024,max=1048576,default=32768,unit=bytes"`
}

type getLogsResult struct {
	Lines     []LogLine `json:"lines" jsonschema:"oldest first"`
	Next      string    `json:"next" jsonschema:"pass it as after to read on: older lines while truncated, then what is logged from now on"`
	Dropped   uint64    `json:"dropped" jsonschema:"lines of the level that were logged after the cursor and are gone: the ring keeps the newest, warnings and errors apart"`
	Total     int       `json:"total" jsonschema:"lines that match in all"`
	Returned  int       `json:"returned" jsonschema:"lines here"`
	Truncated bool      `json:"truncated" jsonschema:"whether more lines match"`
	Path      string    `json:"path,omitempty" jsonschema:"the log file that is followed"`
	Hint      string    `json:"hint,omitempty" jsonschema:"what to do if lines are missing"`
}

func getLogsTool(h sessionHost) *tools.Tool {
	return tools.NewOff(tools.Spec{
		Name: "get_logs", Group: "session", Effect: tools.ReadOnly, Idempotent: true, Example: `{"level":"warn","limit":20}`,
		Description: "The game's newest log lines, crashes and clients' changes included.",
	}, func(c *tools.Call, in getLogsArgs) (getLogsResult, error) {
		q := LogQuery{Tail: in.After == "", Level: slog.LevelDebug - 4, Contains: in.Contains, Limit: in.Limit, MaxBytes: in.MaxBytes}
		var follow uint64 // where newer lines begin for whoever walks back
		if in.After != "" {
			var err error
			if q.After, q.Before, follow, err = logCursor(in.After); err != nil {
				return getLogsResult{}, err
			}
			q.Tail = q.Before != 0
		}
		if in.Level != "" {
			if err := q.Level.UnmarshalText([]byte(in.Level)); err != nil {
				return getLogsResult{}, &refusal.Error{Code: refusal.InvalidArguments, Message: "unknown level", Got: in.Level, Options: []string{"debug", "info", "warn", "error"}, Total: 4}
			}
			if q.Level == slog.LevelDebug {
				q.Level -= 4 // what is finer than debug too
			}
		}
		if q.Limit <= 0 {
			q.Limit = 100
		}
		if q.MaxBytes <= 0 {
			q.MaxBytes = page.DefaultMaxBytes
		}
		p, path := h.Logs(q)
		if follow == 0 {
			follow = p.Next
		}
		r := getLogsResult{Lines: logLines(p.Lines), Next: strconv.FormatUint(follow, 10), Dropped: p.Dropped, Total: p.Total, Returned: len(p.Lines),
			Truncated: p.Truncated, Path: path}
		if r.Truncated && q.Tail && len(p.Lines) > 0 {
			r.Next = fmt.Sprintf("%d-%d", p.Lines[0].N, follow)
		}
		switch {
		case r.Truncated && q.Tail:
			r.Hint = "older lines are left out: next as after reads them; or narrow with level or contains"
		case r.Total == 0 && p.Last == 0:
			r.Hint = "nothing was logged: the host adds LogHandler or BindLogFile so that its own lines appear here"
		case r.Total == 0 && in.After == "":
			r.Hint = fmt.Sprintf("%d lines were logged, none that is kept matches", p.Last)
			if r.Dropped > 0 {
				r.Hint += fmt.Sprintf("; %d that might have are gone", r.Dropped)
			}
		}
		return r, nil
	})
}

// logCursor reads next of an earlier answer: a line after which to go on, or,
// as "12-40", a line before which to go on back and where newer lines begin.
func logCursor(s string) (after, before, follow uint64, err error) {
	back, newer, walking := strings.Cut(s, "-")
	if walking {
		before, err = strconv.ParseUint(back, 10, 64)
		if err == nil && before > 0 {
			if follow, err = strconv.ParseUint(newer, 10, 64); err == nil {
				return 0, before, follow, nil
			}
		}
	} else if after, err = strconv.ParseUint(s, 10, 64); err == nil {
		return after, 0, 0, nil
	}
	return 0, 0, 0, &refusal.Error{Code: refusal.InvalidArguments, Message: "after is not a cursor of get_logs", Got: s,
		Want: "next of an earlier answer", Hint: "leave it out to get the newest lines"}
}
