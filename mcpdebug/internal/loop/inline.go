package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// CallInline runs a whole call on the calling goroutine, which must be the
// frame's: what Dispatch does. Other clients' calls stay where they are.
func (l *Loop) CallInline(in *Arrival) *tools.Reply {
	if !l.closing.Load() && (l.bound.world != nil || l.bound.app != nil) {
		l.refreshInline()
	}
	c := l.newCall(context.Background(), in, inDispatch)
	return c.through(c.atOnce)
}

// another carries out a call that a tool off the frame makes of another tool:
// as its client would, on the way that the tool itself came.
func (c *call) another(tool string, arguments json.RawMessage) *tools.Reply {
	in := &Arrival{Request: tools.Request{Name: tool, Arguments: arguments, Client: c.in.Request.Client}}
	if c.way == overQueue {
		in.Ticket = c.l.Ticket()
		return c.l.Call(c.ctx, in)
	}
	return c.l.CallInline(in)
}

// refreshInline publishes if the world has changed, or now and then: Dispatch
// may be called often.
func (l *Loop) refreshInline() {
	v := l.View()
	if time.Since(v.At) < refreshEvery && v.App == l.bound.app && v.effects == l.bound.effects.Load() &&
		(l.bound.world == nil || l.bound.catalog() == v.Catalog) {
		return
	}
	l.bound.refresh(l.frame.Load())
	l.settle()
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

// nested runs another tool within a frame part, through its gates: what a
// script's calls of tools do. Its parts before and after run on the frame too,
// so it is for tools that are quick.
func (l *Loop) nested(f *tools.Frame, name string, args json.RawMessage) (json.RawMessage, error) {
	in := &Arrival{Request: tools.Request{Name: name, Arguments: args, Client: f.Call.Request.Client}}
	c := l.newCall(f.Call.Context, in, inTool)
	r := c.through(func() *tools.Reply {
		if !c.pub.Nestable() {
			return c.refuse(&refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("%s cannot be called from within another tool: a part of it runs off the frame", name),
				Got: name, Hint: "call it by itself"})
		}
		return c.atOnce()
	})
	switch {
	case r.Err != nil:
		return nil, r.Err
	case r.IsError:
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: r.Text}
	case r.Structured == nil && json.Valid([]byte(r.Text)):
		return json.RawMessage(r.Text), nil // beside a picture, which is left behind
	}
	return r.Structured, nil
}
