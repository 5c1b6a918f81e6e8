//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/front"
	"github.com/loupe-ecs/loupe/tools"
)

// The life of a call. Whoever moves it to abandoned has seen to it that it
// never runs; from onFrame on it may have taken effect.
const (
	preparing int32 = iota
	waiting
	onFrame
	finishing
	abandoned
)

// call is one tools/call under way.
type call struct {
	ctx    context.Context
	info   *front.CallInfo
	pub    *tools.Published
	tc     *tools.Call
	job    tools.Job
	ticket uint64
	start  time.Time

	state    atomic.Int32
	answered atomic.Bool
	reply    chan *tools.Reply // of one
	framed   chan struct{}     // the frame part has run

	tried   atomic.Bool   // asked to be run again
	triedIn uint64        // in which frame; under the queue's lock
	at      atomic.Uint64 // the frame it ran in

	// The frame goroutine's, until framed.
	frame uint64
	took  time.Duration
	err   error
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
	return c.state.CompareAndSwap(preparing, abandoned) || c.state.CompareAndSwap(waiting, abandoned)
}

// call takes one tools/call from its arrival to its answer.
func (s *Server) call(ctx context.Context, info *front.CallInfo) *tools.Reply {
	start := time.Now()
	s.inflight.Add(1)
	defer s.inflight.Add(-1)
	s.lastCall.Store(int64(start.Sub(s.started)))
	pub, reply := s.lookup(ctx, info, true)
	if pub == nil {
		return reply
	}
	s.onCall(info.Request, nil)
	c := &call{ctx: ctx, info: info, pub: pub, ticket: info.Ticket, start: start, reply: make(chan *tools.Reply, 1), framed: make(chan struct{}, 1)}
	reply = s.admit(c)
	if reply == nil {
		reply = s.await(c)
	}
	s.record(c, reply)
	return reply
}

// lookup finds a tool; a component that was registered just now brings its
// tools along.
func (s *Server) lookup(ctx context.Context, info *front.CallInfo, mayWait bool) (*tools.Published, *tools.Reply) {
	if s.closing.Load() {
		return nil, refusal(errClosed(), s.frame.Load())
	}
	if info.Tool != nil {
		return info.Tool, nil
	}
	name := info.Request.Name
	if p, ok := s.registry.Listing().Lookup(name); ok {
		return p, nil
	}
	if v := s.view.Load(); mayWait && v.bound {
		s.awaitRefresh(ctx, v)
	}
	if p, ok := s.registry.Listing().Lookup(name); ok {
		return p, nil
	}
	return nil, &tools.Reply{IsError: true, RPC: s.unknownTool(name)}
}

func (s *Server) unknownTool(name string) *tools.RPCError {
	var names []string
	for _, p := range s.registry.Listing().Tools {
		if s.offers(&p.Spec) {
			names = append(names, p.Spec.Name)
		}
	}
	data := marshal(map[string]any{"code": ecs.NotFound, "got": name, "options": ecs.Nearest(name, names), "total": len(names), "hint": "help lists every tool"})
	return &tools.RPCError{Code: -32602, Message: fmt.Sprintf("unknown tool %q", name), Data: data}
}

// admit is the gate on arrival; a reply is a refusal.
func (s *Server) admit(c *call) *tools.Reply {
	if e := s.gate(&c.pub.Spec, onArrival); e != nil {
		return refusal(e, s.frame.Load())
	}
	v := s.view.Load()
	if !c.pub.Spec.OffFrame && (c.pub.Spec.NeedsWorld || v.bound) {
		v = s.fresh(c.ctx, time.Second)
	}
	if e := needs(&c.pub.Spec, v.bound, v.app != nil); e != nil {
		return refusal(e, s.frame.Load())
	}
	return nil
}

// await runs a call and waits for its answer, the client's end, the timeout or
// Close, whichever comes first. The work is done on a goroutine of its own, so
// that a tool which ignores its context holds nobody up.
func (s *Server) await(c *call) *tools.Reply {
	work, cancel := context.WithCancel(c.ctx)
	defer cancel()
	client := c.ctx
	c.ctx = work
	go s.work(c)
	timeout := time.NewTimer(s.opts.CallTimeout)
	defer timeout.Stop()
	for {
		select {
		case r := <-c.reply:
			return r
		case <-client.Done():
			s.giveUp(c, &ecs.Error{Code: ecs.Cancelled, Message: "the client has gone; the call did not run"}, "the client has gone")
		case <-s.closed:
			if c.state.Load() == finishing {
				// It has taken effect and is all but answered.
				select {
				case r := <-c.reply:
					return r
				case <-time.After(30 * time.Millisecond):
				}
			}
			s.giveUp(c, errClosed(), "the debug server was closed")
		case <-timeout.C:
			if c.pub.Spec.Interactive && c.state.Load() == preparing {
				timeout.Reset(s.opts.CallTimeout) // a person is thinking
				continue
			}
			s.giveUp(c, &ecs.Error{Code: ecs.Timeout,
				Message: fmt.Sprintf("%s was not run within %s and was taken out of the queue; nothing was changed", c.pub.Spec.Name, s.opts.CallTimeout),
				Hint:    "the queue may be long or the frames slow: context tells the frame rate", Next: "context"}, "the call timed out")
		}
		return <-c.reply
	}
}

