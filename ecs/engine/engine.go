package engine

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Engine is what an adapter's errors say of its engine.
type Engine struct {
	Name     string // as it is written in a sentence
	Module   string // its import path
	Version  string // the one whose memory layout the adapter mirrors, "0.8.1"
	MaxTypes int    // component types beyond this make every new archetype panic
}

// BuildVersion is the version of the engine in this build, "v0.8.1", or "" if
// the build does not tell.
func (e *Engine) BuildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == e.Module })
	if i < 0 {
		return ""
	}
	if m := info.Deps[i]; m.Replace != nil {
		return m.Replace.Version
	}
	return info.Deps[i].Version
}

// Judge says whether the changes may be made in w, a world with so many
// component types whose last catalog is cat (nil: none). It changes nothing.
func (e *Engine) Judge(w ecs.World, cat *ecs.Catalog, types int, changes []ecs.Change) error {
	if cat == nil || len(cat.Components) != types {
		cat = w.Catalog()
	}
	if err := ecs.ValidateChangesWith(cat, w, changes); err != nil || types <= e.MaxTypes {
		return err
	}
	for i := range changes {
		switch changes[i].Op {
		case ecs.OpSpawn, ecs.OpAdd, ecs.OpRemove, ecs.OpRetarget:
			err := e.tooManyTypes(types, "new archetypes")
			err.Hint = "values can be set and entities despawned; the game must register fewer types"
			return err
		}
	}
	return nil
}

// Check says whether img can be restored into the world that cat describes now,
// but for what only the engine can know.
func (e *Engine) Check(cat *ecs.Catalog, img *ecs.Image) error {
	if cat.Locked {
		return &refusal.Error{Code: refusal.WorldLocked, Message: "the world is locked and cannot be restored", Next: "clear_crash",
			Hint: "restore when no query is open; after a crash, clear_crash with unlock releases the lock"}
	}
	if n := len(cat.Components); n > e.MaxTypes {
		return e.tooManyTypes(n, "archetypes")
	}
	return ecs.ValidateImage(cat, img)
}

func (e *Engine) tooManyTypes(n int, what string) *refusal.Error {
	return &refusal.Error{Code: refusal.NotSupported, Got: n, Want: e.MaxTypes,
		Message: fmt.Sprintf("%d component types are registered and %s works with %d: it cannot make %s any more", n, e.Name, e.MaxTypes, what)}
}

// Panicked is the error of an Apply that the panic of a listener ended. who is
// the engine's word for it, with an article: "a listener".
func Panicked(changes []ecs.Change, i int, cause any, who string) error {
	got := fmt.Sprint(cause)
	return &refusal.Error{Code: refusal.Panicked, Got: got, Hint: who + " of the game panicked on the event of this change",
		Message: fmt.Sprintf("change %d of %d (%s) panicked: %s; the changes before it are made", i+1, len(changes), changes[i].Op, got)}
}

// Cannot adds to what an adapter cannot do what it cannot do without the
// verified layout.
func (e *Engine) Cannot(verified bool, words ...string) []string {
	if verified {
		return words
	}
	reason := ": this build's " + e.Name + " has a memory layout the adapter was not written for"
	return append(words, string(ecs.LimitRestore)+reason, string(ecs.LimitUnlock)+reason)
}
