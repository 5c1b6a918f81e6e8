package loop

import (
	"context"
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/tools"
)

// Call takes one call over the queue: it waits for a frame's turn. It blocks
// until the call is answered. Not on the frame goroutine.
func (l *Loop) Call(ctx context.Context, in *Arrival) *tools.Reply {
	in.Request.Operation = in.Operation
	c := l.newCall(ctx, in, overQueue)
	l.inflight.Add(1)
	defer l.inflight.Add(-1)
	l.lastCall.Store(int64(c.start.Sub(l.started)))
	if in.Operation != "" {
		return c.once()
	}
	return c.through(c.await)
}

// await is the one place where a call waits: for its answer, the client's end,
// the timeout or Close, whichever comes first. Parts off the frame that may
// block (a host's own, those of off-frame tools) run on a goroutine of their
// own, so that a tool which ignores its context holds nobody up; for others
// the hand-over is saved.
func (c *call) await() *tools.Reply {
	l, client := c.l, c.ctx
	blocks := c.mayBlock()
	if !blocks && c.in.End != nil {
		// One context does: nobody else waits for its end.
		defer c.in.End()
	} else {
		work, cancel := context.WithCancel(c.ctx)
		defer cancel()
		c.ctx = work
	}
	var framed <-chan struct{} // nil: the work's own goroutine finishes
	if blocks {
		go c.work()
	} else {
		framed = c.framed
		if r := c.guarded(c.begin); r != nil {
			return r
		}
	}
	timeout := time.NewTimer(l.cfg.CallTimeout)
	defer timeout.Stop()
	for {
		select {
		case r := <-c.reply:
			return r
		case <-framed:
			return c.guarded(c.finish)
		case <-client.Done():
			c.giveUp(&refusal.Error{Code: refusal.Cancelled, Message: "the client has gone; the call did not run"}, "the client has gone")
		case <-l.closed:
			if c.state.Load() == finishing {
				// It has taken effect and is all but answered.
				select {
				case r := <-c.reply:
					return r
				case <-framed:
					return c.guarded(c.finish)
				case <-time.After(30 * time.Millisecond):
				}
			}
			c.giveUp(errClosed(), "the debug server was closed")
		case <-timeout.C:
			if c.pub.Spec.Interactive && c.state.Load() == preparing {
				timeout.Reset(l.cfg.CallTimeout) // a person is thinking
				continue
			}
			if c.in.Lasting && (c.tried.Load() || c.state.Load() >= onFrame) {
				timeout.Reset(l.cfg.CallTimeout)
				continue
			}
			c.giveUp(&refusal.Error{Code: refusal.Timeout,
				Message: fmt.Sprintf("%s was not run within %s and was taken out of the queue; nothing was changed", c.pub.Spec.Name, l.cfg.CallTimeout),
				Hint:    "the queue may be long or the frames slow: context tells the frame rate", Next: "context"}, "the call timed out")
		}
		return <-c.reply
	}
}

// mayBlock tells whether a part off the frame may block: the decoding and
// encoding of plain tools does not, nor do the built-in tools' parts.
func (c *call) mayBlock() bool {
	p := c.pub
	if c.off || p.Spec.Interactive {
		return true
	}
	if _, plain := p.Handler.(tools.HandlerFunc); plain {
		return false
	}
	trusted := c.l.cfg.Trusted != nil && c.l.cfg.Trusted(p.Tool)
	return !trusted && listing.MayBlock(p.Handler)
}

// begin prepares a call and queues it, if it needs the frame; a reply is a
// refusal.
func (c *call) begin() *tools.Reply {
	if err := c.prepare(); err != nil {
		return c.refuse(err)
	}
	if c.off {
		return nil
	}
	if around := c.l.cfg.Around; around != nil && c.pub.Spec.Effect != tools.ReadOnly {
		c.around = around(&c.pub.Spec)
	}
	switch limit := c.l.cfg.QueueLen; c.l.queue.add(c) {
	case queueFull:
		return c.refuse(&refusal.Error{Code: refusal.Busy, Message: fmt.Sprintf("%d calls are waiting already; this one was not queued", limit),
			Got: limit + 1, Want: limit, Hint: "one call is answered a frame: wait for answers before sending more"})
	case queueClosed:
		return c.refuse(errClosed())
	}
	return nil
}

// giveUp answers with notRun if the call has not begun, else that nobody knows.
func (c *call) giveUp(notRun *refusal.Error, why string) {
	if !c.abandon() {
		c.answer(c.refuse(c.outcomeUnknown(why)))
		return
	}
	c.l.queue.clean()
	if c.tried.Load() {
		notRun = c.outcomeUnknown(why)
	}
	c.answer(c.refuse(notRun))
}

func (c *call) outcomeUnknown(why string) *refusal.Error {
	name := c.pub.Spec.Name
	if c.pub.Spec.Effect == tools.ReadOnly {
		return &refusal.Error{Code: refusal.Timeout, Message: fmt.Sprintf("%s after %s had begun; it changes nothing", why, name),
			Hint: "call it again, asking for less"}
	}
	return &refusal.Error{Code: refusal.OutcomeUnknown,
		Message: fmt.Sprintf("%s after %s had begun: it may or may not have taken effect", why, name),
		Hint:    "read what it should have changed before calling it again"}
}

// work takes a call through its parts on a goroutine of its own.
func (c *call) work() {
	done := false
	defer func() {
		if p := recover(); p != nil {
			c.answer(c.refuse(c.panicked(p, c.place(), false)))
		} else if !done {
			c.answer(c.refuse(c.panicked("the tool ended its goroutine (runtime.Goexit)", c.place(), false)))
		}
	}()
	if r := c.worked(); r != nil {
		c.answer(r)
	}
	done = true
}

// worked is nil if the call was answered otherwise.
func (c *call) worked() *tools.Reply {
	if r := c.begin(); r != nil {
		return r
	}
	if c.off {
		if !c.state.CompareAndSwap(preparing, finishing) {
			return nil
		}
		c.offTheFrame()
		return c.finish()
	}
	select {
	case <-c.framed:
		return c.finish()
	case <-c.ctx.Done(): // answered otherwise, or the client has gone
		select {
		case <-c.framed: // both: prefer the answer
			return c.finish()
		default:
			return nil
		}
	}
}
