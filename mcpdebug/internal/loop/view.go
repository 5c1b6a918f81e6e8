package loop

import (
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// View is what Poll publishes of the frame goroutine's side. Immutable.
type View struct {
	Catalog *ecs.Catalog // nil without a world
	App     *host.App
	Summary []byte       // what the host says of itself, as JSON
	Samples []ecs.Entity // some living entities, a few of each archetype
	Paused  *bool        // whether the clock or the top state is paused; nil without both
	Held    *host.Held   // why time stands still; nil: it passes
	// Systems and Stack are the host's own lists as they were; nil without them.
	Systems []host.SystemInfo
	Stack   []string
	Tick    uint64 // of the host's clock; 0 without one
	Frame   uint64
	At      time.Time
	Bound   bool // there is a world

	effects uint64 // how often calls had changed something
	// flags are those of tools that were changed in place since they were
	// registered.
	flags map[*listing.Tool]*tools.Spec
}

// flagsOf are the flags of a tool as the frame has published them: a host may
// change them in place, on the frame goroutine.
func (v *View) flagsOf(p *listing.Tool) *tools.Spec {
	if spec := v.flags[p]; spec != nil {
		return spec
	}
	return &p.Spec
}

// changedFlags finds the tools that are not what they were registered as. Frame
// goroutine.
func changedFlags(l *listing.Listing) (changed map[*listing.Tool]*tools.Spec) {
	for _, p := range l.Tools {
		was, is := &p.Spec, &p.Tool.Spec
		if is.Effect != was.Effect || is.WhenParked != was.WhenParked && !is.OffFrame || is.WhenCrashed != was.WhenCrashed && !is.OffFrame ||
			is.NeedsWorld != was.NeedsWorld || is.NeedsApp != was.NeedsApp {
			if changed == nil {
				changed = map[*listing.Tool]*tools.Spec{}
			}
			spec := *is
			changed[p] = &spec
		}
	}
	return changed
}

// runningSystem is the system that runs now, as the host tells.
func (v *View) runningSystem() (name string) {
	defer func() { _ = recover() }() // a host's own implementation
	if t := v.App.Times(); t != nil {
		name, _ = t.Running()
	}
	return name
}

// visiting is the entity that the running system has told to be at.
func (v *View) visiting() (e ecs.Entity, ok bool) {
	defer func() { _ = recover() }() // a host's own implementation
	if v.App != nil {
		if t, is := v.App.Systems.(host.SystemVisits); is {
			e, ok = t.Visiting()
		}
	}
	return e, ok
}

func (v *View) scheduleTimes() (ds []time.Duration) {
	defer func() { _ = recover() }() // a host's own implementation
	if t := v.App.Times(); t != nil {
		for _, f := range t.History(600).Frames {
			ds = append(ds, f.Busy)
		}
	}
	return ds
}
