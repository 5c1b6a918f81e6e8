// Package listing is what the server makes of a registry's tools: their entries in
// tools/list, how they are called in a line, the checks of arguments, and which
// may be called from where. It is made once for each tool.
package listing

import (
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/loupe-ecs/loupe/internal/arguments"
	"github.com/loupe-ecs/loupe/tools"
)

// Tool is a registered tool and what was made of it.
type Tool struct {
	*tools.Registered

	made  sync.Once
	entry entry
	usage string
	check arguments.Checker
}

func (p *Tool) make() {
	p.made.Do(func() { p.entry, p.usage = makeEntry(p.Registered), usage(p.Spec.Name, p.Schema) })
}

// Entry is the tool as tools/list shows it: with all there is to say or
// without, and with its page for clients that show pages.
func (p *Tool) Entry(full, page bool) json.RawMessage {
	p.make()
	switch page = page && p.Spec.Page != ""; {
	case page && full:
		return p.entry.fullPage
	case page:
		return p.entry.leanPage
	case full:
		return p.entry.full
	}
	return p.entry.lean
}

// Usage is one line that says how to call the tool.
func (p *Tool) Usage() string {
	p.make()
	return p.usage
}

// Check checks the arguments of an untyped tool.
func (p *Tool) Check(args json.RawMessage) error { return p.check.Check(p.Input, p.Arguments, args) }

// Listing is an immutable state of a registry.
type Listing struct {
	Revision uint64
	Tools    []*Tool // first-registration order
	byName   map[string]*Tool
}

// Of is the present listing of a registry. It is made anew after a change, on the
// goroutine that asks first; any may.
func Of(r *tools.Registry) *Listing {
	k, ok := tools.Provided[*keeper](r)
	if !ok {
		k = &keeper{}
		k.last.Store(&Listing{})
		tools.Provide(r, k) // two at once: either will do
	}
	return k.now(r)
}

// keeper keeps the last listing of a registry.
type keeper struct {
	mu   sync.Mutex
	last atomic.Pointer[Listing]
}

func (k *keeper) now(r *tools.Registry) *Listing {
	if _, revision := r.Registered(); k.last.Load().Revision == revision {
		return k.last.Load()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	list, revision := r.Registered()
	before := k.last.Load()
	if before.Revision == revision {
		return before
	}
	l := &Listing{Revision: revision, Tools: make([]*Tool, len(list)), byName: make(map[string]*Tool, len(list))}
	for i, reg := range list {
		p := before.byName[reg.Spec.Name]
		if p == nil || p.Registered != reg {
			p = &Tool{Registered: reg}
		}
		l.Tools[i], l.byName[reg.Spec.Name] = p, p
	}
	k.last.Store(l)
	return l
}

// Lookup finds a tool.
func (l *Listing) Lookup(name string) (*Tool, bool) {
	p, ok := l.byName[name]
	return p, ok
}

// Listed returns the tools that tools/list shows, in order.
func (l *Listing) Listed() []*Tool {
	listed := make([]*Tool, 0, len(l.Tools))
	for _, p := range l.Tools {
		if !p.Spec.Unlisted {
			listed = append(listed, p)
		}
	}
	return listed
}

// Filter returns a listing of the tools that keep accepts.
func (l *Listing) Filter(keep func(*Tool) bool) *Listing {
	f := &Listing{Revision: l.Revision, byName: map[string]*Tool{}}
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
