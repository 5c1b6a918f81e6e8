package loop

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// CallInline runs a whole call on the calling goroutine, which must be the
// frame's: what Dispatch does. Other clients' calls stay where they are.
func (l *Loop) CallInline(in *Arrival) *tools.Reply {
	if !l.closing.Load() && (l.bound.world != nil || l.bound.app != nil) {
		l.bound.refreshInline()
	}
	c := l.newCall(context.Background(), in, inDispatch)
	return c.through(c.atOnce)
}

// another carries out a call that a tool off the frame makes of another tool:
// as its client would, on the way that the tool itself came.
func (c *call) another(tool string, arguments json.RawMessage) *tools.Reply {
	in := &Arrival{Request: tools.Request{Name: tool, Arguments: arguments, Client: c.in.Request.Client, Operation: c.in.Request.Operation}}
	if c.way == overQueue {
		in.Ticket = c.l.Ticket()
		return c.l.Call(c.ctx, in)
	}
	return c.l.CallInline(in)
}

// atOnce is the way of a call that waits for nothing.
func (c *call) atOnce() *tools.Reply {
	return c.guarded(func() *tools.Reply {
		frame := c.l.frame.Load()
		if err := c.prepare(); err != nil {
			return c.refuse(err)
		}
		if c.off && c.job.Instead != nil {
			c.offTheFrame()
		} else if c.onTheFrame(frame) {
			c.err = &refusal.Error{Code: refusal.NotSupported,
				Message: fmt.Sprintf("%s needs later frames, and Dispatch runs within one; nothing more of it will run", c.pub.Spec.Name),
				Hint:    "call it over HTTP while the game polls"}
		}
		return c.finish()
	})
}
