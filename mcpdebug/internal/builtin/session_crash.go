package builtin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// crashHost is what the tools for a game that does not run need of the server.
type crashHost interface {
	// Crash is the crash the game is in, or the last one, which was cleared;
	// nil if there was none since the world was bound.
	Crash() *Crash
	// PreviousCrash is the unacknowledged end of an earlier process; nil if it
	// ended well or nothing was kept.
	PreviousCrash() *PreviousCrash
	// InspectCrash lets read-only tools run while the game is crashed.
	InspectCrash(on bool) error
	// ClearCrash ends the crashed state. Frame goroutine.
	ClearCrash(w ecs.World, unlock bool) (Cleared, error)
	Status() Status
	// Stall is where the frame hangs, or how it hung last; nil if it never did.
	Stall() *loop.StallReport
	// Goroutines is a dump of them, of the process or of the file that is shown.
	Goroutines() []byte
	// FrameGoroutine is the number of the goroutine that polls; 0: not known.
	FrameGoroutine() uint64
}

func crashTools(h crashHost, then *past.Past) []*tools.Tool {
	return []*tools.Tool{clearCrashTool(h), crashReportTool(h, then), crashInspectTool(h), goroutinesTool(h)}
}

type clearCrashArgs struct {
	Unlock bool `json:"unlock,omitempty" jsonschema:"also release a lock left behind"`
	Paused bool `json:"paused,omitempty" jsonschema:"hold the clock: look and change first"`
}

type clearCrashResult struct {
	Resumed      bool   `json:"resumed" jsonschema:"whether a crash was cleared: the game's update runs again"`
	Reason       string `json:"reason" jsonschema:"what was done, and what is left to do"`
	Locked       bool   `json:"locked" jsonschema:"whether the world is still locked by a query that was open at the panic"`
	Unlocked     bool   `json:"unlocked" jsonschema:"whether the lock was released"`
	Paused       bool   `json:"paused,omitempty" jsonschema:"the clock is held: no tick runs before clock_set lets it"`
	Acknowledged bool   `json:"acknowledged,omitempty" jsonschema:"the crash of an earlier run is no longer reported"`
}

func clearCrashTool(h crashHost) *tools.Tool {
	return tools.New(tools.Spec{
		Name: "clear_crash", Group: "session", WhenCrashed: true, Example: `{"unlock":true}`,
		Description: "Lets a crashed game go on. Read crash_report first.",
	}, func(f *tools.Frame, in clearCrashArgs) (clearCrashResult, error) {
		ran := f.App != nil && f.App.Clock != nil && !f.App.Paused()
		if in.Paused {
			if err := holdClock(f.App); err != nil {
				return clearCrashResult{}, err
			}
		}
		c, err := h.ClearCrash(f.World, in.Unlock)
		if err != nil {
			if in.Paused && ran { // refused: the clock is as it was, too
				_ = f.App.Clock.Set(host.ClockChange{Paused: new(false)})
			}
			return clearCrashResult{}, err
		}
		r := clearCrashResult{Paused: in.Paused, Resumed: c.WasCrashed, Locked: c.Locked, Unlocked: c.Unlocked, Acknowledged: c.Acknowledged}
		switch {
		case c.WasCrashed && c.Locked:
			r.Reason = "the crash is cleared, but a query that was open at the panic still locks the world: structural changes will fail; call clear_crash with unlock:true"
		case c.WasCrashed && c.Unlocked:
			r.Reason = "the crash is cleared and the lock of the interrupted query is released"
		case c.WasCrashed:
			r.Reason = "the crash is cleared; the update runs again from the next frame on"
		case c.Unlocked:
			r.Reason = "the game was not crashed; the world's lock is released"
		case c.Locked:
			r.Reason = "the game was not crashed, but a query locks the world between frames; unlock:true releases it"
		case c.Acknowledged:
			r.Reason = "the game was not crashed; the crash of the earlier run is acknowledged"
		default:
			r.Reason = "the game was not crashed"
		}
		if in.Paused {
			r.Reason = strings.Replace(r.Reason, "; the update runs again from the next frame on", "", 1) +
				"; the clock is held, so that the world stays as it is: clock_set with step or paused:false goes on"
		}
		return r, nil
	})
}

