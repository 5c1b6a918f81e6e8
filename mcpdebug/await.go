//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// await runs a call and waits for its answer, the client's end, the timeout or
// Close, whichever comes first. Parts off the frame that may block (a host's
// own, those of off-frame tools) run on a goroutine of their own, so that a
// tool which ignores its context holds nobody up; others save the hand-over.
func (s *Server) await(c *call) *tools.Reply {
	client := c.ctx
	blocks := s.mayBlock(c.pub)
	if !blocks && c.info.End != nil {
		// One context does: nobody else waits for its end.
		defer c.info.End()
	} else {
		work, cancel := context.WithCancel(c.ctx)
		defer cancel()
		c.ctx = work
	}
	var framed chan struct{}
	if blocks {
		go s.work(c)
	} else {
		framed = c.framed
		if r := s.guarded(c, s.begin); r != nil {
			return r
		}
	}
	timeout := time.NewTimer(s.opts.CallTimeout)
	defer timeout.Stop()
	for {
		select {
		case r := <-c.reply:
			return r
		case <-framed:
			return s.guarded(c, s.finish)
		case <-client.Done():
			s.giveUp(c, &refusal.Error{Code: refusal.Cancelled, Message: "the client has gone; the call did not run"}, "the client has gone")
		case <-s.closed:
			if c.state.Load() == finishing {
				// It has taken effect and is all but answered.
				select {
				case r := <-c.reply:
					return r
				case <-framed:
					return s.guarded(c, s.finish)
				case <-time.After(30 * time.Millisecond):
				}
			}
			s.giveUp(c, errClosed(), "the debug server was closed")
		case <-timeout.C:
			if c.pub.Spec.Interactive && c.state.Load() == preparing {
				timeout.Reset(s.opts.CallTimeout) // a person is thinking
				continue
			}
			s.giveUp(c, &refusal.Error{Code: refusal.Timeout,
				Message: fmt.Sprintf("%s was not run within %s and was taken out of the queue; nothing was changed", c.pub.Spec.Name, s.opts.CallTimeout),
				Hint:    "the queue may be long or the frames slow: context tells the frame rate", Next: "context"}, "the call timed out")
		}
		return <-c.reply
	}
}

// mayBlock tells whether a part off the frame may block: the decoding and
// encoding of plain tools does not, nor do the built-in tools' parts.
func (s *Server) mayBlock(p *tools.Published) bool {
	if p.Spec.OffFrame || p.Spec.Interactive {
		return true
	}
	if _, plain := p.Handler.(tools.HandlerFunc); plain {
		return false
	}
	return !s.trusted[p.Tool] && tools.MayBlock(p.Handler)
}

// guarded turns a panic of a part off the frame into its answer.
func (s *Server) guarded(c *call, part func(*call) *tools.Reply) (r *tools.Reply) {
	defer func() {
		if p := recover(); p != nil {
			r = refusedReply(s.panicked(c, p, "off the frame", false), s.frame.Load())
		}
	}()
	return part(c)
}

// begin prepares a call and queues it; a reply is a refusal.
func (s *Server) begin(c *call) *tools.Reply {
	s.newToolCall(c, s.view.Load())
	if e := s.prepare(c); e != nil {
		return refusedReply(e, s.frame.Load())
	}
	if c.pub.Spec.OffFrame {
		return nil
	}
	c.watched = s.watchedEntities(&c.pub.Spec)
	switch s.enqueue(c) {
	case queueFull:
		return refusedReply(&refusal.Error{Code: refusal.Busy, Message: fmt.Sprintf("%d calls are waiting already; this one was not queued", s.opts.QueueLen),
			Got: s.opts.QueueLen + 1, Want: s.opts.QueueLen, Hint: "one call is answered a frame: wait for answers before sending more"}, s.frame.Load())
	case queueClosed:
		return refusedReply(errClosed(), s.frame.Load())
	}
	return nil
}

// giveUp answers with notRun if the call has not begun, else that nobody knows.
func (s *Server) giveUp(c *call, notRun *refusal.Error, why string) {
	if c.abandon() {
		s.remove()
		if c.tried.Load() {
			notRun = s.outcomeUnknown(c, why)
		}
		c.answer(refusedReply(notRun, s.frame.Load()))
		return
	}
	c.answer(refusedReply(s.outcomeUnknown(c, why), s.frame.Load()))
}

func (s *Server) outcomeUnknown(c *call, why string) *refusal.Error {
	name := c.pub.Spec.Name
	e := &refusal.Error{Code: refusal.OutcomeUnknown,
		Message: fmt.Sprintf("%s after %s had begun: it may or may not have taken effect", why, name),
		Hint:    "read what it should have changed before calling it again"}
	if c.pub.Spec.Effect == tools.ReadOnly {
		e.Code = refusal.Timeout
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
			c.answer(refusedReply(s.panicked(c, p, "off the frame", false), s.frame.Load()))
		} else if !done {
			c.answer(refusedReply(s.panicked(c, "the tool ended its goroutine (runtime.Goexit)", "off the frame", false), s.frame.Load()))
		}
	}()
	s.doWork(c)
	done = true
}

func (s *Server) doWork(c *call) {
	if r := s.begin(c); r != nil {
		c.answer(r)
		return
	}
	if c.pub.Spec.OffFrame {
		if c.state.CompareAndSwap(preparing, finishing) {
			c.answer(s.runOff(c))
		}
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

// runOff runs a tool that needs no frame.
func (s *Server) runOff(c *call) *tools.Reply {
	c.frame = s.frame.Load()
	c.at.Store(c.frame)
	if c.job.Frame != nil {
		if c.err = c.job.Frame(s.newFrame(c, nil)); errors.Is(c.err, tools.ErrLater) {
			c.err = &refusal.Error{Code: refusal.NotSupported, Message: "an off-frame tool cannot ask for a later frame: a mistake of the tool"}
		}
	}
	return s.finish(c)
}
