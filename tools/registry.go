package tools

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Registry holds tools in the order of their first registration. It belongs
// to the host and survives a server's Close. All methods may be called from
// any goroutine.
type Registry struct {
	mu        sync.Mutex
	order     []*Published
	byName    map[string]int
	backends  map[reflect.Type]any
	watchers  map[int]func()
	nextID    int
	listing   atomic.Pointer[Listing]
	revision  uint64
	documents documents
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	r := &Registry{byName: map[string]int{}, backends: map[reflect.Type]any{}, watchers: map[int]func(){}}
	r.listing.Store(&Listing{byName: map[string]*Published{}})
	return r
}

// Published is a tool as it was when it was registered: what listings show.
// It is immutable except for what Tool points at.
type Published struct {
	Tool    *Tool // dispatch uses what it holds now, read on the frame goroutine
	Spec    Spec
	Handler Handler
	// Input and Output are the schemas as JSON; a tool whose answers are no
	// structured content has no Output. Lean and Full are the entries of
	// tools/list: as short as can be, and with all there is to say.
	Input, Output json.RawMessage
	Lean, Full    json.RawMessage
	// Schema and Fields are the tool's InputSchema and Fields.
	Schema *Schema
	Fields []*value.Field
	// Usage is one line that says how to call the tool.
	Usage string
	// Arguments are the names of the input schema's properties.
	Arguments []string

	leanPage, fullPage json.RawMessage // with Spec.Page

	check validator // of Input, made when first needed
}

// Listing is an immutable state of a registry.
type Listing struct {
	Revision uint64
	Tools    []*Published // first-registration order
	byName   map[string]*Published
}

// Lookup finds a published tool.
func (l *Listing) Lookup(name string) (*Published, bool) {
	p, ok := l.byName[name]
	return p, ok
}

// Listed returns the tools that tools/list shows, in order.
func (l *Listing) Listed() []*Published {
	listed := make([]*Published, 0, len(l.Tools))
	for _, p := range l.Tools {
		if !p.Spec.Unlisted {
			listed = append(listed, p)
		}
	}
	return listed
}

func sameEntry(a, b *Published) bool { return a == b || bytes.Equal(a.Full, b.Full) }

// Filter returns a listing of the tools that keep accepts.
func (l *Listing) Filter(keep func(*Published) bool) *Listing {
	f := &Listing{Revision: l.Revision, byName: map[string]*Published{}}
	for _, p := range l.Tools {
		if keep(p) {
			f.Tools = append(f.Tools, p)
			f.byName[p.Spec.Name] = p
		}
	}
	return f
}

// Names returns all names in listing order.
func (l *Listing) Names() []string {
	names := make([]string, len(l.Tools))
	for i, p := range l.Tools {
		names[i] = p.Spec.Name
	}
	return names
}

// Listing returns the present state, without a lock.
func (r *Registry) Listing() *Listing { return r.listing.Load() }

// Register publishes tools. A tool of a known name replaces that one and keeps
// its position. On an error (no name, no handler, contradicting flags, a
// schema that strict clients reject) none of them is registered.
func (r *Registry) Register(ts ...*Tool) error {
	ps := make([]*Published, 0, len(ts))
	for _, t := range ts {
		if t == nil {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: "a nil tool cannot be registered"}
		}
		p, err := publish(t)
		if err != nil {
			return err
		}
		ps = append(ps, p)
	}
	r.update(func() {
		for _, p := range ps {
			if i, ok := r.byName[p.Spec.Name]; ok {
				r.order[i] = p
			} else {
				r.byName[p.Spec.Name] = len(r.order)
				r.order = append(r.order, p)
			}
		}
	})
	return nil
}

// MustRegister is Register for tools that cannot fail; it panics if one does.
func (r *Registry) MustRegister(ts ...*Tool) {
	if err := r.Register(ts...); err != nil {
		panic("tools: " + err.Error())
	}
}

// Unregister removes tools by name and reports how many there were.
func (r *Registry) Unregister(names ...string) int {
	n := 0
	r.update(func() {
		kept := make([]*Published, 0, len(r.order))
		for _, p := range r.order {
			if slices.Contains(names, p.Spec.Name) {
				n++
				continue
			}
			kept = append(kept, p)
		}
		r.order = kept
		clear(r.byName)
		for i, p := range kept {
			r.byName[p.Spec.Name] = i
		}
	})
	return n
}

func (r *Registry) update(change func()) {
	r.mu.Lock()
	change()
	r.revision++
	before := r.listing.Load()
	l := &Listing{Revision: r.revision, Tools: slices.Clone(r.order), byName: make(map[string]*Published, len(r.order))}
	for _, p := range l.Tools {
		l.byName[p.Spec.Name] = p
	}
	r.listing.Store(l)
	if slices.EqualFunc(before.Listed(), l.Listed(), sameEntry) {
		r.mu.Unlock()
		return
	}
	watchers := make([]func(), 0, len(r.watchers))
	for _, w := range r.watchers {
		watchers = append(watchers, w)
	}
	r.mu.Unlock()
	for _, w := range watchers {
		w()
	}
}

// Tools returns the registered pointers in a fresh slice.
func (r *Registry) Tools() []*Tool {
	l := r.Listing()
	ts := make([]*Tool, len(l.Tools))
	for i, p := range l.Tools {
		ts[i] = p.Tool
	}
	return ts
}

// Watch has f called after every change of what is listed, on the goroutine
// that made it; f must be quick. Unlisted tools come and go silently. The
// returned function ends it. A server turns a burst of changes into one
// announcement.
func (r *Registry) Watch(f func()) (stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := r.nextID
	r.nextID++
	r.watchers[id] = f
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.watchers, id)
	}
}

// Provide hands r, the registry that the server was given in its options, the
// backend that [Domain] tools of type B use. Providing again replaces it; a nil
// interface withdraws it.
//
//	reg := tools.NewRegistry()
//	tools.Provide(reg, editor) // a *Editor
//	dbg, err := mcpdebug.Listen(addr, &mcpdebug.Options{Registry: reg})
//	dbg.Register(tools.Domain(tools.Spec{Name: "editor_save", Description: "Saves the level."},
//		func(ctx context.Context, e *Editor, in SaveArgs) (SaveResult, error) { return e.Save(in) }))
func Provide[B any](r *Registry, backend B) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.backends[reflect.TypeFor[B]()] = backend
}

func (r *Registry) backend(t reflect.Type) any {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.backends[t]
}
