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
	c := l.within(f, name, args)
	return answered(c.through(func() *tools.Reply {
		if r := c.mayNest(); r != nil {
			return r
		}
		return c.atOnce()
	}))
}

func (l *Loop) within(f *tools.Frame, name string, args json.RawMessage) *call {
	in := &Arrival{Request: tools.Request{Name: name, Arguments: args, Client: f.Call.Request.Client}}
	return l.newCall(f.Call.Context, in, inTool)
}

func (c *call) mayNest() *tools.Reply {
	if c.pub.Nestable() {
		return nil
	}
	return c.refuse(&refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("%s cannot be called from within another tool: a part of it runs off the frame", c.pub.Spec.Name),
		Got: c.pub.Spec.Name, Hint: "call it by itself"})
}

// nestedLater is nested for tools that may need later frames, such as those that
// wait for ticks: what it returns is run once a Poll until it is done.
func (l *Loop) nestedLater(f *tools.Frame, name string, args json.RawMessage) tools.Running {
	c := l.within(f, name, args)
	c.later = true
	var begun bool
	return func(f *tools.Frame) (out json.RawMessage, again bool, err error) {
		part := func() *tools.Reply {
			return c.guarded(func() *tools.Reply {
				if !begun {
					begun = true
					if r := c.mayNest(); r != nil {
						return r
					}
					if err := c.prepare(); err != nil {
						return c.refuse(err)
					}
				}
				if again = c.onTheFrame(c.l.frame.Load()); again {
					return nil
				}
				return c.finish()
			})
		}
		var r *tools.Reply
		if !begun {
			if r = c.find(); r == nil {
				c.report(nil)
				if r = c.admit(); r == nil {
					r = part()
				}
			}
		} else {
			r = part()
		}
		if again {
			return nil, true, nil
		}
		if c.pub != nil {
			c.record(r)
		}
		out, err = answered(r)
		return out, false, err
	}
}

// answered is what one tool gets of another's reply.
func answered(r *tools.Reply) (json.RawMessage, error) {
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
