//go:build !nomcpdebug

package mcpdebug

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/builtin"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// builtIns are the tools that come with the server: those that are always
// there, those of what the app provides, and those made of component types.
type builtIns struct {
	server   *Server
	registry *tools.Registry
	log      *slog.Logger
	tools    *builtin.Tools
	always   map[*tools.Tool]bool
	resets   resetters

	mu         sync.Mutex
	components *builtin.ComponentTools
	catalog    *ecs.Catalog // what the generated tools are made of
	made       bool         // they were made of a Catalog
	begun      bool         // settle has run
}

func newBuiltIns(s *Server) *builtIns {
	b := &builtIns{server: s, registry: s.registry, log: s.log}
	c := s.opts.Components
	b.components = builtin.NewComponentTools(s.registry, builtin.ComponentOptions{List: builtin.ListPolicy(c.List), MaxListed: c.MaxListed, MaxListedBytes: c.MaxListedBytes, Prefix: c.Prefix,
		Scheme: c.Scheme, NoComputed: c.NoComputed, NoActions: c.NoActions, NoConfigure: c.NoConfigure})
	s.builtIns = b // what the tools are made of asks for it
	b.tools = builtin.New(services{s})
	b.always = make(map[*tools.Tool]bool, len(b.tools.Always))
	for _, t := range b.tools.Always {
		b.always[t] = true
	}
	return b
}

// register registers what every server offers. A tool of the host's under a
// built-in name stays; one that an earlier server left is replaced.
func (b *builtIns) register() {
	if err := b.registry.Register(b.notTaken(b.tools.Always)...); err != nil {
		b.log.Error("a built-in tool cannot be registered", "err", err)
	}
	documents := append(builtin.Resources(services{b.server}, b.server.opts.Components.Scheme), b.tools.Text.Resources(b.server.opts.Components.Scheme)...)
	if err := b.registry.RegisterResource(documents...); err != nil {
		b.log.Error("a built-in resource cannot be registered", "err", err)
	}
	if err := b.registry.RegisterPrompt(b.promptsNotTaken(builtin.Prompts(services{b.server}))...); err != nil {
		b.log.Error("a built-in prompt cannot be registered", "err", err)
	}
}

// promptsNotTaken leaves out those under whose name the host has one of its own,
// which reads differently; one that an earlier server left reads the same.
func (b *builtIns) promptsNotTaken(ps []*tools.Prompt) []*tools.Prompt {
	return slices.DeleteFunc(ps, func(p *tools.Prompt) bool {
		had, err := b.registry.Prompt(p.Name)
		return err == nil && (had.Title != p.Title || had.Description != p.Description)
	})
}

// registered tells whether they still are.
func (b *builtIns) registered() bool {
	l := listing.Of(b.registry)
	for t := range b.always {
		if _, ok := l.Lookup(t.Name); !ok {
			return false
		}
	}
	return true
}

func (b *builtIns) notTaken(ts []*tools.Tool) []*tools.Tool {
	l := listing.Of(b.registry)
	kept := ts[:0:0]
	for _, t := range ts {
		if p, ok := l.Lookup(t.Name); ok && p.Spec.Group != t.Group {
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// offer registers the tools of what the app provides and withdraws the others,
// also those that an earlier server with this registry left.
func (b *builtIns) offer(app *host.App) {
	var want []*tools.Tool
	var gone []string
	l := listing.Of(b.registry)
	for _, sub := range b.tools.Subsystems {
		if sub.In(app) {
			want = append(want, sub.Tools...)
			continue
		}
		for _, t := range sub.Tools {
			if p, ok := l.Lookup(t.Name); ok && p.Spec.Group == t.Group {
				gone = append(gone, t.Name)
			}
		}
	}
	if len(gone) > 0 {
		b.registry.Unregister(gone...)
	}
	if want = b.notTaken(want); len(want) > 0 {
		if err := b.registry.Register(want...); err != nil {
			b.log.Error("a subsystem's tool cannot be registered", "err", err)
		}
	}
}

// lacks finds a tool of a subsystem that the app does not provide.
func (b *builtIns) lacks(name string) (subsystem string, t *tools.Tool) {
	sub, t := b.tools.SubsystemOf(name)
	if t == nil {
		return "", nil
	}
	return sub.Name, t
}

// recorded is which ticks are recorded.
func (b *builtIns) recorded() (from, to uint64, ok bool) {
	return b.tools.Past.Recorder().Line().Ticks()
}

// trusts tells the tools whose parts off the frame do not block for long.
func (b *builtIns) trusts(t *tools.Tool) bool { return b.always[t] }

// settle brings what is generated from the Catalog in line with the published
// one. Off the frame where it can be: the watchdog and calls do it.
func (b *builtIns) settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	cat := b.server.loop.Catalog()
	if cat == b.catalog && b.begun {
		return
	}
	if !b.made && cat != nil {
		b.made = true
		b.removeLeft()
	}
	b.catalog, b.begun = cat, true
	defer func() {
		// It runs on the watchdog's goroutine too, where a panic ends the game.
		if p := recover(); p != nil {
			b.log.Error("the tools of a component type cannot be generated", "panic", words.Panic(p))
		}
	}()
	b.components.Update(cat)
}

// removeLeft removes generated tools that an earlier server with this registry
// has left.
func (b *builtIns) removeLeft() {
	var names []string
	for _, p := range listing.Of(b.registry).Tools {
		if _, ok := p.Spec.Meta["typeID"]; ok {
			names = append(names, p.Spec.Name)
		}
	}
	if len(names) > 0 {
		b.registry.Unregister(names...)
	}
}

// resetters are the sandboxes that want to know of a reset.
type resetters struct {
	mu sync.Mutex
	fs []func()
}

func (r *resetters) add(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fs = append(r.fs, f)
}

func (r *resetters) call() {
	r.mu.Lock()
	fs := r.fs
	r.mu.Unlock()
	for _, f := range fs {
		f()
	}
}
