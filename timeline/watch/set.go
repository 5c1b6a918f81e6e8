package watch

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Options configures a Set. The zero value is the default.
type Options struct {
	// Tell gets hits soon after they happened, in order, on a goroutine of the
	// Set's own. Default nil: nobody is told.
	Tell func([]Hit)
	// Held is called on the frame goroutine when a watch has paused the clock.
	// Default nil.
	Held func(watch string, tick uint64)
	// Busy is called on the frame goroutine when the first watch looks and when
	// none does any more: who owns the Set has it told of polls and calls, or not.
	// Default nil.
	Busy func(bool)
	// Driven: who made the Set calls Between itself, and watches may wait for
	// entities that do not live yet. Default: the Set hooks itself in.
	Driven bool
}

// Limits of a Set.
const (
	MaxWatches = 64
	MaxLimit   = 10_000
	keepHits   = 20_000 // of all watches
)

// Set is the watches of a world.
type Set struct {
	opts Options

	// Frame goroutine.
	world     ecs.World
	loc       ecs.Locator
	app       *host.App
	clock     host.Clock
	systems   host.SystemHooks
	hooked    bool
	looking   []*watch // all that look
	bySystem  []*watch
	calls     []call // frame parts under way, outermost first
	operation string // what the host was suspended in at the last Poll
	tick      uint64 // of the clock at the last Poll or EndTick
	frame     uint64
	pending   []Hit // of the tick under way
	pause     string

	mu      sync.Mutex
	all     []*watch // also ended ones, for lists
	named   int
	hits    []Hit
	n       uint64
	dropped uint64 // hits that were pushed out
	telling bool
	told    uint64
}

type watch struct {
	*probe
	id     string
	system bool
	pauses bool

	// Guarded by Set.mu.
	info Info
}

type call struct{ tool, client string }

// NewSet makes an empty Set.
func NewSet(o Options) *Set { return &Set{opts: o} }

// Add begins a watch.
func (s *Set) Add(w ecs.World, app *host.App, c *Compiled) (Info, error) {
	switch {
	case w == nil:
		return Info{}, &refusal.Error{Code: refusal.NoWorld, Message: "no world is bound, so there is nothing to watch"}
	case len(s.looking) >= MaxWatches:
		return Info{}, &refusal.Error{Code: refusal.TooLarge, Message: fmt.Sprintf("%d watches look already", MaxWatches), Want: MaxWatches,
			Hint: "watch_remove ends one; where watches a count over many entities", Next: "watch_list"}
	case c.spec.Limit > MaxLimit:
		return Info{}, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("limit %d is too large", c.spec.Limit), Want: MaxLimit}
	case c.spec.Pause && (app == nil || app.Clock == nil):
		return Info{}, &refusal.Error{Code: refusal.NotSupported, Message: "this game has no clock that could be held", Want: "App.Clock",
			Hint: `action "log" needs none`}
	}
	s.bind(w, app)
	x := &watch{probe: newProbe(c)}
	if err := x.begin(w, s.loc, s.opts.Driven); err != nil {
		return Info{}, err
	}
	x.pauses = c.spec.Pause
	x.system = !c.spec.ByTick && (s.systems != nil || s.opts.Driven)
	by := "tick"
	if x.system {
		by = "system"
	}
	s.mu.Lock()
	s.named++
	x.id = "w" + strconv.Itoa(s.named)
	x.info = Info{ID: x.id, What: c.what, When: c.spec.When, Value: x.shown(), By: by, NoHook: !c.spec.ByTick && !x.system, Pause: x.pauses, Limit: c.spec.Limit}
	s.all = append(s.all, x)
	if len(s.all) > 4*MaxWatches {
		s.all = slices.Delete(s.all, 0, 1)
	}
	info := x.info
	s.mu.Unlock()
	if len(s.looking) == 0 {
		s.noteTick()
		if s.opts.Busy != nil {
			s.opts.Busy(true)
		}
	}
	s.looking = append(s.looking, x)
	s.sort()
	return info, nil
}

