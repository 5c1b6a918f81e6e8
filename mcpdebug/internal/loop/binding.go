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
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// binding is what the host has bound, and what was published of it. world and
// app are the frame goroutine's.
type binding struct {
	world    ecs.World
	app      *host.App
	state    *state
	log      *slog.Logger
	registry *tools.Registry
	onSettle func()

	view      atomic.Pointer[View]
	published broadcast
	goroutine atomic.Uint64 // number of the goroutine that polls
	effects   atomic.Uint64 // frame parts that may have changed something
}

func (b *binding) init(s *state, c *Config) {
	b.state, b.registry, b.log, b.onSettle = s, c.Registry, c.Log, c.Settle
	b.published.ch = make(chan struct{})
	b.view.Store(&View{At: s.started})
}

func (b *binding) bind(w ecs.World, app *host.App) {
	b.world, b.app = w, app
	b.refresh(b.state.Frame())
	b.settle()
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

// refresh publishes what the frame goroutine alone can tell: the Catalog, the
// host's summary, and which goroutine it is. Frame goroutine.
func (b *binding) refresh(frame uint64) {
	b.goroutine.Store(stacks.CurrentID()) // 2 to 5 µs: never in an ordinary Poll
	v := &View{flags: changedFlags(listing.Of(b.registry)), Frame: frame, At: time.Now(), App: b.app, Bound: b.world != nil, effects: b.effects.Load()}
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
	v.Systems, v.Stack = b.readLists()
	v.Tick = b.tick()
	b.view.Store(v)
	b.published.send()
}

func (b *binding) readLists() (systems []host.SystemInfo, stack []string) {
	defer func() { _ = recover() }() // a host's own implementation
	if b.app == nil {
		return nil, nil
	}
	if b.app.Systems != nil {
		systems = b.app.Systems.List()
	}
	if b.app.States != nil {
		stack = b.app.States.Stack()
	}
	return systems, stack
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

// paused tells whether the host's clock is paused.
func (b *binding) paused() (yes bool) {
	defer func() { _ = recover() }() // a host's own implementation
	return b.app.Paused()
}

// tick is what the host's clock says; 0 without one.
func (b *binding) tick() (n uint64) {
	defer func() { _ = recover() }() // a host's own implementation
	if b.app != nil && b.app.Clock != nil {
		n = b.app.Clock.Info().Tick
	}
	return n
}

// noteHold remembers which call has paused the clock.
func (b *binding) noteHold(was bool, tool, client string) {
	defer func() { _ = recover() }() // a host's own implementation
	switch {
	case !b.app.Paused():
	case was:
		b.app.StillHeld()
	default:
		b.app.HeldBy("call "+tool, client)
	}
}

func (b *binding) readHeld() (held *host.Held) {
	defer func() { _ = recover() }() // a host's own implementation
	return host.HeldOf(b.app)
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

// refreshInline publishes if the world has changed, or now and then: Dispatch
// may be called often. Frame goroutine.
func (b *binding) refreshInline() {
	v := b.view.Load()
	if time.Since(v.At) < refreshEvery && v.App == b.app && v.effects == b.effects.Load() && (b.world == nil || b.catalog() == v.Catalog) {
		return
	}
	b.refresh(b.state.Frame())
	b.settle()
}

// settle has what is made of the Catalog brought in line with the published
// one, off the frame where it can be.
func (b *binding) settle() {
	if b.onSettle != nil {
		b.onSettle()
	}
}

// current is a View that shows the effects of every call that was answered
// before: if the last one does not, or is older than a second, it waits for a
// new one, at most refreshWait and only while the frame polls.
func (b *binding) current(ctx context.Context) *View {
	v := b.view.Load()
	if v.effects == b.effects.Load() && time.Since(v.At) <= time.Second {
		return v
	}
	return b.awaitRefresh(ctx, v)
}

// recent is a View that is no older than a second while the frame polls. It is
// enough to check arguments by: names that are not found are looked up again.
func (b *binding) recent(ctx context.Context) *View {
	v := b.view.Load()
	if time.Since(v.At) <= time.Second && v.Bound || !b.state.polling() {
		return v
	}
	return b.awaitRefresh(ctx, v)
}

// awaitRefresh asks for a publication newer than v and waits for it.
func (b *binding) awaitRefresh(ctx context.Context, v *View) *View {
	if !b.state.polling() {
		return b.view.Load()
	}
	next := b.published.next()
	if b.view.Load() == v {
		b.state.Refresh()
		t := time.NewTimer(refreshWait)
		defer t.Stop()
		select {
		case <-next:
		case <-t.C:
		case <-ctx.Done():
		case <-b.state.closed:
		}
	}
	b.settle()
	return b.view.Load()
}

// refreshWait bounds how long a call waits for a fresh Catalog.
const refreshWait = 250 * time.Millisecond
