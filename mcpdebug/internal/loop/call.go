package loop

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/tools"
)

// Arrival is one call on its way in.
type Arrival struct {
	Request tools.Request
	Ticket  uint64 // its place in the queue, from [Loop.Ticket]
	// End, when set, ends the ctx that Call is given: whoever calls has no use for
	// it after Call, which may end it when the call is answered.
	End context.CancelFunc
	// Tool, when set, is what runs: what a look-up of the request's name found, or
	// the tool behind a live resource.
	Tool *listing.Tool
	// Session asks the client back; nil if it cannot be asked.
	Session tools.Session
	// Operation is the client's own name for the call, under which its outcome is
	// kept; "" without.
	Operation string
	// Lasting: the call may take as long as it needs once it has begun; its client
	// can end it. Stopping, if set, reports that it wants to.
	Lasting    bool
	Stopping   func() bool
	OnProgress func(done, total float64, message string)
	OnLog      func(level slog.Level, logger string, data any)
}

// The life of a call. Whoever moves it to abandoned has seen to it that it
// never runs; from onFrame on it may have taken effect.
const (
	preparing int32 = iota
	queued
	onFrame
	finishing
	abandoned
)

// way is how a call comes to the frame.
type way int

const (
	overQueue  way = iota // its turn comes in a Poll
	inDispatch            // all of it on the calling goroutine, which is the frame's
	inTool                // so too, within another tool's frame part
)

// call is one tools/call under way.
type call struct {
	l     *Loop
	ctx   context.Context
	in    *Arrival
	way   way
	start time.Time

	pub *listing.Tool
	off bool // it never comes to the frame: settled by admit
	// later: within another tool, but with a turn in later frames too.
	later bool
	tc    *tools.Call
	job   tools.Job

	// Over the queue.
	state    atomic.Int32
	answered atomic.Bool
	reply    chan *tools.Reply // of one
	framed   chan struct{}     // of one: the frame part has run
	tried    atomic.Bool       // asked to be run again
	triedIn  uint64            // in which frame; under the queue's lock
	around   *Bracket

	at atomic.Uint64 // the frame it ran in; 0: in none

	// The frame goroutine's, until framed.
	frame  uint64
	paused bool // the clock was before the frame part
	took   time.Duration
	err    error
}

func (l *Loop) newCall(ctx context.Context, in *Arrival, w way) *call {
	c := &call{l: l, ctx: ctx, in: in, way: w, start: time.Now()}
	if w == overQueue {
		c.reply, c.framed = make(chan *tools.Reply, 1), make(chan struct{}, 1)
	}
	return c
}

// answer delivers a reply unless one was delivered before: a late answer goes
// nowhere, never to the next call.
func (c *call) answer(r *tools.Reply) bool {
	if !c.answered.CompareAndSwap(false, true) {
		return false
	}
	c.reply <- r
	return true
}

// abandon gives a call up that has not begun to run.
func (c *call) abandon() bool {
	return c.state.CompareAndSwap(preparing, abandoned) || c.state.CompareAndSwap(queued, abandoned)
}

// refuse makes the answer of an error, in the frame the call has come to.
func (c *call) refuse(err error) *tools.Reply {
	frame := c.at.Load()
	if frame == 0 {
		frame = c.l.frame.Load()
	}
	return refusedReply(err, frame)
}

// record writes the answered call into the last calls, the audit log and OnCall.
func (c *call) record(r *tools.Reply) {
	code, message := CodeOf(r)
	took := time.Since(c.start)
	at := c.at.Load()
	if at == 0 {
		at = c.l.frame.Load()
	}
	outcome := "ok"
	if code != "" {
		outcome = string(code)
	}
	request := &c.in.Request
	c.l.calls.add(crashes.Call{Tool: request.Name, Client: request.Client, Frame: at, Ms: words.Millis(took), Outcome: outcome})
	if c.pub.Spec.Effect == tools.Destructive {
		level := slog.LevelInfo
		if code == refusal.OutcomeUnknown || code == refusal.Panicked {
			level = slog.LevelWarn
		}
		c.l.log.Log(context.Background(), level, crashes.AuditMessage, "tool", c.pub.Spec.Name, "client", request.Client,
			"arguments", words.Clip(string(request.Arguments), 256), "frame", at, "outcome", outcome)
	}
	c.report(&Outcome{Frame: at, Code: code, Message: message, Duration: took})
}

// report tells the host of the call: o is nil before it is run.
func (c *call) report(o *Outcome) {
	if c.l.cfg.OnCall == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			c.l.log.Error("Options.OnCall panicked", "panic", words.Panic(p))
		}
	}()
	c.l.cfg.OnCall(c.in.Request, o)
}