// begin makes the first look.
func (x *watch) begin(w ecs.World, loc ecs.Locator, unborn bool) error {
	if x.bare {
		e, ok := w.Holder(x.entity.ID)
		if !ok {
			return &refusal.Error{Code: refusal.UnknownEntity, Message: fmt.Sprintf("no entity lives in slot %d now", x.entity.ID), Got: x.spec.Entity, Next: "query"}
		}
		c := *x.Compiled
		c.entity, c.what = e, e.String()+c.what[len(c.spec.Entity):]
		x.Compiled = &c
	}
	if x.count == nil && x.resource == nil && !unborn && !w.Alive(x.entity) {
		err := &refusal.Error{Code: refusal.EntityDead, Message: fmt.Sprintf("entity %s is not alive", x.entity), Got: x.entity.String(), Next: "query"}
		if now, ok := w.Holder(x.entity.ID); ok {
			err.Hint = fmt.Sprintf("its slot holds %s now", now)
		}
		return err
	}
	if x.count != nil {
		plan, err := x.count.Bind(w)
		if err != nil {
			return err
		}
		x.count = plan
	}
	x.take(w, loc)
	return nil
}

// Remove ends a watch; its hits stay for those who list them.
func (s *Set) Remove(id string) error {
	s.mu.Lock()
	i := slices.IndexFunc(s.all, func(x *watch) bool { return x.id == id })
	var names []string
	for _, x := range s.all {
		names = append(names, x.id)
	}
	if i >= 0 {
		s.all = slices.Delete(s.all, i, i+1)
	}
	s.mu.Unlock()
	if i < 0 {
		return noWatch(id, names)
	}
	s.drop(func(x *watch) bool { return x.id == id })
	return nil
}

func noWatch(id string, names []string) error {
	return &refusal.Error{Code: refusal.NotFound, Message: "no watch " + strconv.Quote(id), Got: id, Options: refusal.Nearest(id, names), Total: len(names),
		Hint: "watch_list names them", Next: "watch_list"}
}

// drop lets watches look no more.
func (s *Set) drop(which func(*watch) bool) {
	before := len(s.looking)
	s.looking = slices.DeleteFunc(slices.Clone(s.looking), which) // a look may be under way
	if len(s.looking) == before {
		return
	}
	s.sort()
	if len(s.looking) == 0 && s.opts.Busy != nil {
		s.opts.Busy(false)
	}
}

// sort works out who is looked at between systems, and has itself called there
// as long as there is anybody.
func (s *Set) sort() {
	s.bySystem = nil
	for _, x := range s.looking {
		if x.system {
			s.bySystem = append(s.bySystem, x)
		}
	}
	want := len(s.bySystem) > 0 && s.systems != nil && !s.opts.Driven
	if want == s.hooked {
		return
	}
	s.hooked = want
	if want {
		s.systems.Observe(s.Between)
	} else if s.systems != nil {
		s.systems.Observe(nil)
	}
}

// bind takes note of what the host has bound now. Watches of another world end.
func (s *Set) bind(w ecs.World, app *host.App) {
	if w != s.world {
		if s.world != nil {
			s.end(s.looking, "another world was bound")
		}
		s.world = w
		if w != nil {
			s.loc = ecs.LocatorOf(w)
		}
	}
	if app == s.app {
		return
	}
	if s.hooked {
		s.systems.Observe(nil)
		s.hooked = false
	}
	s.app, s.systems, s.clock = app, nil, nil
	if app != nil {
		s.clock = app.Clock
		s.systems, _ = app.Systems.(host.SystemHooks)
	}
	if s.systems == nil && !s.opts.Driven {
		for _, x := range s.looking {
			x.system = false
		}
	}
	s.sort()
}

// end says why some watches look no more.
func (s *Set) end(xs []*watch, why string) {
	if len(xs) == 0 {
		return
	}
	s.mu.Lock()
	for _, x := range xs {
		x.info.Ended = why
	}
	s.mu.Unlock()
	s.drop(func(x *watch) bool { return slices.Contains(xs, x) })
}

var _ schedule.Hook = (*Set)(nil).Between