// holdClock pauses the clock before the crash is cleared, so that no tick runs
// between the two.
func holdClock(app *host.App) error {
	if app == nil || app.Clock == nil {
		return &refusal.Error{Code: refusal.NotSupported, Message: "paused: this game provides no clock that could be held; the crash was not cleared",
			Hint: "crash_inspect reads the world while the game stays crashed", Next: "crash_inspect"}
	}
	return app.Clock.Set(host.ClockChange{Paused: new(true)})
}

type crashReportArgs struct {
	Goroutines bool `json:"goroutines,omitempty" jsonschema:"with all stacks"`
}

type crashReport struct {
	Crashed    bool              `json:"crashed" jsonschema:"whether the game is crashed now; if not, the rest tells of the last crash"`
	Panic      string            `json:"panic,omitempty" jsonschema:"the panic value"`
	Frames     []StackFrame      `json:"frames" jsonschema:"stack at the panic, innermost first"`
	System     string            `json:"system,omitempty" jsonschema:"the system that was running"`
	Frame      uint64            `json:"frame" jsonschema:"host frame of the crash; without one, the frame now"`
	At         string            `json:"at,omitempty" jsonschema:"when, RFC 3339"`
	Count      int               `json:"count,omitempty" jsonschema:"crashes since the world was bound; more than one: it crashed again after it was cleared"`
	Entity     string            `json:"entity,omitempty" jsonschema:"entity that the system was at, or that the panic names"`
	Name       string            `json:"name,omitempty" jsonschema:"its label"`
	Values     rowValues         `json:"values,omitempty" jsonschema:"its components as the crash left them"`
	Locked     bool              `json:"locked" jsonschema:"whether a query that was open at the panic still locks the world"`
	Inspecting bool              `json:"inspecting,omitempty" jsonschema:"whether crash_inspect is on"`
	Traceback  string            `json:"traceback,omitempty" jsonschema:"the text as the host recorded it; of a panic that the guard recovered, with goroutines:true"`
	LastCalls  []CallRecord      `json:"lastCalls" jsonschema:"the last tool calls before the crash, oldest first"`
	LogTail    []LogLine         `json:"logTail" jsonschema:"the last log lines before the crash, but for those of lastCalls"`
	Others     int               `json:"otherGoroutines,omitempty" jsonschema:"goroutines that are not shown"`
	Goroutines []stackGroup      `json:"goroutines,omitempty" jsonschema:"what the game's other goroutines did, at most three groups; with goroutines:true all, the frame's first"`
	Previous   *PreviousCrash    `json:"previous,omitempty" jsonschema:"how an earlier run of the game ended, until clear_crash acknowledges it"`
	Stall      *loop.StallReport `json:"stall_report,omitempty" jsonschema:"where the frame hangs, or hung last"`
	Recorded   *past.Ending      `json:"recorded,omitempty" jsonschema:"what is recorded of the time before, and the calls to make"`
	Hint       string            `json:"hint,omitempty" jsonschema:"what to do next"`
}

type rowValues map[string]json.RawMessage

// maxRowValue bounds a component's value in a report; info shows it whole.
const maxRowValue = 2 << 10

func valuesOf(row []crashes.RowValue) rowValues {
	if len(row) == 0 {
		return nil
	}
	out := rowValues{}
	for _, r := range row {
		b, err := value.AppendJSON(nil, r.Value, value.EncodeOptions{Bulk: true})
		if err != nil || len(b) > maxRowValue {
			b, _ = json.Marshal(map[string]int{"$bytes": len(b)})
		}
		out[r.Component] = b
	}
	return out
}

