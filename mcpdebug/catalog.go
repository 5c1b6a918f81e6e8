//go:build !nomcpdebug

package mcpdebug

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/stacks"
)

// refresh publishes what the frame goroutine alone can tell: the Catalog, the
// host's summary, and which goroutine it is. Frame goroutine.
func (s *Server) refresh() {
	s.frameGo.Store(stacks.CurrentID()) // 2 to 5 µs: never in an ordinary Poll
	v := &view{frame: s.frame.Load(), at: time.Now(), app: s.app, bound: s.world != nil}
	if s.world != nil {
		v.catalog = s.readCatalog()
		v.samples = s.sampleEntities()
	}
	if s.app != nil && (s.app.States != nil || s.app.Clock != nil) {
		v.paused = s.readPaused()
	}
	if s.app != nil && s.app.Summary != nil {
		v.summary = s.readSummary(s.app.Summary)
	}
	s.view.Store(v)
	s.published.send()
}

// readCatalog keeps the last Catalog where the adapter panics: the server must
// outlive a broken world.
func (s *Server) readCatalog() (cat *ecs.Catalog) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("the world cannot be described", "panic", panicText(p))
			cat = s.view.Load().catalog
		}
	}()
	return s.world.Catalog()
}

// sampleEntities are a few living entities of each archetype, for completions.
func (s *Server) sampleEntities() (es []ecs.Entity) {
	defer func() { _ = recover() }()
	for c := range s.world.Chunks(ecs.Filter{}) {
		es = c.AppendEntities(es, 0, min(2, c.Len()))
		if len(es) >= 64 {
			break
		}
	}
	return es
}

func (s *Server) readPaused() (paused *bool) {
	defer func() { _ = recover() }() // a host's own implementation
	held := false
	if s.app.States != nil {
		stack := s.app.States.Stack()
		held = len(stack) > 0 && stack[len(stack)-1] == "paused"
	}
	held = held || s.app.Clock != nil && s.app.Clock.Info().Paused
	return &held
}

// maxSummary bounds what the host tells of itself.
const maxSummary = 1 << 10

func (s *Server) readSummary(f func() any) (out []byte) {
	defer func() {
		if p := recover(); p != nil {
			out, _ = json.Marshal(map[string]string{"error": clip("App.Summary panicked: "+panicText(p), 512)})
		}
	}()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f()); err != nil {
		out, _ = json.Marshal(map[string]string{"error": clip("App.Summary cannot be encoded: "+err.Error(), 512)})
		return out
	}
	b := bytes.TrimSpace(buf.Bytes())
	if len(b) > maxSummary {
		out, _ = json.Marshal(map[string]any{"truncated": true, "bytes": len(b), "text": clip(string(b), 600)})
		return out
	}
	return b
}

// settle brings what is generated from the Catalog in line with the published
// one. Off the frame where it can be: the watchdog and calls do it.
func (s *Server) settle() {
	s.componentM.Lock()
	defer s.componentM.Unlock()
	v := s.view.Load()
	if v.catalog == s.settled && !s.unsettled {
		return
	}
	if s.unsettled && v.catalog != nil {
		// An earlier server with this registry may have left generated tools.
		s.removeGenerated()
	}
	s.settled, s.unsettled = v.catalog, v.catalog == nil
	defer func() {
		// It runs on the watchdog's goroutine too, where a panic ends the game.
		if p := recover(); p != nil {
			s.log.Error("the tools of a component type cannot be generated", "panic", panicText(p))
		}
	}()
	s.components.Update(v.catalog)
}

func (s *Server) removeGenerated() {
	var names []string
	for _, p := range s.registry.Listing().Tools {
		if _, ok := p.Spec.Meta["typeID"]; ok {
			names = append(names, p.Spec.Name)
		}
	}
	if len(names) > 0 {
		s.registry.Unregister(names...)
	}
}

// fresh waits until the published view is younger than a second: at most a
// quarter of a second, and only while the frame polls.
func (s *Server) fresh(ctx context.Context, maxAge time.Duration) *view {
	v := s.view.Load()
	if time.Since(v.at) <= maxAge && v.bound || !s.polling() {
		return v
	}
	return s.awaitRefresh(ctx, v)
}

// awaitRefresh asks for a publication newer than v and waits for it.
func (s *Server) awaitRefresh(ctx context.Context, v *view) *view {
	if !s.polling() {
		return s.view.Load()
	}
	next := s.published.next()
	if s.view.Load() == v {
		s.word.Or(bitRefresh)
		t := time.NewTimer(refreshWait)
		defer t.Stop()
		select {
		case <-next:
		case <-t.C:
		case <-ctx.Done():
		case <-s.closed:
		}
	}
	s.settle()
	return s.view.Load()
}

// refreshWait bounds how long a call waits for a fresh Catalog.
const refreshWait = 250 * time.Millisecond

// polling tells whether a Poll can be expected soon.
func (s *Server) polling() bool {
	return s.frame.Load() > 0 && s.stall.Load() == nil && !s.closing.Load()
}