// giveUp answers with notRun if the call has not begun, else that nobody knows.
func (s *Server) giveUp(c *call, notRun *ecs.Error, why string) {
	if c.abandon() {
		s.remove()
		if c.tried.Load() {
			notRun = s.outcomeUnknown(c, why)
		}
		c.answer(refusal(notRun, s.frame.Load()))
		return
	}
	c.answer(refusal(s.outcomeUnknown(c, why), s.frame.Load()))
}

func (s *Server) outcomeUnknown(c *call, why string) *ecs.Error {
	name := c.pub.Spec.Name
	e := &ecs.Error{Code: ecs.OutcomeUnknown,
		Message: fmt.Sprintf("%s after %s had begun: it may or may not have taken effect", why, name),
		Hint:    "read what it should have changed before calling it again"}
	if c.pub.Spec.ReadOnly {
		e.Code = ecs.Timeout
		e.Message = fmt.Sprintf("%s after %s had begun; it changes nothing", why, name)
		e.Hint = "call it again, asking for less"
	}
	return e
}

// work takes a call through its parts, off the frame.
func (s *Server) work(c *call) {
	done := false
	defer func() {
		if p := recover(); p != nil {
			c.answer(refusal(s.panicked(c, p, "off the frame", false), s.frame.Load()))
		} else if !done {
			c.answer(refusal(s.panicked(c, "the tool ended its goroutine (runtime.Goexit)", "off the frame", false), s.frame.Load()))
		}
	}()
	s.doWork(c)
	done = true
}

func (s *Server) doWork(c *call) {
	s.newToolCall(c, s.view.Load())
	if e := s.prepare(c); e != nil {
		c.answer(refusal(e, s.frame.Load()))
		return
	}
	if c.pub.Spec.OffFrame {
		if !c.state.CompareAndSwap(preparing, finishing) {
			return
		}
		c.frame = s.frame.Load()
		c.at.Store(c.frame)
		if c.job.Frame != nil {
			f := s.newFrame(c, nil)
			if c.err = c.job.Frame(f); errors.Is(c.err, tools.ErrLater) {
				c.err = &ecs.Error{Code: ecs.NotSupported, Message: "an off-frame tool cannot ask for a later frame: a mistake of the tool"}
			}
		}
		c.answer(s.finish(c))
		return
	}
	switch s.enqueue(c) {
	case queueFull:
		c.answer(refusal(&ecs.Error{Code: ecs.Busy, Message: fmt.Sprintf("%d calls are waiting already; this one was not queued", s.opts.QueueLen),
			Got: s.opts.QueueLen + 1, Want: s.opts.QueueLen, Hint: "one call is answered a frame: wait for answers before sending more"}, s.frame.Load()))
		return
	case queueClosed:
		c.answer(refusal(errClosed(), s.frame.Load()))
		return
	}
	select {
	case <-c.framed:
		c.answer(s.finish(c))
	case <-c.ctx.Done(): // answered otherwise, or the client has gone
		select {
		case <-c.framed: // both: prefer the answer
			c.answer(s.finish(c))
		default:
		}
	}
}

func (s *Server) newToolCall(c *call, v *view) {
	log := s.log
	c.tc = &tools.Call{Context: c.ctx, Request: c.info.Request, Catalog: v.catalog, FrameNo: s.frame.Load(), Registry: s.registry, Log: log,
		OnProgress: c.info.OnProgress, OnLog: c.info.OnLog}
	if c.pub.Spec.Interactive {
		c.tc.Session = c.info.Session
	}
}

// prepare checks and decodes the arguments and runs the part before. Arguments
// that name what the Catalog does not know are looked up once more in a fresh
// one: the type may have been registered a moment ago.
func (s *Server) prepare(c *call) error {
	job, err := prepareWith(c.pub, c.pub.Handler, c.tc)
	if err != nil && !c.pub.Spec.OffFrame && mayBeNew(err) && c.tc.Catalog != nil {
		if v := s.awaitRefresh(c.ctx, s.view.Load()); v.catalog != c.tc.Catalog {
			c.tc.Catalog = v.catalog
			job, err = prepareWith(c.pub, c.pub.Handler, c.tc)
		}
	}
	c.job = job
	return err
}

func prepareWith(pub *tools.Published, h tools.Handler, tc *tools.Call) (tools.Job, error) {
	args := tc.Request.Arguments
	if _, plain := h.(tools.HandlerFunc); plain {
		// Typed handlers check while they decode.
		if err := tools.CheckArguments(pub, args); err != nil {
			return tools.Job{}, err
		}
	}
	return h.Prepare(tc, args)
}

func mayBeNew(err error) bool {
	return errors.Is(err, ecs.UnknownComponent) || errors.Is(err, ecs.NotFound)
}

func (s *Server) newFrame(c *call, w ecs.World) *tools.Frame {
	v := s.view.Load()
	f := &tools.Frame{Number: c.frame, World: w, App: v.app, Catalog: v.catalog, Call: c.tc}
	f.CallTool = func(name string, args json.RawMessage) (json.RawMessage, error) { return s.nested(f, name, args) }
	return f
}