func crashReportTool(h crashHost, then *past.Past) *tools.Tool {
	return tools.NewOff(tools.Spec{
		Name: "crash_report", Group: "session", Effect: tools.ReadOnly, Idempotent: true, Example: `{}`,
		Description: "Why the game, or its previous run, crashed. Next: clear_crash.",
	}, func(c *tools.Call, in crashReportArgs) (crashReport, error) {
		r := crashReport{Frames: []StackFrame{}, LastCalls: []CallRecord{}, LogTail: []LogLine{}, Frame: c.FrameNo, Previous: h.PreviousCrash(), Stall: h.Stall()}
		k := h.Crash()
		if k != nil {
			r.Recorded = then.Ending(c, k.Entity)
		} else if r.Stall != nil {
			r.Recorded = then.Ending(c, ecs.Entity{})
		}
		if k == nil {
			r.Hint = "the game is not crashed"
			if st := h.Status(); st.State == "stalled" {
				r.Hint = fmt.Sprintf("the game is not crashed, it hangs since %s: stall_report says where, goroutines shows every stack", words.Roughly(st.Since))
			}
			if r.Previous != nil {
				r.Hint += "; previous tells how an earlier run ended, clear_crash acknowledges it"
			}
			return r, nil
		}
		r.Panic, r.System, r.Frame, r.Count, r.Locked, r.Inspecting = k.Panic, k.System, k.Frame, k.Count, k.Locked, k.Inspecting
		r.Crashed = !k.Cleared
		r.At = k.At.Format(time.RFC3339Nano)
		if in.Goroutines || len(k.Frames) == 0 || !strings.HasPrefix(k.Text, "panic: "+k.Panic+"\n\ngoroutine ") {
			r.Traceback = words.Clip(k.Text, 16<<10) // else frames tell the same
		}
		r.Frames = append(r.Frames, k.Frames...)
		r.LastCalls = append(r.LastCalls, k.LastCalls...)
		r.LogTail = append(r.LogTail, logLines(k.LogTail)...)
		if !k.Entity.IsZero() {
			r.Entity, r.Name, r.Values = k.Entity.String(), k.Label, valuesOf(k.Row)
		}
		all := stacks.Parse([]byte(k.Goroutines))
		if in.Goroutines {
			r.Goroutines = firstStacks(groupStacks(all, h.FrameGoroutine(), ""), 50, page.DefaultMaxBytes)
		} else {
			r.Goroutines = gameStacks(all, h.FrameGoroutine())
		}
		r.Others = len(all)
		for _, g := range r.Goroutines {
			r.Others -= g.Count
		}
		if k.Cleared {
			r.Hint = "the game goes on: this is its last crash, which was cleared"
			if k.Locked {
				r.Hint += "; a query still locks the world, clear_crash with unlock:true releases it"
			}
			return r, nil
		}
		r.Hint = "crash_inspect lets read-only tools look at the world as it is; clear_crash goes on"
		if r.Recorded != nil {
			r.Hint = "recorded.calls tell what led here; " + r.Hint
		}
		if k.Locked {
			r.Hint += ", with unlock:true to release the query that was open"
		}
		if k.Count > 1 {
			r.Hint = fmt.Sprintf("this is crash number %d: clearing it did not help before. ", k.Count) + r.Hint
		}
		return r, nil
	})
}

// gameStacks are the goroutines that run the game's own code, without the
// frame's, whose stack the report has already: a few, and the top of each.
func gameStacks(all []stacks.Goroutine, frame uint64) []stackGroup {
	own := all[:0:0]
	for _, g := range all {
		if g.ID != frame && slices.ContainsFunc(g.Frames, func(f stacks.Frame) bool { return ofTheGame(f.Func) }) {
			own = append(own, g)
		}
	}
	groups := firstStacks(groupStacks(own, 0, ""), 3, 4<<10)
	for i := range groups {
		groups[i].Stack = groups[i].Stack[:min(len(groups[i].Stack), 8)]
	}
	return groups
}

// ofTheGame tells whether a function is neither the standard library's nor
// the server's.
func ofTheGame(name string) bool {
	if strings.HasPrefix(name, "main.") {
		return true
	}
	first, _, inFolder := strings.Cut(name, "/")
	if !inFolder || !strings.Contains(first, ".") {
		return false
	}
	for _, server := range []string{"github.com/loupe-ecs/loupe/mcpdebug", "github.com/loupe-ecs/loupe/timeline.", "github.com/loupe-ecs/loupe/internal/", "github.com/loupe-ecs/loupe/tools", "github.com/modelcontextprotocol/"} {
		if strings.HasPrefix(name, server) {
			return false
		}
	}
	return true
}

type crashInspectArgs struct {
	On bool `json:"on" jsonschema:"allow it"`
}

type crashInspectResult struct {
	On   bool   `json:"on" jsonschema:"whether read-only tools run now"`
	Hint string `json:"hint" jsonschema:"what that means"`
}

