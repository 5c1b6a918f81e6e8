package causes

import (
	"encoding/json"
	"log/slog"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/timeline/watch"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Host is what the tools need of the server.
type Host interface {
	Logger() *slog.Logger
	// App is the bound one; nil without. Off the frame only its times may be asked.
	App() *host.App
	// Fresh waits a moment for what the frame tells to show all answered calls.
	// Not on the frame goroutine.
	Fresh(*tools.Call) *loop.View
	// Held says why time stood still when the frame last told; nil: it passes.
	Held() *host.Held
	// Logs reads what was logged. Any goroutine.
	Logs(logbuf.Query) (logbuf.Page, string)
	// Crash is the crash the game is in, or the last one; nil: there was none.
	Crash() *crashes.Report
	// Stall is where the frame hangs, or hung last; nil: it never did.
	Stall() *loop.StallReport
	// Updated tells subscribers that a resource has changed: "watch/w1" for
	// ecs://watch/w1. Any goroutine.
	Updated(path string)
	// Observe has an observer told of polls, ticks and calls, or no more. Frame
	// goroutine.
	Observe(o Observer, on bool)
}

// Observer looks at the world where something can have changed it.
type Observer = loop.Observer

// Causes are the tools of one server and what they share.
type Causes struct {
	host    Host
	watches *watch.Set
	rec     *timeline.Recorder
	log     *limiter // for watch hits
}

// New makes them. rec is the recording that blame looks through.
func New(h Host, rec *timeline.Recorder) *Causes {
	c := &Causes{host: h, rec: rec, log: &limiter{log: h.Logger}}
	c.watches = watch.NewSet(watch.Options{Tell: c.tell, Held: func(id string, _ uint64) { h.App().HeldBy("watch "+id, "") }, Busy: func(on bool) { h.Observe(c.watches, on) }})
	return c
}

// Tools are in listing order.
func (c *Causes) Tools() []*tools.Tool {
	return append(c.watchTools(), tools.Family(tools.Spec{Group: "past"}, c.blameTool(), determinismTool(), c.diagnoseTool())...)
}

// shown is a value as JSON: null where there is none. Off the frame, for values
// that nobody changes.
func shown(v reflect.Value) json.RawMessage {
	b, err := value.AppendJSON(nil, v, value.EncodeOptions{Bulk: true})
	if err != nil {
		b, _ = json.Marshal("cannot be shown: " + err.Error())
	}
	if len(b) > maxShown {
		b, _ = json.Marshal(map[string]any{"$bytes": len(b), "$more": string(b[:maxShown/2]) + "..."})
	}
	return b
}

// maxShown bounds one value in a list of changes; info shows it whole.
const maxShown = 1024

func noWorld() error {
	return &refusal.Error{Code: refusal.NoWorld, Message: "no world is bound: the game has not called Bind yet"}
}
