package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/schema"
)

// Registry holds tools in the order of their first registration. It belongs
// to the host and survives a server's Close. All methods may be called from
// any goroutine.
type Registry struct {
	mu        sync.Mutex
	order     []*Registered
	byName    map[string]int
	backends  map[reflect.Type]any
	watchers  map[int]func()
	nextID    int
	state     atomic.Pointer[state]
	revision  uint64
	documents atomic.Pointer[documents]
	updates   []*updateWatcher
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	r := &Registry{byName: map[string]int{}, backends: map[reflect.Type]any{}, watchers: map[int]func(){}}
	r.state.Store(&state{})
	r.documents.Store(&documents{})
	return r
}

// Registered is a tool as it was when it was registered, whatever has become of
// the Tool since. Immutable.
type Registered struct {
	Tool    *Tool // dispatch uses what it holds now, read on the frame goroutine
	Spec    Spec
	Handler Handler
	// Input and Output are the schemas as JSON; a tool whose answers are no
	// structured content has no Output.
	Input, Output json.RawMessage
	// Schema and Fields are the tool's InputSchema and Fields.
	Schema *Schema
	Fields []*value.Field
	// Arguments are the names of the input schema's properties.
	Arguments []string
}

// register freezes a tool.
func register(t *Tool) (*Registered, error) {
	if t == nil {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "a nil tool cannot be registered"}
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	p := &Registered{Tool: t, Spec: t.Spec, Handler: t.Handler, Schema: t.InputSchema, Fields: t.Fields}
	p.Spec.Meta = maps.Clone(t.Meta)
	if p.Spec.Group == "" {
		p.Spec.Group = "custom"
	}
	if p.Spec.OffFrame {
		p.Spec.WhenParked, p.Spec.WhenCrashed = true, true
	}
	var err error
	if p.Input, p.Arguments, err = schema.Publish(t.InputSchema); err != nil {
		return nil, fmt.Errorf("tool %q: input schema: %w", t.Name, err)
	}
	if !withContent(t.Handler) {
		if p.Output, _, err = schema.Publish(t.OutputSchema); err != nil {
			return nil, fmt.Errorf("tool %q: output schema: %w", t.Name, err)
		}
	}
	if _, err := json.Marshal(t.Meta); err != nil {
		return nil, fmt.Errorf("tool %q: Meta: %w", t.Name, err)
	}
	return p, nil
}

// looksAs tells whether listings show the same of both.
func (p *Registered) looksAs(q *Registered) bool {
	a, b := p.Spec, q.Spec
	a.Example, b.Example, a.Manual, b.Manual = "", "", "", ""
	return p == q || bytes.Equal(p.Input, q.Input) && bytes.Equal(p.Output, q.Output) && reflect.DeepEqual(a, b)
}

// state is an immutable state of a registry's tools.
type state struct {
	revision uint64
	tools    []*Registered
	byName   map[string]*Registered
}

func (s *state) listed() (listed []*Registered) {
	for _, p := range s.tools {
		if !p.Spec.Unlisted {
			listed = append(listed, p)
		}
	}
	return listed
}

// Register publishes tools. A tool of a known name replaces that one and keeps
// its position. On an error (no name, no handler, contradicting flags, a
// schema that strict clients reject) none of them is registered.
func (r *Registry) Register(ts ...*Tool) error {
	ps := make([]*Registered, 0, len(ts))
	for _, t := range ts {
		p, err := register(t)
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
		kept := make([]*Registered, 0, len(r.order))
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
	before := r.state.Load()
	now := &state{revision: r.revision, tools: slices.Clone(r.order), byName: make(map[string]*Registered, len(r.order))}
	for _, p := range now.tools {
		now.byName[p.Spec.Name] = p
	}
	r.state.Store(now)
	if slices.EqualFunc(before.listed(), now.listed(), (*Registered).looksAs) {
		r.mu.Unlock()
		return
	}
	watchers := slices.Collect(maps.Values(r.watchers))
	r.mu.Unlock()
	for _, w := range watchers {
		w()
	}
}

// Tools returns the registered pointers in a fresh slice.
func (r *Registry) Tools() []*Tool {
	list := r.state.Load().tools
	ts := make([]*Tool, len(list))
	for i, p := range list {
		ts[i] = p.Tool
	}
	return ts
}

// Registered returns the tools as they were registered, in the order of first
// registration, and the revision, which grows with every change. Without a lock;
// the slice is not to be changed.
func (r *Registry) Registered() (list []*Registered, revision uint64) {
	s := r.state.Load()
	return s.tools, s.revision
}

// Lookup finds a tool as it was registered, without a lock.
func (r *Registry) Lookup(name string) (*Registered, bool) {
	p, ok := r.state.Load().byName[name]
	return p, ok
}

func (r *Registry) names() []string {
	list := r.state.Load().tools
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Spec.Name
	}
	return names
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

// Provided is what was provided for B; false: nothing. Any goroutine.
func Provided[B any](r *Registry) (B, bool) {
	b, ok := r.backend(reflect.TypeFor[B]()).(B)
	return b, ok
}

func (r *Registry) backend(t reflect.Type) any {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.backends[t]
}
