//go:build !nomcpdebug

package mcpdebug

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/builtin"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/keep"
	"github.com/loupe-ecs/loupe/tools"
)

// ListenRecording serves a file that record_save or Options.BlackBox wrote, as a
// game that cannot be changed: the same tools, documents and page over what was
// recorded. No game and none of its types are needed. addr is as in Listen; ""
// opens no port. Builds with the tag nomcpdebug refuse. Any
// goroutine.
func ListenRecording(path, addr string, o *Options) (*Server, error) {
	file, err := blackbox.Open(path, blackbox.Limits{})
	if err != nil {
		return nil, err
	}
	if file.Types == nil && file.Parts[blackbox.PartCrash] == nil {
		e := &refusal.Error{Code: refusal.BadSnapshot, Message: "the file holds neither a recorded tick nor a crash"}
		if file.Damage != "" {
			e.Message += ": " + file.Damage
		}
		return nil, e
	}
	s := newServer(o, file)
	s.shownPath = path
	if addr != "" {
		if s.addr, err = s.bind(addr); err != nil {
			s.Close()
			return nil, err
		}
	}
	show(s)
	return s, nil
}

// show puts what the file holds where a game would have.
func show(s *Server) {
	f := s.shown
	for _, l := range f.Lines {
		s.ring.Add(logbuf.Line{Time: l.Time, Level: l.Level, Msg: l.Msg, Attrs: l.Attrs})
	}
	s.loop.StartAt(f.Frame)
	var world ecs.World
	if line := f.Recorder.Line(); line.Len() > 0 {
		if _, last, ok := line.Ticks(); ok {
			if ref, err := line.Find(int64(last)); err == nil {
				world = line.World(ref)
			}
		}
	}
	ready := make(chan struct{})
	go func() {
		s.Bind(world, keep.Shown(f))
		if raw := f.Parts[blackbox.PartCrash]; raw != nil {
			var c crashes.Report
			if json.Unmarshal(raw, &c) == nil {
				s.crashes.Restore(&c)
			}
		}
		s.Poll()
		close(ready)
		for !s.loop.Closing() {
			if !s.Poll() {
				time.Sleep(2 * time.Millisecond)
			}
		}
	}()
	<-ready
}

// permitShown says why a tool cannot run over a file.
func permitShown(s *Server, spec *tools.Spec) *refusal.Error {
	if !s.opts.offers(spec) {
		return s.opts.permit(spec)
	}
	if spec.Effect == tools.ReadOnly || spec.OffFrameWith != "" {
		return nil
	}
	return &refusal.Error{Code: refusal.ReadOnly, Got: spec.Name, Next: "record_info",
		Message: fmt.Sprintf("this is a recording (%s), not a running game: %s would change it", filepath.Base(s.shownPath), spec.Name),
		Hint:    "read any of its ticks with at; in a build that has the types, snapshot_load puts one of them back into a running game"}
}

func (h services) Recording() *builtin.Recording {
	s := h.s
	if s.shown == nil {
		return nil
	}
	f := s.shown
	r := &builtin.Recording{File: s.shownPath, Written: f.Written.Format(time.RFC3339), Why: f.Why, State: f.State, Samples: f.Samples, Damage: f.Damage,
		Crashed: f.Parts[blackbox.PartCrash] != nil}
	r.From, r.To, _ = f.Recorder.Line().Ticks()
	return r
}

func (h services) Goroutines() []byte {
	if h.s.shown != nil {
		return h.s.shown.Parts[blackbox.PartGoroutines]
	}
	return stacks.All()
}

// shownBuild is the program that wrote the file.
func shownBuild(s *Server) (b buildinfo.Run) {
	_ = json.Unmarshal(s.shown.Build, &b)
	return b
}
