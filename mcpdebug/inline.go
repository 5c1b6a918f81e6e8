//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/front"
	"github.com/loupe-ecs/loupe/tools"
)

// callInline runs a whole call on the calling goroutine, which is the frame's:
// what Dispatch does. Other clients' calls stay where they are.
func (s *Server) callInline(info *front.CallInfo) *tools.Reply {
	start := time.Now()
	if s.closing.Load() {
		return refusedReply(errClosed(), s.frame.Load())
	}
	if s.world != nil || s.app != nil {
		s.refreshInline(start)
	}
	pub, reply := s.lookup(context.Background(), info, false)
	if pub == nil {
		return reply
	}
	s.onCall(info.Request, nil)
	c := &call{ctx: context.Background(), info: info, pub: pub, start: start, frame: s.frame.Load()}
	c.at.Store(c.frame)
	reply = s.runInline(c)
	s.record(c, reply)
	return reply
}

// refreshInline publishes if the world has changed, or now and then: Dispatch
// may be called often.
func (s *Server) refreshInline(now time.Time) {
	v := s.view.Load()
	if now.Sub(v.at) < refreshEvery && v.app == s.app && (s.world == nil || s.readCatalog() == v.catalog) {
		return
	}
	s.refresh()
	s.settle()
}

func (s *Server) runInline(c *call) (reply *tools.Reply) {
	defer func() {
		if p := recover(); p != nil {
			reply = refusedReply(s.panicked(c, p, "in Dispatch", false), c.frame)
		}
	}()
	spec := &c.pub.Tool.Spec
	if e := s.gate(spec, inline); e != nil {
		return refusedReply(e, c.frame)
	}
	if e := needs(spec, s.world != nil, s.app != nil); e != nil {
		return refusedReply(e, c.frame)
	}
	s.newToolCall(c, s.view.Load())
	h := c.pub.Tool.Handler
	if h == nil {
		h = c.pub.Handler
	}
	if c.job, c.err = prepareWith(c.pub, h, c.tc); c.err != nil {
		return refusedReply(c.err, c.frame)
	}
	if s.framePartPrepared(c) {
		return refusedReply(&refusal.Error{Code: refusal.NotSupported,
			Message: fmt.Sprintf("%s needs later frames, and Dispatch runs within one; nothing more of it will run", c.pub.Spec.Name),
			Hint:    "call it over HTTP while the game polls"}, c.frame)
	}
	return s.finish(c)
}

// framePartPrepared runs an already prepared frame part.
func (s *Server) framePartPrepared(c *call) (again bool) {
	if c.job.Frame == nil {
		return false
	}
	start := time.Now()
	locked := s.worldLocked()
	defer func() {
		c.took = time.Since(start)
		if p := recover(); p != nil {
			c.err = s.panicked(c, p, "in Dispatch", !locked && s.worldLocked())
			again = false
		}
	}()
	f := s.newFrame(c, s.world)
	f.App, f.Once = s.app, true
	if s.world != nil {
		f.Catalog = s.readCatalog()
	}
	c.watched = s.watchedEntities(&c.pub.Spec)
	s.noteEntities(c.watched)
	defer s.touchEntities(c.watched)
	c.err = s.runJob(c, f)
	if errors.Is(c.err, tools.ErrLater) {
		c.err = nil
		return true
	}
	return false
}

// nested runs another tool within a frame part, through its gates: what a
// script's calls of tools do. Its parts before and after run on the frame too,
// so it is for tools that are quick.
func (s *Server) nested(f *tools.Frame, name string, args json.RawMessage) (out json.RawMessage, err error) {
	pub, ok := s.registry.Listing().Lookup(name)
	if !ok {
		rpc := s.unknownTool(name)
		var data struct{ Options []string }
		_ = json.Unmarshal(rpc.Data, &data)
		return nil, &refusal.Error{Code: refusal.NotFound, Message: rpc.Message, Got: name, Options: data.Options, Hint: "help lists every tool", Next: "help"}
	}
	if !pub.Nestable() {
		return nil, &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("%s cannot be called from within another tool: a part of it runs off the frame", name),
			Got: name, Hint: "call it by itself"}
	}
	info := &front.CallInfo{Request: tools.Request{Name: name, Arguments: args, Client: f.Call.Request.Client}}
	c := &call{ctx: f.Call.Context, info: info, pub: pub, start: time.Now(), frame: f.Number}
	c.at.Store(c.frame)
	s.onCall(info.Request, nil)
	r := s.runInline(c)
	s.record(c, r)
	switch {
	case r.RPC != nil:
		return nil, r.RPC
	case r.IsError:
		if c.err != nil {
			return nil, typed(c.err)
		}
		var doc struct{ Error *refusal.Error }
		if json.Unmarshal(r.Structured, &doc) == nil && doc.Error != nil {
			return nil, doc.Error
		}
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: r.Text}
	}
	if r.Structured == nil && json.Valid([]byte(r.Text)) {
		return json.RawMessage(r.Text), nil // beside a picture, which is left behind
	}
	return r.Structured, nil
}

func canCompare(h tools.Handler) bool { return h != nil && reflect.TypeOf(h).Comparable() }

func (s *Server) worldLocked() (locked bool) {
	if s.world == nil {
		return false
	}
	defer func() {
		if recover() != nil {
			locked = false
		}
	}()
	return s.world.Locked()
}