// runOnFrame runs a call's frame part; false if it asks to be run again.
func (s *Server) runOnFrame(c *call, frame uint64) (answered bool) {
	c.frame = frame
	c.at.Store(frame)
	s.running.Store(c)
	defer s.running.Store(nil)
	if s.framePart(c) {
		c.tried.Store(true)
		return false
	}
	c.state.CompareAndSwap(onFrame, finishing)
	c.framed <- struct{}{}
	return true
}

// framePart runs the gate and the frame part with the handler that the tool's
// pointer holds now. Frame goroutine.
func (s *Server) framePart(c *call) (again bool) {
	spec := &c.pub.Tool.Spec
	if e := s.gate(spec, onPoll); e != nil {
		c.err = e
		return false
	}
	if e := needs(spec, s.world != nil, s.app != nil); e != nil {
		c.err = e
		return false
	}
	start := time.Now()
	locked := s.worldLocked()
	done := false
	defer func() {
		c.took += time.Since(start)
		if c.took > slowFrame {
			s.log.Warn("slow tool on the frame", "tool", c.pub.Spec.Name, "ms", float64(c.took.Microseconds())/1e3, "frame", c.frame)
		}
		if p := recover(); p != nil {
			c.err = s.panicked(c, p, "on the frame", !locked && s.worldLocked())
			again = false
		} else if !done {
			// The goroutine is ending (runtime.Goexit): at least answer.
			c.err = s.panicked(c, "the tool ended the frame goroutine (runtime.Goexit)", "on the frame", !locked && s.worldLocked())
			c.framed <- struct{}{}
		}
	}()
	if !sameHandler(c.pub.Handler, c.pub.Tool.Handler) {
		c.job, c.err = prepareWith(c.pub, c.pub.Tool.Handler, c.tc)
	}
	if c.err == nil && c.job.Frame != nil {
		f := s.newFrame(c, s.world)
		f.App = s.app
		if s.world != nil {
			f.Catalog = s.readCatalog()
		}
		c.err = c.job.Frame(f)
	}
	done = true
	if errors.Is(c.err, tools.ErrLater) {
		c.err = nil
		return true
	}
	return false
}

// sameHandler reports whether the prepared job is still what the tool's
// pointer means. Functions cannot be compared: preparing again costs them
// nothing.
func sameHandler(published, now tools.Handler) bool {
	switch now.(type) {
	case nil:
		return true // registered tools have one; a nil put there later is ignored
	case tools.HandlerFunc:
		return false
	}
	return canCompare(published) && canCompare(now) && published == now
}

// finish runs the part after and encodes the answer, off the frame.
func (s *Server) finish(c *call) *tools.Reply {
	if c.err != nil {
		return refusal(c.err, c.frame)
	}
	if c.job.Finish == nil {
		return success(nil, c.frame, c.took)
	}
	r, err := c.job.Finish(c.tc)
	if err != nil {
		return refusal(err, c.frame)
	}
	return success(r, c.frame, c.took)
}

// panicked makes the refusal of a tool that panicked. The game goes on.
func (s *Server) panicked(c *call, p any, place string, locked bool) *ecs.Error {
	text := panicText(p)
	stack := traceback()
	s.log.Error("a tool panicked", "tool", c.pub.Spec.Name, "panic", text, "frame", s.frame.Load(), "place", place)
	e := &ecs.Error{Code: ecs.Panicked,
		Message: fmt.Sprintf("%s panicked %s: %s\n\n%s", c.pub.Spec.Name, place, text, clip(stack, 8<<10)),
		Got:     text, Hint: "the game goes on; the panic is a mistake of the tool. get_logs has it too", Next: "get_logs"}
	if locked {
		e.Hint = "the game goes on, but the tool left a query open that locks the world: clear_crash with unlock:true releases it"
		e.Next = "clear_crash"
	}
	return e
}

// record writes the call into the last calls, the audit log and Options.OnCall.
func (s *Server) record(c *call, r *tools.Reply) {
	code, message := codeOf(r)
	took := time.Since(c.start)
	at := c.at.Load()
	if at == 0 {
		at = s.frame.Load()
	}
	s.history.add(c.info.Request, at, took, code)
	if c.pub.Spec.Destructive {
		outcome := "ok"
		if code != "" {
			outcome = string(code)
		}
		level := slog.LevelInfo
		if code == ecs.OutcomeUnknown || code == ecs.Panicked {
			level = slog.LevelWarn
		}
		s.log.Log(context.Background(), level, "tool call", "tool", c.pub.Spec.Name, "client", c.info.Request.Client,
			"arguments", clip(string(c.info.Request.Arguments), 256), "frame", at, "outcome", outcome)
	}
	s.onCall(c.info.Request, &Outcome{Frame: at, Code: code, Message: message, Duration: took})
}

func (s *Server) onCall(r tools.Request, o *Outcome) {
	if s.opts.OnCall == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("Options.OnCall panicked", "panic", panicText(p))
		}
	}()
	s.opts.OnCall(r, o)
}
