package loop

import (
	"encoding/json"
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// nested runs another tool within a frame part, through its gates: what a
// script's calls of tools do. Its parts before and after run on the frame too,
// so it is for tools that are quick.
func (c *call) nested(name string, args json.RawMessage) (json.RawMessage, error) {
	c = c.within(name, args)
	return answered(c.through(func() *tools.Reply {
		if r := c.mayNest(); r != nil {
			return r
		}
		return c.atOnce()
	}))
}

// within makes a call within the frame part of c.
func (c *call) within(name string, args json.RawMessage) *call {
	in := &Arrival{Request: tools.Request{Name: name, Arguments: args, Client: c.tc.Request.Client, Operation: c.tc.Request.Operation}}
	return c.l.newCall(c.tc.Context, in, inTool)
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
func (c *call) nestedLater(name string, args json.RawMessage) tools.Running {
	c = c.within(name, args)
	c.later = true
	var begun bool
	return func(*tools.Frame) (out json.RawMessage, again bool, err error) {
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
