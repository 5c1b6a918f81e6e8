//go:build !nomcpdebug

package mcpdebug

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

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
	defer s.running.Store(s.running.Swap(c)) // a handler may call Poll
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
		took := time.Since(start)
		c.took = max(c.took, took) // of a part that runs in many frames the slowest counts
		if took > slowFrame {
			s.log.Warn("slow tool on the frame", "tool", c.pub.Spec.Name, "ms", float64(took.Microseconds())/1e3, "frame", c.frame)
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
	if now := c.pub.Tool.Handler; !sameHandler(c.pub.Handler, now) {
		// Not prepareWith: plain handlers' arguments were checked off the frame.
		c.job, c.err = now.Prepare(c.tc, c.tc.Request.Arguments)
	}
	if c.err == nil && c.job.Frame != nil {
		f := s.newFrame(c, s.world)
		f.App = s.app
		if s.world != nil {
			f.Catalog = s.readCatalog()
		}
		s.noteEntities(c.watched)
		defer s.touchEntities(c.watched) // also if it panics
		c.err = s.runJob(c, f)
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
		return refusedReply(c.err, c.frame)
	}
	if c.job.Finish == nil {
		return success(nil, c.frame, c.took)
	}
	r, err := c.job.Finish(c.tc)
	if err != nil {
		return refusedReply(err, c.frame)
	}
	return success(r, c.frame, c.took)
}

// panicked makes the refusal of a tool that panicked. The game goes on.
func (s *Server) panicked(c *call, p any, place string, locked bool) *refusal.Error {
	text := panicText(p)
	stack := traceback()
	s.log.Error("a tool panicked", "tool", c.pub.Spec.Name, "panic", text, "frame", s.frame.Load(), "place", place)
	e := &refusal.Error{Code: refusal.Panicked,
		Message: fmt.Sprintf("%s panicked %s: %s\n\n%s", c.pub.Spec.Name, place, text, clip(stack, 8<<10)),
		Got:     text, Hint: "the game goes on; the panic is a mistake of the tool. get_logs has it too", Next: "get_logs"}
	if locked {
		e.Hint = "the game goes on, but the tool left a query open that locks the world: clear_crash with unlock:true releases it"
		e.Next = "clear_crash"
	}
	return e
}