func crashInspectTool(h crashHost) *tools.Tool {
	return tools.New(tools.Spec{
		Name: "crash_inspect", Group: "session", Effect: tools.Additive, Idempotent: true, WhenCrashed: true, Example: `{"on":true}`,
		Description: "Lets read-only tools look at the world as the crash left it.",
	}, func(f *tools.Frame, in crashInspectArgs) (crashInspectResult, error) {
		if err := h.InspectCrash(in.On); err != nil {
			return crashInspectResult{}, err
		}
		if !in.On {
			return crashInspectResult{Hint: "every blocked tool answers the traceback again"}, nil
		}
		hint := "read-only tools run; the update that panicked may have left things half done"
		if f.World != nil && f.World.Locked() {
			hint += ", and the world is locked by the query that was open"
		}
		return crashInspectResult{On: true, Hint: hint}, nil
	})
}

type goroutinesArgs struct {
	Filter string `json:"filter,omitempty" jsonschema:"part of a stack"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many groups" debug:"min=1,max=500,default=20"`
	page.Args
}

type goroutinesResult struct {
	Groups     []stackGroup `json:"groups" jsonschema:"goroutines with the same stack; the frame goroutine first, then the largest groups"`
	Goroutines int          `json:"goroutines" jsonschema:"how many goroutines there are"`
	page.Info
}

type stackGroup struct {
	Count          int          `json:"count" jsonschema:"how many goroutines"`
	State          string       `json:"state" jsonschema:"running, select, chan receive, sync.Mutex.Lock, ..."`
	Waiting        string       `json:"waiting,omitempty" jsonschema:"how long, if for minutes"`
	FrameGoroutine bool         `json:"frameGoroutine,omitempty" jsonschema:"the goroutine that polls: the game's loop"`
	IDs            []uint64     `json:"ids" jsonschema:"numbers of the goroutines, at most ten"`
	Stack          []StackFrame `json:"stack" jsonschema:"innermost first"`
	CreatedBy      string       `json:"createdBy,omitempty" jsonschema:"function that started it"`
}

func goroutinesTool(h crashHost) *tools.Tool {
	return tools.NewOff(tools.Spec{
		Name: "goroutines", Group: "session", Effect: tools.ReadOnly, Idempotent: true, Example: `{"filter":"main."}`,
		Description: "Stacks of all goroutines, the game loop's first: where a hung game is.",
	}, func(c *tools.Call, in goroutinesArgs) (goroutinesResult, error) {
		all := stacks.Parse(h.Goroutines())
		r := goroutinesResult{Goroutines: len(all)}
		groups := groupStacks(all, h.FrameGoroutine(), in.Filter)
		var err error
		r.Groups, r.Info, err = page.Of("goroutines:"+in.Filter, groups, in.Limit, in.Args,
			func(g *stackGroup) string { return fmt.Sprint(g.IDs) }, "filter by a function or file, or raise limit and maxBytes")
		return r, err
	})
}

// firstStacks are as many groups as fit, at least one.
func firstStacks(groups []stackGroup, limit, maxBytes int) []stackGroup {
	groups = groups[:min(len(groups), limit)]
	return groups[:min(len(groups), max(1, page.Cut(groups, maxBytes)))]
}

// groupStacks is the wire form of grouped goroutines.
func groupStacks(gs []stacks.Goroutine, frame uint64, filter string) (out []stackGroup) {
	out = []stackGroup{}
	matching := gs[:0:0]
	for _, g := range gs {
		if filter == "" || containsFold(g.Text, filter) {
			matching = append(matching, g)
		}
	}
	for _, g := range stacks.GroupBy(matching, frame) {
		w := stackGroup{Count: len(g.IDs), State: g.State, Waiting: g.Waiting, IDs: g.IDs[:min(len(g.IDs), 10)], CreatedBy: g.CreatedBy.Func,
			FrameGoroutine: frame != 0 && g.IDs[0] == frame, Stack: []StackFrame{}}
		for _, f := range g.Frames[:min(len(g.Frames), 64)] {
			w.Stack = append(w.Stack, StackFrame(f))
		}
		out = append(out, w)
	}
	return out
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
