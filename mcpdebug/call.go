//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/front"
	"github.com/loupe-ecs/loupe/tools"
)

// The life of a call. Whoever moves it to abandoned has seen to it that it
// never runs; from onFrame on it may have taken effect.
const (
	preparing int32 = iota
	waiting
	onFrame
	finishing
	abandoned
)

// call is one tools/call under way.
type call struct {
	ctx    context.Context
	info   *front.CallInfo
	pub    *tools.Published
	tc     *tools.Call
	job    tools.Job
	ticket uint64
	start  time.Time

	state    atomic.Int32
	answered atomic.Bool
	reply    chan *tools.Reply // of one
	framed   chan struct{}     // the frame part has run

	tried   atomic.Bool   // asked to be run again
	triedIn uint64        // in which frame; under the queue's lock
	at      atomic.Uint64 // the frame it ran in

	// The frame goroutine's, until framed.
	frame   uint64
	took    time.Duration
	err     error
	watched []watchedEntity // subscribed to, to see whether the call changes them
}

// answer delivers a reply unless one was delivered before: a late answer goes
// nowhere, never to the next call.
func (c *call) answer(r *tools.Reply) bool {
	if !c.answered.CompareAndSwap(false, true) {
		return false
	}
	c.reply <- r
	return true
}

// abandon gives a call up that has not begun to run.
func (c *call) abandon() bool {
	return c.state.CompareAndSwap(preparing, abandoned) || c.state.CompareAndSwap(waiting, abandoned)
}

// call takes one tools/call from its arrival to its answer.
func (s *Server) call(ctx context.Context, info *front.CallInfo) *tools.Reply {
	start := time.Now()
	s.inflight.Add(1)
	defer s.inflight.Add(-1)
	s.lastCall.Store(int64(start.Sub(s.started)))
	pub, reply := s.lookup(ctx, info, true)
	if pub == nil {
		return reply
	}
	s.onCall(info.Request, nil)
	c := &call{ctx: ctx, info: info, pub: pub, ticket: info.Ticket, start: start, reply: make(chan *tools.Reply, 1), framed: make(chan struct{}, 1)}
	reply = s.admit(c)
	if reply == nil {
		reply = s.await(c)
	}
	s.record(c, reply)
	return reply
}

// lookup finds a tool; a component that was registered just now brings its
// tools along.
func (s *Server) lookup(ctx context.Context, info *front.CallInfo, mayWait bool) (*tools.Published, *tools.Reply) {
	if s.closing.Load() {
		return nil, refusedReply(errClosed(), s.frame.Load())
	}
	if info.Tool != nil {
		return info.Tool, nil
	}
	name := info.Request.Name
	if p, ok := s.registry.Listing().Lookup(name); ok {
		return p, nil
	}
	if v := s.view.Load(); mayWait && v.bound {
		s.awaitRefresh(ctx, v)
	}
	if p, ok := s.registry.Listing().Lookup(name); ok {
		return p, nil
	}
	if _, t := s.builtIns.SubsystemOf(name); t != nil && s.view.Load().app == nil {
		// The game may yet provide it.
		e := s.gate(&t.Spec, onArrival)
		if e == nil {
			e = needs(&tools.Spec{Name: name, NeedsApp: true}, true, false)
		}
		return nil, refusedReply(e, s.frame.Load())
	}
	return nil, &tools.Reply{IsError: true, RPC: s.unknownTool(name)}
}

func (s *Server) unknownTool(name string) *tools.RPCError {
	var names []string
	for _, p := range s.registry.Listing().Tools {
		if s.offers(&p.Spec) {
			names = append(names, p.Spec.Name)
		}
	}
	hint := "help lists every tool"
	if sub, _ := s.builtIns.SubsystemOf(name); sub != nil {
		hint = "the game does not provide it (" + sub.Name + "); capabilities lists what it lacks"
	}
	data := marshal(map[string]any{"code": refusal.NotFound, "got": name, "options": refusal.Nearest(name, names), "total": len(names), "hint": hint})
	return &tools.RPCError{Code: -32602, Message: fmt.Sprintf("unknown tool %q", name), Data: data}
}

// admit is the gate on arrival; a reply is a refusal.
func (s *Server) admit(c *call) *tools.Reply {
	if e := s.gate(&c.pub.Spec, onArrival); e != nil {
		return refusedReply(e, s.frame.Load())
	}
	v := s.view.Load()
	if !c.pub.Spec.OffFrame && (c.pub.Spec.NeedsWorld || v.bound) {
		v = s.fresh(c.ctx, time.Second)
	}
	if e := needs(&c.pub.Spec, v.bound, v.app != nil); e != nil {
		return refusedReply(e, s.frame.Load())
	}
	return nil
}

func (s *Server) newToolCall(c *call, v *view) {
	log := s.log
	c.tc = &tools.Call{Context: c.ctx, Request: c.info.Request, Catalog: v.catalog, FrameNo: s.frame.Load(), Registry: s.registry, Log: log,
		OnProgress: c.info.OnProgress, OnLog: c.info.OnLog}
	if c.pub.Spec.Interactive {
		c.tc.Session = c.info.Session
	}
}

// prepare checks and decodes the arguments and runs the part before. Arguments
// that name what the Catalog does not know are looked up once more in a fresh
// one: the type may have been registered a moment ago.
func (s *Server) prepare(c *call) error {
	job, err := prepareWith(c.pub, c.pub.Handler, c.tc)
	if err != nil && !c.pub.Spec.OffFrame && mayBeNew(err) && c.tc.Catalog != nil {
		if v := s.awaitRefresh(c.ctx, s.view.Load()); v.catalog != c.tc.Catalog {
			c.tc.Catalog = v.catalog
			job, err = prepareWith(c.pub, c.pub.Handler, c.tc)
		}
	}
	c.job = job
	return err
}

func prepareWith(pub *tools.Published, h tools.Handler, tc *tools.Call) (tools.Job, error) {
	args := tc.Request.Arguments
	if _, plain := h.(tools.HandlerFunc); plain {
		// Typed handlers check while they decode.
		if err := tools.CheckArguments(pub, args); err != nil {
			return tools.Job{}, err
		}
	}
	return h.Prepare(tc, args)
}

func mayBeNew(err error) bool {
	return errors.Is(err, refusal.UnknownComponent) || errors.Is(err, refusal.NotFound)
}

// record writes the call into the last calls, the audit log and Options.OnCall.
func (s *Server) record(c *call, r *tools.Reply) {
	code, message := codeOf(r)
	took := time.Since(c.start)
	at := c.at.Load()
	if at == 0 {
		at = s.frame.Load()
	}
	s.history.add(c.info.Request, at, took, code)
	if c.pub.Spec.Effect == tools.Destructive {
		outcome := "ok"
		if code != "" {
			outcome = string(code)
		}
		level := slog.LevelInfo
		if code == refusal.OutcomeUnknown || code == refusal.Panicked {
			level = slog.LevelWarn
		}
		s.log.Log(context.Background(), level, auditMessage, "tool", c.pub.Spec.Name, "client", c.info.Request.Client,
			"arguments", clip(string(c.info.Request.Arguments), 256), "frame", at, "outcome", outcome)
	}
	s.onCall(c.info.Request, &Outcome{Frame: at, Code: code, Message: message, Duration: took})
}

// auditMessage is the log line of a call that may have changed something.
const auditMessage = "tool call"

func (s *Server) onCall(r tools.Request, o *Outcome) {
	if s.opts.OnCall == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("Options.OnCall panicked", "panic", panicText(p))
		}
	}()
	s.opts.OnCall(r, o)
}
