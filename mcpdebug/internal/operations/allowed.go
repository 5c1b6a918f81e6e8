package operations

import (
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/rawjson"
	"github.com/loupe-ecs/loupe/tools"
)

// canPutBack reports whether everything that a call may change is put back by
// [replay.Kept]: the world, resources, the clock, states, systems. What the
// game's own tools and actions do besides, nobody knows.
func canPutBack(p *listing.Tool, s *step) bool {
	if p.Spec.Effect == tools.ReadOnly && !p.Spec.WritesFiles {
		return true
	}
	switch p.Spec.Name {
	case "systems_stop", "systems_start", "states_push", "states_pop":
		return true
	case "clock_set":
		return !rawjson.Has(s.Arguments, "step")
	}
	return p.Spec.Group == "world" || p.Spec.Group == "components" || p.Spec.Group == "resources"
}

// check refuses, before anything runs, what cannot be among the calls. undone:
// they must be such that all can be put back. An experiment runs its own ticks.
func check(c *tools.Call, calls []step, undone, experiment bool) error {
	listing := listing.Of(c.Registry)
	instead := "atomic:false runs the calls one after the other and keeps what they did"
	if experiment {
		instead = "call it before the experiment, which runs from the present"
	}
	for i := range calls {
		s := &calls[i]
		bad := func(code refusal.Code, hint, format string, args ...any) error {
			return &refusal.Error{Code: code, Message: fmt.Sprintf("call %d: ", i) + fmt.Sprintf(format, args...) + "; nothing was run", Got: s.Tool, Hint: hint}
		}
		p, known := listing.Lookup(s.Tool)
		switch {
		case !known:
			names := make([]string, len(listing.Tools))
			for k, t := range listing.Tools {
				names[k] = t.Spec.Name
			}
			e := bad(refusal.NotFound, "help lists every tool", "unknown tool %q", s.Tool).(*refusal.Error)
			e.Options, e.Total = refusal.Nearest(s.Tool, names), len(names)
			return e
		case s.Tool == tools.CallName || s.Tool == "batch" || s.Tool == "experiment":
			return bad(refusal.NotSupported, "name the tools themselves", "%s cannot be among the calls", s.Tool)
		case p.Spec.OffFrameWith != "" && rawjson.Has(s.Arguments, p.Spec.OffFrameWith):
			return bad(refusal.NotSupported, "call it by itself", "%s with %s reads the recording and not the frame", s.Tool, p.Spec.OffFrameWith)
		case experiment && s.Tool == "send_event":
			// The host's sink may keep an event beside the world: one that ends the
			// game or loads a level would do so when the experiment is over.
			return bad(refusal.NotSupported, "write what the event sets: modify, resources_modify, states_push", "an event may change what cannot be put back")
		case !p.Nestable():
			return bad(refusal.NotSupported, "call it by itself", "%s does not run on the frame alone", s.Tool)
		case experiment && waits(s):
			return bad(refusal.NotSupported, "an experiment runs its ticks by itself", "%s waits for ticks", s.Tool)
		case undone && !canPutBack(p, s):
			return bad(refusal.NotSupported, instead, "what %s does cannot be put back", s.Tool)
		}
	}
	return nil
}

func waits(s *step) bool {
	return s.Tool == "run_until" || s.Tool == "clock_set" && rawjson.Has(s.Arguments, "step")
}
