package loop

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/rawjson"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/tools"
)

// through takes a call from its arrival to its answer: find, admit, and the
// rest as its way has it (await, or atOnce). Whatever is done to every call is
// done here.
func (c *call) through(rest func() *tools.Reply) *tools.Reply {
	if r := c.find(); r != nil {
		return r
	}
	c.report(nil)
	r := c.admit()
	if r == nil {
		r = rest()
	}
	c.record(r)
	return r
}

// admit is the gate on arrival; a reply is a refusal. It settles whether the
// call comes to the frame.
func (c *call) admit() *tools.Reply {
	c.lastMoment()
	spec := &c.pub.Spec
	args := c.in.Request.Arguments
	c.off = spec.OffFrame || spec.OffFrameWith != "" && rawjson.Has(args, spec.OffFrameWith) || spec.OffFrameIf != nil && spec.OffFrameIf(args)
	if c.way != overQueue { // this is the frame goroutine
		if e := c.l.gateOnFrame(&c.pub.Tool.Spec, c.off, inline); e != nil {
			return c.refuse(e)
		}
		return nil
	}
	v := c.l.View()
	spec = v.flagsOf(c.pub)
	if e := c.l.gate(spec, c.off, onArrival); e != nil {
		return c.refuse(e)
	}
	if !c.off && (spec.NeedsWorld || v.Bound) {
		v = c.l.bound.recent(c.ctx)
	}
	if e := needs(spec, v.Bound, v.App != nil); e != nil {
		return c.refuse(e)
	}
	return nil
}

// prepare checks and decodes the arguments and runs the part before. Arguments
// that name what the Catalog does not know are looked up once more in a fresh
// one: the type may have been registered a moment ago.
func (c *call) prepare() error {
	l, v := c.l, c.l.View()
	c.tc = &tools.Call{Context: c.ctx, Request: c.in.Request, Catalog: v.Catalog, FrameNo: l.frame.Load(), Registry: l.cfg.Registry, Log: l.log,
		OnProgress: c.in.OnProgress, OnLog: c.in.OnLog, Lasting: c.in.Lasting, Stopping: c.in.Stopping}
	c.tc.OnFrame = c.way != overQueue
	if c.pub.Spec.Interactive {
		c.tc.Session = c.in.Session
	}
	if c.off {
		c.tc.Run = c.another
	}
	h := c.pub.Handler
	if now := c.pub.Tool.Handler; c.way != overQueue && now != nil {
		h = now
	}
	err := c.prepareWith(h)
	if err != nil && c.way == overQueue && !c.off && mayBeNew(err) && v.Catalog != nil {
		if v := l.bound.awaitRefresh(c.ctx, v); v.Catalog != c.tc.Catalog {
			c.tc.Catalog = v.Catalog
			err = c.prepareWith(h)
		}
	}
	if c.job.Instead != nil {
		c.off = true
	}
	return err
}

func (c *call) prepareWith(h tools.Handler) (err error) {
	args := c.tc.Request.Arguments
	if _, plain := h.(tools.HandlerFunc); plain {
		// Typed handlers check while they decode.
		if err := c.pub.Check(args); err != nil {
			return err
		}
	}
	c.job, err = h.Prepare(c.tc, args)
	return err
}

func mayBeNew(err error) bool {
	return errors.Is(err, refusal.UnknownComponent) || errors.Is(err, refusal.NotFound)
}

// onTheFrame runs the gate and the part on the frame, with the handler that the
// tool's pointer holds now; again: it asks to be run at a later Poll too. Frame
// goroutine.
func (c *call) onTheFrame(frame uint64) (again bool) {
	l := c.l
	c.frame = frame
	c.at.Store(frame)
	if c.way == overQueue {
		if e := l.gateOnFrame(&c.pub.Tool.Spec, c.off, onPoll); e != nil {
			c.err = e
			return false
		}
	}
	w := l.bound.world
	locked := crashes.Locked(w)
	start, returned := time.Now(), false
	defer func() {
		took := time.Since(start)
		c.took = max(c.took, took) // of a part that runs in many frames the slowest counts
		if took > slowFrame && c.way != inTool {
			l.log.Warn(SlowTool, "tool", c.pub.Spec.Name, "ms", float64(took.Microseconds())/1e3, "frame", c.frame)
		}
		if p := recover(); p != nil {
			c.err, again = c.panicked(p, c.place(), !locked && crashes.Locked(w)), false
		} else if !returned {
			// The goroutine is ending (runtime.Goexit): at least answer.
			c.err = c.panicked("the tool ended the frame goroutine (runtime.Goexit)", c.place(), !locked && crashes.Locked(w))
			if c.framed != nil {
				c.framed <- struct{}{}
			}
		}
		c.after(w, again)
	}()
	again = c.framePart(w)
	returned = true
	return again
}

