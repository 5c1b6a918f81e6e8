package loop

import (
	"encoding/json"
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/rawjson"
	"github.com/loupe-ecs/loupe/tools"
)

// find looks the tool up, once; a reply is a refusal. A component that was
// registered just now brings its tools along: a name that nobody knows is
// looked for again in a fresh Catalog.
func (c *call) find() *tools.Reply {
	if c.l.closing.Load() {
		return c.refuse(errClosed())
	}
	if c.pub = c.in.Tool; c.pub != nil && c.pub.Spec.Name == tools.CallName {
		return c.meant()
	} else if c.pub != nil {
		return nil
	}
	name := c.in.Request.Name
	var ok bool
	if c.pub, ok = listing.Of(c.l.cfg.Registry).Lookup(name); ok {
		if name == tools.CallName {
			return c.meant()
		}
		return nil
	}
	if v := c.l.View(); c.way == overQueue && v.Bound {
		c.l.bound.awaitRefresh(c.ctx, v)
		if c.pub, ok = listing.Of(c.l.cfg.Registry).Lookup(name); ok {
			return nil
		}
	}
	return c.unknown(name)
}

// meant finds the tool that a call of "call" names: from here on that tool is
// called, under its own gates, checks and name.
func (c *call) meant() *tools.Reply {
	if err := c.pub.Check(c.in.Request.Arguments); err != nil {
		return c.refuse(err)
	}
	args := c.in.Request.Arguments
	name, _ := rawjson.Text(rawjson.Member(args, "tool"))
	if name == tools.CallName {
		return c.refuse(&refusal.Error{Code: refusal.InvalidArguments, Message: "call calls other tools, not itself", Got: name, Next: "help"})
	}
	in := *c.in
	in.Tool, in.Request.Name, in.Request.Arguments = nil, name, json.RawMessage(rawjson.Member(args, "arguments"))
	if rawjson.IsNull(in.Request.Arguments) {
		in.Request.Arguments = nil
	}
	c.in = &in
	r := c.find()
	if r != nil && r.RPC != nil {
		return c.refuse(r.Err) // an unknown argument here, not an unknown method
	}
	return r
}

// unknown refuses a name that no tool has. A subsystem's tool before the host
// has bound its interfaces is not unknown.
func (c *call) unknown(name string) *tools.Reply {
	e := &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("unknown tool %q", name), Got: name, Hint: "help lists every tool", Next: "help"}
	if lacks := c.l.cfg.Lacks; lacks != nil {
		switch subsystem, t := lacks(name); {
		case t == nil:
		case c.l.View().App == nil: // the game may yet provide it
			if e := c.l.gate(&t.Spec, false, onArrival); e != nil {
				return c.refuse(e)
			}
			return c.refuse(noApp(name))
		default:
			e.Hint, e.Next = "the game does not provide it ("+subsystem+"); capabilities lists what it lacks", "capabilities"
		}
	}
	var names []string
	for _, p := range listing.Of(c.l.cfg.Registry).Tools {
		if c.l.cfg.Offers == nil || c.l.cfg.Offers(&p.Spec) {
			names = append(names, p.Spec.Name)
		}
	}
	e.Options, e.Total = refusal.Nearest(name, names), len(names)
	data, _ := json.Marshal(map[string]any{"code": e.Code, "got": name, "options": e.Options, "total": e.Total, "hint": e.Hint})
	return &tools.Reply{IsError: true, Err: e, RPC: &tools.RPCError{Code: -32602, Message: e.Message, Data: data}}
}
