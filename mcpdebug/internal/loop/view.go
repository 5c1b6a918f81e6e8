package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/tools"
)

// View is what Poll publishes of the frame goroutine's side. Immutable.
type View struct {
	Catalog *ecs.Catalog // nil without a world
	App     *tools.App
	Summary []byte       // what the host says of itself, as JSON
	Samples []ecs.Entity // some living entities, a few of each archetype
	Paused  *bool        // whether the clock or the top state is paused; nil without both
	Held    *tools.Held  // why time stands still; nil: it passes
	Frame   uint64
	At      time.Time
	Bound   bool // there is a world

	effects uint64 // how often calls had changed something
	// flags are those of tools that were changed in place since they were
	// registered.
	flags map[*tools.Published]*tools.Spec
}

// binding is what the host has bound, and what was published of it. world and
// app are the frame goroutine's.
type binding struct {
	world    ecs.World
	app      *tools.App
	log      *slog.Logger
	registry *tools.Registry

	view      atomic.Pointer[View]
	published broadcast
	goroutine atomic.Uint64 // number of the goroutine that polls
	effects   atomic.Uint64 // frame parts that may have changed something
}

func (b *binding) init(registry *tools.Registry, log *slog.Logger, started time.Time) {
	b.registry, b.log = registry, log
	b.published.ch = make(chan struct{})
	b.view.Store(&View{At: started})
}

// broadcast wakes everybody who waits for the next publication.
type broadcast struct {
	mu sync.Mutex
	ch chan struct{}
}

// next is closed at the next publication.
func (b *broadcast) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ch
}

func (b *broadcast) send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.ch)
	b.ch = make(chan struct{})
}

// flagsOf are the flags of a tool as the frame has published them: a host may
// change them in place, on the frame goroutine.
func (v *View) flagsOf(p *tools.Published) *tools.Spec {
	if spec := v.flags[p]; spec != nil {
		return spec
	}
	return &p.Spec
}

// changedFlags finds the tools that are not what they were registered as. Frame
// goroutine.
func changedFlags(l *tools.Listing) (changed map[*tools.Published]*tools.Spec) {
	for _, p := range l.Tools {
		was, is := &p.Spec, &p.Tool.Spec
		if is.Effect != was.Effect || is.WhenParked != was.WhenParked && !is.OffFrame || is.WhenCrashed != was.WhenCrashed && !is.OffFrame ||
			is.NeedsWorld != was.NeedsWorld || is.NeedsApp != was.NeedsApp {
			if changed == nil {
				changed = map[*tools.Published]*tools.Spec{}
			}
			spec := *is
			changed[p] = &spec
		}
	}
	return changed
}

// Bind gives the loop the world and the host's own interfaces; nil unbinds
// either. Frame goroutine.
func (l *Loop) Bind(w ecs.World, app *tools.App) {
	l.bound.world, l.bound.app = w, app
	l.bound.refresh(l.frame.Load())
	l.settle()
}

// World is the bound one. Frame goroutine.
func (l *Loop) World() ecs.World { return l.bound.world }

// View is what was published last; never nil.
func (l *Loop) View() *View { return l.bound.view.Load() }

// Catalog is the last published one; nil without a world.
func (l *Loop) Catalog() *ecs.Catalog { return l.View().Catalog }

// FrameGoroutine is the number of the goroutine that polls; 0: not known.
func (l *Loop) FrameGoroutine() uint64 { return l.bound.goroutine.Load() }

// refresh publishes what the frame goroutine alone can tell: the Catalog, the
// host's summary, and which goroutine it is. Frame goroutine.
func (b *binding) refresh(frame uint64) {
	b.goroutine.Store(stacks.CurrentID()) // 2 to 5 µs: never in an ordinary Poll
	v := &View{flags: changedFlags(b.registry.Listing()), Frame: frame, At: time.Now(), App: b.app, Bound: b.world != nil, effects: b.effects.Load()}
	if b.world != nil {
		v.Catalog = b.catalog()
		v.Samples = b.sampleEntities()
	}
	if b.app != nil && (b.app.States != nil || b.app.Clock != nil) {
		v.Held = b.readHeld()
		v.Paused = new(v.Held != nil)
	}
	if b.app != nil && b.app.Summary != nil {
		v.Summary = b.readSummary(b.app.Summary)
	}
	b.view.Store(v)
	b.published.send()
}

// catalog keeps the last Catalog where the adapter panics: the server must
// outlive a broken world.
func (b *binding) catalog() (cat *ecs.Catalog) {
	defer func() {
		if p := recover(); p != nil {
			b.log.Error("the world cannot be described", "panic", words.Panic(p))
			cat = b.view.Load().Catalog
		}
	}()
	return b.world.Catalog()
}

// sampleEntities are a few living entities of each archetype, for completions.
func (b *binding) sampleEntities() (es []ecs.Entity) {
	defer func() { _ = recover() }()
	for c := range b.world.Chunks(ecs.Filter{}) {
		es = c.AppendEntities(es, 0, min(2, c.Len()))
		if len(es) >= 64 {
			break
		}
	}
	return es
}

func (b *binding) readHeld() (held *tools.Held) {
	defer func() { _ = recover() }() // a host's own implementation
	return tools.HeldOf(b.app)
}

// maxSummary bounds what the host tells of itself.
const maxSummary = 1 << 10

func (b *binding) readSummary(f func() any) (out []byte) {
	defer func() {
		if p := recover(); p != nil {
			out, _ = json.Marshal(map[string]string{"error": words.Clip("App.Summary panicked: "+words.Panic(p), 512)})
		}
	}()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f()); err != nil {
		out, _ = json.Marshal(map[string]string{"error": words.Clip("App.Summary cannot be encoded: "+err.Error(), 512)})
		return out
	}
	text := bytes.TrimSpace(buf.Bytes())
	if len(text) > maxSummary {
		out, _ = json.Marshal(map[string]any{"truncated": true, "bytes": len(text), "text": words.Clip(string(text), 600)})
		return out
	}
	return text
}

// settle has what is made of the Catalog brought in line with the published
// one, off the frame where it can be.
func (l *Loop) settle() {
	if l.cfg.Settle != nil {
		l.cfg.Settle()
	}
}

// Current is a View that shows the effects of every call that was answered
// before: if the last one does not, or is older than a second, it waits for a
// new one, at most refreshWait and only while the frame polls.
func (l *Loop) Current(ctx context.Context) *View {
	v := l.View()
	if v.effects == l.bound.effects.Load() && time.Since(v.At) <= time.Second {
		return v
	}
	return l.awaitRefresh(ctx, v)
}

// recent is a View that is no older than a second while the frame polls. It is
// enough to check arguments by: names that are not found are looked up again.
func (l *Loop) recent(ctx context.Context) *View {
	v := l.View()
	if time.Since(v.At) <= time.Second && v.Bound || !l.polling() {
		return v
	}
	return l.awaitRefresh(ctx, v)
}

// awaitRefresh asks for a publication newer than v and waits for it.
func (l *Loop) awaitRefresh(ctx context.Context, v *View) *View {
	if !l.polling() {
		return l.View()
	}
	next := l.bound.published.next()
	if l.View() == v {
		l.Refresh()
		t := time.NewTimer(refreshWait)
		defer t.Stop()
		select {
		case <-next:
		case <-t.C:
		case <-ctx.Done():
		case <-l.closed:
		}
	}
	l.settle()
	return l.View()
}

// refreshWait bounds how long a call waits for a fresh Catalog.
const refreshWait = 250 * time.Millisecond