func (c *call) framePart(w ecs.World) (again bool) {
	l := c.l
	if now := c.pub.Tool.Handler; c.way == overQueue && !sameHandler(c.pub.Handler, now) {
		// Plain handlers' arguments were checked off the frame.
		if c.job, c.err = now.Prepare(c.tc, c.in.Request.Arguments); c.err != nil {
			return false
		}
	}
	if c.job.Frame == nil {
		return false
	}
	f := c.newFrame()
	f.World, f.App = w, l.bound.app
	if w != nil {
		f.Catalog = l.bound.catalog()
	}
	c.before(w)
	c.err = c.job.Frame(f)
	if errors.Is(c.err, tools.ErrLater) {
		c.err = nil
		return true
	}
	return false
}

// before and after tell whoever watches what calls do to the world.
func (c *call) before(w ecs.World) {
	if c.around != nil {
		c.around.Before(w)
	}
	c.paused = c.pub.Spec.Effect != tools.ReadOnly && c.l.bound.paused()
	c.l.Observers.beforeCall(&c.pub.Tool.Spec, &c.tc.Request)
}

func (c *call) after(w ecs.World, again bool) {
	err := c.err
	if again {
		err = tools.ErrLater
	}
	if c.pub.Spec.Effect != tools.ReadOnly {
		c.l.bound.effects.Add(1)
		c.l.bound.noteHold(c.paused, c.pub.Spec.Name, c.tc.Request.Client)
	}
	c.l.Observers.afterCall(&c.pub.Tool.Spec, &c.tc.Request, err)
	if c.around != nil {
		c.around.After(w)
	}
}

// runInPoll runs a queued call's turn; false: it asks for another one.
func (c *call) runInPoll(frame uint64) (answered bool) {
	defer c.l.running.Store(c.l.running.Swap(c)) // a handler may call Poll
	if c.onTheFrame(frame) {
		c.tried.Store(true)
		return false
	}
	c.state.CompareAndSwap(onFrame, finishing)
	c.framed <- struct{}{}
	return true
}

// offTheFrame runs the frame part of a call that never comes to the frame: on
// nothing, or on what its part before gave instead of the game.
func (c *call) offTheFrame() {
	c.frame = c.l.frame.Load()
	c.at.Store(c.frame)
	if c.job.Frame == nil {
		return
	}
	f := c.newFrame()
	if i := c.job.Instead; i != nil {
		f.World, f.Catalog, f.Number, f.Tick = i.World, i.Catalog, i.Number, i.Tick
		c.frame = i.Number
	}
	if c.err = c.job.Frame(f); errors.Is(c.err, tools.ErrLater) {
		c.err = &refusal.Error{Code: refusal.NotSupported, Message: "an off-frame tool cannot ask for a later frame: a mistake of the tool"}
	}
}

func (c *call) newFrame() *tools.Frame {
	v := c.l.View()
	f := &tools.Frame{Number: c.frame, App: v.App, Catalog: v.Catalog, Call: c.tc, Once: c.way != overQueue && !c.later || c.off}
	f.CallTool, f.StartTool, f.Hush = c.nested, c.nestedLater, c.l.Observers.hush
	return f
}

// finish runs the part after and makes the answer. Off the frame, but for
// Dispatch and tools within tools.
func (c *call) finish() *tools.Reply {
	if c.err != nil {
		return c.refuse(c.err)
	}
	if c.job.Finish == nil {
		return success(nil, c.frame, c.took)
	}
	r, err := c.job.Finish(c.tc)
	if err != nil {
		return c.refuse(err)
	}
	frame := c.frame
	if c.pub.Spec.OffFrame {
		frame = c.tc.FrameNo // of the facts that it told
	}
	return success(r, frame, c.took)
}

// guarded turns a panic of a part into its answer.
func (c *call) guarded(part func() *tools.Reply) (r *tools.Reply) {
	defer func() {
		if p := recover(); p != nil {
			r = c.refuse(c.panicked(p, c.place(), false))
		}
	}()
	return part()
}

// place says where a part ran, for the text of a panic.
func (c *call) place() string {
	switch {
	case c.way != overQueue:
		return "in Dispatch"
	case c.state.Load() == onFrame:
		return "on the frame"
	}
	return "off the frame"
}

// panicked makes the refusal of a tool that panicked. The game goes on.
func (c *call) panicked(p any, place string, locked bool) *refusal.Error {
	text := words.Panic(p)
	c.l.log.Error("a tool panicked", "tool", c.pub.Spec.Name, "panic", text, "frame", c.l.frame.Load(), "place", place)
	e := &refusal.Error{Code: refusal.Panicked,
		Message: fmt.Sprintf("%s panicked %s: %s\n\n%s", c.pub.Spec.Name, place, text, words.Clip(crashes.Traceback(), 8<<10)),
		Got:     text, Hint: "the game goes on; the panic is a mistake of the tool. get_logs has it too", Next: "get_logs"}
	if locked {
		e.Hint = "the game goes on, but the tool left a query open that locks the world: clear_crash with unlock:true releases it"
		e.Next = "clear_crash"
	}
	return e
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

func canCompare(h tools.Handler) bool { return h != nil && reflect.TypeOf(h).Comparable() }
